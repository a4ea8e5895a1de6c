"""What calls take and give back, for type checkers."""

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
Metric: TypeAlias = Literal["htm", "qtm", "twists", "wca", "face"]
Middle: TypeAlias = Literal["ignored", "square"]
Notation: TypeAlias = Literal["wca", "cube21"]
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
    """What a search is asked for; what is ``None`` is not asked for."""

    method: Literal["auto", "two-phase", "phase2", "optimal"] | None
    """How to solve the Rubik's cube; default: auto."""
    metric: Metric | None
    goal: str | Position | None
    """Where solutions lead instead of solved (Rubik's cube)."""
    timeout: float | None
    """Seconds for one position."""
    max_nodes: int | None
    target: int | None
    """The length to stop at (auto, two-phase, phase2)."""
    table: str | None
    """The pruning table (optimal); the strongest that has been built if nothing is said."""
    mapped: bool | None
    """Whether the table is read in the mapped cache; copied into memory, where there is room, if not (optimal)."""
    max_depth: int | None
    """Search no longer solutions (optimal)."""
    middle: Middle | None
    notation: Notation | None


class ShardOptions(TypedDict, total=False):
    """How large a shard of a farm is; an hour of one core if nothing is said."""

    shard_seconds: float | None
    """Seconds of one core."""
    item_seconds: float | None
    """What an item takes on one core, where it was measured."""
    shard_items: int | None
    """Items, whatever they take."""


class ExportOptions(TypedDict, total=False):
    """What of a table is exported; what is ``None`` is not chosen."""

    columns: Sequence[Column] | None
    """Index, position and distance (or bound) if nothing is said."""
    levels: Sequence[int] | None
    """Only entries at these distances."""
    rows: Sequence[int] | None
    """Only entries in these rows."""
    sample: int | None
    """Of these so many, drawn at random."""
    seed: int | None
    """Where the sample's random numbers begin, 0 if nothing is said: the same seed draws the same entries."""
    limit: int | None
    """At most so many solutions of each position."""
    positions: Iterable[One] | None
    """These positions instead of entries: texts, positions, arrays of shape (width,)."""
    metric: Metric | None
    """The table's own, or ``wca`` where it is of the Square-1 family: positions then are as they lie."""
