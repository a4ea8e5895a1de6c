#!/usr/bin/env python3
"""Compares the two-phase solver with its peers on the same random positions, to 20 moves, in one run.

    cargo build --release
    target/release/twistbase build phase1 phase2 phase2-exact
    tools/two_phase_peers.py --twophase PATH --min2phase PATH [-n 5000] [--threads 2] [--rounds 3]
    tools/two_phase_peers.py --times 1ms,10ms,100ms [-n 5000] [--threads 2]

It fetches and builds nothing. The peers are programs that you have:

--twophase   `twophase` of cube20src (Tomas Rokicki), in the folder where it keeps its tables; it is run as
             `twophase -q -s 20 -t THREADS`, with positions in Singmaster form on standard input
--min2phase  any program around a port of Chen Shuang's min2phase, run as `PROGRAM THREADS`, with positions as
             facelets on standard input: it prints a solution of at most 20 moves a line

Each round runs every program once with all positions and once with none, one after the other, so that all of them
meet the same machine. The rate counts what the positions took beyond starting; the best round of each counts.

With --times, twistbase alone searches each position for so long, in a batch, where each thread has a position of its own; the mean
length of what was found is told.
"""

import argparse
import json
import os
import subprocess
import time


def timed(command, text, folder=None):
    """Runs a command on some input; returns wall seconds and output."""
    start = time.perf_counter()
    done = subprocess.run(command, input=text, cwd=folder, capture_output=True, text=True, check=True)
    return time.perf_counter() - start, done.stdout


def checked(name, lengths, count):
    if len(lengths) != count or max(lengths) > 20:
        raise SystemExit(f"{name} solved {len(lengths)} of {count} positions, the longest in {max(lengths, default=0)} moves")
    return sum(lengths) / count


def mean_lengths(solve, limits, positions):
    """Prints the mean length of the best solutions that each time leads to."""
    print("| time | mean length | solved |")
    print("|---|---|---|")
    for limit in limits:
        # A position without a solution in that time is told by the status, too: no failure here.
        done = subprocess.run([*solve, "-", "--time", limit], input=positions, capture_output=True, text=True)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        found = [line["length"] for line in lines if line.get("length") is not None]
        print(f"| {limit} | {sum(found) / max(len(found), 1):.2f} | {len(found)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/twistbase")
    parser.add_argument("--store", help="the store to use [default: twistbase's own]")
    parser.add_argument("--twophase", metavar="PATH")
    parser.add_argument("--min2phase", metavar="PATH")
    parser.add_argument("-n", type=int, default=5000, help="positions [default: 5000]")
    parser.add_argument("--seed", default="20")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--times", help="the mean length after so long, like 1ms,10ms, instead of the comparison")
    options = parser.parse_args()

    twistbase = [os.path.abspath(options.binary)] + (["--store", options.store] if options.store else [])

    def positions(form):
        command = [*twistbase, "random", "cube3", "-n", str(options.n), "--seed", options.seed, "--form", form]
        return timed(command, "")[1]

    facelets = positions("facelets")
    solve = [*twistbase, "--threads", options.threads, "--json", "solve", "cube3", "--method", "two-phase"]
    if options.times:
        print(f"{options.n} random positions, {options.threads} threads; load before {os.getloadavg()[0]:.1f}\n")
        return mean_lengths(solve, options.times.split(","), facelets)
    reid, ours = positions("reid"), [*solve, "-"]
    programs = {"twistbase": (ours, facelets, None, lambda out: [json.loads(line)["length"] for line in out.splitlines()])}
    if options.twophase:
        path = os.path.abspath(options.twophase)
        command = [path, "-q", "-s", "20", "-t", options.threads]
        programs["cube20src twophase"] = (command, reid, os.path.dirname(path), None)
    if options.min2phase:
        command = [os.path.abspath(options.min2phase), options.threads]
        programs["min2phase"] = (command, facelets, None, lambda out: [len(line.split()) for line in out.splitlines()])

    starts, walls, means = {name: [] for name in programs}, {name: [] for name in programs}, {}
    for _ in range(options.rounds):
        for name, (command, text, folder, lengths) in programs.items():
            starts[name].append(timed(command, "", folder)[0])
            wall, output = timed(command, text, folder)
            walls[name].append(wall)
            means[name] = checked(name, lengths(output), options.n) if lengths else None

    print(f"{options.n} random positions to 20 moves, {options.threads} threads, best of {options.rounds} rounds;", end=" ")
    print(f"load before {os.getloadavg()[0]:.1f}\n")
    print("| program | start | all | a position | positions/s | mean length | twistbase is faster by |")
    print("|---|---|---|---|---|---|---|")
    net = {name: min(walls[name]) - min(starts[name]) for name in programs}
    for name in programs:
        mean = f"{means[name]:.2f}" if means[name] else "not printed"
        each = net[name] / options.n
        ratio = "" if name == "twistbase" else f"{net[name] / net['twistbase']:.2f}"
        print(f"| {name} | {min(starts[name]):.2f} s | {min(walls[name]):.2f} s | {each * 1e3:.3f} ms | {1 / each:,.0f} | {mean} | {ratio} |")


if __name__ == "__main__":
    main()
