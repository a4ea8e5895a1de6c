"""Positions: what they know of themselves, how they compare, what moves do to them."""

from __future__ import annotations

import copy
import pickle
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import twistbase
from model import Cube, Square1

SAMPLES = {
    "cube2": ["wca:", "R U F", "UUUURRRRFFFFDDDDLLLLBBBB", "R2 U' F2 R"],
    "cube3": ["wca:", "R U2 F'", "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"],
    "cube21": ["(0,0)", "(1,0)/(3,3)/(-1,0)/", "09BA3621-D457CF8E", "(1,0)"],
    "square1": ["(0,0)", "(1,0)/(3,3)/(-1,0)/", "13A8DEF2-70964B5C", "A1B2C3D45E6F7G8H/", "(1,0)/(-1,-1)"],
    "square1-corners": ["(0,0)", "(1,0)/(3,3)/(-1,0)/", "(1,0)"],
}
ALL = [(puzzle, text) for puzzle, texts in SAMPLES.items() for text in texts]


@pytest.fixture(params=ALL, ids=lambda pair: f"{pair[0]} {pair[1]}"[:40])
def position(request: pytest.FixtureRequest, db: twistbase.Database) -> twistbase.Position:
    puzzle, text = request.param
    return db.puzzle(puzzle)(text)


def test_puzzles(db: twistbase.Database) -> None:
    coded = ["cube21", "square1", "square1-corners", "cube3", "cube2"]
    shipped = ["pyraminx", "pyraminx-tips", "skewb", "dino", "jing", "skewb-diamond", "master-pyramorphix"]
    shipped += ["ivy", "floppy", "tower", "domino", "pyraminx-duo", "lse"]
    puzzles = db.puzzles()
    assert [puzzle["puzzle"] for puzzle in puzzles if puzzle["has_table"]] == coded + shipped
    # A search answers about these.
    large = {puzzle["puzzle"] for puzzle in puzzles if not puzzle["has_table"]}
    assert {"fto", "megaminx", "kilominx", "4x4x4", "5x5x5", "redi", "helicopter", "cube3-slices"} <= large
    for name, width in {"cube2": 24, "cube3": 54, "cube21": 16, "square1": 16, "square1-corners": 16}.items():
        puzzle = db.puzzle(name)
        assert (puzzle.name, puzzle.width) == (name, width)
        assert puzzle.solved.is_solved
        assert puzzle.solved.puzzle == name
        assert isinstance(puzzle.moves, tuple)
        assert name in repr(puzzle)
        attribute = getattr(db, name.replace("-", "_"))
        assert attribute.solved == puzzle.solved
    for name, width in {"pyraminx": 20, "skewb": 28}.items():
        puzzle = db.puzzle(name)
        assert (puzzle.name, puzzle.width, len(puzzle.moves)) == (name, width, 8)
        assert puzzle.solved.is_solved
        assert puzzle.solved.notations == {"kpattern": str(puzzle.solved)}
        assert puzzle(str(puzzle.solved)) == puzzle.solved
    for other, name in {"3x3": "cube3", "333": "cube3", "rubik": "cube3", "222": "cube2", "sq1": "square1", "5x5": "5x5x5", "2x3x4": "2x3x4"}.items():
        assert db.puzzle(other).name == name
    with pytest.raises(twistbase.UsageError, match="no puzzle"):
        db.puzzle("cube4")


