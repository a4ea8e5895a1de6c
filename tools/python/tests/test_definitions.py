"""Puzzles as data: definitions, what follows from them, and texts that are none."""

from __future__ import annotations

import concurrent.futures
import json
import multiprocessing
import pathlib
from collections.abc import Callable

import pytest
import twistbase

TEXT = (pathlib.Path(__file__).resolve().parents[3] / "data/puzzles/pyraminx.tws").read_text()


def test_a_definition_has_its_group_and_its_levels() -> None:
    pyraminx = twistbase.Definition(TEXT)
    assert (pyraminx.name, pyraminx.turns) == ("pyraminx", ["U", "U'", "L", "L'", "R", "R'", "B", "B'"])
    assert (pyraminx.group_order(), pyraminx.symmetries()) == (933_120, 24)
    assert pyraminx.count_levels(4) == [1, 8, 48, 288, 1728]
    report = pyraminx.report()
    assert (report["positions"], [orbit["orbit"] for orbit in report["orbits"]]) == ("933120", ["CORNER", "EDGE"])
    assert "pyraminx" in repr(pyraminx)


def test_both_forms_are_read_back() -> None:
    pyraminx = twistbase.Definition(TEXT)
    assert json.loads(pyraminx.to_kpuzzle())["orbits"][1] == {"orbitName": "EDGE", "numPieces": 6, "numOrientations": 2}
    for text in [pyraminx.to_tws(), pyraminx.to_kpuzzle()]:
        assert twistbase.Definition(text).report() == pyraminx.report()


def test_a_wrong_text_is_refused_with_every_reason() -> None:
    with pytest.raises(twistbase.InvalidPosition) as refused:
        twistbase.Definition(TEXT.replace("Set EDGE 6 2", "Set EDGE 5 2"))
    assert len(refused.value.problems) > 4
    assert "line 13: 6 numbers where 5 are expected" in str(refused.value)


def test_a_geometry_is_a_definition_with_a_net() -> None:
    megaminx = twistbase.Definition("d f 0.7")
    assert (megaminx.name, megaminx.geometry, len(megaminx.turns)) == ("", "d f 0.7", 48)
    assert 'id="CORNER-l0-o2"' in megaminx.svg() == megaminx._repr_svg_()
    assert repr(megaminx) == '<twistbase.Definition "d f 0.7">'
    pyraminx = twistbase.Definition(TEXT)
    assert (pyraminx.geometry, pyraminx._repr_svg_()) == (None, None)
    with pytest.raises(twistbase.UsageError, match="no geometry"):
        pyraminx.svg()
    with pytest.raises(twistbase.InvalidPosition, match="no piece is called Q"):
        twistbase.Definition("c f 0 hold Q")


def test_positions_are_solved_by_search() -> None:
    fto = twistbase.Definition("o f 0.333")
    assert fto.solve("U R F L'") == "L F' R' U'"
    assert fto.solutions("U D") == ["U' D'"]
    assert fto.solve("solved") == ""
    assert fto.solutions("U", count=2)[0] == "U'"
    with pytest.raises(twistbase.BudgetSpent, match="no solution of at most 2 moves"):
        fto.solve("U R F", max_depth=2)
    with pytest.raises(twistbase.InvalidPosition, match='"Q" is no move'):
        fto.solve("U Q")


def added() -> None:
    """What a process that adds a puzzle finds. It knows the puzzle for the rest of its life, so it is none of the other tests."""
    database = twistbase.open(":memory:")
    text = TEXT.replace("Name pyraminx", "Name four vertices")
    info = database.add_puzzle("four-vertices", text)
    assert (info["title"], info["metrics"], info["has_pictures"]) == ("four vertices", ["moves"], False)
    assert database.add_puzzle("four-vertices", twistbase.Definition(text)) == info
    puzzle = database.puzzle("four-vertices")
    position = puzzle("U L' R B")
    assert (position.distance, position.solution().moves, position.count) == (4, "B' R' L U'", 1)
    assert [step for step in position.solution().steps] == ["B'", "R'", "L", "U'"]
    assert puzzle(str(position)) == position
    assert position._repr_svg_() is None
    assert position.solution()._repr_html_() is None
    with pytest.raises(twistbase.UsageError, match="no geometry"):
        position.svg()
    many = puzzle.random(1000, seed=4)
    assert many.shape == (1000, 20)
    distances = database.distances("four-vertices", many)
    assert (distances.min() >= 0, distances.max() <= 11, round(float(distances.mean()))) == (True, True, 8)
    with pytest.raises(twistbase.InvalidPosition, match='"Q" is no move'):
        puzzle("U Q")
    with pytest.raises(twistbase.UsageError, match="another puzzle"):
        database.add_puzzle("four-vertices", TEXT.replace("Set CORNER 4 3", "Set CORNER 4 6"))
    with pytest.raises(TypeError):
        database.add_puzzle("five", 3)  # type: ignore[arg-type]


