"""Searches that call back, batches, and what becomes of them when somebody raises or goes away."""

from __future__ import annotations

import gc
import itertools
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import twistbase
from conftest import PATIENCE
from model import Cube

FAR = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
"""The superflip, 20 moves away: an optimal search of it goes on for hours."""


class Own(Exception):
    """An exception of the caller."""


def texts(db: twistbase.Database, n: int, seed: int = 5) -> list[str]:
    return db.cube3.texts(db.cube3.random(n, seed))


# Callbacks.


def test_improvements_are_told(db: twistbase.Database) -> None:
    heard: list[twistbase.Solution] = []
    caller = threading.get_ident()
    threads: set[int] = set()

    def hear(solution: twistbase.Solution) -> None:
        heard.append(solution)
        threads.add(threading.get_ident())

    position = db.cube3.random(seed=4)
    best = db.solve(position, on_improved=hear, max_nodes=300_000)
    assert threads == {caller}
    assert heard[-1] == best
    lengths = [solution.length for solution in heard]
    assert lengths == sorted(set(lengths), reverse=True)
    for solution in heard:
        assert Cube(str(position)).move(solution.moves).is_solved


def test_depths_are_told(db: twistbase.Database) -> None:
    heard: list[tuple[int, int]] = []
    db.solve("R U2 F L D B2", method="optimal", on_depth=lambda bound, nodes: heard.append((bound, nodes)))
    bounds = [bound for bound, _ in heard]
    assert bounds == sorted(set(bounds))
    assert bounds[-1] == 6
    found: list[str] = []
    solutions = db.solve_all("U2 D2 R2 L2 F2 B2", on_improved=lambda solution: found.append(solution.moves))
    assert sorted(found) == sorted(solution.moves for solution in solutions)


@pytest.mark.parametrize("kind", [Own, KeyboardInterrupt, SystemExit, twistbase.UsageError, StopIteration])
def test_what_a_callback_raises_ends_the_search(db: twistbase.Database, kind: type[BaseException]) -> None:
    def fail(*_: object) -> None:
        raise kind("enough")

    with pytest.raises(kind, match="enough"):
        db.solve(FAR, method="optimal", on_depth=fail)
    with pytest.raises(kind, match="enough"):
        db.solve(FAR, method="two-phase", target=10, on_improved=fail)
    assert str(db.solve("R")) == "R'"


def test_callbacks_that_call_the_library(db: twistbase.Database) -> None:
    heard: list[int] = []

    def hear(solution: twistbase.Solution) -> None:
        assert db.distances("cube2", ["R U F"]).tolist() == [3]
        assert str(db.solve("R")) == "R'"
        assert solution.end.is_solved
        heard.append(len(list(db.solve_many(["R", "U"]))))

    db.solve(db.cube3.random(seed=4), on_improved=hear)
    assert heard
    assert set(heard) == {2}


def test_what_is_no_callback(db: twistbase.Database) -> None:
    with pytest.raises(TypeError):
        db.solve(db.cube3.random(seed=4), on_improved=3)  # type: ignore[arg-type]


# Batches.


def test_batches_are_in_order(db: twistbase.Database) -> None:
    given = texts(db, 100)
    solved = db.solve_many(given, target=23)
    assert iter(solved) is solved
    for text, solution in zip(given, solved, strict=True):
        assert isinstance(solution, twistbase.Solution)
        assert solution.start.input == text
        assert Cube(text).move(solution.moves).is_solved
    with pytest.raises(StopIteration):
        next(solved)
    with pytest.raises(StopIteration):
        next(solved)


def test_batches_of_other_puzzles(db: twistbase.Database) -> None:
    for puzzle in ("cube2", "cube21", "square1-corners"):
        positions = [db.puzzle(puzzle).random(seed=seed) for seed in range(30)]
        mixed = [str(position) if i % 2 else position for i, position in enumerate(positions)]
        for position, solution in zip(positions, db.solve_many(mixed, puzzle=puzzle), strict=True):
            assert solution.start == position
            assert solution.length == position.distance
            assert solution.end.is_solved


