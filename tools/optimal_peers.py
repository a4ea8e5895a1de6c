#!/usr/bin/env python3
"""Compares the optimal solver with its peers on the same positions, one size class of tables at a time, in one run.

    cargo build --release
    target/release/twistbase build nx-eo2-ep1-htm
    tools/optimal_peers.py --table nx-eo2-ep1-htm --nxopt PATH --vcube "PATH --coord=N" --h48 "PATH h48h3" \\
        [--lengths 16,17] [-n 4] [--threads 2]

It fetches and builds nothing. The peers are programs that you have, with their tables built:

--nxopt   an nxopt of cube20src (Tomas Rokicki) of the same size class, in the folder where it keeps its table; it is run
          as `nxopt -t THREADS -`
--vcube   `vc-optimal` (Andrew Skalski) with the options that choose its table, in the folder where it keeps that; it is run
          with `--workers=THREADS` added
--h48     nissy-core's tool `solve_file` (Sebastiano Tronto), compiled for that many threads, with the name of a solver, such as
          "PATH/solve_file h48h3", in the folder in which it has its `tables`; it is run with a file of sequences added

The positions are those of data/optimal_333.csv with the given optimal lengths, the first -n of each. Each program gets all
of them at once, one after the other, so that all meet the same machine. What is compared is the time from the first
position to the last answer: starting, loading and checking the table is measured by a run without positions and taken
off.
"""

import argparse
import csv
import os
import re
import shlex
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, os.pardir, "data", "optimal_333.csv")


def timed(command, text, folder=None):
    """Runs a command on some input; returns wall seconds and output."""
    start = time.perf_counter()
    done = subprocess.run(command, input=text, cwd=folder, capture_output=True, text=True, check=True)
    return time.perf_counter() - start, done.stdout


def plain(sequence):
    """A WCA sequence as U1R2F3…, as the peers read it."""
    return "".join(move[0] + {"": "1", "2": "2", "'": "3"}[move[1:]] for move in sequence.split())


def of_file(answer):
    """The lengths of the solutions that `solve_file` prints, each on the line after `Solutions:`."""
    return [len(found.split()) for found in re.findall(r"^Solutions:\n(.+)$", answer, re.MULTILINE)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/twistbase")
    parser.add_argument("--store", help="the store to use [default: twistbase's own]")
    parser.add_argument("--table", required=True, help="the table that guides twistbase")
    parser.add_argument("--nxopt", metavar="PATH")
    parser.add_argument("--vcube", metavar="COMMAND")
    parser.add_argument("--h48", metavar="COMMAND")
    parser.add_argument("--lengths", default="16", help="optimal lengths, with commas [default: 16]")
    parser.add_argument("-n", type=int, default=4, help="positions of each length [default: 4]")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()

    with open(GOLDEN, encoding="ascii") as lines:
        golden = list(csv.DictReader(lines))
    chosen = []
    for length in options.lengths.split(","):
        chosen += [row for row in golden if row["optimal_htm"] == length][: options.n]
    expected = sorted(int(row["optimal_htm"]) for row in chosen)
    scrambles = "".join(plain(row["scramble_wca"]) + "\n" for row in chosen)

    store = ["--store", options.store] if options.store else []
    ours = [os.path.abspath(options.binary), *store, "--quiet", "--threads", options.threads]
    ours += ["solve", "cube3", "-", "--method", "optimal", "--table", options.table]
    facelets = "".join(row["facelets_URFDLB"] + "\n" for row in chosen)
    programs = {"twistbase": (ours, facelets, None, lambda out: [int(line.split("\t")[1]) for line in out.splitlines()])}
    if options.nxopt:
        path = os.path.abspath(options.nxopt)
        lengths = lambda out: [int(found) for found in re.findall(r"Solved \d+ in (\d+)", out)]
        programs["nxopt"] = ([path, "-t", options.threads, "-"], scrambles, os.path.dirname(path), lengths)
    if options.vcube:
        path, *arguments = shlex.split(options.vcube)
        path = os.path.abspath(path)
        command = [path, *arguments, f"--workers={options.threads}"]
        lengths = lambda out: [int(line.split()[2]) for line in out.splitlines()]
        programs["vcube"] = (command, scrambles, os.path.dirname(path), lengths)

    if options.h48:
        path, *arguments = shlex.split(options.h48)
        path = os.path.abspath(path)
        sequences = "".join(row["scramble_wca"] + "\n" for row in chosen)
        programs["h48"] = ([path, *arguments, "/dev/stdin"], sequences, os.path.dirname(path), of_file)

    starts, walls = {name: [] for name in programs}, {name: [] for name in programs}
    for _ in range(options.rounds):
        for name, (command, text, folder, lengths) in programs.items():
            # Its table comes from the disk the first time: another's may have displaced it from memory.
            timed(command, "", folder)
            starts[name].append(timed(command, "", folder)[0])
            wall, output = timed(command, text, folder)
            walls[name].append(wall)
            if sorted(lengths(output)) != expected:
                raise SystemExit(f"{name} answered {sorted(lengths(output))}, not {expected}:\n{output}")

    print(f"{len(chosen)} positions of {options.lengths} moves, {options.table}, {options.threads} threads,", end=" ")
    print(f"best of {options.rounds} rounds; load before {os.getloadavg()[0]:.1f}\n")
    print("| program | start | all | a position | twistbase is faster by |")
    print("|---|---|---|---|---|")
    net = {name: min(walls[name]) - min(starts[name]) for name in programs}
    for name, seconds in net.items():
        factor = "" if name == "twistbase" else f"{seconds / net['twistbase']:.2f}"
        print(f"| {name} | {min(starts[name]):.2f} s | {min(walls[name]):.2f} s | {seconds / len(chosen):.2f} s | {factor} |")


if __name__ == "__main__":
    main()
