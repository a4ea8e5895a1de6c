"""The parts of ``Farm`` that are simpler in Python."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from twistbase import _twistbase
from twistbase._progress import Progress, listening

if TYPE_CHECKING:
    from twistbase._database import Database


class Farm(_twistbase.Farm):
    """Work in shards, shared by many machines: a folder with a plan and its finished shards.

    ``db.plan_solve``, ``db.plan_cosets`` and ``db.plan_verify`` create one. ``Farm(path)`` opens it on any machine.
    """

    __slots__ = ()

    def status(self, *, check: bool = False, progress: Progress = False) -> dict[str, Any]:
        """The state of all shards, as ``twistbase farm status --json`` prints it.

        :param check: check every byte of the finished shards, as before a merge
        """
        with listening(progress) as listener:
            return self._status(check, listener)

    def work(
        self,
        database: Database,
        shards: Sequence[int] | None = None,
        *,
        stage: str | os.PathLike[str] | None = None,
        progress: Progress = False,
    ) -> list[dict[str, Any]]:
        """Work on shards, with the tables of a database. Returns the reports of ``twistbase farm work --json``.

        Finished parts of a shard are stored. After an interruption the next task resumes there.

        :param shards: numbers of shards; default: all unfinished shards that nobody works on
        :param stage: a folder on a local disk; copies the tables there first
        :raises Busy: if another task works on the only requested shard
        :raises TableError: if a table is missing, or differs from the plan's
        """
        with listening(progress) as listener:
            return self._work(database, shards, stage, listener)

    def merge(
        self,
        database: Database,
        output: str | os.PathLike[str] | None = None,
        *,
        partial: bool = False,
        progress: Progress = False,
    ) -> dict[str, Any]:
        """Merge the results. Returns the report of ``twistbase farm merge --json``.

        Results for cosets go into the database. Solutions, and checks of a table, go into a file.

        :param output: the file; required except for cosets
        :param partial: merge the good shards if others are missing or refused
        :raises TableError: without ``partial``, if a shard is missing, damaged, or belongs to other tables or another version;
            then nothing is merged
        """
        with listening(progress) as listener:
            return self._merge(database, output, partial, listener)

    def __reduce__(self) -> tuple[Any, ...]:
        return Farm, (self.path,)

    def __repr__(self) -> str:
        return f"<twistbase.Farm {self.path}>"