def test_batches_with_options(db: twistbase.Database) -> None:
    goal = db.cube3("F2 L U2 B' R")
    for solution in db.solve_many(["R U", "F"], method="optimal", goal=goal):
        assert solution.end == goal
    for solution in db.solve_many(["R2", "U2"], puzzle="cube2", metric="qtm"):
        assert (solution.length, solution.metric) == (2, "qtm")
    assert list(db.solve_many([])) == []


def test_batches_are_lazy(db: twistbase.Database) -> None:
    taken = itertools.count()

    def endless() -> Iterator[str]:
        for text in itertools.cycle(texts(db, 50)):
            next(taken)
            yield text

    solved = db.solve_many(endless(), target=24)
    first = list(itertools.islice(solved, 5))
    assert len(first) == 5
    # So many are taken ahead at most.
    assert next(taken) <= 3 * 4096
    del solved
    gc.collect()
    assert str(db.solve("R")) == "R'"


def test_errors_of_a_batch(db: twistbase.Database) -> None:
    given = ["R", "nonsense", "U", "R X", "F"]
    found = list(db.solve_many(given, errors="return"))
    assert [type(item).__name__ for item in found] == ["Solution", "InvalidPosition", "Solution", "InvalidPosition", "Solution"]
    assert [str(found[i]) for i in (0, 2, 4)] == ["R'", "U'", "F'"]
    error = found[1]
    assert isinstance(error, twistbase.InvalidPosition)
    assert (error.input, error.code) == ("nonsense", "invalid")
    assert error.element == 1
    assert isinstance(found[3], twistbase.InvalidPosition) and found[3].element == 3
    solved = db.solve_many(given)
    assert str(next(solved)) == "R'"
    with pytest.raises(twistbase.InvalidPosition, match="nonsense") as caught:
        next(solved)
    assert caught.value.element == 1
    # That ends it.
    assert list(solved) == []


def test_budgets_of_a_batch(db: twistbase.Database) -> None:
    found = list(db.solve_many([FAR, "R", FAR], errors="return", method="optimal", max_nodes=1000))
    assert [isinstance(item, twistbase.BudgetSpent) for item in found] == [True, False, True]
    found = list(db.solve_many([FAR], errors="return", target=19, max_nodes=20_000))
    assert isinstance(found[0], twistbase.BudgetSpent)
    assert found[0].best is not None
    assert found[0].best.end.is_solved


@pytest.mark.parametrize("after", [0, 1, 3])
def test_an_iterator_that_raises(db: twistbase.Database, after: int) -> None:
    def failing() -> Iterator[str]:
        yield from ["R", "U", "F"][:after]
        raise Own("no more")

    solved, found = db.solve_many(failing()), []
    with pytest.raises(Own, match="no more"):
        for solution in solved:
            found.append(str(solution))
    # What was handed over before is answered before the exception, which ends it.
    assert found == ["R'", "U'", "F'"][:after]
    assert list(solved) == []


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("after", [0, 1])
def test_an_iterator_that_ends_the_program(db: twistbase.Database, kind: type[BaseException], after: int) -> None:
    def ending() -> Iterator[str]:
        yield from ["R"] * after
        raise kind("at once")

    with pytest.raises(kind, match="at once"):
        list(db.solve_many(ending(), errors="return"))


@pytest.mark.parametrize("wrong", [3, None, b"R", ["R"], np.zeros(5, np.uint8), "", "  ", "R\nU", "\ud800"])
def test_items_that_are_no_position(db: twistbase.Database, wrong: Any) -> None:
    solved = db.solve_many(["R", wrong, "U"])
    assert str(next(solved)) == "R'", "what came before is answered first"
    with pytest.raises(twistbase.Error) as caught:
        next(solved)
    assert caught.value.element == 1
    assert list(solved) == []
    first, error, last = db.solve_many(["R", wrong, "U"], errors="return")
    assert [str(first), str(last)] == ["R'", "U'"]
    assert isinstance(error, twistbase.Error)
    assert (error.element, str(error)) == (1, str(caught.value))


def test_a_single_text_is_no_batch(db: twistbase.Database, tmp_path: Path) -> None:
    """It can be iterated, too: each letter a move."""
    for ask in (
        lambda: db.solve_many("RUF"),
        lambda: db.plan_solve(tmp_path / "farm", "RUF", table="phase1"),
        lambda: db.export("cube2", positions="RUF"),
    ):
        with pytest.raises(TypeError, match="got one string"):
            ask()


