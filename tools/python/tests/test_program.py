"""The same answers as the program's JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import twistbase

Program = Callable[..., list[Any]]

TIMES = {"seconds", "generate_seconds", "nodes", "bytes"}
"""What differs from run to run, as the bytes of a file do by how rows come together in its batches."""

QUERIES: list[tuple[str, str, dict[str, Any], list[str]]] = [
    ("cube2", "R U F", {}, []),
    ("cube2", "R U2 F'", {"metric": "qtm"}, ["--metric", "qtm"]),
    ("cube2", "wca:", {}, []),
    ("cube3", "R U F", {}, []),
    ("cube3", "R2 U F2 D", {}, []),
    ("cube3", "R2 U F2 D", {"table": "phase2"}, ["--table", "phase2"]),
    ("cube21", "(1,0)/(3,3)/(-1,0)/", {}, []),
    ("cube21", "09BA3621-D457CF8E", {"middle": "square"}, ["--middle"]),
    ("cube21", "(1,0)/(3,3)/", {"notation": "cube21"}, ["--notation", "cube21"]),
    ("cube21", "(1,0)", {}, []),
    ("square1-corners", "13A8DEF2-70964B5C/", {}, []),
    ("square1-corners", "(1,0)/(3,3)/", {"middle": "square"}, ["--middle"]),
]


def without_times(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in TIMES}


@pytest.mark.parametrize(("puzzle", "text", "options", "arguments"), QUERIES)
def test_queries(
    db: twistbase.Database, program: Program, puzzle: str, text: str, options: dict[str, Any], arguments: list[str]
) -> None:
    position = db.puzzle(puzzle)(text, **options)
    [expected] = program("query", puzzle, text, *arguments)
    assert position.answer() == expected
    assert list(position.answer()) == list(expected), "in the same order"
    [brief] = program("query", puzzle, text, "--detail", "brief", *arguments)
    assert position.answer("brief") == brief
    assert position.distance == expected["distance"]
    if "table" not in options and expected["distance"] is not None:
        solutions = program("query", puzzle, text, "--solutions", "--limit", "20", *arguments)
        assert [solution.as_dict() for solution in position.solutions(limit=20)] == solutions
        assert position.solution().as_dict() == solutions[0]


def test_queries_of_square1(db: twistbase.Database, program: Program, need: Callable[..., None]) -> None:
    need("square1")
    for seed in range(3):
        position = db.square1.random(seed=seed)
        [expected] = program("query", "square1", str(position))
        assert position.answer() == expected


def test_exact_distances_of_h(db: twistbase.Database, program: Program, need: Callable[..., None]) -> None:
    need("phase2-exact")
    text = "U R2 F2 D L2 U B2"
    [expected] = program("query", "cube3", text)
    assert db.cube3(text).answer() == expected
    assert expected["distance_in_h"] == 7
    solutions = program("query", "cube3", text, "--solutions", "--table", "phase2-exact")
    assert [solution.as_dict() for solution in db.cube3(text, table="phase2-exact").solutions()] == solutions


@pytest.mark.parametrize("puzzle", ["cube2", "cube3", "cube21", "square1", "square1-corners"])
def test_random_positions(db: twistbase.Database, program: Program, puzzle: str) -> None:
    name = "facelets" if puzzle in ("cube2", "cube3") else "hex"
    for arguments, options in (([], {}), (["--walk", "7"], {"walk": 7})):
        lines = program("random", puzzle, "-n", "20", "--seed", "7", *arguments)
        array = db.puzzle(puzzle).random(20, seed=7, **options)
        # An array does not tell the middle layer.
        assert [line[name].rstrip("-/") for line in lines] == [text.rstrip("-/") for text in db.puzzle(puzzle).texts(array)]
        one = db.puzzle(puzzle).random(seed=7, **options)
        assert one.notations[name] == lines[0][name]
        assert one.notations.get("author") == lines[0].get("author")


def test_tables(db: twistbase.Database, program: Program) -> None:
    ours, theirs = db.tables(), program("tables")
    for table in (*ours, *theirs):
        if table["build"]:
            # Read from the store's text, its last digit depends on how the reader was built.
            table["build"]["seconds"] = round(table["build"]["seconds"], 6)
    assert ours == theirs


def test_stats(db: twistbase.Database, program: Program) -> None:
    for table in ("cube2", "cube2-qtm", "square1-corners", "cube21", "phase1", "phase2"):
        [expected] = program("stats", table)
        assert db.stats(table) == expected


def test_rows_and_steps_of_a_table(db: twistbase.Database, program: Program) -> None:
    for table in ("cube2", "square1-corners", "phase2"):
        rows = db.stats(table, rows=True)
        assert rows == program("stats", table, "--rows")
        assert sum(row["positions"] for row in rows) == db.stats(table)["positions"]
        assert [row["row"] for row in rows] == list(range(len(rows)))
    for table in ("cube2", "square1", "phase1", "huge"):
        assert [db.stats(table, explain=True)] == program("stats", table, "--explain")


def test_shapes(db: twistbase.Database, program: Program, tmp_path: Path) -> None:
    program("export", "shapes", "-o", str(tmp_path / "shapes.json"))
    shapes = db.shapes()
    assert shapes == json.loads((tmp_path / "shapes.json").read_text())
    for text in ("(1,0)/(3,3)/(-1,0)/", "09BA3621-D457CF8E"):
        solutions = program("query", "cube21", text, "--solutions", "--shapes", "--limit", "5")
        found = list(db.cube21(text).solutions(limit=5, shapes=True))
        assert [solution.as_dict() for solution in found] == solutions
        assert [solution.shapes for solution in found] == [solution["shapes"] for solution in solutions]


def test_solve(db: twistbase.Database, program: Program) -> None:
    for puzzle, text in (("cube2", "R U F"), ("cube21", "(1,0)/(3,3)/(-1,0)/"), ("square1-corners", "(1,0)/(3,3)/")):
        [expected] = program("solve", puzzle, text)
        assert db.solve(text, puzzle=puzzle).as_dict() == expected
    for text, method in (("R2 U F2 D L2", "phase2"), ("R U2 F L D B2", "optimal"), ("R U F", "two-phase")):
        last = [line for line in program("solve", "cube3", text, "--method", method) if "solution" in line][-1]
        found = db.solve(text, method=method).as_dict()  # type: ignore[arg-type]
        assert found["solution"] == last["solution"] or found["length"] == last["length"]
        assert set(found) <= set(last) | {"number"}
        assert (found["length"], found["metric"], found["puzzle"]) == (last["length"], last["metric"], last["puzzle"])


def test_all_optimal(db: twistbase.Database, program: Program) -> None:
    text = "U2 D2 R2 L2 F2 B2"
    lines = program("solve", "cube3", text, "--method", "optimal", "--all")
    expected = {line["solution"] for line in lines if "number" in line}
    assert {solution.moves for solution in db.solve_all(text)} == expected
    assert len(expected) == 6


def test_batches(db: twistbase.Database, program: Program) -> None:
    texts = [line["facelets"] for line in program("random", "cube3", "-n", "20", "--seed", "3")]
    lines = program("solve", "cube3", "-", "--target", "22", lines=texts)
    found = list(db.solve_many(texts, target=22))
    assert [solution.start.input for solution in found] == [line["input"] for line in lines] == texts
    assert all(solution.length <= 22 and line["length"] <= 22 for solution, line in zip(found, lines, strict=True))
    texts = [line["hex"] for line in program("random", "cube21", "-n", "50", "--seed", "3")]
    lines = program("solve", "cube21", "-", lines=texts)
    assert [solution.as_dict() for solution in db.solve_many(texts, puzzle="cube21")] == lines


def test_builds(tmp_path: Path, program: Program) -> None:
    db = twistbase.open(tmp_path / "package", build="never")
    for table, options, arguments in (
        ("square1-corners", {"depth": 4}, ["--depth", "4"]),
        ("square1-corners", {}, []),
        ("square1-corners", {}, []),
        ("square1-corners", {"force": True}, ["--force"]),
        ("cube2", {}, []),
    ):
        [expected] = program("build", table, *arguments, folder=tmp_path / "program")
        found = db.build(table, **options)
        assert without_times(found) == without_times(expected)
        assert found["levels"] == expected["levels"]
        assert found["digest"] == expected["digest"]


def test_verify(db: twistbase.Database, program: Program) -> None:
    [expected] = program("verify", "cube2")
    found = db.verify("cube2")
    assert found.pop("found") == [], "the faults themselves, which the program prints one a line"
    assert without_times(found) == without_times(expected)
    assert found["intact"] is True


@pytest.mark.parametrize(
    ("table", "options", "arguments"),
    [
        ("cube2", {"levels": [0, 1, 2]}, ["--levels", "0,1,2"]),
        ("cube2", {"sample": 500, "seed": 9}, ["--sample", "500", "--seed", "9"]),
        ("cube2", {"sample": 30, "levels": [11]}, ["--sample", "30", "--levels", "11"]),
        (
            "cube2",
            {"rows": [5], "columns": ["index", "row", "entry", "position", "distance", "value", "count"]},
            ["--rows", "5", "--columns", "index,row,entry,position,distance,value,count"],
        ),
        (
            "square1-corners",
            {"sample": 40, "columns": ["index", "count", "solution", "solutions"], "limit": 5},
            ["--sample", "40", "--columns", "index,count,solution,solutions", "--limit", "5"],
        ),
        ("phase2", {"sample": 40, "levels": [9]}, ["--sample", "40", "--levels", "9"]),
    ],
)
def test_exports(
    db: twistbase.Database, program: Program, tmp_path: Path, table: str, options: dict[str, Any], arguments: list[str]
) -> None:
    program("export", table, *arguments, "-o", str(tmp_path / "program.jsonl"))
    expected = [json.loads(line) for line in (tmp_path / "program.jsonl").read_text().splitlines()]
    assert expected
    read = pa.table(db.export(table, **options))
    assert read.to_pylist() == expected
    assert read.column_names == list(expected[0])
    summary = db.write(table, tmp_path / "package.jsonl", format="jsonl", **options)
    assert summary["records"] == len(expected)
    assert (tmp_path / "package.jsonl").read_bytes() == (tmp_path / "program.jsonl").read_bytes()
    metadata = json.loads((tmp_path / "program.jsonl.meta.json").read_text())
    streamed = json.loads(read.schema.metadata[b"twistbase"])
    assert streamed.pop("format") == "arrow"
    # Nobody knows before its end how many records a stream has.
    assert streamed == {name: metadata[name] for name in streamed}
    assert streamed["table"] == table


def test_exports_of_positions(db: twistbase.Database, program: Program, tmp_path: Path) -> None:
    texts = db.cube2.texts(db.cube2.random(50, seed=4))
    program("export", "cube2", "--positions", "-", "-o", str(tmp_path / "out.jsonl"), lines=texts)
    expected = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert pa.table(db.export("cube2", positions=texts)).to_pylist() == expected
    assert [record["position"] for record in expected] == texts


@pytest.mark.parametrize(
    ("puzzle", "text"), [("cube3", "U" * 54), ("cube3", "R U X"), ("cube21", "(1,0)/(1,0)/"), ("cube2", "Ⓡ"), ("square1-corners", "0123")]
)
def test_refusals(db: twistbase.Database, program: Program, puzzle: str, text: str) -> None:
    [expected] = program("query", puzzle, text)
    with pytest.raises(twistbase.InvalidPosition) as caught:
        db.puzzle(puzzle)(text)
    error = caught.value
    assert error.input == expected["input"]
    assert error.code == expected["error"]["code"]
    assert error.problems == expected["error"]["problems"]
    assert str(error) == expected["error"]["message"]


def test_missing_tables(empty: twistbase.Database, program: Program) -> None:
    [expected] = program("query", "cube2", "R", folder=Path(empty.path))
    with pytest.raises(twistbase.MissingTable) as caught:
        empty.cube2("R").answer()
    assert expected["error"]["code"] == caught.value.code
    data = expected["error"].get("data", {})
    assert (data["table"], data["fault"]) == (caught.value.table, caught.value.fault)


def test_distances_by_all_moves(db: twistbase.Database, program: Program) -> None:
    for text, metric, distance in (("R U F' L D", "htm", 5), ("R2 U", "qtm", 3), ("wca:", "htm", 0)):
        position = db.cube3(text, metric=metric)
        [expected] = program("query", "cube3", text, "--metric", metric, "--exact")
        exact = position.exact()
        assert exact.distance == exact.at_least == expected["distance"] == distance
        assert str(exact.solution) == expected["solution"]
        assert exact.solution is not None
        assert exact.solution.end.is_solved
        assert position.distance == distance, "a short search finds it"


def test_a_spent_budget_leaves_a_bound(db: twistbase.Database) -> None:
    superflip = db.cube3("U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2")
    exact = superflip.exact(max_nodes=1000)
    assert (exact.distance, exact.solution) == (None, None)
    assert 8 <= exact.at_least <= superflip.at_least <= 20
    assert superflip.answer()["distance"] is None
    assert superflip.distance is None


def test_only_the_cube_is_searched(db: twistbase.Database) -> None:
    with pytest.raises(twistbase.UsageError):
        db.cube2("R U").exact()
