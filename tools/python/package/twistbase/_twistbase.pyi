"""The extension module."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, Self, Unpack, final, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from twistbase._arrays import Neighbours
from twistbase._errors import Error
from twistbase._progress import Listener
from twistbase._types import (
    BuildPolicy,
    Bytes,
    CacheUse,
    Colours,
    CubeMetric,
    ExportOptions,
    Format,
    GivenBuildPolicy,
    Indices,
    Many,
    Metric,
    Middle,
    Notation,
    One,
    SearchOptions,
    View,
)

__all__ = [
    "CancelToken",
    "Database",
    "Farm",
    "Position",
    "Puzzle",
    "Records",
    "Solution",
    "SolutionIterator",
    "SolvedIterator",
]

@final
class CancelToken:
    def cancel(self) -> None: ...

@disjoint_base
class Database:
    def __new__(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        build: GivenBuildPolicy = "auto",
        cache: CacheUse = "on-demand",
    ) -> Database: ...
    @property
    def path(self) -> str: ...
    @property
    def build_policy(self) -> BuildPolicy: ...
    @property
    def cache(self) -> CacheUse: ...
    @property
    def cube2(self) -> Puzzle: ...
    @property
    def cube21(self) -> Puzzle: ...
    @property
    def cube3(self) -> Puzzle: ...
    @property
    def square1(self) -> Puzzle: ...
    @property
    def square1_corners(self) -> Puzzle: ...
    def puzzle(self, name: str) -> Puzzle: ...
    def puzzles(self) -> list[dict[str, Any]]: ...
    def tables(self) -> list[dict[str, Any]]: ...
    @overload
    def stats(
        self, table: str, *, rows: Literal[False] = False, explain: bool = False
    ) -> dict[str, Any]: ...
    @overload
    def stats(self, table: str, *, rows: Literal[True], explain: Literal[False] = False) -> list[dict[str, Any]]: ...
    def shapes(self) -> dict[str, Any]: ...
    def distances(self, table: str, positions: Many) -> Bytes: ...
    def bounds(self, table: str, positions: Many) -> Bytes: ...
    def indices(self, table: str, positions: Many) -> Indices: ...
    def positions(self, table: str, indices: NDArray[np.integer[Any]] | Sequence[int]) -> Bytes: ...
    def sample(self, table: str, level: int | None, n: int, seed: int | None = None) -> Indices: ...
    def export(self, table: str, **options: Unpack[ExportOptions]) -> Records: ...
    def solve(
        self,
        position: One,
        *,
        puzzle: str | None = None,
        on_improved: Callable[[Solution], object] | None = None,
        on_depth: Callable[[int, int], object] | None = None,
        _cancel: CancelToken | None = None,
        **options: Unpack[SearchOptions],
    ) -> Solution: ...
    def solve_all(
        self,
        position: One,
        *,
        puzzle: str | None = None,
        extra: int | None = None,
        limit: int | None = None,
        on_improved: Callable[[Solution], object] | None = None,
        on_depth: Callable[[int, int], object] | None = None,
        **options: Unpack[SearchOptions],
    ) -> list[Solution]: ...
    @overload
    def solve_many(
        self,
        positions: Iterable[One],
        *,
        puzzle: str | None = None,
        errors: Literal["raise"] = "raise",
        **options: Unpack[SearchOptions],
    ) -> Iterator[Solution]: ...
    @overload
    def solve_many(
        self,
        positions: Iterable[One],
        *,
        puzzle: str | None = None,
        errors: Literal["return"],
        **options: Unpack[SearchOptions],
    ) -> Iterator[Solution | Error]: ...
    def _close(self) -> None: ...
    def _build(
        self, table_name: str, depth: int | None, force: bool, memory: int | None, progress: Listener | None
    ) -> dict[str, Any]: ...
    def _rebuild(self, table: str, progress: Listener | None) -> dict[str, Any]: ...
    def _verify(self, table: str, progress: Listener | None) -> dict[str, Any]: ...
    def _write(
        self,
        records: Records,
        path: str | os.PathLike[str],
        format: Format | None,
        force: bool,
        progress: Listener | None,
    ) -> dict[str, Any]: ...

@disjoint_base
class Farm:
    def __new__(cls, path: str | os.PathLike[str]) -> Self: ...
    @property
    def path(self) -> str: ...
    @property
    def shards(self) -> int: ...
    @property
    def plan(self) -> dict[str, Any]: ...
    def _status(self, check: bool, progress: Listener | None) -> dict[str, Any]: ...
    def _work(
        self,
        database: Database,
        shards: Iterable[int] | None,
        stage: str | os.PathLike[str] | None,
        progress: Listener | None,
    ) -> list[dict[str, Any]]: ...
    def _merge(
        self,
        database: Database,
        output: str | os.PathLike[str] | None,
        partial: bool,
        progress: Listener | None,
    ) -> dict[str, Any]: ...
    @staticmethod
    def _plan_solve(
        database: Database,
        path: str | os.PathLike[str],
        positions: Iterable[One],
        size: dict[str, Any],
        progress: Listener | None,
        *,
        extra: int | None = None,
        limit: int | None = None,
        **options: Unpack[SearchOptions],
    ) -> None: ...
    @staticmethod
    def _plan_verify(
        database: Database,
        path: str | os.PathLike[str],
        table_name: str,
        size: dict[str, Any],
        progress: Listener | None,
    ) -> None: ...
    @staticmethod
    def _plan_cosets(
        database: Database,
        path: str | os.PathLike[str],
        numbers: tuple[int, int] | Sequence[int],
        size: dict[str, Any],
        progress: Listener | None,
        *,
        search_depth: int | None = None,
        depth: int | None = None,
        stop_at: int | None = None,
        bound_20: bool = False,
    ) -> None: ...

@final
class Puzzle:
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def solved(self) -> Position: ...
    @property
    def width(self) -> int: ...
    @property
    def moves(self) -> tuple[str, ...]: ...
    def __call__(
        self,
        position: str | NDArray[np.integer[Any]],
        *,
        metric: Metric | None = None,
        table: str | None = None,
        middle: Middle | None = None,
        notation: Notation | None = None,
    ) -> Position: ...
    def array(self, positions: Sequence[str | Position]) -> Bytes: ...
    def texts(self, positions: NDArray[np.integer[Any]]) -> list[str]: ...
    @overload
    def random(
        self,
        n: None = None,
        seed: int | None = None,
        *,
        walk: int | None = None,
        in_h: bool = False,
        metric: CubeMetric | None = None,
    ) -> Position: ...
    @overload
    def random(
        self,
        n: int,
        seed: int | None = None,
        *,
        walk: int | None = None,
        in_h: bool = False,
        metric: CubeMetric | None = None,
    ) -> Bytes: ...
    def scrambles(self, n: int = 1, seed: int | None = None) -> list[str]: ...
    def neighbours(self, positions: NDArray[np.integer[Any]]) -> Neighbours: ...

@final
class Position:
    @property
    def puzzle(self) -> str: ...
    @property
    def input(self) -> str: ...
    @property
    def notations(self) -> dict[str, str]: ...
    @property
    def order(self) -> str | None: ...
    def turned_home(self) -> tuple[Position, str]: ...
    @property
    def array(self) -> Bytes: ...
    @property
    def is_solved(self) -> bool: ...
    @property
    def distance(self) -> int | None: ...
    @property
    def count(self) -> int | dict[str, int] | None: ...
    @property
    def best(self) -> Solution: ...
    def answer(self, detail: Literal["brief", "full"] = "full") -> dict[str, Any]: ...
    def exact(self, timeout: float | None = None, max_nodes: int | None = None) -> dict[str, Any]: ...
    def moves(self) -> list[dict[str, Any]]: ...
    def solutions(self, limit: int | None = None, *, shapes: bool = False) -> SolutionIterator: ...
    def svg(self, view: View = "flat", colours: Colours = "wca") -> str: ...
    def png(self, view: View = "flat", colours: Colours = "wca", pixels: int | None = None) -> bytes: ...
    def scene(self, moves: str = "", colours: Colours = "wca") -> dict[str, Any]: ...
    def __mul__(self, moves: str | Solution, /) -> Position: ...
    def __rmul__(self, other: object, /) -> Any: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def _repr_svg_(self) -> str: ...
    def _given_as(self, input: str) -> Position: ...

@final
class Solution:
    @property
    def moves(self) -> str: ...
    @property
    def length(self) -> int: ...
    @property
    def metric(self) -> str: ...
    @property
    def optimal(self) -> bool | None: ...
    @property
    def at_least(self) -> int | None: ...
    @property
    def shapes(self) -> list[str] | None: ...
    @property
    def start(self) -> Position: ...
    @property
    def end(self) -> Position: ...
    @property
    def steps(self) -> list[str]: ...
    @property
    def positions(self) -> list[Position]: ...
    def as_dict(self) -> dict[str, Any]: ...
    def __len__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def _repr_html_(self) -> str: ...

@final
class SolutionIterator(Iterator[Solution]):
    def __iter__(self) -> SolutionIterator: ...
    def __next__(self) -> Solution: ...

@final
class SolvedIterator(Iterator[Solution | Error]):
    def __iter__(self) -> SolvedIterator: ...
    def __next__(self) -> Solution | Error: ...

@final
class Records:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
