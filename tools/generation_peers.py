#!/usr/bin/env python3
"""Compares how fast pruning tables are generated with nxopt (Tomas Rokicki's), each table by both in one run.

    cargo build --release
    tools/generation_peers.py nx-eo1-ep1-htm=PATH/nxopt11 nx-eo2-ep1-htm=PATH/nxopt21 [--threads 2] [--rounds 2]

It fetches and builds nothing: the programs are those that you have. Each runs in an empty folder, so that it makes its table.
What is compared is generating alone, as both programs tell it: nxopt by level, twistbase as a whole; what storing takes
with compression and checksums is in the last column. A table without a program is measured alone.
"""

import argparse
import json
import os
import re
import subprocess
import tempfile


def nxopt_seconds(program, threads):
    """Seconds in which nxopt finds all levels of its table."""
    with tempfile.TemporaryDirectory() as folder:
        command = [os.path.abspath(program), "-t", threads, "-"]
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    levels = re.findall(r"^At \d+ have .* in (\S+)$", done.stdout, re.MULTILINE)
    if not levels:
        raise SystemExit(f"{program} printed no levels: does a table lie in its folder?\n{done.stdout}")
    return sum(map(float, levels))


def twistbase_seconds(binary, table, threads):
    """Seconds in which twistbase generates a table, and in which it is built."""
    with tempfile.TemporaryDirectory() as folder:
        command = [binary, "--store", folder, "build", table, "--threads", threads, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    built = json.loads(done.stdout)
    return built["generate_seconds"], built["seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="+", metavar="TABLE[=NXOPT]")
    parser.add_argument("--binary", default="target/release/twistbase")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--rounds", type=int, default=2, help="the best of so many counts [default: 2]")
    options = parser.parse_args()

    print(f"load average {os.getloadavg()[0]:.2f}, {options.threads} threads, best of {options.rounds}\n")
    print("| table | twistbase | nxopt | times | with storing |")
    print("|---|---|---|---|---|")
    for pair in options.pairs:
        table, _, program = pair.partition("=")
        rounds = range(options.rounds)
        generated, built = map(min, zip(*(twistbase_seconds(options.binary, table, options.threads) for _ in rounds)))
        peer = program and min(nxopt_seconds(program, options.threads) for _ in rounds)
        beside = f"{peer:.2f} s | {peer / generated:.1f}" if peer else "- | -"
        print(f"| `{table}` | {generated:.2f} s | {beside} | {built:.2f} s |", flush=True)


if __name__ == "__main__":
    main()