def test_puzzles_without_a_table(db: twistbase.Database) -> None:
    fto = db.puzzle("fto")
    assert (fto.name, fto.title, fto.width, len(fto.moves)) == ("fto", "Face-turning octahedron", 84, 16)
    position = fto("U R F L'")
    assert (position.distance, position.at_least) == (4, 4)
    assert position.solution().moves == "L F' R' U'"
    assert [solution.moves for solution in position.solutions()] == ["L F' R' U'"]
    assert [move["move"] for move in position.moves() if move["distance"] == 3] == ["L"]
    assert fto(position.array) == position and fto(str(position)) == position
    far = fto("U R F L' BR U' B L R' F' U BL L R D B")
    assert far.distance is None and far.at_least > 6
    assert far.exact(max_nodes=1000).distance is None
    with pytest.raises(twistbase.BudgetSpent, match="at least"):
        db.solve(far, max_nodes=1000)
    assert db.puzzle("megaminx")("U R F' BR", goal="star").distance == 4
    found = db.solve_all("U R F' BR", puzzle="megaminx", goal="star")
    assert [solution.moves for solution in found] == ["F BR' R' U'", "BR' R' F U'"]
    assert db.puzzle("pancake-7")("5F 3F").distance == 2
    assert "<svg" in position.svg()


def test_every_notation_there_and_back(db: twistbase.Database, position: twistbase.Position) -> None:
    puzzle = db.puzzle(position.puzzle)
    expected = {
        "cube2": {"facelets"}, "cube3": {"facelets", "reid"}, "cube21": {"hex", "jaap", "author"}
    }.get(position.puzzle, {"hex", "jaap"})
    assert set(position.notations) == expected
    for name, text in position.notations.items():
        if name == "author":
            # Its numbers alone would be turns. They are those of the position however it is held.
            again = puzzle(f"author:{text}")
            assert (again.notations["author"], again.distance) == (text, position.distance)
            continue
        for written in (text, f"{name}:{text}"):
            again = puzzle(written)
            assert again.input == written
            if position.puzzle in ("cube2", "cube3") or position == puzzle(str(position)):
                assert again == position
    assert str(position) in position.notations.values()
    assert str(position) in repr(position)
    assert position.puzzle in repr(position)


def test_equal_positions_are_equal_however_they_were_read(db: twistbase.Database) -> None:
    a, b = db.cube3("R U2 F'"), db.cube3(db.cube3("R U2 F'").notations["reid"])
    assert a == b
    assert hash(a) == hash(b)
    assert a.input != b.input
    assert {a: 1}[b] == 1
    assert len({a, b, db.cube3("R"), db.cube3("R")}) == 2
    assert a != db.cube3("R")
    # Another puzzle, the same text.
    assert db.cube2("R") != db.cube3("R")
    assert db.square1("(1,0)/") != db.cube21("(1,0)/")
    assert (a == "R U2 F'") is False
    assert a != None  # noqa: E711
    # How it is asked is no part of it.
    assert db.cube2("R", metric="qtm") == db.cube2("R")
    # However the cube of two layers is held.
    assert db.cube2("R x") == db.cube2("R")
    assert db.cube2("L") == db.cube2("R x'")
    with pytest.raises(TypeError):
        assert a < b  # type: ignore[operator]


def test_alike_pieces_are_equal(db: twistbase.Database) -> None:
    """Cube21 has small pieces that look alike, which may be named by either of their digits."""
    assert db.cube21("01034547-89ABCDEF") == db.cube21("01034547-89ABCDEF")
    assert db.cube21("21034567-89ABCDEF").distance == db.cube21("01234567-89ABCDEF").distance == 0


def test_it_never_changes(position: twistbase.Position) -> None:
    for name in ("puzzle", "input", "distance", "anything"):
        with pytest.raises(AttributeError):
            setattr(position, name, 1)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_and_copied(position: twistbase.Position, protocol: int) -> None:
    for again in (pickle.loads(pickle.dumps(position, protocol)), copy.copy(position), copy.deepcopy(position)):
        assert again == position
        assert hash(again) == hash(position)
        assert again.notations == position.notations
        assert again.input == position.input
        assert (again.array == position.array).all()


