"""Solutions: made on the models, stepped through, shown."""

from __future__ import annotations

import copy
import itertools
import pickle
import xml.etree.ElementTree as ET
from typing import Any

import pytest
import twistbase
from model import Cube, Square1, length

PATTERN = "F2 L U2 B' R"
"""Moves that lead to a position which is the goal instead of solved."""


def replayed(start: twistbase.Position, solution: twistbase.Solution) -> Cube | Square1:
    """The model after a solution."""
    if start.puzzle in ("cube2", "cube3"):
        return Cube(str(start), int(start.puzzle[-1])).move(solution.moves)
    return Square1(str(start)).move(solution.moves)


def check(start: twistbase.Position, solution: twistbase.Solution) -> None:
    """A solution solves on the model, and is as long as it says."""
    end = replayed(start, solution)
    if isinstance(end, Cube):
        assert end.is_solved
        assert solution.length == length(solution.moves, solution.metric)
    else:
        assert end.is_solved(start.puzzle)
        assert solution.length == Square1.twists(solution.moves)
    assert solution.length == len(solution)
    assert solution.end.is_solved
    assert solution.start == start


@pytest.mark.parametrize("puzzle", ["cube2", "cube21", "square1-corners"])
def test_all_shortest_solutions(db: twistbase.Database, puzzle: str) -> None:
    for seed in range(5):
        position = db.puzzle(puzzle).random(seed=seed)
        solutions = list(position.solutions(limit=200))
        count = position.count
        assert count is not None
        assert len(solutions) == min(count, 200) == len({solution.moves for solution in solutions})
        assert solutions[0] == position.solution()
        for solution in solutions:
            assert solution.length == position.distance
            check(position, solution)


def test_square1_solutions(db: twistbase.Database, need: Any) -> None:
    need("square1")
    for seed in range(10):
        position = db.square1.random(seed=seed)
        for solution in position.solutions(limit=20):
            assert solution.length == position.distance
            check(position, solution)


def test_solutions_are_lazy(db: twistbase.Database) -> None:
    """The first of very many solutions comes without the others."""
    position = max((db.cube21.random(seed=seed) for seed in range(30)), key=lambda p: p.count)
    assert position.count > 50
    solutions = position.solutions()
    first = list(itertools.islice(solutions, 3))
    assert len(set(first)) == 3
    assert iter(solutions) is solutions
    assert next(solutions) not in first
    assert list(position.solutions(limit=0)) == []
    assert [str(solution) for solution in position.solutions(limit=3)] == [str(solution) for solution in first]


def test_solved_positions_have_an_empty_solution(db: twistbase.Database) -> None:
    for puzzle in (db.cube2, db.cube21, db.square1_corners):
        solution = puzzle.solved.solution()
        assert (solution.moves, solution.length, solution.steps) == ("", 0, [])
        assert solution.positions == [puzzle.solved]
        assert solution, "a solution is true, also one of no moves"
        assert list(puzzle.solved.solutions())
    solution = db.solve(db.cube3.solved)
    assert (solution.moves, len(solution)) == ("", 0)


def test_two_phase(db: twistbase.Database) -> None:
    for seed in range(10):
        position = db.cube3.random(seed=seed)
        solution = db.solve(position)
        assert solution.length <= 20
        assert solution.metric == "htm"
        check(position, solution)
    assert str(db.solve("R")) == "R'"
    assert db.solve(str(db.cube3.random(seed=1)), target=22).length <= 22


def test_the_default_finds_a_shortest_solution_if_that_takes_a_moment(db: twistbase.Database) -> None:
    solution = db.solve("R U F2 D L2 B' R")
    assert (solution.length, solution.optimal, solution.at_least) == (7, True, 7)
    assert solution.as_dict()["method"] == "auto"
    far = db.solve(db.cube3.random(seed=1))
    assert far.optimal == (far.length == far.at_least)
    assert far.at_least is not None
    assert 12 <= far.at_least <= far.length
    [near] = db.solve_many(["R U F2 D L2 B' R"])
    assert (near.length, near.optimal) == (7, True)
    assert db.solve("R", method="two-phase").optimal is None
    assert db.solve("U2", metric="qtm").length == 2
    assert db.solve(db.cube3.random(seed=1), metric="qtm").length <= 26


