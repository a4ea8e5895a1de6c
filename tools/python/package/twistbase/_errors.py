"""What can go wrong: one tree of exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from twistbase._twistbase import Solution


class Place(TypedDict):
    """Bytes of an input, the last one excluded."""

    start: int
    end: int


class Problem(TypedDict):
    """One reason why an input is not valid."""

    code: str
    """A stable name for programs, for instance ``duplicate-piece``."""
    message: str
    """The reason in words."""
    at: Place | None
    """The offending bytes of the input, where there are any."""


class Error(Exception):
    """Every error of this package is one of these."""

    code: str = "error"
    """The class of the error as the program's JSON names it: usage, invalid, data, busy, io, budget."""
    element: int | None = None
    """The element of an array, a list or a batch that it is about, from 0."""


class UsageError(Error, ValueError):
    """A request that makes no sense: an unknown table, options that exclude each other, an array of another shape."""

    code = "usage"


class InvalidPosition(Error, ValueError):
    """An input that is no position, or no sequence of moves, with every reason."""

    code = "invalid"
    input: str = ""
    """The input as it was given."""
    expected: str = "position"
    """What it was taken for."""
    problems: list[Problem] = []
    """Why it is not valid: at least one reason."""


class TableError(Error):
    """A table that cannot answer: what is wrong, where, and what mends it."""

    code = "data"
    table: str = ""
    """The table's name."""
    fault: str = ""
    """missing, unfinished, stale, bounded, damaged or foreign."""
    detail: str = ""
    """What exactly is wrong."""
    file: str | None = None
    """The file, where one is concerned."""
    row: int | None = None
    """The row, where one is concerned."""
    page: int | None = None
    """The page within the row, where one is concerned."""
    remedy: str = ""
    """What mends it: a call where there is one, else arguments of the program ``twistbase``."""


class MissingTable(TableError):
    """A table that was never built, or not to its end. ``remedy`` is the call that builds it."""


class Busy(Error):
    """Something that another process holds."""

    code = "busy"


class StorageError(Error, OSError):
    """Something that the operating system refused."""

    code = "io"


class BudgetSpent(Error):
    """A budget that does not suffice: of memory for a build, of time or nodes for a search."""

    code = "budget"
    best: Solution | None = None
    """The best solution that was found all the same."""
    bound: int | None = None
    """What no solution is shorter than, as far as that is known."""


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