@pytest.mark.parametrize("puzzle", ["cube3", "cube2"])
def test_cubes_are_pickled_as_they_are_held(db: twistbase.Database, puzzle: str) -> None:
    cube = db.puzzle(puzzle)
    facelets = str(cube("R U2 F' L D B2 R' U"))
    face = len(facelets) // 6
    ordered = "".join(facelets[face * at : face * (at + 1)] for at in map("URFDLB".index, "ULFRBD"))
    for position in (cube("R U x"), cube("R U x") * "F y", cube(ordered)):
        for again in (pickle.loads(pickle.dumps(position)), copy.copy(position)):
            assert (again, again.input, again.order) == (position, position.input, position.order)
            assert again.turned_home() == position.turned_home()
            assert again.svg() == position.svg()
    assert cube(ordered).order == "U L F R B D"


def test_goals_are_patterns_of_colours(db: twistbase.Database) -> None:
    position, goal = db.cube3("R U x"), db.cube3("R U F z")
    solution = db.solve(position, goal=goal)
    assert (position * solution).turned_home()[0] == goal.turned_home()[0]


def test_puzzles_are_pickled_and_copied(db: twistbase.Database) -> None:
    for name in SAMPLES:
        puzzle = db.puzzle(name)
        for again in (pickle.loads(pickle.dumps(puzzle)), copy.copy(puzzle), copy.deepcopy(puzzle)):
            assert (again.name, again.solved) == (name, puzzle.solved)
    assert pickle.loads(pickle.dumps(db.cube2))("R U F").distance == 3


def test_options_are_pickled(db: twistbase.Database) -> None:
    position = db.cube2("R2", metric="qtm")
    assert position.distance == 2
    again = pickle.loads(pickle.dumps(position))
    assert again.distance == 2
    assert again.answer()["metric"] == "qtm"
    kite = db.square1_corners("(1,0)/", middle="square")
    assert pickle.loads(pickle.dumps(kite)).answer()["middle_goal"] == "square"


def test_pickles_are_small(db: twistbase.Database) -> None:
    positions = [db.cube3.random(seed=seed) for seed in range(100)]
    assert len(pickle.dumps(positions)) < 100 * 400
    assert pickle.loads(pickle.dumps(positions)) == positions


def test_moves_make_what_the_model_makes(db: twistbase.Database) -> None:
    moves = "R U2 F' L D2 B' M x r' E2 S' y u2"
    assert str(db.cube3.solved * moves) == str(Cube().move(moves).named()) == str(db.cube3(moves))
    position = db.cube3("R U2 F' L D2 B'")
    assert str(position) == str(Cube().move("R U2 F' L D2 B'"))
    assert position * "B D2 L' F U2 R'" == db.cube3.solved
    assert str(db.cube2("R U F")) == str(Cube(size=2).move("R U F"))


def test_cubes_are_as_they_are_held(db: twistbase.Database) -> None:
    for cube in (db.cube3, db.cube2):
        turned = cube("R U2 F' x y2")
        assert turned == cube("R U2 F'") * "x y2"
        home, turns = turned.turned_home()
        assert (home, turned * turns) == (cube("R U2 F'"), home)
        assert cube(turned.scene()["written"]) == turned
        assert cube("") == cube("solved") == cube.solved
        with pytest.raises(twistbase.InvalidPosition, match="for Square-1"):
            cube("(1,0)/(3,3)/")
    with pytest.raises(twistbase.UsageError):
        db.cube21("/").turned_home()
    facelets = str(db.cube3("R U2 F'"))
    ordered = "".join(facelets[9 * "URFDLB".index(face) :][:9] for face in "ULFRBD")
    assert (db.cube3(ordered), db.cube3(ordered).order) == (db.cube3(facelets), "U L F R B D")
    assert db.cube3(facelets).order is None


