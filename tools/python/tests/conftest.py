"""What the tests share: folders of tables, the program, golden answers."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import twistbase

ROOT = Path(__file__).resolve().parents[3]
SMALL = ("cube2", "cube2-qtm", "square1-corners", "phase1", "phase2", "cube21")
"""Tables that are built for the tests where nobody names a folder that has them: some seconds, 0.3 GB of disk."""
PATIENCE = 120.0
"""Seconds after which something hangs."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the tests that take long, too")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: takes long, run with --long")
    # A script starts what it runs in the background with Ctrl-C ignored, and so would be all that these tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long"):
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="takes long: run with --long"))


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that has at least the small tables: the one that TWISTBASE_TEST_STORE names, or one for this session."""
    named = os.environ.get("TWISTBASE_TEST_STORE")
    folder = Path(named) if named else tmp_path_factory.mktemp("store")
    database = twistbase.open(folder, build="never")
    complete = {table["table"] for table in database.tables() if table["status"] == "complete"}
    for table in SMALL:
        if table not in complete:
            database.build(table)
    yield folder
    if not named:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def db(store: Path) -> twistbase.Database:
    """The tables of that folder. It builds none: a test that needs one says so."""
    return twistbase.open(store, build="never")


@pytest.fixture
def empty(tmp_path: Path) -> twistbase.Database:
    """A folder without tables, in which none is built on first use."""
    return twistbase.open(tmp_path / "empty", build="never")


@pytest.fixture(scope="session")
def need(db: twistbase.Database) -> Callable[..., None]:
    """Skips a test that needs tables which are not there."""

    def need(*tables: str) -> None:
        complete = {table["table"] for table in db.tables() if table["status"] == "complete"}
        missing = [table for table in tables if table not in complete]
        if missing:
            pytest.skip(f"needs {', '.join(missing)}: TWISTBASE_TEST_STORE names no folder that has it")

    return need


def golden(name: str) -> list[dict[str, str]]:
    """The answers of a golden file."""
    with (ROOT / "data" / name).open(newline="") as file:
        return list(csv.DictReader(file))


Some = Callable[[str], list[dict[str, str]]]


@pytest.fixture
def some(request: pytest.FixtureRequest) -> Some:
    """Every tenth answer of a golden file; all of them with --long. The library answers all in its own tests."""
    step = 1 if request.config.getoption("--long") else 10
    return lambda name: golden(name)[::step]


@pytest.fixture(scope="session")
def program(store: Path) -> Callable[..., list[Any]]:
    """Runs the program on the tables of the tests: what it prints as JSON, also where it fails."""
    path = os.environ.get("TWISTBASE") or shutil.which("twistbase")
    if path is None:
        pytest.skip("no program: TWISTBASE does not name it, and there is none in PATH")

    def run(*arguments: str, lines: Sequence[str] = (), folder: Path = store) -> list[Any]:
        command = [path, "--store", str(folder), "--quiet", "--no-build", "--json", *arguments]
        input = "".join(f"{line}\n" for line in lines)
        done = subprocess.run(command, input=input, capture_output=True, text=True, timeout=PATIENCE, check=False)
        return [json.loads(line) for line in (done.stdout or done.stderr).splitlines()]

    return run


def python(code: str, *arguments: str, patience: float = PATIENCE) -> subprocess.CompletedProcess[str]:
    """Runs code in an interpreter of its own, which does not look for the package in this folder."""
    command = [sys.executable, "-P", "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=patience, check=False)
