"""Solutions of the Rubik's cube in steps."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
import twistbase
from conftest import PATIENCE
from model import Cube

SCRAMBLE = "R' U' F D2 L2 F R2 U2 R2 B D2 L B2 D' B2 L' R' B U2 R' U' F"


@pytest.fixture(scope="module")
def goals(tmp_path_factory: pytest.TempPathFactory) -> twistbase.Database:
    """A folder in which the tables of the steps are built on first use."""
    return twistbase.open(tmp_path_factory.mktemp("steps"), build="auto")


def undone(moves: str) -> str:
    return " ".join({"'": move[0], "2": move}.get(move[-1], f"{move}'") for move in reversed(moves.split()))


@pytest.mark.parametrize("niss", ["never", "before", "always"])
def test_solutions_are_replayed(goals: twistbase.Database, niss: Any) -> None:
    position = goals.cube3(SCRAMBLE)
    solutions = goals.steps(SCRAMBLE, niss=niss, width=20, count=3)
    lengths = [solution.length for solution in solutions]
    assert lengths == sorted(lengths) and 1 <= len(set(solutions)) == len(solutions) <= 3
    for solution in solutions:
        assert (position * solution.moves).is_solved
        assert Cube(str(position)).move(solution.moves).is_solved
        normal = " ".join(step.normal for step in solution.steps)
        inverse = " ".join(step.inverse for step in solution.steps)
        assert (position * normal * undone(inverse)).is_solved
        assert solution.length == len(solution.moves.split()) <= solution.steps[-1].total
        assert [step.goal.split(":")[0] for step in solution.steps] == ["eo", "dr", "htr", "finish"]
        total = 0
        for step in solution.steps:
            total += step.length
            assert (len((step.normal + " " + step.inverse).split()), step.total) == (step.length, total)
            assert niss != "never" or step.inverse == ""
            assert niss == "always" or "" in (step.normal, step.inverse)


def test_any_form_of_a_position(goals: twistbase.Database) -> None:
    position = goals.cube3("R U F2")
    found = goals.steps("R U F2", width=20)
    for given in (position, position.array, str(position)):
        assert goals.steps(given, width=20) == found
    assert goals.steps("solved")[0].moves == ""


def test_the_answers_are_those_of_the_program(goals: twistbase.Database, program: Callable[..., list[Any]]) -> None:
    plan = "eo:FB|eo:RL ..7 > dr > htr > finish"
    found = goals.steps(SCRAMBLE, plan, niss="never", count=2, width=30)
    arguments = ["steps", "cube3", SCRAMBLE, plan, "--niss", "never", "--count", "2", "--width", "30"]
    told = program(*arguments, folder=goals.path)
    for solution, line in zip(found, told, strict=True):
        own = {"length": solution.length, "solution": solution.moves}
        own["steps"] = [{name: getattr(step, name) for name in step.__slots__} for step in solution.steps]
        assert {name: line[name] for name in own} == own


def test_they_are_written_as_the_program_does(goals: twistbase.Database) -> None:
    found = goals.steps("R U F2 D L2 B' R")[0]
    assert str(found) == (
        "7\tR' B L2 D' F2 U' R'\n"
        "  R' B      // eo:FB (2/2)\n"
        "  (R)       // dr:UD (1/3)\n"
        "  (U F2 D)  // htr:UD (3/6)\n"
        "  L2        // finish (1/7)"
    )
    assert repr(found) == "<solution of cube3 in 7 htm, 4 steps: R' B L2 D' F2 U' R'>"
    assert repr(found.steps[1]) == "<step (R)  // dr:UD (1/3)>"
    assert str(twistbase.SolvedStep("eo:FB", "R", "U", 2, 2)) == "R (U)  // eo:FB (2/2)"
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(AttributeError):
        found.length = 3  # type: ignore[misc]


def test_other_goals_and_longer_searches(goals: twistbase.Database) -> None:
    cross, block = goals.steps(SCRAMBLE, "cross:D > block-222", niss="never")[0].steps
    assert (cross.goal, cross.inverse, block.goal[:9]) == ("cross:D", "", "block-222")
    assert goals.cube3(f"{SCRAMBLE} {cross.normal}", goal="cross").distance == 0
    short = goals.steps(SCRAMBLE, width=5)[0]
    assert goals.steps(SCRAMBLE, width=5, timeout=1.5)[0].length <= short.length


def test_what_are_no_steps(goals: twistbase.Database, empty: twistbase.Database) -> None:
    for options, words in (
        ({"steps": "eo > > dr"}, "is no step"),
        ({"steps": "eo 5..2"}, "is no step"),
        ({"steps": "eo > crozz"}, 'no goal "crozz"'),
        ({"niss": "sometimes"}, "before"),
        ({"count": 0}, "at least 1"),
        ({"width": 0}, "at least 1"),
        ({"width": -1}, "width cannot be -1"),
        ({"width": 1 << 40}, "width cannot be"),
        ({"timeout": -1}, "timeout"),
    ):
        with pytest.raises(twistbase.UsageError, match=words):
            goals.steps("R", **options)
    with pytest.raises(twistbase.UsageError, match="cube2"):
        goals.steps(goals.cube2("R"))
    with pytest.raises(twistbase.InvalidPosition, match=r"step 1 \(finish\)"):
        goals.steps("R", "finish")
    with pytest.raises(twistbase.InvalidPosition, match="R U?"):
        goals.steps("R U?")
    with pytest.raises(twistbase.MissingTable, match="cube3-eo"):
        empty.steps("R")


def test_ctrl_c_ends_it(goals: twistbase.Database) -> None:
    goals.steps("R")
    interrupt, began = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)), time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        interrupt.start()
        goals.steps(SCRAMBLE, timeout=PATIENCE)
    assert time.monotonic() - began < PATIENCE / 4
    assert goals.steps("R")[0].length == 1