def test_with_a_goal(db: twistbase.Database) -> None:
    goal = db.cube3(PATTERN)
    for given in (PATTERN, goal, str(goal), goal.notations["reid"]):
        for method in ("two-phase", "optimal"):
            position = db.cube3("R U R' U'")
            solution = db.solve(position, goal=given, method=method)
            assert str(Cube(str(position)).move(solution.moves)) == str(goal)
            assert solution.end == goal


def test_tables_modulo_3_do_where_there_are_no_others(empty: twistbase.Database, db: twistbase.Database) -> None:
    tables = ["phase1-kociemba", "phase2-kociemba"]
    for table in tables:
        empty.build(table)
    for seed in range(3):
        position = db.cube3.random(seed=seed)
        solution = empty.solve(str(position))
        assert solution.length <= 20
        assert solution.as_dict()["tables"] == tables
        check(position, solution)
    near = empty.solve("R U F", method="optimal")
    assert (near.length, near.moves) == (3, "F' U' R'")


def test_optimal(db: twistbase.Database) -> None:
    for moves in ("R U2 F L D' B", "U2 D2 R2 L2 F2 B2"):
        position = db.cube3(moves)
        solution = db.solve(position, method="optimal")
        check(position, solution)
        assert solution.length == 6
        solution = db.solve(position, method="optimal", metric="htm", table="phase1")
        assert solution.length == 6


def test_all_optimal(db: twistbase.Database) -> None:
    position = db.cube3("U2 D2 R2 L2 F2 B2")
    solutions = db.solve_all(position)
    assert len({solution.moves for solution in solutions}) == len(solutions) == 6
    for solution in solutions:
        assert solution.length == 6
        check(position, solution)
    assert len(db.solve_all(position, limit=2)) == 2
    longer = db.solve_all("R U F", extra=5)
    assert {solution.length for solution in longer} == {3, 8}
    assert len(db.solve_all("R U F")) == 1
    for solution in longer:
        check(db.cube3("R U F"), solution)


def test_puzzles_that_are_looked_up(db: twistbase.Database) -> None:
    for puzzle in ("cube2", "cube21", "square1-corners"):
        position = db.puzzle(puzzle).random(seed=3)
        for solution in (db.solve(position), db.solve(str(position), puzzle=puzzle)):
            assert solution.length == position.distance
            check(position, solution)


@pytest.mark.parametrize("puzzle", ["cube2", "cube21", "square1-corners", "cube3"])
def test_steps_and_positions(db: twistbase.Database, puzzle: str) -> None:
    position = db.puzzle(puzzle).random(seed=11)
    solution = db.solve(position)
    steps, positions = solution.steps, solution.positions
    assert len(positions) == len(steps) + 1
    assert positions[0] == position == solution.start
    assert positions[-1] == solution.end
    assert positions[-1].is_solved
    assert "".join(steps).replace(" ", "") == solution.moves.replace(" ", "")
    for before, step, after in zip(positions, steps, positions[1:], strict=False):
        assert before * step == after
    if puzzle in ("cube2", "cube3"):
        assert steps == solution.moves.split()
    else:
        assert steps.count("/") == solution.length


def test_what_a_solution_tells(db: twistbase.Database) -> None:
    solution = db.cube2("R U F").solution()
    assert str(solution) == solution.moves == "F' U' R'"
    assert (len(solution), solution.length, solution.metric) == (3, 3, "htm")
    assert solution.as_dict()["solution"] == "F' U' R'"
    assert "F' U' R'" in repr(solution)
    assert "cube2" in repr(solution)
    with pytest.raises(AttributeError):
        solution.moves = "R"  # type: ignore[misc]


def test_the_shapes_that_a_solution_passes(db: twistbase.Database) -> None:
    numbers = {shape["name"]: shape for shape in db.shapes()["shapes"]}
    assert len(numbers) == 90
    for puzzle in (db.cube21, db.square1_corners):
        position = puzzle.random(seed=4)
        for solution in (position.solution(), db.solve(position), puzzle.solved.solution(), puzzle(str(position), metric="wca").solution()):
            shapes = solution.shapes
            assert shapes is not None
            assert len(shapes) == solution.moves.count("/") + 1
            assert numbers[shapes[-1]]["twists_from_solved"] == 0
            for before, after in zip(shapes, shapes[1:], strict=False):
                assert str(numbers[after]["id"]) in numbers[before]["neighbours"]
    told, untold = next(position.solutions(shapes=True)), position.solution()
    assert told.as_dict()["shapes"] == told.shapes == untold.shapes
    assert told.as_dict()["stays_in_cube_shape"] is False
    assert "shapes" not in untold.as_dict()
    assert db.cube21("/").solution().shapes is not None
    assert db.cube2("R").solution().shapes is None
    assert db.solve("R").shapes is None


