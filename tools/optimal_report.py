#!/usr/bin/env python3
"""What the optimal solver does with its tables: nodes and look-ups a second, look-ups a node, and what one look-up and six tell.

    cargo build --release
    target/release/twistbase build nx-eo1-ep1-htm nx-eo2-ep1-htm
    tools/optimal_report.py [--store DIR] [--tables nx-eo1-ep1-htm,nx-eo2-ep1-htm] [--length 15] [-n 4] [--threads 2]

The positions that are solved are those of data/optimal_333.csv of the given optimal length, the first -n; rates are those of the
searches together, without the start; with -n 0 there are none, and no rates. What look-ups tell is the mean over --sample
random positions; beside it stands the figure of Tomas Rokicki (nxopt.md). That of six look-ups is told in half turns only: in
quarter turns a bound is raised to the position's parity here.
"""

import argparse
import csv
import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, os.pardir, "data", "optimal_333.csv")

# What one look-up and six tell.
PUBLISHED = {
    "nx-eo1-ep1-htm": (8.90627, 9.84321),
    "nx-eo1-ep1-qtm": (9.88396, 10.9947),
    "nx-eo2-ep1-htm": (9.88681, 10.8274),
    "nx-eo2-ep1-qtm": (11.0091, 12.0452),
    "nx-eo1-ep2-htm": (9.92374, 10.9551),
    "nx-eo1-ep2-qtm": (11.492, 12.5162),
    "nx-eo1-ep3-htm": (10.2745, 11.1472),
    "nx-eo1-ep3-qtm": (11.7077, 12.6858),
    "nx-eo3-ep1-htm": (10.6748, 11.5986),
    "nx-eo3-ep1-qtm": (11.8365, 12.9383),
    "nx-eo2-ep2-htm": (10.9391, 11.8728),
    "nx-eo2-ep2-qtm": (12.4016, 13.3269),
    "nx-eo2-ep3-htm": (11.3619, 12.2277),
    "nx-eo2-ep3-qtm": (12.8229, 13.9476),
    "nx-eo1-ep4-htm": (11.4555, 12.3198),
    "nx-eo1-ep4-qtm": (13.0704, 14.0768),
    "nx-eo3-ep2-htm": (11.79, 12.7223),
    "nx-eo3-ep2-qtm": (13.3901, 14.3404),
    "nx-eo3-ep3-htm": (12.1112, 13.0352),
    "nx-eo3-ep3-qtm": (13.8659, 14.8389),
}


def lines(command, text):
    """Runs a command on some input; returns the objects it prints. (A line that is not solved is no failure here.)"""
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def mean(numbers):
    """Their mean, to four places."""
    return f"{sum(numbers) / len(numbers):.4f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(HERE, os.pardir, "target", "release", "twistbase"))
    parser.add_argument("--store", help="the store to use [default: twistbase's own]")
    parser.add_argument("--tables", default="nx-eo1-ep1-htm,nx-eo2-ep1-htm")
    parser.add_argument("--length", default="15")
    parser.add_argument("-n", type=int, default=4)
    parser.add_argument("--threads", default="2")
    parser.add_argument("--sample", type=int, default=50_000)
    options = parser.parse_args()

    with open(GOLDEN, encoding="ascii") as golden:
        chosen = [row for row in csv.DictReader(golden) if row["optimal_htm"] == options.length][: options.n]
    if not chosen and options.n:
        raise SystemExit(f"data/optimal_333.csv has no positions of {options.length} moves")
    positions = "".join(row["facelets_URFDLB"] + "\n" for row in chosen)
    store = ["--store", options.store] if options.store else []
    program = [os.path.abspath(options.binary), *store, "--quiet", "--threads", options.threads]
    drawn = [*program, "random", "cube3", "-n", str(options.sample), "--seed", "1"]
    sample = subprocess.run(drawn, capture_output=True, text=True, check=True).stdout

    print(f"{len(chosen)} positions of {options.length} moves, {options.threads} threads, {options.sample} random positions;", end=" ")
    print(f"load before {os.getloadavg()[0]:.1f}\n")
    print("| table | nodes a second | look-ups a second | look-ups a node | one tells | published | six tell | published |")
    print("|---|---|---|---|---|---|---|---|")
    for table in options.tables.split(","):
        metric = table.rsplit("-", 1)[-1]
        query, solve = ([*program, "--json", verb, "cube3", "-", "--table", table] for verb in ("query", "solve"))
        solve += ["--method", "optimal", "--metric", metric]
        rates = "- | - | -"
        if chosen:
            ends = [line for line in lines(solve, positions) if "nodes" in line]
            if len(ends) != len(chosen):
                raise SystemExit(f"{table}: {len(ends)} of {len(chosen)} positions were solved; run {' '.join(solve)} to see why")
            nodes, look_ups = (sum(line[member] for line in ends) for member in ("nodes", "look_ups"))
            # Positions of a batch are searched side by side.
            seconds = sum(line["seconds"] for line in ends) / min(int(options.threads), len(ends))
            rates = f"{nodes / seconds / 1e6:.2f} M | {look_ups / seconds / 1e6:.1f} M | {look_ups / nodes:.1f}"
        one = mean([line["nx"] for line in lines(query, sample)])
        six = mean([line["at_least"] for line in lines([*solve, "--max-depth", "0"], sample) if "at_least" in line])
        published = PUBLISHED.get(table, ("-", "-"))
        told = f"{one} | {published[0]} | {six if metric == 'htm' else '-'} | {published[1]}"
        print(f"| {table} | {rates} | {told} |", flush=True)


if __name__ == "__main__":
    main()
