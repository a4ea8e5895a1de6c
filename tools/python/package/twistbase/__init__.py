"""Exact distances and shortest solutions of twisty puzzles: Rubik's cube, 2x2x2, Square-1, Cube21.

>>> import twistbase
>>> db = twistbase.open()
>>> db.cube2("R U F").distance
3
"""

from importlib.metadata import version as _version

from twistbase._arrays import Neighbours
from twistbase._database import Database, open
from twistbase._errors import (
    BudgetSpent,
    Busy,
    Error,
    InvalidPosition,
    MissingTable,
    Problem,
    StorageError,
    TableError,
    UsageError,
)
from twistbase._farm import Farm
from twistbase._kociemba import solve
from twistbase._steps import Insertion, InsertionsSolution, SolvedStep, StepsSolution
from twistbase._twistbase import (
    Definition,
    ExactDistance,
    Position,
    Puzzle,
    Records,
    Solution,
    SolutionIterator,
    SolvedIterator,
    goals,
)

__version__ = _version("twistbase")

__all__ = [
    "BudgetSpent",
    "Busy",
    "Database",
    "Definition",
    "Error",
    "ExactDistance",
    "Farm",
    "Insertion",
    "InsertionsSolution",
    "InvalidPosition",
    "MissingTable",
    "Neighbours",
    "Position",
    "Problem",
    "Puzzle",
    "Records",
    "Solution",
    "SolutionIterator",
    "SolvedIterator",
    "SolvedStep",
    "StepsSolution",
    "StorageError",
    "TableError",
    "UsageError",
    "goals",
    "open",
    "solve",
]
