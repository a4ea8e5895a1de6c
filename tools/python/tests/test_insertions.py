"""Solutions of the Rubik's cube by insertions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import twistbase
from model import Cube

SCRAMBLE = "D2 R U2 D2 B' U B2 U R2 F2 B L' F R' F' L F R F' L' D' R' B D U R2"
SKELETON = "R2 U' D' B' R D L B' F2 R2 U' B2 U' B D2 U2 R' D2"


def test_solutions_are_those_of_the_program(db: twistbase.Database, program: Callable[..., list[Any]]) -> None:
    found = db.insertions(SCRAMBLE, SKELETON, count=3)
    printed = program("insertions", "cube3", SCRAMBLE, SKELETON, "--count", "3", folder=db.path)
    assert [(solution.length, solution.moves) for solution in found] == [
        (line["length"], line["solution"]) for line in printed
    ]
    assert found[0].length <= 22 and "[" in str(found[0])
    for solution in found:
        assert Cube().move(f"{SCRAMBLE} {solution.moves}").is_solved
        (made,) = solution.insertions
        assert Cube().move(f"{SCRAMBLE} {made.before} {made.inserted} {made.after}").is_solved
        assert (made.total, f"{made.before} {made.after}".split()) == (solution.length, SKELETON.split())
    position = db.cube3(SCRAMBLE)
    for given in (position, position.array):
        assert db.insertions(given, SKELETON, count=3) == found


def test_two_insertions(db: twistbase.Database) -> None:
    one = db.insertions(SCRAMBLE, SKELETON)[0]
    two = db.insertions(SCRAMBLE, SKELETON, insertions=2, width=3)[0]
    assert two.length <= one.length and len(two.insertions) <= 2


def test_a_time_that_suffices_or_not(db: twistbase.Database) -> None:
    assert db.insertions(SCRAMBLE, SKELETON, timeout=3600) == db.insertions(SCRAMBLE, SKELETON)
    with pytest.raises(twistbase.BudgetSpent, match="time limit reached"):
        db.insertions(SCRAMBLE, SKELETON, timeout=0)


def test_what_has_no_insertions(db: twistbase.Database) -> None:
    for options, words in [({"insertions": 3}, "1 or 2"), ({"longest": 16}, "15"), ({"count": 0}, "at least 1")]:
        with pytest.raises(twistbase.UsageError, match=words):
            db.insertions("R", "", **options)
    with pytest.raises(twistbase.InvalidPosition, match="Q"):
        db.insertions("R", "Q")
    with pytest.raises(twistbase.BudgetSpent, match="no insertion of at most 3 moves"):
        db.insertions(SCRAMBLE, SKELETON, longest=3)
    with pytest.raises(twistbase.UsageError, match="cube2"):
        db.insertions(db.cube2("R"), "R'")
