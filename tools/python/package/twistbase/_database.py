"""What of a database is easier said in Python."""

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
        SearchOptions,
        ShardOptions,
    )


class Database(_twistbase.Database):
    """A folder of tables, and everything that can be asked of them. It may be shared by threads and sent to processes."""

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
        """Build a table, or finish its interrupted build, or continue what was built to a smaller depth.

        Before anything is stored, the number of positions at every distance is compared with what is known.

        :param table: its name: one of ``db.tables()``; or of a set of tables: ``"cube3"``, ``"square1-family"``
        :param depth: build it up to this distance only
        :param force: also where it is there already, in the place of what is there
        :param memory: bytes of memory that the build may take; what is available if nothing is said
        :param progress: ``True`` shows a bar (tqdm where it is installed), a function hears
            ``(stage, done, total, unit)``
        :return: the same as ``twistbase build --json`` prints; for a set: ``set`` (its name) and ``tables`` (one report each)
        :raises KeyboardInterrupt: after Ctrl-C; the next build takes over what is stored
        :raises BudgetSpent: if the memory does not suffice
        """
        with listening(progress) as listener:
            return self._build(table, depth, force, memory, listener)

    def verify(self, table: str, *, progress: Progress = False) -> dict[str, Any]:
        """Check every page of a table: the summary that ``twistbase verify --json`` prints, with the faults in ``found``.

        :raises TableError: if the table is not there at all
        """
        with listening(progress) as listener:
            return self._verify(table, listener)

    def rebuild(self, table: str, *, progress: Progress = False) -> dict[str, Any]:
        """Restore the damaged parts of a table: the same as ``twistbase rebuild --json`` prints."""
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
        """Write records of a table to a file: the same as ``twistbase export --json``.

        The file has its name only when it is complete; one that was interrupted is continued by the same call.

        :param path: the file; CSV and JSON Lines are compressed with zstd if its name ends in ``.zst``
        :param format: how it is written; as its name ends if nothing is said: ``.parquet``, ``.csv``, ``.csv.zst``, ``.jsonl``
            or ``.jsonl.zst``
        :param force: also where the file is there already
        :param options: those of ``export``
        :raises UsageError: if the name has another end, and no format is given
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
        """``solve`` that is awaited. Callbacks run in the event loop; a task that is cancelled ends its search."""
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
        :param extra: all solutions of up to so many moves more than the shortest; one shortest solution if nothing is said
        :param limit: at most so many
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
        """Plan a farm that solves cosets of the cover, as ``twistbase coset run`` does.

        :param path: a folder that has no plan, on a file system that all machines share
        :param numbers: numbers in the cover: a tuple of the first and of the one after the last, or a list
        :param search_depth: count exactly up to this depth
        :param depth: stop after this depth
        :param stop_at: stop the search of the last level once there are more positions
        :param bound_20: only show that 20 moves suffice
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
        """Plan a farm that computes each row of a table (Square-1 family) anew from those of its neighbours.

        :param path: a folder that has no plan, on a file system that all machines share
        :param shards: how long, or how large, a shard is
        """
        with listening(progress) as listener:
            Farm._plan_verify(self, path, table, dict(shards or {}), listener)
        return Farm(path)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_database, (self.path, self.build_policy, self.cache)

    def close(self) -> None:
        """Let go of the files that are open. Nothing else ends: what is under way goes on, the next question opens them again."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _policy_of_environment() -> BuildPolicy:
    """What TWISTBASE_BUILD says, in the words of the program."""
    match os.environ.get("TWISTBASE_BUILD"):
        case None | "" | "auto":
            return "auto"
        case "never":
            return "never"
        case value:
            raise UsageError(f"TWISTBASE_BUILD is {value}; set it to auto or never")


def open(
    path: str | os.PathLike[str] | None = None,
    *,
    build: GivenBuildPolicy | None = None,
    cache: CacheUse = "on-demand",
) -> Database:
    """The database in a folder, which need not exist: it is made when something is built.

    :param path: the folder; that of the program ``twistbase`` if nothing is said (``TWISTBASE_STORE``, or ``twistbase`` below
        the user's data folder)
    :param build: ``"auto"`` lets questions build the tables that they need: all for which there is the memory, but those of more
        than a gigabyte of which one is chosen by its size (``nx-...``). ``"never"`` raises ``MissingTable`` instead. If nothing is
        said, what ``TWISTBASE_BUILD`` says, and otherwise ``"auto"``; ``"small"`` is another spelling of it. What is built is told
        to the logger "twistbase" of ``logging``, at the level ``INFO``
    :param cache: ``"on-demand"`` reads the files in the folder ``cache`` below the tables, and adds what is asked for often;
        ``"read-only"`` adds nothing, ``"off"`` reads the tables alone
    """
    if path is None:
        path = os.environ.get("TWISTBASE_STORE") or None
    return Database(path, build=_policy_of_environment() if build is None else build, cache=cache)


def _restore_database(path: str, build: BuildPolicy, cache: CacheUse = "on-demand") -> Database:
    return Database(path, build=build, cache=cache)


_RESTORED: dict[tuple[str, str, str], Database] = {}


def _restored(path: str | os.PathLike[str], build: BuildPolicy, cache: CacheUse) -> Database:
    """What is pickled of a folder shares one database."""
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
