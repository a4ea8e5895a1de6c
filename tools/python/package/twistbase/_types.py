"""Types of arguments and results, for type checkers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Union

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from twistbase._twistbase import Position

Bytes: TypeAlias = NDArray[np.uint8]
Indices: TypeAlias = NDArray[np.uint64]
One: TypeAlias = Union[str, "Position", NDArray[np.integer[Any]]]
Many: TypeAlias = Union[NDArray[np.integer[Any]], Sequence[int], Sequence["str | Position"]]
CubeMetric: TypeAlias = Literal["htm", "qtm"]
Metric: TypeAlias = Literal["htm", "qtm", "twists", "wca", "face", "moves"]
Middle: TypeAlias = Literal["ignored", "square"]
Notation: TypeAlias = Literal["wca", "cube21"]
Niss: TypeAlias = Literal["never", "before", "always"]
View: TypeAlias = Literal["flat", "perspective"]
Colours: TypeAlias = Literal["wca", "colour-blind"]
BuildPolicy: TypeAlias = Literal["auto", "never"]
GivenBuildPolicy: TypeAlias = Literal["auto", "never", "small"]
CacheUse: TypeAlias = Literal["on-demand", "read-only", "off"]
Format: TypeAlias = Literal["parquet", "csv", "jsonl"]
Column: TypeAlias = Literal[
    "index", "row", "entry", "position", "distance", "bound", "value", "count", "solution", "solutions"
]


class SearchOptions(TypedDict, total=False):
    """Options of a search. ``None`` means not given."""

    method: Literal["auto", "two-phase", "phase2", "optimal"] | None
    """How to solve the Rubik's cube; default: auto."""
    metric: Metric | None
    goal: str | Position | None
    """What to reach instead of solved: the name of a goal, such as ``"cross"``; of the Rubik's cube also a position or a pattern
    (facelets with ``?``); of a puzzle that is data also what counts, such as ``"only UF,UR"``."""
    timeout: float | None
    """Seconds for one position."""
    max_nodes: int | None
    target: int | None
    """Stop at a solution of this length (auto, two-phase, phase2)."""
    table: str | None
    """The pruning table (optimal); default: the strongest that exists."""
    mapped: bool | None
    """Read the table from a mapped file instead of copying it into memory (optimal)."""
    max_depth: int | None
    """Maximum length of a solution (optimal; puzzles that are data)."""
    memory: int | None
    """Bytes for the tables of a search (puzzles that are data); default: half of the free memory."""
    middle: Middle | None
    notation: Notation | None


class ShardOptions(TypedDict, total=False):
    """Size of a farm's shards; default: an hour of one core."""

    shard_seconds: float | None
    """Seconds of one core."""
    item_seconds: float | None
    """Measured seconds of one core for an item."""
    shard_items: int | None
    """Number of items, instead of a time."""


class ExportOptions(TypedDict, total=False):
    """Options of an export. ``None`` means not given."""

    columns: Sequence[Column] | None
    """Default: index, position and distance (or bound)."""
    levels: Sequence[int] | None
    """Only entries at these distances."""
    rows: Sequence[int] | None
    """Only entries in these rows."""
    sample: int | None
    """Number of entries to draw at random from these."""
    seed: int | None
    """Seed of the sample, default 0: the same seed draws the same entries."""
    limit: int | None
    """Maximum number of solutions for each position."""
    positions: Iterable[One] | None
    """These positions instead of entries: texts, positions, arrays of shape (width,)."""
    metric: Metric | None
    """Default: the table's own. The Square-1 family also has ``wca``; a turned puzzle is then another position."""
