"""Nothing is kept of calls that have ended."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import python

CALLS = {
    "distance": "position.distance",
    "read": "db.cube2('R U F R2')",
    "refused": "refused()",
    "moves": "position * 'R U'",
    "hash": "hash(position) == hash(other) and position == other",
    "notations": "position.notations",
    "array": "position.array",
    "distances": "db.distances('cube2', indices)",
    "arrays": "db.distances('cube2', array)",
    "texts": "db.distances('cube2', texts)",
    "wrong": "wrong()",
    "answer": "position.answer()",
    "solutions": "list(position.solutions())",
    "dropped": "next(position.solutions())",
    "best": "position.solution().positions",
    "svg": "position.svg()",
    "solve": "db.solve('R U F')",
    "batch": "list(db.solve_many(['R', 'U']))",
    "pickle": "pickle.loads(pickle.dumps(position))",
    "stream": "pyarrow.table(db.export('cube2', levels=[0, 1]))",
    "random": "db.cube2.random(10)",
    "neighbours": "db.cube2.neighbours(array)",
}

HARNESS = """
import gc, pickle, pyarrow, sys, twistbase, numpy as np
db = twistbase.open(sys.argv[1], build="never")
position, other = db.cube2("R U F R2 U'"), db.cube2("R U F R2 U'")
indices, array = np.arange(100, dtype=np.uint64), db.cube2.random(10, 1)
texts = db.cube2.texts(array)
def refused():
    try: db.cube2("R X")
    except twistbase.InvalidPosition as error: return error.problems
def wrong():
    try: db.distances("cube2", ["R", "X"])
    except twistbase.InvalidPosition as error: return error.element
def resident():
    gc.collect()
    with open("/proc/self/statm") as file: return int(file.read().split()[1]) * 4096
def call(times):
    for _ in range(times): {call}
call({warm})
before = resident()
call({times})
print(resident() - before)
"""


def grown(store: Path, call: str, times: int) -> int:
    """Bytes of memory that so many calls leave behind."""
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux tells the memory of a process here")
    done = python(HARNESS.format(call=CALLS[call], warm=max(times // 5, 20), times=times), str(store), patience=600)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


SLOW = {"solve", "batch", "stream", "svg", "solutions", "best", "dropped", "answer", "random", "neighbours", "refused", "wrong"}


@pytest.mark.parametrize("call", CALLS)
def test_a_few_calls(store: Path, call: str) -> None:
    """A leak of some kilobytes a call shows."""
    times = 200 if call in SLOW else 2000
    assert grown(store, call, times) < 4_000_000


@pytest.mark.long
@pytest.mark.parametrize("call", ["distance", "read", "moves", "hash"])
def test_a_million_calls(store: Path, call: str) -> None:
    """A leak of three bytes a call shows."""
    assert grown(store, call, 1_000_000) < 3_000_000


@pytest.mark.long
@pytest.mark.parametrize("call", ["distances", "refused", "solutions", "pickle", "answer", "wrong", "stream", "batch"])
def test_many_calls(store: Path, call: str) -> None:
    """A leak of some bytes a call shows."""
    times = 500 if call in ("batch", "stream") else 20_000
    assert grown(store, call, times) < 4_000_000
