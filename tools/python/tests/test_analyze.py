"""Analyses of positions, and random positions of a state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import twistbase
from model import Cube

SCRAMBLE = "R' U' F D2 L2 F R2 U2 R2 B D2 L B2 D' B2 L' R' B U2 R' U' F"


@pytest.fixture(scope="module")
def goals(tmp_path_factory: pytest.TempPathFactory) -> twistbase.Database:
    """A folder in which the tables are built on first use."""
    return twistbase.open(tmp_path_factory.mktemp("analyze"), build="auto")


def test_analyses_are_those_of_the_program(goals: twistbase.Database, program: Callable[..., list[Any]]) -> None:
    found = goals.analyze(SCRAMBLE)
    assert [found] == program("analyze", "cube3", SCRAMBLE, folder=goals.path)
    position = goals.cube3(SCRAMBLE)
    for given in (position, position.array):
        assert {**goals.analyze(given), "input": SCRAMBLE} == found
    sides = next(goal for goal in found["goals"] if goal["goal"] == "cross")["normal"]
    assert list(sides) == ["U", "D", "F", "B", "R", "L"]
    for side, distance in sides.items():
        assert goals.cube3(SCRAMBLE, goal=f"cross:{side}").distance == distance


def test_shortest_solutions_are_searched_for(goals: twistbase.Database) -> None:
    optimal = goals.analyze("R U F2 D", optimal=True)["optimal"]
    assert optimal["distance"] == optimal["at_least"] == 4
    assert (goals.cube3("R U F2 D") * optimal["solution"]).is_solved
    assert goals.analyze(SCRAMBLE, optimal=True, max_nodes=10)["optimal"]["distance"] is None
    with pytest.raises(twistbase.UsageError, match="cube2"):
        goals.analyze(goals.cube2("R"))


def test_random_positions_of_a_state(goals: twistbase.Database) -> None:
    cube3 = goals.cube3
    texts = cube3.texts(cube3.random(9, 7, state="pll"))
    assert all(text[9 * 3 : 9 * 4] == "D" * 9 and set(text[:9]) == {"U"} for text in texts)
    scrambles = cube3.scrambles(9, 7, state="pll")
    assert ["".join(Cube().move(moves).letters) for moves in scrambles] == texts
    assert str(cube3.random(seed=7, state="pll")) == texts[0]
    with pytest.raises(twistbase.UsageError, match="choose from: ll"):
        cube3.random(state="plll")
    with pytest.raises(twistbase.UsageError, match="cube2"):
        goals.cube2.random(3, state="ll")