def test_square1_moves_make_what_the_model_makes(db: twistbase.Database) -> None:
    moves = "(1,0)/(3,3)/(-1,0)/(0,-3)/"
    for puzzle in (db.square1, db.cube21, db.square1_corners):
        position, model = puzzle.solved, Square1()
        for step in ("(1,0)", "/", "(3,3)", "/", "(-1,0)", "/", "(0,-3)", "/"):
            position, model = position * step, model.move(step)
        assert position == puzzle(moves)
        written = Square1(str(position))
        assert written.seen_as(puzzle.name) == model.seen_as(puzzle.name)
        assert written.is_kite == model.is_kite
        # And back.
        for step in ("/", "(0,3)", "/", "(1,0)", "/", "(-3,-3)", "/", "(-1,0)"):
            position = position * step
        assert position == puzzle.solved
        assert position.is_solved


def test_moves_are_multiplied_from_the_right(db: twistbase.Database) -> None:
    position = db.cube2("R")
    assert position * "U" * "F" == db.cube2("R U F")
    assert position * "" == position
    assert (position * "U").input == str(position * "U")
    solution = db.cube2("R U F").solution()
    assert db.cube2("R U F") * solution == db.cube2.solved
    position *= "R'"
    assert position == db.cube2.solved
    with pytest.raises(TypeError):
        position * 3  # type: ignore[operator]
    with pytest.raises(TypeError):
        "R" * position
    with pytest.raises(twistbase.InvalidPosition) as caught:
        position * "R X"
    assert caught.value.problems[0]["at"] == {"start": 2, "end": 3}


def test_a_twist_that_a_big_piece_is_in_the_way_of(db: twistbase.Database) -> None:
    for puzzle in (db.square1, db.cube21, db.square1_corners):
        with pytest.raises(twistbase.InvalidPosition):
            puzzle.solved * "(-1,0)/"


def test_square1_straddled(db: twistbase.Database) -> None:
    """After (-1,0) a big piece lies across the front end of the cut, where no text begins with it: it is the position all the same."""
    for puzzle in (db.square1, db.cube21, db.square1_corners):
        solved = puzzle.solved
        for turn, back in (("(-1,0)", "(1,0)"), ("(0,-1)", "(0,1)"), ("(2,2)", "(-2,-2)"), ("(-1,-1)", "(1,1)")):
            straddled = solved * turn
            assert straddled == puzzle(turn)
            assert hash(straddled) == hash(puzzle(turn))
            assert straddled * back == solved
            assert straddled.is_solved
            again = pickle.loads(pickle.dumps(straddled))
            assert again == straddled
            assert again * back == solved
            assert straddled.array.shape == (16,)
            assert straddled.svg().startswith("<svg")
            assert straddled.scene()
            if puzzle.name != "square1":
                assert straddled.distance == 0
                assert puzzle(str(straddled)).distance == 0
                best = straddled.solution()
                assert best.end.is_solved
                assert (straddled * best) == best.end
        assert solved * "(2,2)" != solved
    # Of two turns that are written alike the positions differ.
    assert db.square1("(-1,0)") != db.square1("(0,0)")


@pytest.mark.parametrize("moves", ["(1,-1)/(-2,1)", "(1,0)/(-1,2)", "(1,0)/(-1,-1)"])
def test_square1_positions_as_arrays_and_texts(db: twistbase.Database, moves: str) -> None:
    position = db.square1_corners(moves)
    assert db.distances("square1-corners", [position]).tolist() == [position.distance]
    assert (db.square1_corners.array([position])[0] == position.array).all()


def test_is_solved(db: twistbase.Database) -> None:
    assert db.cube3("R R'").is_solved
    assert db.cube3("x y2").is_solved
    assert not db.cube3("R").is_solved
    assert db.cube2("x y").is_solved
    assert db.square1("(3,0)/(3,3)/(0,0)").is_solved is False
    assert db.square1("(6,0)").is_solved
    assert db.square1("01234567-89ABCDEF/").is_solved


def test_what_is_known(db: twistbase.Database) -> None:
    position = db.cube2("R U F")
    answer = position.answer()
    assert answer["distance"] == position.distance == 3
    assert answer["solutions"] == position.count == len(list(position.solutions())) == 1
    assert answer["moves"] == position.moves()
    assert len(answer["moves"]) == 9
    for move in answer["moves"]:
        assert (position * move["move"]).distance == move["distance"] == move["at_least"]
    brief = position.answer("brief")
    assert "moves" not in brief
    assert brief["distance"] == 3
    assert answer["input"] == "R U F"
    with pytest.raises(twistbase.UsageError, match="brief"):
        position.answer("long")  # type: ignore[arg-type]


