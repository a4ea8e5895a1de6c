"""Goals other than solved."""

from __future__ import annotations

import pickle

import pytest
import twistbase

SCRAMBLE = "R U F2 D L2 B' R"


@pytest.fixture(scope="module")
def goals(tmp_path_factory: pytest.TempPathFactory) -> twistbase.Database:
    """A folder in which the small tables of goals are built on first use."""
    return twistbase.open(tmp_path_factory.mktemp("goals"), build="auto")


def has_cross(position: twistbase.Position, face: str) -> bool:
    """Whether the edges of a face are solved, on the facelets."""
    text = str(position)
    edges = ["U8F2", "U6R2", "U2B2", "U4L2", "D2F8", "D6R8", "D8B8", "D4L8", "F6R4", "F4L6", "B4R6", "B6L4"]
    places = [place for edge in edges if face in edge for place in (edge[:2], edge[2:])]
    return all(text[9 * "URFDLB".index(place[0]) + int(place[1]) - 1] == place[0] for place in places)


def test_their_names(goals: twistbase.Database) -> None:
    names = twistbase.goals()
    assert {"cross", "eo", "block-222", "half-turns"} <= set(names)
    tables = {table["table"] for table in goals.tables()}
    assert {"phase1" if name in ("dr", "htr") else f"cube3-{name}" for name in names} <= tables


def test_other_puzzles(goals: twistbase.Database) -> None:
    assert twistbase.goals("cube2") == ["face", "layer", "co", "oll"]
    assert twistbase.goals("square1") == ["cube-shape", "cube-shape-parity"]
    assert twistbase.goals("skewb") == ["layer", "centers", "corners"]
    layer = goals.puzzle("skewb")("R U L'", goal="layer")
    assert (layer.distance, layer.answer()["goal"]) == (layer.solution().length, "layer")
    assert layer.solution().end.distance == 0
    same = goals.puzzle("skewb")("R U L'", goal="only D,DRF,DLB,DFL,DBR")
    assert [str(one) for one in same.solutions()] == [str(one) for one in layer.solutions()]
    with pytest.raises(twistbase.UsageError, match="no puzzle"):
        twistbase.goals("cube4")
    layer = goals.cube2("R U2 F'", goal="layer:any")
    assert (layer.distance, layer.answer()["goal"]) == (len(layer.solution()), "layer:any")
    shape = goals.square1("(1,0)/(3,3)/(-1,0)/", goal="cube-shape")
    assert (shape.distance, goals.solve(shape).length) == (1, 1)


def test_a_cross(goals: twistbase.Database) -> None:
    position = goals.cube3(SCRAMBLE, goal="cross")
    answer = position.answer()
    assert (position.distance, position.at_least, position.count, answer["goal"]) == (5, 5, 5, "cross")
    solutions = list(position.solutions())
    assert len(solutions) == 5
    for solution in [*solutions, position.solution(), goals.solve(position), goals.solve(SCRAMBLE, goal="cross")]:
        assert (solution.length, solution.metric, solution.as_dict()["goal"]) == (5, "htm", "cross")
        assert has_cross(solution.end, "D")
    assert position.solution().end.distance == 0
    for move in position.moves() or []:
        assert (position * move["move"]).distance == move["distance"]


def test_quarter_turns(goals: twistbase.Database) -> None:
    position = goals.cube3("R2 F2", goal="CROSS", metric="qtm")
    solution = position.solution()
    assert (position.distance, solution.length, solution.metric) == (4, 4, "qtm")
    assert goals.solve("R2 F2", goal="cross", metric="qtm").length == 4
    found = goals.goal_distances(["R2 F2", "U"], ["cross", "eo"], metric="qtm")
    assert found.tolist() == [[4, 0], [0, 0]]


def test_other_sides(goals: twistbase.Database) -> None:
    sides = {face: goals.cube3(SCRAMBLE, goal=f"cross:{face}") for face in "URFDLB"}
    for face, position in sides.items():
        assert has_cross(position * position.solution(), face)
    assert goals.cube3(SCRAMBLE, goal="cross:any").distance == min(side.distance or 0 for side in sides.values())
    assert goals.cube3("F", goal="eo").distance == 1
    assert goals.cube3("F", goal="eo:RL").distance == 0


def test_many(goals: twistbase.Database) -> None:
    found = list(goals.solve_many(["U", SCRAMBLE], goal="cross"))
    assert [solution.length for solution in found] == [0, 5]
    found = list(goals.solve_many([goals.cube3(SCRAMBLE, goal="cross")], goal="cross"))
    assert [solution.length for solution in found] == [5]
    with pytest.raises(twistbase.UsageError, match="another goal"):
        list(goals.solve_many([goals.cube3(SCRAMBLE, goal="cross")], goal="eo"))
    assert goals.distances("cube3-cross", ["U", SCRAMBLE]).tolist() == [0, 5]


def test_a_pickle(goals: twistbase.Database) -> None:
    position = goals.cube3(SCRAMBLE, goal="cross:R")
    again = pickle.loads(pickle.dumps(position))
    assert (again.distance, again.answer()["goal"]) == (position.distance, "cross:R")


def test_what_is_no_goal(goals: twistbase.Database, empty: twistbase.Database) -> None:
    for ask, words in (
        (lambda: goals.cube3("R", goal="crozz").distance, "choose from: cross, xcross"),
        (lambda: goals.cube3("R", goal="cross:UR").distance, "cross:R for a face"),
        (lambda: goals.cube3("R", goal="half-turns", metric="qtm").distance, "which has: htm"),
        (lambda: goals.cube3("R", goal="cross", table="phase1").distance, "table"),
        (lambda: goals.cube3("R", goal="cross").exact(), "goal"),
        (lambda: goals.solve("R", goal="cross", method="optimal"), "method"),
        (lambda: goals.cube2("R", goal="cross").distance, "goal"),
    ):
        with pytest.raises(twistbase.UsageError, match=words):
            ask()
    with pytest.raises(twistbase.InvalidPosition, match="no turns of U2 D2"):
        goals.cube3("R", goal="half-turns").distance  # noqa: B018
    with pytest.raises(twistbase.MissingTable, match="cube3-cross"):
        empty.cube3("R", goal="cross").distance  # noqa: B018
