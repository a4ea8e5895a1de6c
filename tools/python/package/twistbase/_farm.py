"""What of a farm is easier said in Python."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from twistbase import _twistbase
from twistbase._progress import Progress, listening

if TYPE_CHECKING:
    from twistbase._database import Database


class Farm(_twistbase.Farm):
    """Work in shards that machines share: a folder with a plan, and what has been done of it.

    ``db.plan_solve``, ``db.plan_cosets`` and ``db.plan_verify`` make one; ``Farm(path)`` opens it anywhere.
    """

    __slots__ = ()

    def status(self, *, check: bool = False, progress: Progress = False) -> dict[str, Any]:
        """How far it is: the same as ``twistbase farm status --json`` prints.

        :param check: look at every byte of what is done, as before it is merged
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
        """Do shards, with the tables of a database; what became of each, as ``twistbase farm work --json`` prints it.

        What is finished of a shard is kept whatever ends the work, and the next task of it goes on there.

        :param shards: their numbers; all that are not done and that nobody works on if nothing is said
        :param stage: a folder on this machine's own disk to copy the tables to first
        :raises Busy: if another task has the only shard that was asked for
        :raises TableError: if a table is missing, or is not that of the plan
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
        """Bring together what was found: the same as ``twistbase farm merge --json`` prints.

        Results about cosets go into the database, answers about positions and checks of a table into a file.

        :param output: the file; for anything but cosets there has to be one
        :param partial: take what there is when shards are missing or refused
        :raises TableError: if shards are missing, damaged, of other tables or of another version, and it is not ``partial``:
            nothing is merged then
        """
        with listening(progress) as listener:
            return self._merge(database, output, partial, listener)

    def __reduce__(self) -> tuple[Any, ...]:
        return Farm, (self.path,)

    def __repr__(self) -> str:
        return f"<twistbase.Farm {self.path}>"