def test_arrays_are_solved(db: twistbase.Database) -> None:
    array = db.cube3.random(3, seed=5)
    for row, text in zip(array, db.cube3.texts(array), strict=True):
        assert db.solve(row, max_nodes=10_000).start == db.cube3(text)
    given = [db.cube2.array(["R U F", "R2", "U"]), list(db.cube2.array(["R U F", "R2", "U"]))]
    for positions in given:
        assert [solution.length for solution in db.solve_many(positions, puzzle="cube2")] == [3, 1, 1]
    assert db.solve(db.cube2("R U F").array, puzzle="cube2").length == 3
    wrong = db.cube2.array(["R", "U"])
    wrong[1, 0] = 9
    found = list(db.solve_many(wrong, puzzle="cube2", errors="return"))
    assert isinstance(found[1], twistbase.InvalidPosition) and found[1].element == 1


def test_the_puzzle_of_a_batch(db: twistbase.Database) -> None:
    positions = [db.cube2("R U F"), db.cube2("R2")]
    for given in (positions, iter(positions), [positions[0], str(positions[1])]):
        assert [solution.length for solution in db.solve_many(given)] == [3, 1]
    found = list(db.solve_many([db.cube2("R"), db.cube3("R")], errors="return"))
    assert isinstance(found[1], twistbase.UsageError)
    assert str(found[1]) == "expected a position of cube2, got one of cube3"
    assert found[1].element == 1


def test_positions_of_another_puzzle_in_a_batch(db: twistbase.Database) -> None:
    with pytest.raises(twistbase.UsageError, match="expected a position of cube3, got one of cube2"):
        list(db.solve_many(["R", db.cube2("R")]))
    with pytest.raises(twistbase.UsageError, match="expected a position of cube3, got one of cube2"):
        list(db.solve_many([db.cube2("R")], puzzle="cube3"))


def test_what_is_no_iterable(db: twistbase.Database) -> None:
    for wrong in (3, None):
        with pytest.raises(TypeError):
            db.solve_many(wrong)  # type: ignore[call-overload]


@pytest.mark.parametrize("text", ["\ufeffR", "\u00a0R U\u3000", "R\r", "\x0bR", "R \x1c", "\x85R", "# R", "R U # F"])
def test_answers_belong_to_their_positions_whatever_the_spaces(db: twistbase.Database, text: str) -> None:
    """A line that one end takes for blank and the other does not would shift all answers after it."""
    found = list(db.solve_many(["U", text, "F"], errors="return"))
    assert [str(found[0]), str(found[-1])] == ["U'", "F'"]
    assert len(found) == 3
    assert isinstance(found[1], twistbase.InvalidPosition) or found[1].end.is_solved


def test_a_long_text_in_a_batch(db: twistbase.Database) -> None:
    found = list(db.solve_many(["U", "R " * 300_000, "F"], errors="return"))
    assert [str(found[0]), str(found[2])] == ["U'", "F'"]
    assert isinstance(found[1], twistbase.InvalidPosition)


def test_a_batch_that_nobody_takes(db: twistbase.Database) -> None:
    def far() -> Iterator[str]:
        yield "R"
        time.sleep(0.3)
        yield from [FAR] * 20

    for taken in (0, 1, 1, 1):
        solved = db.solve_many(far(), method="optimal", table="phase1")
        assert [str(solution) for solution in itertools.islice(solved, taken)] == ["R'"] * taken
        del solved
    gc.collect()
    # Their threads end: the batches would take days.
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        before = time.process_time()
        time.sleep(0.2)
        if time.process_time() - before < 0.1:
            break
    else:
        pytest.fail("searches that nobody waits for go on")


def test_a_batch_is_taken_by_one_thread_at_a_time(db: twistbase.Database) -> None:
    inner: list[BaseException] = []

    def own() -> Iterator[str]:
        yield "R"
        try:
            next(solved)
        except Exception as error:
            inner.append(error)
        yield "U"

    solved = db.solve_many(own())
    assert [str(solution) for solution in solved] == ["R'", "U'"]
    assert len(inner) == 1
    assert isinstance(inner[0], (twistbase.UsageError, ValueError, RuntimeError))
