"""``solve``, compatible with the package ``kociemba``."""

from __future__ import annotations

from twistbase._database import Database, open
from twistbase._errors import BudgetSpent, UsageError

_ALWAYS_ENOUGH = 20
"""Every position has a solution of at most this many moves."""
_SECONDS = 10.0
"""Time limit for shorter solutions, which not every position has."""


_database: Database | None = None


def _default() -> Database:
    """The database in the default folder, opened once."""
    global _database
    if _database is None:
        _database = open()
    return _database


def solve(cubestring: str, patternstring: str | None = None, max_depth: int = 24) -> str:
    """Solve a Rubik's cube like ``kociemba.solve``, in at most 20 moves, or fewer if ``max_depth`` is smaller.

    The tables are in the default folder; the first call builds them.

    >>> twistbase.solve("DRLUUBFBRBLURRLRUBLRDDFDLFUFUFFDBRDUBRUFLLFDDBFLUBLRBD")  # doctest: +SKIP

    :param cubestring: 54 facelets, or any other notation
    :param patternstring: the position to reach instead of solved
    :param max_depth: the most moves
    :return: moves, separated by spaces
    :raises InvalidPosition: (a ``ValueError``) with every reason
    :raises UsageError: (a ``ValueError``) if no solution within ``max_depth`` exists, or none was found in ten seconds
    """
    target = min(max_depth, _ALWAYS_ENOUGH)
    if target < 0:
        raise UsageError(f"max_depth is a number of moves, not {max_depth}")
    timeout = None if target == _ALWAYS_ENOUGH else _SECONDS
    # An empty text means solved elsewhere in this package, but is an error in kociemba.
    position = cubestring or "facelets:"
    goal = "facelets:" if patternstring == "" else patternstring
    try:
        return str(_default().solve(position, goal=goal, target=target, timeout=timeout))
    except BudgetSpent as error:
        raise UsageError(f"no solution of at most {max_depth} moves: {error}") from error
