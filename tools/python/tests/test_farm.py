"""Farms: planned, worked on and merged from Python, and by the program."""

from __future__ import annotations

import json
import multiprocessing
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import twistbase


def work(farm: twistbase.Farm, store: str) -> int:
    """What another process does: shards that nobody works on."""
    done = farm.work(twistbase.open(store))
    return sum(report["items"] for report in done)


def answers(path: Path) -> list[dict[str, Any]]:
    """The answers of a file, without what differs from run to run."""
    found = [json.loads(line) for line in path.read_text().splitlines()]
    return [{name: value for name, value in answer.items() if name != "seconds"} for answer in found]


@pytest.fixture(scope="module")
def corners(tmp_path_factory: pytest.TempPathFactory) -> twistbase.Database:
    """A folder with a table whose rows follow from each other."""
    db = twistbase.open(tmp_path_factory.mktemp("corners"), build="never")
    db.build("square1-corners")
    return db


def test_positions_are_solved_by_processes_and_merged(
    db: twistbase.Database, tmp_path: Path, need: Callable[..., None]
) -> None:
    need("phase1")
    scrambles = ["R U F2", "D L", "", "B2 R' D", "U2 F"]
    farm = db.plan_solve(
        tmp_path / "farm", [text or "U U'" for text in scrambles], table="phase1", shards={"shard_items": 1}
    )
    assert (farm.shards, farm.plan["items"], farm.status()["missing"]) == (5, 5, 5)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert sum(pool.starmap(work, [(farm, db.path)] * 2)) == 5
    assert farm.status(check=True)["done"] == 5
    report = farm.merge(db, tmp_path / "answers.jsonl")
    assert report["complete"] and report["summary"] == {
        "answers": {"positions": 5, "incomplete": 0, "lengths": [1, 0, 2, 2]}
    }
    found = answers(tmp_path / "answers.jsonl")
    assert [answer["length"] for answer in found] == [3, 2, 0, 3, 2]
    assert [answer["length"] for answer in found] == [
        db.solve(text or "U U'", method="optimal").length for text in scrambles
    ]


def test_positions_and_arrays_are_solved(db: twistbase.Database, tmp_path: Path) -> None:
    farm = db.plan_solve(tmp_path / "farm", [db.cube3("R U"), db.cube3("D").array, "F2 L B"], table="phase1")
    farm.work(db)
    farm.merge(db, tmp_path / "answers.jsonl")
    assert [answer["length"] for answer in answers(tmp_path / "answers.jsonl")] == [2, 1, 3]


def test_a_table_is_verified(
    corners: twistbase.Database, tmp_path: Path, program: Callable[..., list[Any]]
) -> None:
    folder, db = Path(corners.path), corners
    farm = db.plan_verify(tmp_path / "farm", "square1-corners", shards={"shard_items": 40})
    with pytest.raises(twistbase.TableError, match="3 of 3 shards cannot be merged; 0: ") as refused:
        farm.merge(db, tmp_path / "check.json")
    assert isinstance(refused.value, twistbase.MissingTable)
    assert refused.value.remedy == f'twistbase.Farm("{farm.path}").work(db)', "a call, not arguments of the program"
    assert not (tmp_path / "check.json").exists()
    heard: list[str] = []
    reports = farm.work(db, [1], progress=lambda stage, *_: heard.append(stage))
    assert [report["outcome"] for report in reports] == ["done"]
    # The program does the rest, and says the same of it.
    program("farm", "work", farm.path, folder=folder)
    assert program("farm", "status", farm.path) == [farm.status()]
    assert farm.merge(db, tmp_path / "check.json")["check"]["holds"]
    program("farm", "merge", farm.path, "--output", str(tmp_path / "again.json"), folder=folder)
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "check.json").read_bytes()


def test_cosets_go_into_the_database(db: twistbase.Database, tmp_path: Path, need: Callable[..., None]) -> None:
    need("phase1")
    of_range = db.plan_cosets(tmp_path / "range", (100, 104), search_depth=3, depth=3, shards={"shard_items": 3})
    of_list = db.plan_cosets(tmp_path / "list", [100, 103], search_depth=3, depth=3)
    store = twistbase.open(tmp_path / "store")
    for farm, cosets, new in ((of_range, 4, 4), (of_list, 2, 0)):
        farm.work(db)
        report = farm.merge(store)
        assert (report["complete"], report["summary"]["cosets"]["cosets"], report["new"]) == (True, cosets, new)


def test_what_makes_no_sense_is_refused(
    db: twistbase.Database, corners: twistbase.Database, tmp_path: Path
) -> None:
    path = tmp_path / "farm"
    with pytest.raises(twistbase.InvalidPosition) as error:
        db.plan_solve(path, ["R", "R X"], table="phase1")
    assert error.value.element == 1
    with pytest.raises(twistbase.UsageError, match="the list is empty"):
        db.plan_solve(path, [], table="phase1")
    with pytest.raises(twistbase.UsageError, match="one line"):
        db.plan_solve(path, ["R\nU"], table="phase1")
    with pytest.raises(twistbase.UsageError, match="limit of nodes"):
        db.plan_solve(path, ["R"], table="phase1", timeout=1.0)
    with pytest.raises(twistbase.UsageError, match="outside the cover"):
        db.plan_cosets(path, (5, 5))
    with pytest.raises(twistbase.UsageError, match="shard_items"):
        corners.plan_verify(path, "square1-corners", shards={"items": 5})  # type: ignore[typeddict-unknown-key]
    with pytest.raises(twistbase.UsageError):
        db.plan_verify(path, "phase1")
    with pytest.raises(twistbase.InvalidPosition) as error:
        db.plan_solve(path, [db.cube3("R"), np.zeros(54, np.uint8)], table="phase1")
    assert error.value.element == 1
    with pytest.raises(twistbase.UsageError, match="expected a position of cube3, got one of cube2"):
        db.plan_solve(path, [db.cube2("R")], table="phase1")
    with pytest.raises(twistbase.TableError, match="no plan") as none:
        twistbase.Farm(path)
    assert none.value.remedy.startswith("db.plan_solve")
    assert not path.exists()
    farm = corners.plan_verify(path, "square1-corners")
    assert pickle.loads(pickle.dumps(farm)).plan == farm.plan
    with pytest.raises(twistbase.UsageError, match="no shard 1"):
        farm.work(corners, [1])
    with pytest.raises(twistbase.UsageError, match="shards cannot be -1"):
        farm.work(corners, [-1])
    farm.work(corners)
    with pytest.raises(twistbase.UsageError, match="name it with output="):
        farm.merge(corners)
    with pytest.raises(twistbase.UsageError, match="has a plan"):
        corners.plan_verify(path, "square1-corners")
    plan = path.joinpath("plan.json").read_text()
    path.joinpath("plan.json").write_text(plan.replace('"twistbase_farm":1,', '"twistbase_farm":99,'))
    with pytest.raises(twistbase.TableError, match="version 99") as newer:
        twistbase.Farm(path)
    assert newer.value.remedy.startswith("twistbase.__version__"), "what there is without the program"
