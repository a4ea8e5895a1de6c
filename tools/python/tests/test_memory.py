"""A database in memory."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import twistbase

SMALL = "square1-corners"
NEAR = "(1,0)/(3,3)/(-3,0)/"


def status(db: twistbase.Database) -> str:
    return next(table["status"] for table in db.tables() if table["table"] == SMALL)


def test_a_database_in_memory_builds_answers_and_exports(tmp_path: Path) -> None:
    db = twistbase.open(":memory:")
    assert db.path == ":memory:" and repr(db) == "<twistbase.Database :memory:>"
    assert status(db) == "missing"
    puzzle = db.puzzle(SMALL)
    assert puzzle(NEAR).distance == 3
    assert status(db) == "complete"
    assert next(table["file"] for table in db.tables() if table["table"] == SMALL) is None
    assert len(list(puzzle(NEAR).solutions())) > 0
    positions = puzzle.random(1000, seed=1)
    assert db.distances(SMALL, positions).max() <= 8
    assert db.verify(SMALL)["intact"]
    assert db.write(SMALL, tmp_path / "near.csv", levels=[0, 1])["records"] > 1
    assert status(twistbase.open(":memory:")) == "missing"


def test_what_is_closed_or_received_by_another_process_begins_empty(tmp_path: Path) -> None:
    db = twistbase.open(":memory:", build="never")
    db.build(SMALL)
    received = pickle.loads(pickle.dumps(db))
    assert (status(db), received.path, status(received)) == ("complete", ":memory:", "missing")
    with pytest.raises(twistbase.MissingTable):
        _ = received.puzzle(SMALL)(NEAR).distance
    with pytest.raises(twistbase.UsageError, match="a folder instead of :memory:"):
        db.plan_cosets(tmp_path / "farm", (0, 5))
    assert list(tmp_path.iterdir()) == []
    with db:
        pass
    assert status(db) == "missing"


def test_nothing_is_written_anywhere(tmp_path: Path) -> None:
    program = f"import twistbase; print(twistbase.open(':memory:').puzzle({SMALL!r})({NEAR!r}).distance)"
    places = dict.fromkeys(("HOME", "TMPDIR", "XDG_DATA_HOME", "XDG_CACHE_HOME"), str(tmp_path))
    environment = {**os.environ, **places, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("TWISTBASE_STORE", None)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "3\n"
    assert list(tmp_path.iterdir()) == []
