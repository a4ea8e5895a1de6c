"""What type checkers have to make of the package: never run, checked by test_types.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_type

import numpy as np
import twistbase
from numpy.typing import NDArray


def positions(db: twistbase.Database) -> None:
    position = db.cube2("R U F", metric="qtm")
    assert_type(position, twistbase.Position)
    assert_type(position.distance, int | None)
    assert_type(db.cube3("R U F", goal="cross").count, int | None)
    assert_type(twistbase.goals(), list[str])
    assert_type(position.solution(), twistbase.Solution)
    assert_type(position * "R" * position.solution(), twistbase.Position)
    assert_type(position.array, NDArray[np.uint8])
    assert_type(position.notations, dict[str, str])
    assert_type(position.svg("perspective", "colour-blind"), str)
    assert_type(position.png(pixels=100), bytes)
    assert_type([solution.moves for solution in position.solutions(limit=3)], list[str])
    assert_type(db.puzzle("cube21").random(), twistbase.Position)
    assert_type(db.puzzle("cube21").random(5, seed=1), NDArray[np.uint8])
    assert_type(db.cube3.moves, tuple[str, ...])
    assert_type({position: 1}, dict[twistbase.Position, int])


def arrays(db: twistbase.Database) -> None:
    for given in (np.arange(5), np.zeros((2, 24), np.uint8)):
        assert_type(db.distances("cube2", given), NDArray[np.uint8])
    assert_type(db.distances("cube2", ["R", "U"]), NDArray[np.uint8])
    assert_type(db.distances("cube2", [db.cube2.solved]), NDArray[np.uint8])
    assert_type(db.bounds("phase1", [1, 2, 3]), NDArray[np.uint8])
    assert_type(db.indices("cube2", ["R"]), NDArray[np.uint64])
    assert_type(db.positions("cube2", db.sample("cube2", 3, 10, seed=1)), NDArray[np.uint8])
    found = db.cube2.neighbours(db.cube2.array(["R"]))
    assert_type(found.positions, NDArray[np.uint8])
    assert_type(found.origins, NDArray[np.uintp])
    assert_type(db.cube2.texts(found[0]), list[str])


async def searches(db: twistbase.Database) -> None:
    solution = db.solve("R U F", method="optimal", timeout=1, on_depth=lambda bound, nodes: print(bound + nodes))
    assert_type(solution, twistbase.Solution)
    assert_type(await db.solve_async("R", target=20, on_improved=lambda found: print(found.length)), twistbase.Solution)
    assert_type(db.solve_all("R", extra=1), list[twistbase.Solution])
    assert_type(db.steps("R", "eo > dr", niss="never", timeout=1)[0].steps[0].total, int)
    assert_type(db.solve_many(["R"]), Iterator[twistbase.Solution])
    assert_type(db.solve_many(db.cube3.random(5)), Iterator[twistbase.Solution])
    assert_type(db.solve(db.cube3.random(5)[0]), twistbase.Solution)
    assert_type(db.solve_many(["R"], errors="return"), Iterator[twistbase.Solution | twistbase.Error])
    assert_type(twistbase.solve("U" * 54, None, 20), str)
    assert_type(solution.positions, list[twistbase.Position])
    assert_type(solution.shapes, list[str] | None)
    assert_type(len(solution), int)


def errors(db: twistbase.Database) -> None:
    try:
        db.cube2("X")
    except twistbase.InvalidPosition as error:
        for problem in error.problems:
            assert_type(problem["message"], str)
            if problem["at"] is not None:
                assert_type(problem["at"]["start"], int)
    except twistbase.MissingTable as missing:
        assert_type(missing.remedy, str)
    except twistbase.BudgetSpent as spent:
        assert_type(spent.best, twistbase.Solution | None)
        assert_type(spent.bound, int | None)


def tables(db: twistbase.Database) -> None:
    assert_type(db.build("cube2", depth=3, progress=True), dict[str, Any])
    db.build("cube2", progress=lambda stage, done, total, unit: print(stage, done, total, unit))
    assert_type(db.tables(), list[dict[str, Any]])
    assert_type(db.export("cube2", columns=["index", "solutions"], levels=[1, 2], sample=5), twistbase.Records)
    assert_type(db.write("cube2", "out.csv", format="csv", limit=3), dict[str, Any])
    assert_type(db.write("cube2", "out.csv.zst"), dict[str, Any])
    assert_type(db.stats("cube2"), dict[str, Any])
    assert_type(db.stats("cube2", explain=True), dict[str, Any])
    assert_type(db.stats("cube2", rows=True), list[dict[str, Any]])
    assert_type(db.shapes(), dict[str, Any])
    assert_type(twistbase.open("folder", build="never"), twistbase.Database)
    assert_type(twistbase.open("folder", build="auto", cache="read-only"), twistbase.Database)
    twistbase.open("folder", build="small")
    with twistbase.open() as opened:
        assert_type(opened, twistbase.Database)


def refused(db: twistbase.Database) -> None:
    """Each of these is an error, or a checker says that the comment is not needed."""
    db.cube2("R", metric="ftm")  # type: ignore[arg-type]
    db.solve("R", method="fast")  # type: ignore[arg-type]
    db.solve("R", colour=1)  # type: ignore[call-arg]
    db.export("cube2", columns=["colour"])  # type: ignore[list-item]
    db.distances("cube2", 5)  # type: ignore[arg-type]
    db.write("cube2", "out", format="xlsx")  # type: ignore[arg-type]
    db.stats("cube2", rows=True, explain=True)  # type: ignore[call-overload]
    twistbase.open(cache="always")  # type: ignore[arg-type]
    db.cube2.solved * 3  # type: ignore[operator]
    db.cube2.solved.input = "R"  # type: ignore[misc]