def with_goals() -> twistbase.Definition:
    puzzle = json.loads(twistbase.Definition(TEXT).to_kpuzzle())
    puzzle["goals"] = {"pair": "only EDGE-l0,EDGE-l1", "corners": "ignore EDGE"}
    return twistbase.Definition(json.dumps(puzzle))


def added_with_goals() -> None:
    """The same, of a puzzle with goals."""
    db, definition = twistbase.open(":memory:", build="auto"), with_goals()
    db.add_puzzle("pairs", definition)
    assert twistbase.goals("pairs") == ["pair", "corners"]
    position = db.puzzle("pairs")("U L' R", goal="pair")
    assert position.distance == len(definition.restricted(goal="pair").solve("U L' R").split())


@pytest.mark.parametrize("adding", [added, added_with_goals])
def test_a_puzzle_that_is_added_answers_like_the_others(adding: Callable[[], None]) -> None:
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        pool.submit(adding).result(timeout=120)


def test_scrambles_are_as_far_from_solved_as_rules_want(tmp_path: pathlib.Path) -> None:
    pyraminx = twistbase.open(tmp_path).puzzle("pyraminx")
    scrambles = pyraminx.scrambles(20, 5)
    assert len(scrambles) == 20
    for moves in scrambles:
        assert pyraminx(moves).distance == len(moves.split()) >= 6


def test_what_is_left_of_a_puzzle() -> None:
    cube = twistbase.Definition("c f 0.333")
    assert cube.restricted(moves=["R", "U2"], quarter_turns=True).turns == ["R", "R'", "U2"]
    flips = cube.restricted(ignore=["CORNER", "EDGE:places"])
    # Edge orientations: 2,048, at most 7 moves.
    assert flips.count_levels(9) == [1, 2, 25, 202, 620, 900, 285, 13]
    assert flips.solve("R F R' U2") == "U2 R F"
    turns = cube.restricted(moves=["R", "U"], quarter_turns=True)
    assert turns.solutions("R2 U", count=2) == ["U' R R", "U' R' R'"]
    cross = cube.restricted(only=["DF", "DR", "DB", "DL"])
    assert cross.count_levels(3) == [1, 15, 158, 1394]
    assert cross.solve("F R' U") == "F' R"
    half_turns = cube.restricted(moves=["U", "D", "R2", "L2", "F2", "B2"], up_to=["U2", "D2", "R2", "L2", "F2", "B2"])
    assert half_turns.count_levels(20) == [1, 2, 9, 36, 124, 530, 1806, 3732, 5158, 7070, 7218, 3202, 488, 24]
    assert half_turns.report()["positions"] == "29400"
    assert half_turns.solve("R2 U F2") == "F2 U"
    with pytest.raises(twistbase.UsageError, match='"Q" is no move.*C is no orbit'):
        cube.restricted(moves=["Q"], ignore=["C"])


def test_a_definition_has_goals() -> None:
    definition = with_goals()
    assert [goal["goal"] for goal in definition.report()["goals"]] == ["pair", "corners"]
    counts = definition.restricted(ignore=["EDGE"]).count_levels(9)
    assert definition.restricted(goal="corners").count_levels(9) == counts == [1, 8, 24, 32, 16]
    with pytest.raises(twistbase.UsageError, match="did you mean pair"):
        definition.restricted(goal="pairs")
    with pytest.raises(twistbase.UsageError, match="not both"):
        definition.restricted(goal="pair", only=["EDGE-l0"])
