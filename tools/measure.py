#!/usr/bin/env python3
"""Measures what BENCHMARKS.md states of builds, queries and starts, with the release binary, in one run.

    cargo build --release && tools/measure.py [--binary target/release/twistbase] [--folder DIR] [--tables cube21,square1,cube3,optimal]

Everything happens in a temporary store below --folder (25 GB with square1, 5 GB with cube3, 8 GB with optimal), which is removed at the end. Prints a
Markdown table: wall time, processor time, largest memory. Figures depend on what else the machine does: the load
average before the run is printed with them.
"""

import argparse
import csv
import json
import os
import platform
import subprocess
import tempfile
import time

POSITIONS = 1_000_000
SOLVED_POSITIONS = 20_000
SINGLE_QUERIES = 20
FACE_SOLVED = 1000
# Three rows with distances, a million entries with a solution each.
EXPORTS = [
    (("--rows", "10..12"), "rows.parquet"),
    (("--rows", "10..12"), "rows.csv"),
    (("--rows", "10", "--sample", "1000000", "--solution", "one"), "solved.parquet"),
]


def run(command, stdin=None, stdout=subprocess.DEVNULL):
    """Runs a command; returns (wall seconds, processor seconds, largest resident bytes)."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{' '.join(command)} failed; run it by hand to see why")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def row(what, measured, note=""):
    wall, cpu, memory = measured
    print(f"| {what} | {seconds(wall)} | {seconds(cpu)} | {memory / 1e9:.2f} GB | {note} |", flush=True)


def header():
    print("\n\n| what | wall | processor | memory | |\n|---|---|---|---|---|")


def seconds(time):
    return f"{time * 1e3:.0f} ms" if time < 0.1 else f"{time:.2f} s"


def folder_bytes(path):
    entries = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
    return sum(os.stat(entry).st_blocks * 512 for entry in entries)


def measure(twistbase, table, store):
    def command(*arguments):
        return [twistbase, "--store", store, "--quiet", *arguments]

    row(f"`build {table}`", run(command("build", table)), f"{folder_bytes(store) / 1e6:.0f} MB on disk")
    if table == "square1":
        row("`build square1 --memory 1G`", run(command("build", table, "--force", "--memory", "1G")), "scratch file")
    row(f"`build {table} --kernel portable`", run(command("build", table, "--force", "--kernel", "portable")), "")
    row(f"`prove {table}`", run(command("prove", table)), "both parities")
    row(f"`verify {table}`", run(command("verify", table)), "every page")
    position = subprocess.run(command("random", table, "--seed", "9"), capture_output=True, text=True, check=True)
    query = command("query", table, position.stdout.strip())
    row(f"`query {table} POSITION`, right after the build", run(query), "cold cache")
    row(f"`cache warm {table}`", run(command("cache", "warm", table)), "")
    single = min((run(query) for _ in range(SINGLE_QUERIES)), key=lambda measured: measured[0])
    row(f"`query {table} POSITION`, warm cache", single, "start to exit")
    measure_face(command, table, store)
    with tempfile.TemporaryDirectory(dir=store) as folder:
        for options, name in EXPORTS:
            path = os.path.join(folder, name)
            exported = run(command("export", table, *options, "-o", path))
            again = subprocess.run(
                command("--json", "export", table, *options, "-o", path, "--force"), capture_output=True, check=True
            )
            records = json.loads(again.stdout)["records"]
            row(f"`export {table} {' '.join(options)} -o {name}`", exported, f"{records / exported[0]:,.0f} records/s")
    with tempfile.NamedTemporaryFile(dir=store) as positions:
        subprocess.run(command("random", table, "-n", str(POSITIONS), "--seed", "5"), stdout=positions, check=True)
        with open(positions.name, encoding="ascii") as lines:
            batch = run(command("query", table, "-"), stdin=lines)
        row(f"`query {table} -`, {POSITIONS:,} positions", batch, f"{POSITIONS / batch[0]:,.0f} positions/s")
        with open(positions.name, encoding="ascii") as lines:
            some = "".join(line for _, line in zip(range(SOLVED_POSITIONS), lines))
        measure_wca(command, table, store, positions.name, some)
        with tempfile.NamedTemporaryFile("w+", dir=store) as some, tempfile.NamedTemporaryFile(dir=store) as found:
            with open(positions.name, encoding="ascii") as lines:
                some.writelines(line for _, line in zip(range(SOLVED_POSITIONS), lines))
            some.flush()
            with open(some.name, encoding="ascii") as lines:
                listed = run(command("query", table, "--solutions", "-"), stdin=lines, stdout=found)
            with open(found.name, "rb") as lines:
                count = sum(1 for _ in lines)
        note = f"{count:,} solutions, {count / listed[0]:,.0f}/s"
        row(f"`query {table} --solutions -`, {SOLVED_POSITIONS:,} positions", listed, note)


CUBE3_TABLES = "phase1 phase1-qtm phase1-kociemba phase2 phase2-qtm phase2-kociemba phase2-exact phase2-exact-qtm huge"
CUBE3_SOLVED = 5000


def measure_face(command, table, store):
    """Solves random positions in face turns, one on each thread; the seconds of each are what its search tells."""
    positions = subprocess.run(command("random", table, "-n", str(FACE_SOLVED), "--seed", "31"), capture_output=True, text=True, check=True)
    with tempfile.NamedTemporaryFile("w+", dir=store) as lines, tempfile.NamedTemporaryFile("w+", dir=store) as found:
        lines.write(positions.stdout)
        lines.flush()
        with open(lines.name, encoding="ascii") as text:
            batch = run(command("solve", table, "-", "--metric", "face", "--json"), stdin=text, stdout=found)
        found.seek(0)
        solved = [json.loads(line) for line in found]
    assert all(solution["at_least"] == solution["length"] for solution in solved)
    times = sorted(solution["seconds"] for solution in solved)
    lengths = [solution["length"] for solution in solved]
    note = f"median {seconds(times[len(times) // 2])}, 99 of 100 {seconds(times[len(times) * 99 // 100])}, worst {seconds(times[-1])}"
    note += f"; {min(lengths)} to {max(lengths)} moves, mean {sum(lengths) / len(lengths):.2f}"
    row(f"`solve {table} - --metric face`, {FACE_SOLVED:,} positions", batch, note)


def measure_wca(command, table, store, positions, some):
    """Asks for distances in WCA's metric, by walks and then with the table of endings, which has to tell the same."""

    def answers(text):
        return subprocess.run(command("query", table, "-", "--metric", "wca"), input=text, capture_output=True, text=True, check=True).stdout

    def batch(path, count):
        with open(path, encoding="ascii") as lines:
            measured = run(command("query", table, "-", "--metric", "wca"), stdin=lines)
        row(f"`query {table} - --metric wca`, {count:,} positions", measured, f"{count / measured[0]:,.0f} positions/s")

    with tempfile.NamedTemporaryFile("w", dir=store) as lines:
        lines.write(some)
        lines.flush()
        batch(lines.name, SOLVED_POSITIONS)
    walked, endings = answers(some), f"{table}-endings"
    row(f"`build {endings}`", run(command("build", endings)), "")
    row(f"`verify {endings}`", run(command("verify", endings)), "every page")
    row(f"`cache warm {endings}`", run(command("cache", "warm", endings)), "")
    batch(positions, POSITIONS)
    one = command("query", table, some.split("\n")[0], "--metric", "wca", "--detail", "brief")
    single = min((run(one) for _ in range(SINGLE_QUERIES)), key=lambda measured: measured[0])
    row(f"`query {table} POSITION --metric wca --detail brief`", single, "start to exit")
    assert answers(some) == walked, "look-ups and walks differ"