def test_a_short_search_finds_the_distance_of_a_near_cube(db: twistbase.Database) -> None:
    position = db.cube3("R U F")
    assert (position.distance, position.at_least, position.count) == (3, 3, 1)
    assert position.answer()["to_h"] == 3
    [nearer] = [move for move in position.moves() or [] if move["distance"] == 2]
    assert nearer["move"] == "F'"
    assert [str(solution) for solution in position.solutions()] == [str(position.solution())] == ["F' U' R'"]


def test_a_far_cube_has_a_bound_and_a_solution(db: twistbase.Database) -> None:
    far = db.cube3("U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2")
    assert (far.distance, far.count) == (None, None)
    assert 9 <= far.at_least <= 20
    with pytest.raises(twistbase.BudgetSpent, match="at least"):
        far.solutions()
    solution = far.solution(timeout=0.5)
    assert solution.end.is_solved
    assert solution.length >= 20


def test_every_metric(db: twistbase.Database) -> None:
    assert (db.cube2("R2", metric="htm").distance, db.cube2("R2", metric="qtm").distance) == (1, 2)
    for metric in ("htm", "qtm"):
        position = db.cube2("R2 U F2", metric=metric)
        assert position.solution().metric == metric
        assert position.solution().length == position.distance


def test_the_middle_layer(db: twistbase.Database) -> None:
    puzzle = db.square1_corners
    assert puzzle("01234567-89ABCDEF/", middle="square").distance == 3
    assert puzzle("01234567-89ABCDEF/", middle="ignored").distance == 0
    for solution in puzzle("(1,0)/(3,3)/", middle="square").solutions(limit=5):
        end = Square1(str(puzzle("(1,0)/(3,3)/"))).move(solution.moves)
        assert end.is_solved("square1-corners")
        assert not end.is_kite


def test_notations_of_moves(db: twistbase.Database) -> None:
    position = db.cube21("(1,0)/(3,3)/", notation="cube21")
    moves = [move["move"] for move in position.answer()["moves"]]
    assert moves != [move["move"] for move in db.cube21("(1,0)/(3,3)/").answer()["moves"]]
    assert position.solution().moves


def test_moves_of_the_world_cube_association(db: twistbase.Database) -> None:
    position = db.cube21("(1,0)/(3,3)/", metric="wca")
    answer = position.answer()
    assert (answer["metric"], answer["middle_goal"], position.distance) == ("wca", "square", answer["distance"])
    assert "level" not in answer
    solutions = list(position.solutions())
    assert len(solutions) == position.count
    assert position.solution().metric == "wca"
    assert {solution.length for solution in solutions} == {position.distance}
    for move in position.moves() or []:
        assert (position * move["move"]).distance == move["distance"]
    assert pickle.loads(pickle.dumps(position)).distance == position.distance
    assert db.solve(position).length == db.solve("(1,0)/(3,3)/", puzzle="cube21", metric="wca").length == position.distance
    with pytest.raises(twistbase.UsageError, match="requires a square middle layer"):
        db.cube21("/", metric="wca", middle="ignored").distance  # noqa: B018


