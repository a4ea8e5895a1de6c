"""Exports as Arrow streams, in the readers that people use."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import twistbase
from conftest import PATIENCE, python

COLUMNS: list[Any] = ["index", "row", "entry", "position", "distance", "value", "count", "solution", "solutions"]


def test_pyarrow(db: twistbase.Database) -> None:
    table = pa.table(db.export("cube2", columns=COLUMNS, levels=[0, 1, 2, 3]))
    assert table.num_rows == 1 + 9 + 54 + 321
    types = [pa.uint64(), pa.uint32(), pa.uint64(), pa.string(), pa.uint8(), pa.uint8(), pa.uint64(), pa.string()]
    assert [field.type for field in table.schema][:8] == types
    assert pa.types.is_list(table.schema.field("solutions").type)
    assert table.schema.field("solutions").type.value_type == pa.string()
    for record in table.to_pylist()[::20]:
        position = db.cube2(record["position"])
        assert position.distance == record["distance"]
        assert position.count == record["count"] == len(record["solutions"])
        assert [solution.moves for solution in position.solutions()] == record["solutions"]
        assert record["solution"] in record["solutions"]


def test_a_whole_table(db: twistbase.Database) -> None:
    table = pa.table(db.export("square1-corners", columns=["index", "distance"]))
    assert table.num_rows == db.stats("square1-corners")["entries"]
    assert (table["index"].to_numpy() == np.arange(table.num_rows)).all()
    assert (table["distance"].to_numpy() == db.distances("square1-corners", table["index"].to_numpy())).all()


def test_a_schema_without_records(db: twistbase.Database) -> None:
    records = db.export("cube2")
    schema = pa.schema(records)
    assert schema.names == ["index", "position", "distance"]
    assert schema.metadata[b"twistbase"]
    assert schema == pa.table(records).schema
    assert pa.schema(db.export("phase2")).names == ["index", "position", "bound"]


def test_each_reader_gets_all(db: twistbase.Database) -> None:
    records = db.export("cube2", sample=100)
    first, second = pa.table(records), pa.table(records)
    assert first.equals(second)
    assert first.num_rows == 100
    assert "cube2" in repr(records)


def test_another_schema_is_cast(db: twistbase.Database) -> None:
    wanted = pa.schema([("index", pa.int64()), ("position", pa.string()), ("distance", pa.int32())])
    records = db.export("cube2", levels=[1])
    table = pa.RecordBatchReader.from_stream(records).read_all().cast(wanted)
    assert table.schema == wanted
    assert set(table["distance"].to_pylist()) == {1}


def test_polars(db: twistbase.Database) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(db.export("cube2", columns=COLUMNS, sample=200, seed=2))
    expected = pa.table(db.export("cube2", columns=COLUMNS, sample=200, seed=2))
    assert frame.columns == COLUMNS
    assert frame.to_dicts() == expected.to_pylist()
    assert polars.Series(frame["distance"]).dtype == polars.UInt8


def test_duckdb(db: twistbase.Database) -> None:
    duckdb = pytest.importorskip("duckdb")
    records = db.export("cube2", columns=["distance"])
    # DuckDB asks for streams by the name of the variable; versions that do not take the object itself take its reader.
    try:
        found = duckdb.sql("select distance, count(*) from records group by all order by all").fetchall()
    except (duckdb.InvalidInputException, duckdb.CatalogException):
        reader = pa.RecordBatchReader.from_stream(records)
        found = duckdb.sql("select distance, count(*) from reader group by all order by all").fetchall()
    assert found == [(level["distance"], level["entries"]) for level in db.stats("cube2")["levels"]]


def test_positions_that_are_given(db: twistbase.Database) -> None:
    texts = db.cube2.texts(db.cube2.random(3000, seed=1))
    table = pa.table(db.export("cube2", positions=texts))
    assert table["position"].to_pylist() == texts
    assert (table["distance"].to_numpy() == db.distances("cube2", texts)).all()
    positions = [db.cube2(texts[0]), texts[1], db.cube2(texts[2]).array]
    assert pa.table(db.export("cube2", positions=positions))["position"].to_pylist() == texts[:3]
    with pytest.raises(twistbase.UsageError, match="expected a position of cube2, got one of cube3") as caught:
        db.export("cube2", positions=["R", db.cube3("R")])
    assert caught.value.element == 1
    assert pa.table(db.export("cube2", positions=[])).num_rows == 0
    with pytest.raises((pa.ArrowInvalid, OSError, twistbase.Error), match="nonsense"):
        pa.table(db.export("cube2", positions=["R", "nonsense"]))


def test_wcas_metric(db: twistbase.Database) -> None:
    texts = ["/", "(1,0)/(3,3)/(-3,0)/(1,0)", "(0,-1)"]
    records = pa.table(db.export("square1-corners", positions=texts, metric="wca")).to_pylist()
    assert [record["distance"] for record in records] == [1, 7, 1]
    with pytest.raises(twistbase.UsageError, match="choose from: twists, wca"):
        db.export("square1-corners", metric="htm")


def test_nothing_is_selected(db: twistbase.Database) -> None:
    table = pa.table(db.export("cube2", levels=[40]))
    assert table.num_rows == 0
    assert table.column_names == ["index", "position", "distance"]


def cpu_falls_silent() -> bool:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        before = time.process_time()
        time.sleep(0.2)
        if time.process_time() - before < 0.1:
            return True
    return False


def test_readers_that_go_away(db: twistbase.Database) -> None:
    for read in (0, 1, 3):
        for _ in range(3):
            reader = pa.RecordBatchReader.from_stream(db.export("cube21", columns=["index", "position"]))
            for _ in range(read):
                assert reader.read_next_batch().num_rows > 0
            del reader
    gc.collect()
    assert cpu_falls_silent(), "exports that nobody reads go on"
    assert pa.table(db.export("cube2", levels=[0])).num_rows == 1


def test_a_slow_reader_holds_it_back(db: twistbase.Database) -> None:
    reader = pa.RecordBatchReader.from_stream(db.export("cube21", columns=["index", "position"]))
    reader.read_next_batch()
    assert cpu_falls_silent(), "the export does not wait for its reader"
    assert reader.read_next_batch().num_rows > 0


def test_capsules_that_nobody_takes(db: twistbase.Database) -> None:
    for _ in range(20):
        db.export("cube2").__arrow_c_stream__()
        db.export("cube2").__arrow_c_schema__()
    gc.collect()
    assert cpu_falls_silent()


def test_a_reader_at_the_end_of_the_interpreter(store: Path) -> None:
    code = """
