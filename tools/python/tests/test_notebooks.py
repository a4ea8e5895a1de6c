"""The notebooks run without an error. What they put out is not compared, and not written back."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
kernelspec = pytest.importorskip("jupyter_client.kernelspec")
for module in ("ipykernel", "matplotlib", "pyarrow"):
    pytest.importorskip(module)

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))
LARGEST = 300_000
"""Bytes of a notebook, with what it put out."""
PATIENCE = 300
"""Seconds for one cell, tables built on first use included."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables: those of TWISTBASE_TEST_STORE, or what the notebooks build."""
    named = os.environ.get("TWISTBASE_TEST_STORE")
    return Path(named).resolve() if named else tmp_path_factory.mktemp("notebooks")


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_committed_with_its_outputs(path: Path) -> None:
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not [cell for cell in cells for output in cell.outputs if output.output_type == "error"]
    assert path.stat().st_size < LARGEST


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWISTBASE_STORE", str(folder))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    # The kernel is this interpreter, whatever kernels are installed by the same name.
    spec = kernelspec.KernelSpec(argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"])
    monkeypatch.setattr(kernelspec.KernelSpecManager, "get_kernel_spec", lambda *_: spec)
    copy = Path(shutil.copy(path, tmp_path))
    book = nbformat.read(copy, as_version=4)
    nbclient.NotebookClient(
        book, timeout=PATIENCE, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
