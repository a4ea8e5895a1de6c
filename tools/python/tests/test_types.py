"""The package, its stubs, and what is written with it, as type checkers see them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import twistbase

TESTS = Path(__file__).parent


def check(*command: str, cwd: Path) -> None:
    """Runs a checker away from the sources, so that it finds the package that the tests run with."""
    folder = Path(twistbase.__file__).parents[1]
    environment, folder = dict(os.environ), str(Path(twistbase.__file__).parents[1])
    if not folder.endswith("site-packages"):
        environment |= {"PYTHONPATH": folder, "MYPYPATH": folder}
    done = subprocess.run(
        [sys.executable, "-P", "-m", *command], cwd=cwd, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_written_with_it(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    check("mypy", "--strict", "--warn-unused-ignores", str(TESTS / "typed.py"), cwd=tmp_path)


@pytest.mark.long
def test_the_package(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    check("mypy", "--strict", "--package", "twistbase", cwd=tmp_path)


@pytest.mark.long
def test_the_stubs_are_those_of_the_module(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    check("mypy.stubtest", "twistbase", "--allowlist", str(TESTS / "stubtest-allowlist.txt"), cwd=tmp_path)


def test_everything_public_has_a_docstring() -> None:
    for name in twistbase.__all__:
        thing = getattr(twistbase, name)
        assert thing.__doc__, name
        if isinstance(thing, type):
            for member in dir(thing):
                if not member.startswith("_") and not hasattr(Exception, member) and callable(getattr(thing, member)):
                    assert getattr(thing, member).__doc__, f"{name}.{member}"


def test_all_of_it_is_listed() -> None:
    assert sorted(twistbase.__all__, key=str.lower) == sorted(set(twistbase.__all__), key=str.lower)
    assert twistbase.__version__.count(".") == 2
    assert Path(twistbase.__file__).with_name("py.typed").exists()