def measure_cube3(twistbase, puzzle, store):
    def command(*arguments):
        return [twistbase, "--store", store, "--quiet", *arguments]

    for table in CUBE3_TABLES.split():
        before = folder_bytes(store)
        measured = run(command("build", table))
        row(f"`build {table}`", measured, f"{(folder_bytes(store) - before) / 1e6:.0f} MB on disk")
    for table in ("phase2", "phase2-exact", "huge"):
        row(f"`verify {table}`", run(command("verify", table)), "every page")
    for table in ("phase1", "phase2", "phase2-exact"):
        row(f"`cache warm {table}`", run(command("cache", "warm", table)), "")

    def positions(*arguments):
        return subprocess.run(command("random", puzzle, *arguments), capture_output=True, text=True, check=True).stdout

    for what, where in (("a position in H", "--in-h"), ("any position", None)):
        position = positions("--seed", "9", *([where] if where else [])).strip()
        single = min((run(command("query", puzzle, position)) for _ in range(SINGLE_QUERIES)), key=lambda m: m[0])
        row(f"`query cube3 POSITION`, {what}", single, "start to exit, warm cache")
    position = positions("--seed", "9").strip()
    single = min((run(command("solve", puzzle, position, "--method", "two-phase")) for _ in range(SINGLE_QUERIES)), key=lambda m: m[0])
    row("`solve cube3 POSITION --method two-phase`, to 20 moves", single, "start to exit, warm cache")
    for count, command_line in (
        (POSITIONS, ("query", puzzle, "-", "--table", "phase2-exact")),
        (SOLVED_POSITIONS, ("query", puzzle, "-", "--solutions")),
        (CUBE3_SOLVED, ("solve", puzzle, "-", "--method", "two-phase")),
    ):
        in_h = [] if command_line[0] == "solve" else ["--in-h"]
        with tempfile.NamedTemporaryFile("w+", dir=store) as lines, tempfile.NamedTemporaryFile(dir=store) as found:
            lines.write(positions("-n", str(count), "--seed", "5", *in_h))
            lines.flush()
            with open(lines.name, encoding="ascii") as text:
                batch = run(command(*command_line), stdin=text, stdout=found)
            with open(found.name, "rb") as text:
                answers = sum(1 for _ in text)
        row(f"`{' '.join(command_line)}`, {count:,} positions", batch, f"{answers:,} answers, {answers / batch[0]:,.0f}/s")