def test_solutions_in_face_turns(db: twistbase.Database) -> None:
    position = db.cube21("(1,0)/(3,3)/", metric="face")
    solution = db.solve(position)
    assert (solution.metric, solution.length, str(solution)) == ("face", len(solution), solution.moves)
    assert solution.as_dict()["at_least"] == solution.length == db.solve("(1,0)/(3,3)/", puzzle="cube21", metric="face").length
    assert solution.end == db.cube21.solved
    depths: list[int] = []
    hard = db.cube21("09BA3621-D457CF8E")
    db.solve(hard, metric="face", on_depth=lambda bound, nodes: depths.append(bound))
    assert depths == sorted(depths)
    assert depths
    with pytest.raises(twistbase.BudgetSpent) as spent:
        db.solve(hard, metric="face", max_nodes=1)
    assert spent.value.bound == depths[0]
    for ask in (lambda: position.distance, lambda: list(position.solutions()), lambda: position.solution()):
        with pytest.raises(twistbase.UsageError, match="use solve"):
            ask()


def test_options_of_other_puzzles_are_refused(db: twistbase.Database) -> None:
    for ask in (
        lambda: db.cube2("R", middle="square").distance,
        lambda: db.cube3("R", notation="wca").answer(),
        lambda: db.square1_corners("(1,0)", metric="htm").distance,
        lambda: db.cube3("R", metric="wca").answer(),
        lambda: db.cube21("(1,0)", table="phase1").answer(),
    ):
        with pytest.raises(twistbase.UsageError, match="does not apply to|cannot be used with"):
            ask()
    for options in ({"metric": "ftm"}, {"middle": "kite"}, {"notation": "jaap"}, {"table": "cube4"}):
        with pytest.raises(twistbase.UsageError):
            db.cube2("R", **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        db.cube2("R", colour="red")  # type: ignore[call-arg]


# Pictures.


@pytest.mark.parametrize("view", ["flat", "perspective"])
@pytest.mark.parametrize("colours", ["wca", "colour-blind"])
def test_svg(position: twistbase.Position, view: Any, colours: Any) -> None:
    svg = position.svg(view, colours)
    root = ET.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "<script" not in svg
    assert len(svg) > 500
    if (view, colours) == ("flat", "wca"):
        assert position._repr_svg_() == svg
    else:
        assert position._repr_svg_() != svg


def test_svg_of_other_positions_differ(db: twistbase.Database) -> None:
    assert db.cube3("R").svg() != db.cube3("U").svg()
    assert db.square1("(1,0)").svg() != db.square1("(0,0)").svg()


def test_png(position: twistbase.Position) -> None:
    png = position.png()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    assert max(width, height) == 480
    small = position.png("perspective", pixels=64)
    assert max(int.from_bytes(small[at : at + 4], "big") for at in (16, 20)) == 64
    for pixels in (0, 10**6):
        with pytest.raises(twistbase.UsageError, match="pixels"):
            position.png(pixels=pixels)


def test_scene(db: twistbase.Database, position: twistbase.Position) -> None:
    scene = position.scene()
    assert scene["puzzle"] == position.puzzle
    assert scene["steps"] == []
    assert scene["solids"]
    assert scene["choices"]
    for choice in scene["choices"][:3]:
        moved = position * choice["moves"]
        # A position that no text stands for is told by the moves that lead there.
        assert choice["position"] in (None, str(moved)) or db.puzzle(position.puzzle)(choice["position"]) == moved
        assert len(position.scene(choice["moves"], "colour-blind")["steps"]) == 1


@pytest.mark.parametrize("picture", [lambda p: p.svg("round"), lambda p: p.png(colours="grey"), lambda p: p.scene("", "grey")])
def test_pictures_that_there_are_not(db: twistbase.Database, picture: Callable[[twistbase.Position], object]) -> None:
    with pytest.raises(twistbase.UsageError, match="there is no"):
        picture(db.cube2("R"))


def test_positions_of_arrays(db: twistbase.Database) -> None:
    row = db.cube2.array(["R U F"])[0]
    assert db.cube2(row) == db.cube2("R U F")
    assert db.cube2(row.astype(np.int64)) == db.cube2("R U F")
    for wrong in (row[:5], row.reshape(1, 24), row.reshape(2, 12), row.astype(float), 3, None):
        with pytest.raises((twistbase.UsageError, TypeError)):
            db.cube2(wrong)  # type: ignore[arg-type]
