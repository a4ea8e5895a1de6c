"""The parts of ``Database`` that are simpler in Python."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from twistbase import _twistbase
from twistbase._errors import UsageError
from twistbase._farm import Farm
from twistbase._progress import Progress, listening
from twistbase._steps import Insertion, InsertionsSolution, SolvedStep, StepsSolution
from twistbase._twistbase import CancelToken, Position, Puzzle, Solution

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from twistbase._types import (
        BuildPolicy,
        CacheUse,
        ExportOptions,
        Format,
        GivenBuildPolicy,
        Niss,
        One,
        SearchOptions,
        ShardOptions,
    )


class Database(_twistbase.Database):
    """A folder of tables, or tables in memory, and all questions about them. Threads can share it; processes can receive it (pickle)."""

    __slots__ = ()

    def build(
        self,
        table: str,
        *,
        depth: int | None = None,
        force: bool = False,
        memory: int | None = None,
        progress: Progress = False,
    ) -> dict[str, Any]:
        """Build a table. Resumes an interrupted build, and deepens a table that was built to a smaller depth.

        Compares the number of positions at every distance with the published counts before it stores anything.

        :param table: a name from ``db.tables()``, or a set of tables: ``"cube3"``, ``"square1-family"``
        :param depth: build only up to this distance
        :param force: replace an existing table
        :param memory: maximum memory of the build in bytes; default: the available memory
        :param progress: ``True`` shows a bar (with tqdm, if installed); a function is called with
            ``(stage, done, total, unit)``
        :return: the report of ``twistbase build --json``; for a set: ``set`` (its name) and ``tables`` (one report each)
        :raises KeyboardInterrupt: after Ctrl-C; the next build resumes
        :raises BudgetSpent: if ``memory`` is too little
        """
        with listening(progress) as listener:
            return self._build(table, depth, force, memory, listener)

    def verify(self, table: str, *, progress: Progress = False) -> dict[str, Any]:
        """Check every page of a table. Returns the summary of ``twistbase verify --json``, with the faults in ``found``.

        :raises TableError: if the table does not exist
        """
        with listening(progress) as listener:
            return self._verify(table, listener)

    def rebuild(self, table: str, *, progress: Progress = False) -> dict[str, Any]:
        """Restore the damaged parts of a table. Returns the report of ``twistbase rebuild --json``."""
        with listening(progress) as listener:
            return self._rebuild(table, listener)

    def write(
        self,
        table: str,
        path: str | os.PathLike[str],
        *,
        format: Format | None = None,
        force: bool = False,
        progress: Progress = False,
        **options: Unpack[ExportOptions],
    ) -> dict[str, Any]:
        """Write records of a table to a file. Returns the report of ``twistbase export --json``.

        The file gets its name only when it is complete. After an interruption the same call resumes.

        :param path: the file; CSV and JSON Lines are compressed with zstd if its name ends in ``.zst``
        :param format: the format; default: by the end of the name (``.parquet``, ``.csv``, ``.csv.zst``, ``.jsonl``,
            ``.jsonl.zst``)
        :param force: replace an existing file
        :param options: those of ``export``
        :raises UsageError: if the name ends differently and ``format`` is missing
        """
        records = self.export(table, **options)
        with listening(progress) as listener:
            return self._write(records, path, format, force, listener)

    async def solve_async(
        self,
        position: Position | str | NDArray[np.integer[Any]],
        *,
        puzzle: str | None = None,
        on_improved: Callable[[Solution], object] | None = None,
        on_depth: Callable[[int, int], object] | None = None,
        **options: Unpack[SearchOptions],
    ) -> Solution:
        """``solve`` for asyncio. Callbacks run in the event loop. Cancelling the task ends the search."""
        loop, cancel = asyncio.get_running_loop(), CancelToken()

        def in_loop(callback: Callable[..., object] | None) -> Callable[..., object] | None:
            if callback is None:
                return None
            return lambda *arguments: loop.call_soon_threadsafe(callback, *arguments)

        def search() -> Solution:
            heard = in_loop(on_improved), in_loop(on_depth)
            return self.solve(
                position, puzzle=puzzle, on_improved=heard[0], on_depth=heard[1], _cancel=cancel, **options
            )

        try:
            return await asyncio.to_thread(search)
        finally:
            cancel.cancel()

    def steps(
        self,
        position: One,
        steps: str = "eo > dr > htr > finish",
        *,
        niss: Niss = "before",
        count: int = 1,
        width: int = 500,
        timeout: float | None = None,
    ) -> list[StepsSolution]:
        """Solve a Rubik's cube in steps, as people do for fewest moves. Returns the best solutions, the shortest first.

        :param position: a text, a position of the Rubik's cube, or an array of shape (54,)
        :param steps: goals separated by ``>``, each reached from the one before: ``eo`` (oriented edges), ``dr`` (domino reduction),
            ``htr`` (half-turn reduction), ``finish``, or any of ``twistbase.goals()``. ``eo:FB`` names an axis, ``eo:FB|eo:RL`` is
            one of two, ``dr 4..10`` has from 4 to 10 moves
        :param niss: whether steps are made on the inverse, too: ``"never"``, ``"before"`` (each step on the position or on its
            inverse), ``"always"`` (moves of a step on both)
        :param count: maximum number of solutions
        :param width: number of sequences that go on after each step; more take longer and may find shorter solutions
        :param timeout: widen the search until this many seconds are over; without it, the same question has the same answer
        :raises UsageError: for steps that are none
        :raises InvalidPosition: if no sequence leads to a step
        """
        found = self._steps(position, steps, niss, count, width, timeout)
        return [
            StepsSolution(
                solution["length"], solution["solution"], tuple(SolvedStep(**step) for step in solution["steps"])
            )
            for solution in found
        ]

    def insertions(
        self,
        position: One,
        skeleton: str,
        *,
        insertions: int = 1,
        longest: int = 12,
        count: int = 1,
        width: int = 100,
        timeout: float | None = None,
    ) -> list[InsertionsSolution]:
        """Solve a Rubik's cube by insertions into moves that nearly solve it. Returns the best solutions, the shortest first.

        With one insertion the first is a shortest one: every stretch of the skeleton is tried, with every replacement of at most
        ``longest`` moves.

        :param position: a text, a position of the Rubik's cube, or an array of shape (54,)
        :param skeleton: moves, at most 100. They may leave anything unsolved
        :param insertions: maximum number of insertions, 1 or 2. The first of two cycles three corners or three edges
        :param longest: maximum number of moves that replace a stretch of the skeleton, at most 15
        :param count: maximum number of solutions; they are at most four moves longer than the shortest
        :param width: number of first insertions that are tried, of two
        :param timeout: seconds after which the search ends, with the best solutions so far
        :raises UsageError: for numbers out of range
        :raises InvalidPosition: for a skeleton that is no sequence
        :raises BudgetSpent: if no insertion solves the position, or none was found in the time
        """
        found = self._insertions(position, skeleton, insertions, longest, count, width, timeout)
        return [
            InsertionsSolution(
                solution["length"],
                solution["solution"],
                tuple(
                    Insertion(made["before"], made["inserted"], made["after"], made["total"])
                    for made in solution["insertions"]
                ),
            )
            for solution in found
        ]

    def analyze(
        self, position: One, *, optimal: bool = False, timeout: float | None = None, max_nodes: int | None = None
    ) -> dict[str, Any]:
        """The distances of a position of the Rubik's cube, and of its inverse, to the goals of fewest-moves solvers.

        Returns what ``twistbase analyze --json`` prints: ``goals`` has a dict for each goal, with distances by side in ``normal`` and
        ``inverse``; ``bad_edges`` and ``bad_corners`` have numbers by axis.

        :param position: a text, a position of the Rubik's cube, or an array of shape (54,)
        :param optimal: search for a shortest solution, too: ``optimal`` has its ``distance``, or a lower bound, ``at_least``
        :param timeout: maximum seconds of that search
        :param max_nodes: maximum nodes of that search
        """
        return self._analyze(position, optimal, timeout, max_nodes)

    def plan_solve(
        self,
        path: str | os.PathLike[str],
        positions: Iterable[str | Position | NDArray[np.integer[Any]]],
        *,
        extra: int | None = None,
        limit: int | None = None,
        progress: Progress = False,
        shards: ShardOptions | None = None,
        **options: Unpack[SearchOptions],
    ) -> Farm:
        """Plan a farm that solves positions of the Rubik's cube optimally: texts, positions, arrays of shape (54,).

        :param path: a folder that has no plan, on a file system that all machines share
        :param extra: find all solutions with up to this many moves more than the shortest; default: one shortest solution
        :param limit: maximum number of solutions for each position
        :param shards: how long, or how large, a shard is
        :param options: ``metric``, ``table``, ``goal``, ``max_depth``, ``max_nodes`` of ``solve``
        """
        with listening(progress) as listener:
            Farm._plan_solve(
                self, path, positions, dict(shards or {}), listener, extra=extra, limit=limit, **options
            )
        return Farm(path)

    def plan_cosets(
        self,
        path: str | os.PathLike[str],
        numbers: tuple[int, int] | Sequence[int],
        *,
        search_depth: int | None = None,
        depth: int | None = None,
        stop_at: int | None = None,
        bound_20: bool = False,
        progress: Progress = False,
        shards: ShardOptions | None = None,
    ) -> Farm:
        """Plan a farm that solves cosets of H, like ``twistbase coset run``. The cover is a list of cosets that represents all.

        :param path: a folder that has no plan, on a file system that all machines share
        :param numbers: numbers in the cover: a tuple ``(first, after_last)``, or a list
        :param search_depth: count exactly up to this depth
        :param depth: stop after this depth
        :param stop_at: stop the search of the last level above this number of positions
        :param bound_20: only prove that 20 moves suffice
        :param shards: how long, or how large, a shard is
        """
        with listening(progress) as listener:
            Farm._plan_cosets(
                self,
                path,
                numbers,
                dict(shards or {}),
                listener,
                search_depth=search_depth,
                depth=depth,
                stop_at=stop_at,
                bound_20=bound_20,
            )
        return Farm(path)

    def plan_verify(
        self,
        path: str | os.PathLike[str],
        table: str,
        *,
        progress: Progress = False,
        shards: ShardOptions | None = None,
    ) -> Farm:
        """Plan a farm that checks a table of the Square-1 family: it recomputes each row from the neighbouring rows.

        :param path: a folder that has no plan, on a file system that all machines share
        :param shards: how long, or how large, a shard is
        """
        with listening(progress) as listener:
            Farm._plan_verify(self, path, table, dict(shards or {}), listener)
        return Farm(path)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_database, (self.path, self.build_policy, self.cache)

    def close(self) -> None:
        """Close the open files. Running calls continue, and the next question opens the files again."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _policy_of_environment() -> BuildPolicy:
    """The value of TWISTBASE_BUILD."""
    match os.environ.get("TWISTBASE_BUILD"):
        case None | "auto":
            return "auto"
        case "never":
            return "never"
        case value:
            raise UsageError(f"TWISTBASE_BUILD is {value or 'empty'}; set it to auto or never")


