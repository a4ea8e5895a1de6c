"""Golden answers, made by other programs, through single positions and through arrays."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
import twistbase
from conftest import Some, golden
from model import Cube, Square1, length

Need = Callable[..., None]


def all_ways(db: twistbase.Database, table: str, puzzle: twistbase.Puzzle, texts: list[str]) -> np.ndarray:
    """Distances of texts, which have to be those of their arrays and of their indices."""
    distances = db.distances(table, texts)
    array = puzzle.array(texts)
    assert array.shape == (len(texts), puzzle.width)
    assert array.dtype == np.uint8
    assert (db.distances(table, array) == distances).all()
    indices = db.indices(table, texts)
    assert (db.indices(table, array) == indices).all()
    assert (db.distances(table, indices) == distances).all()
    assert distances.dtype == np.uint8
    return distances


def check_twists(puzzle: twistbase.Puzzle, position: str, even: int, odd: int) -> None:
    """Where the middle layer has to be square, the number of twists is even from a square one and odd from a kite."""
    assert puzzle(position).distance == min(even, odd)
    assert puzzle(position + "-", middle="square").distance == even
    assert puzzle(position + "/", middle="square").distance == odd


def test_cube21_positions(db: twistbase.Database, some: Some) -> None:
    records = some("cube21_positions.csv")
    counted = 0
    for record in records:
        position = db.cube21(record["position"])
        assert position.distance == int(record["twists"])
        assert position.answer()["level"] == int(record["level"])
        even, odd = int(record["twists_even_middle_ok"]), int(record["twists_odd_middle_flipped"])
        check_twists(db.cube21, record["position"], even, odd)
        if record["solutions_raw"]:
            counts = position.answer()["solution_counts"]
            assert counts == {"sequences": int(record["solutions_raw"]), "paths": int(record["solutions_class_paths"])}
            assert position.count == int(record["solutions_mod66"])
            counted += 1
    assert counted == sum(bool(record["solutions_raw"]) for record in records) > 0
    distances = all_ways(db, "cube21", db.cube21, [record["position"] for record in records])
    assert distances.tolist() == [int(record["twists"]) for record in records]


def test_cube21_positions_that_cannot_be_twisted(db: twistbase.Database, some: Some) -> None:
    records = some("cube21_not_twistable.csv")
    for record in records:
        assert db.cube21(record["position"]).answer("brief")["level"] == int(record["level"])
    distances = all_ways(db, "cube21", db.cube21, [record["position"] for record in records])
    assert (distances + 1).tolist() == [int(record["level"]) for record in records]


def test_square1_positions(db: twistbase.Database, need: Need, some: Some) -> None:
    need("square1")
    records = some("square1_twists.csv")
    for record in records:
        even, odd = int(record["twists_even"]), int(record["twists_odd"])
        check_twists(db.square1, record["position"], even, odd)
        assert db.square1(f"wca:{record['wca_alg_from_solved']}").distance == min(even, odd)
        best = db.square1(record["position"]).solution()
        assert best.length == Square1.twists(best.moves) == min(even, odd)
        assert Square1(record["position"]).move(best.moves).is_solved("square1")
    expected = [min(int(record["twists_even"]), int(record["twists_odd"])) for record in records]
    for column in ("position", "wca_alg_from_solved"):
        assert all_ways(db, "square1", db.square1, [record[column] for record in records]).tolist() == expected


def test_square1_in_moves_of_the_world_cube_association(db: twistbase.Database, need: Need, some: Some) -> None:
    need("square1")
    records = some("square1_wca.csv")
    scrambles = [record["wca_alg_from_solved"] for record in records]
    solved = db.solve_many(scrambles, puzzle="square1", metric="wca")
    for record, solution in zip(records, solved, strict=True):
        position = db.square1(record["wca_alg_from_solved"], metric="wca")
        assert position.distance == solution.length == len(solution) == int(record["wca_moves"])
        assert solution.moves.count("(") + solution.moves.count("/") == solution.length
        end = Square1().move(record["wca_alg_from_solved"]).move(solution.moves)
        assert end.is_solved("square1")
        assert not end.is_kite


def test_square1_in_face_turns(db: twistbase.Database, need: Need, some: Some) -> None:
    need("square1")
    records = some("square1_face.csv")
    scrambles = [record["wca_alg_from_solved"] for record in records]
    solved = db.solve_many(scrambles, puzzle="square1", metric="face")
    for scramble, record, solution in zip(scrambles, records, solved, strict=True):
        assert solution.length == len(solution) == solution.as_dict()["at_least"] == int(record["face_moves"])
        amounts = re.findall(r"-?\d+", solution.moves)
        assert solution.moves.count("/") + sum(amount != "0" for amount in amounts) == solution.length
        end = Square1().move(scramble).move(solution.moves)
        assert end.is_solved("square1")
        assert not end.is_kite


def test_scrambles(db: twistbase.Database, need: Need) -> None:
    with pytest.raises(twistbase.UsageError, match="does not apply to"):
        db.cube21.scrambles(3)
    need("square1")
    scrambles = db.square1.scrambles(20, seed=5)
    assert len(set(scrambles)) == 20
    assert scrambles == db.square1.scrambles(20, seed=5)
    for scramble in scrambles:
        moves = scramble.count("(") + scramble.count("/")
        assert db.square1(scramble, metric="wca").distance == moves >= 11


def test_scrambles_of_cubes(db: twistbase.Database) -> None:
    for puzzle in (db.cube3, db.cube2):
        scrambles = puzzle.scrambles(20, seed=5)
        assert len(set(scrambles)) == 20
        assert scrambles == puzzle.scrambles(20, seed=5)
    for scramble in db.cube3.scrambles(20, seed=5):
        assert 2 <= len(scramble.split()) <= 20
        assert str(Cube().move(scramble)) == str(db.cube3(scramble))
    for scramble in db.cube2.scrambles(20, seed=5):
        assert db.cube2(scramble).distance == len(scramble.split()) >= 4


def test_square1_scrambles_are_read_as_the_model_makes_them(db: twistbase.Database, some: Some) -> None:
    """The scrambles of the golden file without the table of all positions, which takes long to build."""
    for record in some("square1_twists.csv"):
        scrambled, model = db.square1(record["wca_alg_from_solved"]), Square1().move(record["wca_alg_from_solved"])
        assert str(scrambled) == model.hexadecimal() + ("/" if model.is_kite else "-")


def test_positions_in_h(db: twistbase.Database, some: Some) -> None:
    records = some("phase2.csv")
    for record in records:
        assert str(Cube().move(record["scramble_wca"])) == record["facelets_URFDLB"]
        answer = db.cube3(record["facelets_URFDLB"]).answer()
        assert answer["in_h"] is True
        # From 16 on, the table tells a bound only.
        assert min(answer["bound_in_h"], 16) == min(int(record["lookup_Hprime"]), 16)
    texts = [record["facelets_URFDLB"] for record in records]
    for record, solution in zip(records, db.solve_many(texts, method="phase2"), strict=True):
        assert solution.length == int(record["optimal_len_in_H_gen"])
        assert set(solution.moves.split()) <= {"U", "U2", "U'", "D", "D2", "D'", "R2", "F2", "L2", "B2"}
        assert Cube(record["facelets_URFDLB"]).move(solution.moves).is_solved
    expected = [min(int(record["lookup_Hprime"]), 16) for record in records]
    for positions in (texts, db.cube3.array(texts), db.indices("phase2", texts)):
        assert np.minimum(db.bounds("phase2", positions), 16).tolist() == expected


def test_exact_distances_in_h(db: twistbase.Database, need: Need, some: Some) -> None:
    need("phase2-exact")
    records = some("phase2.csv")
    texts = [record["facelets_URFDLB"] for record in records]
    expected = [int(record["optimal_len_in_H_gen"]) for record in records]
    assert all_ways(db, "phase2-exact", db.cube3, texts).tolist() == expected
    assert [db.cube3(text).answer("brief")["distance_in_h"] for text in texts] == expected
    for text in texts[::10]:
        position = db.cube3(text, table="phase2-exact")
        solutions = list(position.solutions())
        assert len(solutions) == len(set(solutions)) == position.answer()["solutions_in_h"]
        assert all(Cube(text).move(solution.moves).is_solved for solution in solutions)


def check_optimal(db: twistbase.Database, file: str, metric: str, longest: int) -> int:
    """Searches shortest solutions of the positions of a file up to a length."""
    near = [record for record in golden(file) if int(record[f"optimal_{metric}"]) <= longest]
    for record in near:
        assert str(Cube().move(record["scramble_wca"])) == record["facelets_URFDLB"]
        solution = db.solve(record["facelets_URFDLB"], method="optimal", metric=metric)
        assert solution.length == length(solution.moves, metric) == int(record[f"optimal_{metric}"])
        assert Cube(record["facelets_URFDLB"]).move(solution.moves).is_solved
    return len(near)


def test_shortest_solutions_of_near_positions(db: twistbase.Database) -> None:
    assert check_optimal(db, "optimal_333.csv", "htm", 12) == 5


@pytest.mark.long
def test_shortest_solutions_of_16_moves(db: twistbase.Database, need: Need) -> None:
    need("nx-eo1-ep1-htm")
    assert check_optimal(db, "optimal_333.csv", "htm", 16) == 17


@pytest.mark.long
def test_shortest_solutions_of_18_moves(db: twistbase.Database, need: Need) -> None:
    need("nx-eo2-ep1-htm")
    assert check_optimal(db, "optimal_333.csv", "htm", 18) == 40


@pytest.mark.long
def test_shortest_solutions_in_quarter_turns(db: twistbase.Database, need: Need) -> None:
    need("nx-eo1-ep1-qtm")
    assert check_optimal(db, "optimal_333_qtm.csv", "qtm", 16) == 1
