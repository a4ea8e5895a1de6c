#!/usr/bin/env python3
"""Opens exports of twistbase in pyarrow and DuckDB and compares them with each other and with the program's answers.

    pip install pyarrow duckdb
    cargo build --release && tools/check_parquet.py [--binary target/release/twistbase]

Builds square1-corners in a temporary store, exports it in every format, and fails with the first difference.
"""

import argparse
import collections
import json
import os
import subprocess
import tempfile

import duckdb
import pyarrow.parquet

TABLE = "square1-corners"
LEVELS = [1, 24, 260, 2_337, 20_452, 162_520, 965_994, 1_486_536, 64_576]
QUERIED = 500


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/twistbase")
    binary = os.path.abspath(parser.parse_args().binary)
    with tempfile.TemporaryDirectory() as folder:
        check(binary, folder)


def check(binary, folder):
    def twistbase(*arguments, stdin=None):
        command = [binary, "--store", folder, "--quiet", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, input=stdin).stdout

    def export(name, *options):
        path = os.path.join(folder, name)
        summary = json.loads(twistbase("--json", "export", TABLE, "-o", path, *options))
        return path, summary

    digest = json.loads(twistbase("--json", "build", TABLE))["digest"]
    stats = json.loads(twistbase("--json", "stats", TABLE))

    # The whole table, every entry at its level.
    path, summary = export("all.parquet")
    file = pyarrow.parquet.ParquetFile(path)
    metadata = json.loads(file.schema_arrow.metadata[b"twistbase"])
    assert metadata["table"] == TABLE and metadata["table_digest"] == digest, metadata
    assert metadata["metric"] == "twists" and metadata["position_notation"] == "hex", metadata
    assert [str(field.type) for field in file.schema_arrow] == ["uint64", "string", "uint8"], file.schema_arrow
    assert file.metadata.created_by.startswith("twistbase "), file.metadata
    whole = file.read()
    assert whole.num_rows == summary["records"] == stats["entries"]
    assert whole["index"].to_pylist() == list(range(whole.num_rows))
    counts = collections.Counter(whole["distance"].to_pylist())
    levels = [level["entries"] for level in stats["levels"]]
    assert [counts[level] for level in range(len(levels))] == levels, counts
    found = duckdb.sql(f"select distance, count(*), count(distinct position) from '{path}' group by 1 order by 1")
    assert [(d, n) for d, n, _ in found.fetchall()] == list(enumerate(levels))
    inside = duckdb.sql(f"select decode(value) from parquet_kv_metadata('{path}') where decode(key) = 'twistbase'")
    assert json.loads(inside.fetchall()[0][0]) == metadata

    # The same records in every format, with lists of solutions.
    options = ["--sample", "3000", "--seed", "5", "--columns"]
    columns = "index,row,entry,position,distance,value,count,solution,solutions"
    parquet, _ = export("some.parquet", *options, columns)
    csv, _ = export("some.csv.zst", *options, columns)
    jsonl, _ = export("some.jsonl", *options, columns)
    records = pyarrow.parquet.read_table(parquet).to_pylist()
    assert len(records) == 3000
    with open(jsonl, encoding="ascii") as lines:
        assert [json.loads(line) for line in lines] == records
    names = columns.split(",")
    by_duckdb = duckdb.sql(f"select {columns} from '{parquet}'").fetchall()
    assert by_duckdb == [tuple(record[name] for name in names) for record in records]
    from_csv = duckdb.sql(f"select {columns} from read_csv('{csv}', header = true)").fetchall()
    plain = [tuple(";".join(record[n]) if n == "solutions" else record[n] for n in names) for record in records]
    assert from_csv == plain
    for record in records:
        assert len(record["solutions"]) == record["count"] and record["solution"] in record["solutions"]
        assert all(solution.count("/") == record["distance"] for solution in record["solutions"])

    # Against the program's answers.
    some = records[:QUERIED]
    answers = twistbase("query", TABLE, "-", stdin="".join(record["position"] + "\n" for record in some))
    assert [line.split("\t")[1] for line in answers.splitlines()] == [str(record["distance"]) for record in some]
    print(f"{whole.num_rows + len(records):,} records: pyarrow {pyarrow.__version__} and DuckDB {duckdb.__version__} agree")


if __name__ == "__main__":
    main()
