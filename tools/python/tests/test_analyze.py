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


def test_distances_of_many_positions(goals: twistbase.Database) -> None:
    cube3 = goals.cube3
    positions = cube3.random(200, 5)
    names = ["cross", "cross:any", "eo:UD", "dr", "half-turns"]
    found = goals.goal_distances(positions, names)
    assert found.shape == (200, 5) and found.dtype == "uint8"
    texts = cube3.texts(positions)
    assert (goals.goal_distances(texts, names) == found).all()
    assert (found[:, 3] == goals.bounds("phase1", positions)).all()
    assert (found[:, 4] == 255).all()
    for text, row in zip(texts[:20], found, strict=False):
        assert [cube3(text, goal=name).distance for name in names[:3]] == row[:3].tolist()
    assert goals.goal_distances([], ["eo"]).shape == (0, 1)
    with pytest.raises(twistbase.UsageError, match="choose from: cross, xcross"):
        goals.goal_distances(texts, ["crozz"])
    with pytest.raises(twistbase.InvalidPosition, match="U?"):
        goals.goal_distances(["R U?"], ["eo"])
