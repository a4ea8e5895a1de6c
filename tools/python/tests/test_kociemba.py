"""The call of the package `kociemba`: its own test positions, and its own rules decide what is right."""

from __future__ import annotations

import inspect
from pathlib import Path

import kociemba
import pytest
import twistbase
from kociemba.pykociemba.cubiecube import CubieCube, moveCube
from kociemba.pykociemba.facecube import FaceCube
from kociemba.pykociemba.tools import verify
from model import Cube

POSITIONS = [
    line for line in Path(__file__).with_name("kociemba_positions.txt").read_text().split("\n") if not line.startswith("#") and line
]
SOLVED = "UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB"
PATTERN = "BBURUDBFUFFFRRFUUFLULUFUDLRRDBBDBDBLUDDFLLRRBRLLLBRDDF"


@pytest.fixture(autouse=True)
def _default(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables of the tests are those of the default folder."""
    monkeypatch.setenv("TWISTBASE_STORE", str(store))
    monkeypatch.setattr(twistbase._kociemba, "_database", None)


def after(facelets: str, moves: str) -> str:
    """Where moves lead, by kociemba's own cubies."""
    assert verify(facelets) == 0
    cube = FaceCube(facelets).toCubieCube()
    for move in moves.split():
        for _ in range({"": 1, "2": 2, "'": 3}[move[1:]]):
            cube.multiply(moveCube["URFDLB".index(move[0])])
    assert isinstance(cube, CubieCube)
    return str(cube.toFaceCube().to_String())


def test_the_signature() -> None:
    ours, theirs = (list(inspect.signature(call).parameters.values()) for call in (twistbase.solve, kociemba.solve))
    assert [(p.name, p.default, p.kind) for p in ours] == [(p.name, p.default, p.kind) for p in theirs]


def test_its_positions() -> None:
    assert len(POSITIONS) == 110
    for facelets in POSITIONS:
        solution = twistbase.solve(facelets)
        assert type(solution) is str
        assert len(solution.split()) <= 20
        assert after(facelets, solution) == SOLVED
        assert Cube(facelets).move(solution).is_solved


def test_its_solutions_are_ours_in_spelling() -> None:
    """Moves are spelled alike: what one finds the other understands."""
    theirs = kociemba.solve(POSITIONS[0])
    assert after(POSITIONS[0], theirs) == SOLVED
    assert twistbase.solve(after(SOLVED, theirs))
    letters = {letter for facelets in POSITIONS[:20] for letter in twistbase.solve(facelets)}
    assert letters <= set("URFDLB2' ")


def test_a_pattern_as_goal() -> None:
    for facelets in POSITIONS[1:11]:
        solution = twistbase.solve(facelets, PATTERN)
        assert after(facelets, solution) == PATTERN
        assert after(facelets, kociemba.solve(facelets, PATTERN)) == PATTERN
    assert twistbase.solve(PATTERN, PATTERN) == ""
    assert after(SOLVED, twistbase.solve(SOLVED, patternstring=PATTERN)) == PATTERN


def test_a_solved_cube() -> None:
    assert twistbase.solve(SOLVED) == ""


def test_fewer_moves() -> None:
    facelets = after(SOLVED, "R U F")
    assert twistbase.solve(facelets, max_depth=3) == "F' U' R'"
    assert twistbase.solve(cubestring=facelets, patternstring=None, max_depth=30) == "F' U' R'"
    with pytest.raises(ValueError, match="at most 2 moves"):
        twistbase.solve(facelets, max_depth=2)
    with pytest.raises(ValueError, match="moves"):
        twistbase.solve(facelets, max_depth=-1)


@pytest.mark.parametrize(
    ("facelets", "reasons"),
    [
        ("", 1),
        (SOLVED[:53], 1),
        (SOLVED[:53] + "R", 2),
        ("X" + SOLVED[1:], 1),
        # An edge flipped, a corner twisted, two pieces exchanged, and all of it.
        ("UUUUUUURURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB".replace("UUUUUUUR", "UUUUUUUF"), 1),
        ("UUUUURUUURURRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB", 1),
        ("UUUUUUUUFRRRRRRRRRFFUFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB", 1),
        ("UUUUUUUURURRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB", 1),
        ("UUURUUUUURRRUUURRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB", 1),
    ],
)
def test_what_is_no_cube_is_a_value_error_with_every_reason(facelets: str, reasons: int) -> None:
    for ask in (kociemba.solve, twistbase.solve):
        with pytest.raises(ValueError):
            ask(facelets)
    with pytest.raises(twistbase.InvalidPosition) as caught:
        twistbase.solve(facelets)
    assert len(caught.value.problems) >= reasons
    with pytest.raises(ValueError):
        twistbase.solve(SOLVED, facelets)
