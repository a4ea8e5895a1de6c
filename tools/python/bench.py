"""Measures what the Python package promises, and prints a table for BENCHMARKS.md.

    python bench.py --store FOLDER [--program twistbase] [--threads 2]

The folder has the tables cube21, phase1 and phase2, with square1 for the rows about Square-1. Rates of the package and of the
program are taken in turns, so that both meet the same machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import time
from collections.abc import Callable
from typing import Any

MILLION = 1_000_000
ARRAY_ROUNDS = 7
"""Repetitions of an array, of which the median and the least are told."""
CALLS = 200_000
"""Single calls that are timed together."""


def timed(work: Callable[[], object]) -> float:
    """Seconds that some work takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def rounds(work: Callable[[], object], count: int = ARRAY_ROUNDS) -> list[float]:
    """Seconds of each of some repetitions, after one that nobody counts."""
    work()
    return [timed(work) for _ in range(count)]


def told(name: str, seconds: list[float], goal: str, scale: float = 1.0, unit: str = "s") -> None:
    """A row of the table."""
    median, least = statistics.median(seconds) * scale, min(seconds) * scale
    print(f"| {name} | {median:.3g} {unit} | {least:.3g} {unit} | {goal} |", flush=True)


def arrays(db: Any, table: str, puzzle: Any, goal: str) -> None:
    """Distances of a million random indices, and of a million arrays of pieces."""
    import numpy as np

    entries = next(row["entries"] for row in db.tables() if row["table"] == table)
    indices = np.random.default_rng(1).integers(0, entries, MILLION, dtype=np.uint64)
    pieces = puzzle.random(MILLION, seed=1)
    told(f"10⁶ distances of {table}, indices", rounds(lambda: db.distances(table, indices)), goal if table == "cube21" else "")
    told(f"10⁶ distances of {table}, indices sorted first", rounds(lambda: db.distances(table, np.sort(indices))), "")
    told(f"10⁶ distances of {table}, pieces", rounds(lambda: db.distances(table, pieces)), goal if table == "square1" else "")


def single(db: Any) -> None:
    """Single questions, one after the other in one thread."""
    for name, position in (("cube21", db.cube21("(1,0)/(3,3)/(-1,0)/")), ("cube2", db.cube2("R U F"))):

        def ask(position: Any = position) -> None:
            for _ in range(CALLS):
                position.distance  # noqa: B018

        told(f"`distance` of a position of {name}", rounds(ask, 5), "2 µs", 1e6 / CALLS, "µs")
    read = [f"R U{turns} F" for turns in ("", "2", "'")]

    def ask_texts() -> None:
        for number in range(CALLS // 10):
            db.cube2(read[number % 3]).distance  # noqa: B018

    told("a position of cube2 read, and its `distance`", rounds(ask_texts, 5), "", 1e7 / CALLS, "µs")


def of_program(program: str, store: str, lines: str, target: int, threads: int) -> float:
    """Seconds in which the program solves lines, less those in which it starts and solves one."""
    command = [program, "--store", store, "--quiet", "--json", "--threads", str(threads)]
    command += ["solve", "cube3", "-", "--method", "two-phase", "--target", str(target)]

    def run(input: str) -> float:
        began = time.perf_counter()
        subprocess.run(command, input=input, capture_output=True, text=True, check=True)
        return time.perf_counter() - began

    return run(lines) - run(lines.split("\n", 1)[0] + "\n")


def batches(db: Any, program: str, store: str, count: int, target: int, threads: int, pairs: int) -> None:
    """Two-phase solving of the same positions by the package and by the program, in turns."""
    texts = db.cube3.texts(db.cube3.random(count, seed=1))
    lines = "".join(f"{text}\n" for text in texts)

    def of_package() -> float:
        def solve() -> None:
            solved = sum(1 for solution in db.solve_many(texts, target=target) if solution.length <= target)
            assert solved == count

        one = timed(lambda: list(db.solve_many(texts[:1], target=target)))
        return timed(solve) - one

    of_package()
    found = [(of_package(), of_program(program, store, lines, target, threads)) for _ in range(pairs)]
    ours, theirs = ([pair[i] for pair in found] for i in (0, 1))
    ratio = statistics.median(a / b for a, b in found)
    told(f"{count} positions to {target} moves, `solve_many`", ours, "")
    told(f"{count} positions to {target} moves, the program", theirs, "")
    print(f"| the package's time by the program's, median of {pairs} pairs | {ratio:.3f} | | 1.05 |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", required=True)
    parser.add_argument("--program", default="twistbase")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--positions", type=int, default=3000, help="of a batch")
    parser.add_argument("--target", type=int, default=20, help="moves of its solutions")
    parser.add_argument("--pairs", type=int, default=5)
    arguments = parser.parse_args()
    # The package has as many threads as this says when it is loaded.
    os.environ["RAYON_NUM_THREADS"] = str(arguments.threads)
    import twistbase

    db = twistbase.open(arguments.store, build="never")
    complete = {row["table"] for row in db.tables() if row["status"] == "complete"}
    print(f"twistbase {twistbase.__version__}, {arguments.threads} threads of {os.cpu_count()}\n")
    print("| what | median | least | goal |\n|---|---|---|---|")
    arrays(db, "cube21", db.cube21, "0.1 s")
    if "square1" in complete:
        arrays(db, "square1", db.square1, "0.5 s")
    else:
        print("| 10⁶ distances of square1 | not measured: the folder does not have it | | 0.5 s |")
    single(db)
    batches(
        db, arguments.program, arguments.store, arguments.positions, arguments.target, arguments.threads, arguments.pairs
    )


if __name__ == "__main__":
    main()