def test_compared_pickled_copied(db: twistbase.Database) -> None:
    position = db.cube2("R U F")
    for solution in (position.solution(), db.solve("R U2 F L"), db.cube21("(1,0)/(3,3)/").solution()):
        copies = [copy.copy(solution), copy.deepcopy(solution)]
        copies += [pickle.loads(pickle.dumps(solution, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
        for again in copies:
            assert again == solution
            assert hash(again) == hash(solution)
            assert again.as_dict() == solution.as_dict()
            assert again.start == solution.start
            assert again.steps == solution.steps
    assert position.solution() == position.solution()
    assert position.solution() != db.cube2("R U").solution()
    assert len({position.solution(), position.solution()}) == 1
    assert position.solution() != "F' U' R'"


@pytest.mark.parametrize("puzzle", ["cube2", "cube21", "cube3"])
def test_html(db: twistbase.Database, puzzle: str) -> None:
    solution = db.solve(db.puzzle(puzzle).random(seed=2))
    html = solution._repr_html_()
    # What is not seen must not take the presses of the labels that it lies upon.
    assert "opacity:0;pointer-events:none}" in html
    assert "<script" not in html
    assert "javascript:" not in html
    assert " on" not in html.replace(" on ", "").lower().split("style")[0]
    # It is well formed once the ends that HTML leaves out are there.
    root = ET.fromstring(html.replace(" checked>", " checked=''>").replace("<input", "<input ").replace("><label", "/><label"))
    pictures = [node for node in root.iter() if node.tag.endswith("}svg")]
    labels = ["".join(node.itertext()).strip() for node in root.iter("label")]
    assert len(pictures) == len(solution.steps) + 1
    assert labels[1:] == solution.steps
    targets = [node.get("for") for node in root.iter("label")]
    assert targets == [node.get("id") for node in root.iter("input")]
    assert len(set(targets)) == len(targets)


def test_html_twice_in_a_notebook(db: twistbase.Database) -> None:
    """Shown twice, the buttons of one are not those of the other."""
    solution = db.cube2("R U F").solution()

    def ids() -> set[str]:
        html = solution._repr_html_()
        return {part.split('"')[0] for part in html.split(' id="')[1:]}

    assert ids()
    assert not ids() & ids()


def test_budgets(db: twistbase.Database) -> None:
    superflip = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
    with pytest.raises(twistbase.BudgetSpent) as caught:
        db.solve(superflip, method="optimal", max_depth=8)
    error = caught.value
    # A strong table knows more before the search begins.
    assert (error.code, error.best) == ("budget", None) and error.bound is not None and 9 <= error.bound <= 20
    with pytest.raises(twistbase.BudgetSpent) as caught:
        db.solve(superflip, method="optimal", max_nodes=1000)
    assert caught.value.bound is None or caught.value.bound <= 20
    with pytest.raises(twistbase.BudgetSpent) as caught:
        db.solve(superflip, method="optimal", timeout=0.2)
    with pytest.raises(twistbase.BudgetSpent) as caught:
        db.solve(superflip, target=19, max_nodes=20_000)
    best = caught.value.best
    assert best is not None
    check(db.cube3(superflip), best)
    assert isinstance(pickle.loads(pickle.dumps(caught.value)).best, twistbase.Solution)
    # Without a target, the time is spent to the end, and any solution will do.
    check(db.cube3(superflip), db.solve(superflip, timeout=0.3))


def test_options_of_a_search(db: twistbase.Database) -> None:
    for options in ({"method": "three-phase"}, {"metric": "ftm"}, {"table": "cube4"}, {"goal": "R X"}):
        with pytest.raises(twistbase.Error):
            db.solve("R", **options)  # type: ignore[arg-type]
    for options in ({"timeout": -1.0}, {"timeout": float("nan")}, {"timeout": float("inf")}):
        with pytest.raises(ValueError, match="seconds"):
            db.solve("R", **options)
    with pytest.raises(TypeError, match="no option .depth"):
        db.solve("R", depth=3)  # type: ignore[call-arg]
    with pytest.raises(twistbase.UsageError, match="method does not apply to the puzzle cube2"):
        db.solve("R", puzzle="cube2", method="optimal")
    # What is None is not asked for.
    assert str(db.solve("R", method=None, metric=None, goal=None, timeout=None, max_nodes=None, target=None)) == "R'"
