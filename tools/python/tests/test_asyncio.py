"""Searches that are awaited."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
import twistbase
from conftest import PATIENCE

FAR = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(work, PATIENCE))


def idle() -> bool:
    """Whether this process computes nothing, or comes to that."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        before = time.process_time()
        time.sleep(0.2)
        if time.process_time() - before < 0.1:
            return True
    return False


def test_awaited(db: twistbase.Database) -> None:
    assert str(run(db.solve_async("R U F"))) == "F' U' R'"
    assert str(run(db.solve_async(db.cube2("R U F")))) == "F' U' R'"
    assert str(run(db.solve_async("R U F", puzzle="cube2"))) == "F' U' R'"
    assert run(db.solve_async("R2", method="optimal", goal="U2")).length == 2


def test_several_at_once(db: twistbase.Database) -> None:
    positions = [db.cube3.random(seed=seed) for seed in range(12)]

    async def work() -> list[twistbase.Solution]:
        return await asyncio.gather(*(db.solve_async(position, target=23) for position in positions))

    solutions = run(work())
    for position, solution in zip(positions, solutions, strict=True):
        assert solution.start == position
        assert solution.end.is_solved


def test_the_loop_goes_on(db: twistbase.Database) -> None:
    async def work() -> int:
        turns, search = 0, asyncio.ensure_future(db.solve_async(FAR, timeout=0.5))
        while not search.done():
            turns += 1
            await asyncio.sleep(0.001)
        assert (await search).end.is_solved
        return turns

    assert run(work()) >= 10


def test_cancelled(db: twistbase.Database) -> None:
    """The threads of a task that is cancelled end: the search would go on for hours."""

    async def work() -> None:
        search = asyncio.ensure_future(db.solve_async(FAR, method="optimal", table="phase1"))
        await asyncio.sleep(0.3)
        assert not search.done()
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(db.solve_async(FAR, method="optimal", table="phase1"), 0.3)
        assert str(await db.solve_async("R")) == "R'"

    run(work())
    assert idle()


def test_one_that_fails_in_a_group(db: twistbase.Database) -> None:
    async def fail() -> None:
        await asyncio.sleep(0.2)
        raise LookupError("enough")

    async def work() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(db.solve_async(FAR, method="optimal", table="phase1"))
            group.create_task(fail())

    with pytest.raises(ExceptionGroup) as caught:
        run(work())
    assert caught.group_contains(LookupError)
    assert idle()


def test_more_than_there_are_threads_are_cancelled(db: twistbase.Database) -> None:
    async def work() -> None:
        searches = [asyncio.ensure_future(db.solve_async(FAR, method="optimal", table="phase1")) for _ in range(50)]
        await asyncio.sleep(0.3)
        for search in searches:
            search.cancel()
        found = await asyncio.gather(*searches, return_exceptions=True)
        assert all(isinstance(result, asyncio.CancelledError) for result in found)
        assert str(await db.solve_async("R")) == "R'"

    run(work())
    assert idle()


def test_callbacks_run_in_the_loop(db: twistbase.Database) -> None:
    heard: list[tuple[int, bool]] = []

    async def work() -> twistbase.Solution:
        loop = asyncio.get_running_loop()

        def hear(*_: object) -> None:
            heard.append((threading.get_ident(), asyncio.get_running_loop() is loop))

        await db.solve_async("R U2 F L D B2", method="optimal", on_depth=hear)
        solution = await db.solve_async(db.cube3.random(seed=1), on_improved=hear)
        await asyncio.sleep(0)
        return solution

    assert run(work()).end.is_solved
    assert len(heard) >= 2
    assert set(heard) == {(threading.get_ident(), True)}


def test_callbacks_come_before_the_answer(db: twistbase.Database) -> None:
    """Who awaits has heard of the solution that it gets."""

    async def work() -> None:
        heard: list[twistbase.Solution] = []
        solution = await db.solve_async(db.cube3.random(seed=1), on_improved=heard.append)
        assert heard
        assert heard[-1] == solution

    run(work())


def test_errors_are_raised_where_it_is_awaited(db: twistbase.Database, tmp_path: Path) -> None:
    with pytest.raises(twistbase.InvalidPosition):
        run(db.solve_async("R X"))
    with pytest.raises(twistbase.BudgetSpent):
        run(db.solve_async(FAR, method="optimal", max_depth=5))
    with pytest.raises(twistbase.MissingTable):
        run(twistbase.open(tmp_path, build="never").solve_async("R"))
    with pytest.raises(TypeError):
        run(db.solve_async("R", colour=1))  # type: ignore[call-arg]
