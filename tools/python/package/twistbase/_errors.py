"""The exceptions of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from twistbase._twistbase import Solution


class Place(TypedDict):
    """A range of bytes of an input, without ``end``."""

    start: int
    end: int


class Problem(TypedDict):
    """One reason why an input is invalid."""

    code: str
    """A stable name for programs, for instance ``duplicate-piece``."""
    message: str
    """The reason in words."""
    at: Place | None
    """The offending bytes of the input, if any."""


class Error(Exception):
    """Base class of all errors of this package."""

    code: str = "error"
    """The class of the error, as in the program's JSON: usage, invalid, data, busy, io, budget."""
    element: int | None = None
    """The number of the failing element in an array, a list or a batch, from 0."""


class UsageError(Error, ValueError):
    """An invalid request: an unknown table, options that exclude each other, an array of the wrong shape."""

    code = "usage"


class InvalidPosition(Error, ValueError):
    """An invalid position or sequence of moves, with every reason."""

    code = "invalid"
    input: str = ""
    """The input as it was given."""
    expected: str = "position"
    """What was expected, for instance a position."""
    problems: list[Problem] = []
    """Why it is invalid: at least one reason."""


class TableError(Error):
    """A table that cannot answer: the fault, its place, and the remedy."""

    code = "data"
    table: str = ""
    """The table's name."""
    fault: str = ""
    """missing, unfinished, stale, bounded, damaged or foreign."""
    detail: str = ""
    """The fault in words."""
    file: str | None = None
    """The file, if the fault is in one."""
    row: int | None = None
    """The row, if the fault is in one."""
    page: int | None = None
    """The page within the row, if the fault is in one."""
    remedy: str = ""
    """The remedy: a call, or else arguments for the program ``twistbase``."""


class MissingTable(TableError):
    """A table that was not built, or not completely. ``remedy`` is the call that builds it."""


class Busy(Error):
    """A file or folder in use by another process."""

    code = "busy"


class StorageError(Error, OSError):
    """An error of the operating system."""

    code = "io"


class BudgetSpent(Error):
    """A limit was reached: memory of a build, time or nodes of a search."""

    code = "budget"
    best: Solution | None = None
    """The best solution found before the limit."""
    bound: int | None = None
    """A proven lower bound: no solution is shorter."""


_PUBLIC: dict[str, type[Error]] = {
    cls.code: cls for cls in (UsageError, InvalidPosition, TableError, Busy, StorageError, BudgetSpent)
}


def _make(code: str, message: str, fields: dict[str, Any]) -> Error:
    """The exception of an error's class; called by the extension module."""
    kind = MissingTable if fields.get("fault") in ("missing", "unfinished") else _PUBLIC[code]
    error = kind(message)
    for name, value in fields.items():
        setattr(error, name, value)
    return error


for _public in (Error, UsageError, InvalidPosition, TableError, MissingTable, Busy, StorageError, BudgetSpent):
    _public.__module__ = "twistbase"
