"""The examples of the README do what they show."""

import doctest
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"


def test_the_examples_are_what_comes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.setenv("TWISTBASE_STORE", str(tmp_path))
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL * 0
    failed, tried = doctest.testfile(str(README), module_relative=False, optionflags=flags, encoding="utf-8")
    assert failed == 0 and tried >= 12