OPTIMAL_TABLES = {
    "nx-eo1-ep1-htm": ("15",),
    "nx-eo2-ep1-htm": ("15", "16", "17"),
    "nx-eo1-ep2-htm": ("16",),
    "nx-eo3-ep1-htm": ("16", "17"),
}
OPTIMAL_POSITIONS = 6
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "data", "optimal_333.csv")


def measure_optimal(twistbase, puzzle, store):
    def command(*arguments):
        return [twistbase, "--store", store, "--quiet", *arguments]

    with open(GOLDEN, encoding="ascii") as lines:
        golden = list(csv.DictReader(lines))
    for table, lengths in OPTIMAL_TABLES.items():
        before = folder_bytes(store)
        measured = run(command("build", table))
        row(f"`build {table}`", measured, f"{(folder_bytes(store) - before) / 1e6:.0f} MB on disk")
        row(f"`cache warm {table}`", run(command("cache", "warm", table)), "")
        solve = command("solve", puzzle, "-", "--method", "optimal", "--table", table)
        # The first run may meet a file that the system is still writing.
        start = min((run(solve) for _ in range(3)), key=lambda measured: measured[0])
        row(f"`solve cube3 - --method optimal --table {table}`, nothing to solve", start, "start to exit")
        for length in lengths:
            chosen = [line for line in golden if line["optimal_htm"] == length][:OPTIMAL_POSITIONS]
            with tempfile.NamedTemporaryFile("w+", dir=store) as lines, tempfile.NamedTemporaryFile("w+", dir=store) as found:
                lines.writelines(line["facelets_URFDLB"] + "\n" for line in chosen)
                lines.flush()
                with open(lines.name, encoding="ascii") as text:
                    batch = run(solve, stdin=text, stdout=found)
                found.seek(0)
                nodes = sum(int(line.split("\t")[3]) for line in found)
            seconds_each = (batch[0] - start[0]) / len(chosen)
            note = f"{seconds_each:.2f} s each, {nodes / (batch[0] - start[0]) / 1e6:.1f} million nodes/s"
            row(f"… {len(chosen)} positions of {length} moves", batch, note)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/twistbase")
    parser.add_argument("--folder", help="where the temporary store goes")
    parser.add_argument("--tables", default="square1-corners,cube21,square1,cube3", help="cube3: all tables of the cube but those named nx-; optimal: some of those")
    arguments = parser.parse_args()
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    print(f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, {os.cpu_count()} cores, load average before {load}", end="")
    header()
    for table in arguments.tables.split(","):
        with tempfile.TemporaryDirectory(dir=arguments.folder) as store:
            of_cube = {"cube3": measure_cube3, "optimal": measure_optimal}
            how = of_cube.get(table, measure)
            how(os.path.abspath(arguments.binary), "cube3" if table in of_cube else table, store)


if __name__ == "__main__":
    main()