import sys, pyarrow, twistbase
reader = pyarrow.RecordBatchReader.from_stream(twistbase.open(sys.argv[1], build="never").export("cube2"))
print(reader.read_next_batch().num_rows > 0)
"""
    done = python(code, str(store))
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


@pytest.mark.parametrize("format", ["parquet", "csv", "jsonl"])
def test_files(db: twistbase.Database, tmp_path: Path, format: Any) -> None:
    file = tmp_path / f"out.{format}"
    summary = db.write("cube2", file, format=format, levels=[0, 1, 2])
    assert (summary["records"], summary["format"]) == (64, format)
    expected = pa.table(db.export("cube2", levels=[0, 1, 2]))
    if format == "parquet":
        assert pq.read_table(file).to_pylist() == expected.to_pylist()
    elif format == "csv":
        lines = file.read_text().splitlines()
        assert lines[0] == "index,position,distance"
        assert lines[1:] == [",".join(map(str, record.values())) for record in expected.to_pylist()]
    else:
        assert len(file.read_text().splitlines()) == 64
    with pytest.raises(twistbase.Error, match=r"out|force"):
        db.write("cube2", os.fspath(file), format=format, levels=[0, 1])
    assert db.write("cube2", file, format=format, levels=[0, 1], force=True)["records"] == 10
    with pytest.raises(twistbase.UsageError):
        db.write("cube2", file, format="xlsx")  # type: ignore[arg-type]


ZSTD = b"\x28\xb5\x2f\xfd"
"""What compressed bytes begin with."""


def test_the_name_of_a_file_tells_its_format(db: twistbase.Database, tmp_path: Path) -> None:
    for name, format, start in (
        ("a.parquet", "parquet", b"PAR1"),
        ("a.csv", "csv", b"index,position,distance\n"),
        ("a.JSONL", "jsonl", b'{"index":'),
        ("a.csv.zst", "csv", ZSTD),
        ("a.jsonl.zst", "jsonl", ZSTD),
    ):
        file = tmp_path / name
        assert db.write("cube2", file, levels=[0, 1])["format"] == format
        assert file.read_bytes().startswith(start), name
        assert db.write("cube2", file, format=None, levels=[0], force=True)["records"] == 1
    assert db.write("cube2", tmp_path / "plain", format="csv", levels=[0])["format"] == "csv"
    assert db.write("cube2", tmp_path / "b.csv", format="jsonl", levels=[0])["format"] == "jsonl"
    assert db.write("cube2", tmp_path / "b.zst", format="csv", levels=[0])["format"] == "csv"
    assert (tmp_path / "b.zst").read_bytes().startswith(ZSTD)
    for name in ("none", "far.xlsx", "far.zst"):
        with pytest.raises(twistbase.UsageError, match=f"{name} has no known extension"):
            db.write("cube2", tmp_path / name, levels=[0])
    with pytest.raises(twistbase.UsageError, match="always compressed"):
        db.write("cube2", tmp_path / "far.parquet.zst", levels=[0])
    assert not list(tmp_path.glob("far*"))


def test_a_name_that_tells_nothing_is_refused_before_a_table_is_built(tmp_path: Path) -> None:
    db = twistbase.open(tmp_path / "store")
    with pytest.raises(twistbase.UsageError):
        db.write("cube2", tmp_path / "far")
    assert not (tmp_path / "store").exists()


def test_a_seed_draws_the_same(db: twistbase.Database) -> None:
    def drawn(**options: Any) -> list[int]:
        return pa.table(db.export("cube2", columns=["index"], sample=20, **options))["index"].to_pylist()

    assert drawn() == drawn() == drawn(seed=0) == sorted(db.sample("cube2", None, 20).tolist())
    assert drawn(seed=5) == drawn(seed=5) != drawn()
    for seed in (0, 5):
        with pytest.raises(twistbase.UsageError, match="a seed needs the size of a sample"):
            db.export("cube2", seed=seed)
    assert pa.table(db.export("cube2", levels=[0], seed=None)).num_rows == 1


def test_columns_that_a_table_does_not_have(db: twistbase.Database) -> None:
    with pytest.raises((twistbase.UsageError, pa.ArrowInvalid), match="distance"):
        pa.table(db.export("phase2", columns=["distance"]))
