"""How far long work is: bars, lines, functions."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import twistbase
from conftest import python


def test_a_function_hears_it(tmp_path: Path) -> None:
    heard: list[tuple[str, int, int, str]] = []
    twistbase.open(tmp_path).build("cube2", progress=lambda *told: heard.append(told))
    stages = [told for told in heard if told[3]]
    assert stages
    for stage, done, total, unit in stages:
        assert stage
        assert unit
        assert 0 <= done <= total
    assert stages[-1][1] == stages[-1][2], "the last thing told is the end"


@pytest.mark.parametrize("when", [1, 2])
def test_what_it_raises_ends_the_work(tmp_path: Path, when: int) -> None:
    calls = 0

    def fail(*_: object) -> None:
        nonlocal calls
        calls += 1
        if calls == when:
            raise LookupError("enough")

    db = twistbase.open(tmp_path, build="never")
    with pytest.raises(LookupError, match="enough"):
        db.build("cube21", progress=fail)
    assert calls >= when
    assert db.build("square1-corners")["outcome"] == "built"


def test_other_calls_that_tell(db: twistbase.Database, tmp_path: Path) -> None:
    for work in (
        lambda progress: db.verify("cube2", progress=progress),
        lambda progress: db.write("cube2", tmp_path / "out.csv", format="csv", progress=progress),
    ):
        heard: list[tuple[object, ...]] = []
        work(lambda *told: heard.append(told))  # noqa: B023
        assert heard


def test_a_bar(tmp_path: Path) -> None:
    pytest.importorskip("tqdm")
    code = "import sys, twistbase; twistbase.open(sys.argv[1]).build('cube2', progress=True)"
    done = python(code, str(tmp_path))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "%" in done.stderr
    assert "Error" not in done.stderr


def test_lines_without_tqdm(tmp_path: Path) -> None:
    code = """
import sys
sys.modules["tqdm"] = sys.modules["tqdm.auto"] = None
import twistbase
twistbase.open(sys.argv[1]).build("cube2", progress=True)
"""
    done = python(code, str(tmp_path))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert " of " in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_is_shown_unless_it_is_asked_for(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    db = twistbase.open(tmp_path)
    db.build("cube2")
    assert db.cube21.solved.puzzle == "cube21"
    assert db.square1_corners("(1,0)/").distance == 1
    sys.stderr.flush()
    assert capfd.readouterr() == ("", "")