def open(
    path: str | os.PathLike[str] | None = None,
    *,
    build: GivenBuildPolicy | None = None,
    cache: CacheUse = "on-demand",
) -> Database:
    """Open the database in a folder. The first build creates a missing folder.

    :param path: the folder, or ``":memory:"`` for a new database in the memory of this process. That one writes nothing to a disk
        and is gone when it is closed; other processes that receive it begin with an empty one. Default: the folder of the program
        ``twistbase`` (``TWISTBASE_STORE``, or ``twistbase`` in the user's data folder)
    :param build: ``"auto"`` lets questions build the tables they need, if there is enough memory. This excludes tables ``nx-...``
        of more than a gigabyte. ``"never"`` raises ``MissingTable`` instead. Default: ``TWISTBASE_BUILD``, else ``"auto"``.
        ``"small"`` means ``"auto"``. Builds are logged to the logger "twistbase" at the level ``INFO``
    :param cache: ``"on-demand"`` reads files in the folder ``cache`` beside the tables, and adds often used parts of tables to
        them; ``"read-only"`` adds nothing, ``"off"`` reads only the tables
    """
    if path is None:
        path = os.environ.get("TWISTBASE_STORE")
        if path == "":
            raise UsageError("TWISTBASE_STORE is empty; give a folder")
    return Database(path, build=_policy_of_environment() if build is None else build, cache=cache)


def _restore_database(path: str, build: BuildPolicy, cache: CacheUse = "on-demand") -> Database:
    return Database(path, build=build, cache=cache)


_RESTORED: dict[tuple[str, str, str], Database] = {}


def _restored(path: str | os.PathLike[str], build: BuildPolicy, cache: CacheUse) -> Database:
    """The database for unpickled objects: one for each folder and its options."""
    return _RESTORED.setdefault((os.fspath(path), build, cache), Database(path, build=build, cache=cache))


def _restore_puzzle(
    path: str | os.PathLike[str], build: BuildPolicy, name: str, cache: CacheUse = "on-demand"
) -> Puzzle:
    return _restored(path, build, cache).puzzle(name)


def _restore_position(
    path: str | os.PathLike[str],
    build: BuildPolicy,
    puzzle: str,
    text: str,
    options: dict[str, Any],
    given: str | None = None,
    cache: CacheUse = "on-demand",
) -> Position:
    position = _restore_puzzle(path, build, puzzle, cache)(text, **options)
    return position if given is None else position._given_as(given)
