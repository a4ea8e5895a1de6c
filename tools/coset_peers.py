#!/usr/bin/env python3
"""Compares the coset solver with hcoset on the same cosets, in one run.

    cargo build --release
    target/release/twistbase build phase1
    tools/coset_peers.py --hcoset PATH [--cosets F1R1U2,U2] [--search 13] [--depth 14] [--threads 2] [--rounds 2]

It fetches and builds nothing. hcoset is Tomas Rokicki's (cube20src), built with threads, in the folder where it keeps its
table; it is run as `hcoset -t THREADS -S SEARCH -d DEPTH COSET`.

--search is the last level that is searched, --depth the last of all. Each round runs both programs with each coset, one
after the other, so that both meet the same machine. What both count is compared. For each coset the table has the last
prepass, the search of the last level that was searched (less its prepass), and the whole run from start to end. Without --hcoset it measures
twistbase alone.
"""

import argparse
import json
import os
import re
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def timed(command, folder=None):
    """Runs a command; returns wall seconds and output."""
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return time.perf_counter() - start, done.stdout


def wca(coset):
    """U1R2F3… as a WCA sequence."""
    return " ".join(face + {"1": "", "2": "2", "3": "'"}[turns] for face, turns in re.findall(r"([UDFBLR])([123])", coset))


def peer(output):
    """Counts by level, seconds of the last prepass, seconds of the last search."""
    counts, prepass, search = {}, None, None
    for line in output.splitlines():
        if found := re.match(r"Tests at (\d+) \d+ in (\S+) uniq \d+ lev (\d+)", line):
            depth, seconds, positions = found.groups()
            counts[int(depth)] = int(positions)
            search = float(seconds)
        elif found := re.match(r"Prepass at (\d+) done in ([^;]+);", line):
            prepass = float(found.group(2))
    return counts, prepass, search


def ours(output):
    """The same of twistbase's last line of JSON."""
    levels = json.loads(output.splitlines()[-1])["levels"]
    counts = {level["depth"]: level["positions"] for level in levels if level["searched"]}
    prepasses = [level["prepass_seconds"] for level in levels if level["prepass_seconds"] > 0]
    last = [level for level in levels if level["searched"]][-1]
    return counts, prepasses[-1] if prepasses else None, last["search_seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(HERE, os.pardir, "target", "release", "twistbase"))
    parser.add_argument("--store", help="the store to use [default: twistbase's own]")
    parser.add_argument("--hcoset", metavar="PATH")
    parser.add_argument("--cosets", default="F1R1U2", help="with commas, as hcoset reads them [default: F1R1U2]")
    parser.add_argument("--search", default="13")
    parser.add_argument("--depth", default="14")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()

    store = ["--store", options.store] if options.store else []
    limits = ["-S", options.search, "-d", options.depth]
    print(f"{options.threads} threads, searched to {options.search} of {options.depth}, best of {options.rounds} rounds;", end=" ")
    print(f"load before {os.getloadavg()[0]:.1f}\n")
    print("| coset | program | prepass | search | whole run |")
    print("|---|---|---|---|---|")
    for coset in options.cosets.split(","):
        mine = [os.path.abspath(options.binary), *store, "--quiet", "--threads", options.threads, "--json", "coset", wca(coset)]
        programs = {"twistbase": (mine + limits + ["--force"], None, ours)}
        if options.hcoset:
            path = os.path.abspath(options.hcoset)
            programs["hcoset"] = ([path, "-t", options.threads, *limits, coset], os.path.dirname(path), peer)
        best = {}
        for _ in range(options.rounds):
            for name, (command, folder, read) in programs.items():
                wall, output = timed(command, folder)
                counts, prepass, search = read(output)
                kept = best.setdefault(name, [counts, prepass, search, wall])
                best[name] = [counts, min(kept[1], prepass) if prepass else kept[1], min(kept[2], search), min(kept[3], wall)]
        mine, *others = (counts for counts, *_ in best.values())
        for counts in others:
            shared = mine.keys() & counts.keys()
            if differing := [depth for depth in sorted(shared) if mine[depth] != counts[depth]] or not shared:
                raise SystemExit(f"{coset}: the counts differ at {differing}: {best}")
        for name, (_, prepass, search, wall) in best.items():
            print(f"| {coset} | {name} | {prepass or 0:.2f} s | {search:.1f} s | {wall:.1f} s |")


if __name__ == "__main__":
    main()
