#!/usr/bin/env python3
"""Compares how fast all positions of puzzles are counted with twsearch (Tomas Rokicki's), each file by both in one run.

    cargo build --release
    tools/definition_peers.py --twsearch PATH/twsearch 2x2x2.tws skewb.tws [--threads 2] [--rounds 2] [--patience 600]

It fetches and builds nothing: the program and the definitions are those that you have. The counts must be equal. Times are from start to
exit; memory is the largest that was resident. Without --twsearch it measures twistbase alone.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

MEASURE = ["/usr/bin/env", "python3", "-c", """
import resource, subprocess, sys
status = subprocess.run(sys.argv[2:]).returncode
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status)
"""]
"""Runs a command and writes the KiB that it had resident to a file."""


def measured(command, patience):
    """Seconds, MB and output of a command; None if it takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        resident = pathlib.Path(folder, "resident")
        began = time.monotonic()
        try:
            done = subprocess.run([*MEASURE, resident, *command], cwd=folder, capture_output=True, text=True, timeout=patience)
        except subprocess.TimeoutExpired:
            return None
        took = time.monotonic() - began
        if done.returncode != 0:
            raise SystemExit(f"{command}: {done.returncode}\n{done.stderr}")
        return took, int(resident.read_text()) * 1024 / 1e6, done.stdout


def twistbase(binary, file, threads, patience):
    found = measured([binary, "puzzle", "levels", file, "--json", "--quiet", "--threads", threads], patience)
    if found is None:
        return None
    took, memory, text = found
    return took, memory, [json.loads(line)["positions"] for line in text.splitlines()]


def twsearch(program, file, threads, patience):
    found = measured([program, "-g", "-a", "1", "-t", threads, file], patience)
    if found is None:
        return None
    took, memory, text = found
    counts = [int(count) for count in re.findall(r"^Dist \d+ cnt (\d+) ", text, re.MULTILINE)]
    while counts and counts[-1] == 0:
        counts.pop()
    return took, memory, counts


def best(rounds, count):
    """The quickest of some rounds."""
    found = [count() for _ in range(rounds)]
    return None if None in found else min(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=os.path.abspath, metavar="FILE")
    parser.add_argument("--twsearch", type=os.path.abspath, metavar="PATH")
    parser.add_argument("--binary", type=os.path.abspath, default="target/release/twistbase")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--rounds", type=int, default=2, help="the best of so many counts [default: 2]")
    parser.add_argument("--patience", type=float, default=600, help="seconds after which a program is ended [default: 600]")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)

    print(f"load average {os.getloadavg()[0]:.2f}, {options.threads} threads, best of {options.rounds}\n")
    print("| definition | positions | farthest | twistbase | twsearch | times |")
    print("|---|---|---|---|---|---|")
    for file in options.files:
        ours = best(options.rounds, lambda: twistbase(binary, file, options.threads, options.patience))
        theirs = options.twsearch and best(options.rounds, lambda: twsearch(options.twsearch, file, options.threads, options.patience))
        if ours is None:
            raise SystemExit(f"{file}: not done after {options.patience} s")
        if theirs and theirs[2] != ours[2]:
            raise SystemExit(f"{file}: twistbase {ours[2]}, twsearch {theirs[2]}")
        peer = f"{theirs[0]:.2f} s, {theirs[1]:,.0f} MB" if theirs else f"not after {options.patience:.0f} s" if options.twsearch else "-"
        times = f"{theirs[0] / ours[0]:.1f}" if theirs else "-"
        name, counts = pathlib.Path(file).stem, ours[2]
        print(f"| {name} | {sum(counts):,} | {len(counts) - 1} | {ours[0]:.2f} s, {ours[1]:,.0f} MB | {peer} | {times} |", flush=True)


if __name__ == "__main__":
    main()
