"""Many positions at once: arrays in, arrays out, the same as one by one."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest
import twistbase
from model import Cube, Square1

TABLES = {"cube2": "cube2", "cube2-qtm": "cube2", "square1-corners": "square1-corners", "cube21": "cube21"}
BOUNDS = {"phase1": "cube3", "phase2": "cube3"}
PUZZLES = ("cube2", "cube3", "cube21", "square1", "square1-corners")


def drawn(db: twistbase.Database, puzzle: str, n: int, seed: int = 1, *, in_h: bool = False) -> np.ndarray:
    array = db.puzzle(puzzle).random(n, seed, in_h=in_h)
    assert array.shape == (n, db.puzzle(puzzle).width)
    assert array.dtype == np.uint8
    return array


@pytest.mark.parametrize("table", TABLES)
def test_distances_are_those_of_single_positions(db: twistbase.Database, table: str) -> None:
    puzzle = db.puzzle(TABLES[table])
    array = drawn(db, TABLES[table], 50)
    distances = db.distances(table, array)
    assert distances.dtype == np.uint8
    assert distances.shape == (50,)
    options: dict[str, Any] = {"metric": "qtm"} if table.endswith("qtm") else {}
    assert [puzzle(text, **options).distance for text in puzzle.texts(array)] == distances.tolist()
    indices = db.indices(table, array)
    assert indices.dtype == np.uint64
    assert (db.distances(table, indices) == distances).all()
    assert (db.distances(table, puzzle.texts(array)) == distances).all()
    assert [puzzle(text, **options).answer()["index"] for text in puzzle.texts(array)] == indices.tolist()
    # The position of an index stands for all that are the same by symmetry, so it is as far, and its index is that index.
    assert (db.distances(table, db.positions(table, indices)) == distances).all()
    assert (db.indices(table, db.positions(table, indices)) == indices).all()


@pytest.mark.parametrize("table", BOUNDS)
def test_bounds_are_those_of_single_positions(db: twistbase.Database, table: str) -> None:
    array = drawn(db, "cube3", 50, in_h=table == "phase2")
    bounds = db.bounds(table, array)
    field = {"phase1": "to_h", "phase2": "bound_in_h"}[table]
    texts = db.cube3.texts(array)
    assert [db.cube3(text, table=table).answer()[field] for text in texts] == bounds.tolist()
    assert len(set(bounds.tolist())) > 1
    indices = db.indices(table, array)
    assert (db.bounds(table, indices) == bounds).all()
    assert (db.bounds(table, texts) == bounds).all()
    assert (db.bounds(table, db.positions(table, indices)) == bounds).all()


def test_distances_and_bounds_are_different_questions(db: twistbase.Database) -> None:
    with pytest.raises(twistbase.UsageError, match="cube2 has no bounds"):
        db.bounds("cube2", ["R"])
    with pytest.raises(twistbase.UsageError, match="phase1 has no distances"):
        db.distances("phase1", ["R"])


def test_a_row_of_an_array_is_not_taken_for_indices(db: twistbase.Database) -> None:
    array = db.cube2.random(5, seed=1)
    ask: Any
    for ask in (db.distances, db.indices, db.positions):
        with pytest.raises(twistbase.UsageError, match=r"array of 24 bytes is ambiguous"):
            ask("cube2", array[0])
    assert db.distances("cube2", array[:1]).tolist() == db.distances("cube2", array).tolist()[:1]
    # Indices that are as many as a position has numbers.
    assert len(db.distances("cube2", np.arange(24))) == 24


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_texts_and_arrays(db: twistbase.Database, puzzle: str) -> None:
    opened = db.puzzle(puzzle)
    array = drawn(db, puzzle, 200)
    texts = opened.texts(array)
    assert (opened.array(texts) == array).all()
    assert (opened.array([opened(text) for text in texts]) == array).all()
    assert (opened.array([opened(text) if i % 2 else text for i, text in enumerate(texts)]) == array).all()
    for text, row in zip(texts[:20], array[:20], strict=True):
        position = opened(text)
        assert (position.array == row).all()
        assert position.array.shape == (opened.width,)
        assert opened(row) == position
        symbols = {"cube2": "URFDLB", "cube3": "URFDLB"}.get(puzzle, "0123456789ABCDEF")
        assert "".join(symbols[number] for number in row) == text.rstrip("-/").replace("-", "")


@pytest.mark.parametrize("puzzle", ["cube2", "cube3"])
def test_neighbours_of_cubes(db: twistbase.Database, puzzle: str) -> None:
    opened, size = db.puzzle(puzzle), int(puzzle[-1])
    array = drawn(db, puzzle, 5)
    found = opened.neighbours(array)
    assert isinstance(found, twistbase.Neighbours)
    positions, origins, moves = found
    count = len(opened.moves)
    assert count == {2: 9, 3: 18}[size]
    assert positions.shape == (5 * count, opened.width)
    assert origins.tolist() == [i for i in range(5) for _ in range(count)]
    assert moves.tolist() == list(range(count)) * 5
    texts = opened.texts(array)
    for text, origin, move in zip(opened.texts(positions), origins, moves, strict=True):
        moved = Cube(texts[origin], size).move(opened.moves[move])
        # A cube of two layers has no centres: it is written with its corner DBL in place, which these moves leave there.
        assert str(moved) == text


@pytest.mark.parametrize("puzzle", ["cube21", "square1-corners"])
def test_neighbours_of_square1(db: twistbase.Database, puzzle: str) -> None:
    opened = db.puzzle(puzzle)
    assert len(opened.moves) == 144
    assert opened.moves[12 * (2 + 5) + (-3 + 5)].replace(" ", "") == "(2,-3)/"
    array = drawn(db, puzzle, 20)
    positions, origins, moves = opened.neighbours(array)
    texts, distances = opened.texts(array), db.distances(puzzle, positions)
    reached = opened.texts(positions)
    for i, text in enumerate(texts):
        own = [j for j, origin in enumerate(origins) if origin == i]
        assert own
        told = opened(text).moves()
        assert told is not None
        assert [distances[j] for j in own] == [move["distance"] for move in told]
        for j in own:
            moved = Square1(text).move(opened.moves[moves[j]])
            written = Square1(reached[j])
            # A layer that a big piece lies across the end of is written turned on.
            assert any(_turned(moved, x, y).seen_as(puzzle) == written.seen_as(puzzle) for x in (0, -1) for y in (0, 1))


def _turned(position: Square1, top: int, bottom: int) -> Square1:
    position = _copy(position)
    position.turn(top, bottom)
    return position


def _copy(position: Square1) -> Square1:
    other = Square1()
    other.top, other.bottom, other.is_kite = position.top[:], position.bottom[:], position.is_kite
    return other


def test_every_entry_of_a_table(db: twistbase.Database) -> None:
    """All positions of the cube of two layers, and the distribution that their distances have."""
    stats = db.stats("cube2")
    distances = db.distances("cube2", np.arange(stats["entries"], dtype=np.uint64))
    counts = np.bincount(distances)
    assert counts.tolist() == [level["entries"] for level in stats["levels"]]
    # The numbers that the literature has, for instance Jaap Scherphuis, https://www.jaapsch.net/puzzles/cube2.htm.
    assert counts.tolist() == [1, 9, 54, 321, 1847, 9992, 50136, 227536, 870072, 1887748, 623800, 2644]


@pytest.mark.parametrize("table", [*sorted(TABLES.keys() - {"cube21"}), pytest.param("cube21", marks=pytest.mark.long)])
def test_samples(db: twistbase.Database, table: str) -> None:
    level = 4
    sample = db.sample(table, level, 100, seed=5)
    assert sample.dtype == np.uint64
    assert sample.shape == (100,)
    assert len(set(sample.tolist())) == 100
    assert (db.distances(table, sample) == level).all()
    assert (db.sample(table, level, 100, seed=5) == sample).all()
    assert (db.sample(table, level, 100, seed=6) != sample).any()
    assert len(db.sample(table, None, 1000)) == 1000
    with pytest.raises(twistbase.UsageError, match="sample"):
        db.sample(table, 0, 10**6)


def test_random_is_the_same_for_a_seed(db: twistbase.Database) -> None:
    for name in PUZZLES:
        puzzle = db.puzzle(name)
        array = drawn(db, name, 10, seed=7)
        assert (drawn(db, name, 20, seed=7)[:10] == array).all()
        assert (drawn(db, name, 10, seed=8) != array).any()
        assert (puzzle.random(seed=7).array == array[0]).all()
        assert (puzzle.random(30) != puzzle.random(30)).any()


def test_random_walks(db: twistbase.Database) -> None:
    near = db.cube2.random(100, 3, walk=2)
    assert set(db.distances("cube2", near).tolist()) == {2}
    assert (db.distances("cube2", db.cube2.random(100, 3, walk=0)) == 0).all()
    assert set(db.distances("square1-corners", db.square1_corners.random(100, 3, walk=1)).tolist()) <= {0, 1}
    in_h = db.cube3.random(20, 3, in_h=True)
    assert all(db.cube3(text).answer()["in_h"] for text in db.cube3.texts(in_h))
    with pytest.raises(twistbase.UsageError):
        db.cube2.random(3, in_h=True)


# How arrays lie in memory, and of what they are.

LAYOUTS = {
    "as it is": lambda array: array,
    "copied in Fortran's order": np.asfortranarray,
    "every other row": lambda array: np.repeat(array, 2, axis=0)[::2],
    "backwards twice": lambda array: array[::-1].copy()[::-1],
    "part of wider rows": lambda array: np.hstack([array, array])[:, : array.shape[1]],
    "transposed twice": lambda array: array.T.copy().T,
    "signed": lambda array: array.astype(np.int8),
    "wide": lambda array: array.astype(np.uint64),
    "of the other byte order": lambda array: array.astype(">u4"),
    "a list of lists": lambda array: array.tolist(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("table", ["cube2", "square1-corners"])
def test_layouts_of_positions(db: twistbase.Database, table: str, layout: str) -> None:
    array = drawn(db, TABLES[table], 30)
    given = LAYOUTS[layout](array)
    before = np.array(given, copy=True)
    puzzle = db.puzzle(table)
    assert (db.distances(table, given) == db.distances(table, array)).all()
    if isinstance(given, np.ndarray):
        assert puzzle.texts(given) == puzzle.texts(array)
        assert (puzzle.neighbours(given).positions == puzzle.neighbours(array).positions).all()
    assert (np.asarray(given) == before).all()


@pytest.mark.parametrize("dtype", ["uint64", "int64", "uint32", "int32", "uint16", ">u8", ">i4", "<i2"])
@pytest.mark.parametrize("step", [1, 3, -1])
def test_layouts_of_indices(db: twistbase.Database, dtype: str, step: int) -> None:
    indices = np.arange(1000)
    assert (db.distances("cube2", indices.astype(dtype)[::step]) == db.distances("cube2", indices)[::step]).all()
    assert (db.positions("cube2", indices.astype(dtype)[::step]) == db.positions("cube2", indices)[::step]).all()


def test_numbers_that_lie_askew(db: twistbase.Database) -> None:
    """Views into bytes whose numbers begin where the processor does not want them."""
    array, indices = drawn(db, "cube2", 10), np.arange(10, dtype=np.uint64)
    askew = np.frombuffer(b"\0" + indices.tobytes(), dtype=np.uint64, offset=1)
    assert not askew.flags.aligned
    assert (db.distances("cube2", askew) == db.distances("cube2", indices)).all()
    assert (db.positions("cube2", askew) == db.positions("cube2", indices)).all()
    part = np.zeros(10, dtype=[("before", np.uint8), ("index", np.uint64)])
    part["index"] = indices
    assert (db.distances("cube2", part["index"]) == db.distances("cube2", indices)).all()
    assert (db.distances("cube2", array[:, ::-1][:, ::-1]) == db.distances("cube2", array)).all()


def test_read_only_arrays(db: twistbase.Database) -> None:
    array, indices = drawn(db, "cube2", 10), np.arange(10, dtype=np.uint64)
    array.flags.writeable = indices.flags.writeable = False
    assert (db.distances("cube2", array) == db.distances("cube2", array.copy())).all()
    assert (db.distances("cube2", indices) == db.distances("cube2", indices.copy())).all()
    assert (db.cube2.neighbours(array).positions == db.cube2.neighbours(array.copy()).positions).all()


def test_answers_are_arrays_of_their_own(db: twistbase.Database) -> None:
    first = db.distances("cube2", np.arange(10))
    first[:] = 99
    assert (db.distances("cube2", np.arange(10)) != 99).all()
    array = db.cube2.solved.array
    array[:] = 0
    assert db.cube2.solved.is_solved
    assert (db.cube2.solved.array != array).any()


@pytest.mark.parametrize("strings", [np.array(["R", "R U F"]), np.array(["R", "R U F"], dtype=object)])
def test_arrays_of_texts(db: twistbase.Database, strings: np.ndarray) -> None:
    assert db.distances("cube2", strings).tolist() == [1, 3]


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="this NumPy has no variable-width strings")
def test_arrays_of_variable_width_texts(db: twistbase.Database) -> None:
    assert db.distances("cube2", np.array(["R", "R U F"], dtype=np.dtypes.StringDType())).tolist() == [1, 3]


def test_arrays_of_positions(db: twistbase.Database) -> None:
    positions = [db.cube2("R"), db.cube2("R U F")]
    assert db.distances("cube2", positions).tolist() == [1, 3]
    objects = np.empty(2, dtype=object)
    objects[:] = positions
    assert db.distances("cube2", objects).tolist() == [1, 3]


def test_texts_in_another_order_of_the_facelets(db: twistbase.Database) -> None:
    usual = [str(db.cube2(moves)) for moves in ("R U2 F'", "R U")]
    texts = ["".join(text[4 * "URFDLB".index(face) :][:4] for face in "ULFRBD") for text in usual]
    note = f"facelets read in the order U L F R B D: {texts[0]} and 1 more"
    for given in (texts, np.array(texts)):
        with pytest.warns(UserWarning, match=re.escape(note)):
            assert db.distances("cube2", given).tolist() == [3, 2]
    with pytest.warns(UserWarning, match=re.escape(note)):
        assert (db.cube2.array(texts) == db.cube2.array(usual)).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert db.distances("cube2", usual).tolist() == [3, 2]
        orders = [solution.start.order for solution in db.solve_many(texts, puzzle="cube2")]
    assert orders == ["U L F R B D"] * 2


def test_nothing(db: twistbase.Database) -> None:
    empty: list[Any] = [[], (), np.array([]), np.array([], dtype=np.uint64), np.zeros((0, 24), np.uint8), np.array([], str)]
    for given in empty:
        assert db.distances("cube2", given).shape == (0,)
        assert db.indices("cube2", given).shape == (0,)
    for given in ([], (), np.array([]), np.array([], np.uint64)):
        found = db.positions("cube2", given)
        assert (found.shape, found.dtype) == ((0, 24), np.uint8)
    assert db.distances("cube2", np.empty((0, 24))).shape == (0,)
    assert db.cube2.array([]).shape == (0, 24)
    for given in ([], np.array([]), np.empty((0, 24)), np.zeros((0, 24), np.uint8)):
        assert db.cube2.texts(given) == []
        found = db.cube2.neighbours(given)
        assert (found.positions.shape, found.origins.shape, found.moves.shape) == ((0, 24), (0,), (0,))
        assert (found.positions.dtype, found.origins.dtype, found.moves.dtype) == (np.uint8, np.uintp, np.uint8)
    assert db.cube2.random(0).shape == (0, 24)


# What is refused.

WRONG = {
    "a float": np.array([1.0]),
    "floats in rows": np.zeros((2, 24)),
    "truths": np.array([True]),
    "bytes": np.array([b"R"]),
    "a row that is too short": np.zeros((2, 23), np.uint8),
    "a row of another puzzle": np.zeros((2, 54), np.uint8),
    "three dimensions": np.zeros((1, 2, 24), np.uint8),
    "no dimension": np.array(5),
    "a number": 5,
    "nothing": None,
    "a set": {"R"},
    "a negative index": np.array([3, -1]),
    "numbers beyond a byte": np.full((1, 24), 256),
    "negative numbers": np.full((1, 24), -1),
    "numbers beyond all": np.full((1, 24), 2**64 - 1, np.uint64),
    "an index beyond all": [2**70],
    "complex numbers": np.zeros(3, complex),
    "times": np.zeros(3, "datetime64[s]"),
    "records": np.zeros(3, [("a", int)]),
    "numbers some of which are masked": np.ma.array([1, 2, 3], mask=[0, 1, 0]),
}


@pytest.mark.parametrize("given", WRONG.values(), ids=WRONG.keys())
def test_what_is_no_array_of_positions(db: twistbase.Database, given: Any) -> None:
    for ask in (db.distances, db.indices):
        with pytest.raises((twistbase.UsageError, TypeError)):
            ask("cube2", given)


def test_a_single_text_is_refused(db: twistbase.Database) -> None:
    """It is a sequence of texts, too: each letter a move."""
    with pytest.raises(TypeError, match="got one string"):
        db.distances("cube2", "RUF")


def test_views_of_memory(db: twistbase.Database) -> None:
    array, indices = drawn(db, "cube2", 10), np.arange(10, dtype=np.uint64)
    assert (db.distances("cube2", memoryview(array)) == db.distances("cube2", array)).all()  # type: ignore[arg-type]
    assert (db.distances("cube2", memoryview(indices)) == db.distances("cube2", indices)).all()  # type: ignore[arg-type]


def test_positions_of_another_puzzle_are_refused(db: twistbase.Database) -> None:
    with pytest.raises(twistbase.UsageError, match="expected a position of cube2, got one of cube3") as caught:
        db.distances("cube2", ["R", db.cube3("R")])
    assert caught.value.element == 1
    for ask in (
        lambda: db.indices("cube2-qtm", [db.cube3("R")]),
        lambda: db.bounds("phase1", [db.cube2("R")]),
        lambda: db.distances("cube21", [db.square1("(1,0)/")]),
        lambda: db.cube2.array([db.cube3("R")]),
    ):
        with pytest.raises(twistbase.UsageError, match="expected a position of"):
            ask()


class Unasked(str):
    """A text that nobody has to write: it is one."""

    def __str__(self) -> str:
        raise KeyboardInterrupt


class Interrupting:
    """Something that is interrupted while it is looked what it is."""

    @property
    def __class__(self) -> Any:
        raise KeyboardInterrupt


def test_what_reading_raises_is_not_swallowed(db: twistbase.Database) -> None:
    assert db.distances("cube2", [Unasked("R"), "R"]).tolist() == [1, 1]
    assert db.cube2.array([Unasked("R")]).shape == (1, 24)
    with pytest.raises(UnicodeError) as caught:
        db.distances("cube2", ["R", "\ud800"])
    assert caught.value.element == 1  # type: ignore[attr-defined]
    with pytest.raises(KeyboardInterrupt):
        db.distances("cube2", Interrupting())  # type: ignore[arg-type]


def test_numbers_and_texts_are_not_mixed(db: twistbase.Database) -> None:
    with pytest.raises((twistbase.Error, TypeError)):
        db.distances("cube2", [1, "R"])  # type: ignore[arg-type]


def element(ask: Any, table: str, given: Any) -> twistbase.Error:
    with pytest.raises(twistbase.Error) as caught:
        ask(table, given)
    return caught.value


def test_the_element_that_is_wrong(db: twistbase.Database) -> None:
    error = element(db.distances, "cube2", ["R", "U", "nonsense", "worse nonsense"])
    assert isinstance(error, twistbase.InvalidPosition)
    assert (error.element, error.input) == (2, "nonsense")
    assert error.problems[0]["code"]
    assert any("element 2" in note for note in error.__notes__)


@pytest.mark.parametrize("place", [0, 1, 4999, 99_999])
def test_the_first_element_that_is_wrong_whatever_the_threads_do(db: twistbase.Database, place: int) -> None:
    array = np.repeat(db.cube2.array(["R"]), 100_000, axis=0)
    array[place:, 3] = array[place:, 3] + 1
    error = element(db.distances, "cube2", array)
    assert isinstance(error, twistbase.InvalidPosition)
    assert error.element == place
    indices = np.zeros(100_000, np.uint64)
    indices[place:] = 3_674_160
    error = element(db.distances, "cube2", indices)
    assert isinstance(error, twistbase.InvalidPosition)
    assert error.element == place
    assert error.problems[0]["code"] == "index-out-of-range"


def test_numbers_that_are_no_colours(db: twistbase.Database) -> None:
    array = db.cube2.array(["R", "U"])
    array[1, 5] = 6
    error = element(db.distances, "cube2", array)
    assert isinstance(error, twistbase.InvalidPosition)
    assert error.element == 1
    assert error.problems[0]["code"] == "bad-number"
    assert error.input[5] == "?"
    assert error.problems[0]["at"] == {"start": 5, "end": 6}


def test_positions_outside_a_subgroup(db: twistbase.Database) -> None:
    error = element(db.bounds, "phase2", ["R2", "R2 U", "R"])
    assert isinstance(error, twistbase.InvalidPosition)
    assert error.element == 2
    assert "H" in error.expected


def test_wrong_arrays_of_a_puzzle(db: twistbase.Database) -> None:
    array = drawn(db, "cube2", 3)
    array[2, 0] = 9
    for ask in (db.cube2.texts, db.cube2.neighbours):
        with pytest.raises(twistbase.InvalidPosition) as caught:
            ask(array)
        assert caught.value.element == 2
        with pytest.raises((twistbase.UsageError, TypeError)):
            ask(array[:, :23])
    with pytest.raises(twistbase.InvalidPosition) as caught:
        db.cube2.array(["R", "X"])
    assert caught.value.element == 1


def test_more_than_there_is_memory_for(db: twistbase.Database) -> None:
    for count in (10**15, 2**61, 2**62, 2**63):
        with pytest.raises((MemoryError, ValueError, OverflowError)):
            db.cube2.random(count)


def test_square1_pieces_across_the_cut(db: twistbase.Database) -> None:
    """An array whose first piece is the second half of a big one cannot be written: it is written turned on."""
    puzzle = db.square1_corners
    across = puzzle("(1,0)/(3,3)/(-1,0)") * "(-1,0)"
    assert (puzzle.array([across]) == across.array).all()
    assert db.distances("square1-corners", [across]).tolist() == [across.distance]
    assert db.distances("square1-corners", across.array.reshape(1, 16)).tolist() == [across.distance]
