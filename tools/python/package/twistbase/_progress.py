"""Progress of long work: a bar with tqdm if installed, else lines on standard error."""

from __future__ import annotations

import contextlib
import importlib
import logging
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeAlias

Listener: TypeAlias = Callable[[str, int, int, str], object]
"""Called with the stage, the units done, the total, and the unit. A note has no unit."""

Progress: TypeAlias = bool | Listener
"""``True`` shows progress; a function receives it."""

_EVERY = 5.0

_LOGGER = logging.getLogger("twistbase")


class Shown:
    """A listener that shows progress until its block ends."""

    def __init__(self) -> None:
        self._tqdm: Any = None
        with contextlib.suppress(ImportError):
            self._tqdm = importlib.import_module("tqdm.auto").tqdm
        self._bar: Any = None
        self._stage: tuple[str, int] | None = None
        self._next = 0.0

    def __call__(self, stage: str, done: int, total: int, unit: str) -> None:
        if not unit:
            self._write(stage)
        elif self._tqdm is None:
            self._line(stage, done, total, unit)
        else:
            self._draw(stage, done, total, unit)

    def _draw(self, stage: str, done: int, total: int, unit: str) -> None:
        if self._stage != (stage, total):
            self._end()
            self._stage = (stage, total)
            self._bar = self._tqdm(desc=stage, total=total, unit=f" {unit}", unit_scale=True, leave=False)
        self._bar.update(done - self._bar.n)

    def _line(self, stage: str, done: int, total: int, unit: str) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _EVERY
            print(f"{stage}: {done} of {total} {unit}", file=sys.stderr, flush=True)

    def _write(self, note: str) -> None:
        if self._tqdm is None:
            print(note, file=sys.stderr, flush=True)
        else:
            self._tqdm.write(note, file=sys.stderr)

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Listener:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()


class Heard:
    """The caller's listener, or none."""

    def __init__(self, listener: Listener | None) -> None:
        self._listener = listener

    def __enter__(self) -> Listener | None:
        return self._listener

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


def log(note: str) -> None:
    """Logs a note of long work without a listener, for instance that a missing table is being built."""
    _LOGGER.info("%s", note)


def listening(progress: Progress) -> Shown | Heard:
    """The listener for a value of ``progress``, active while its block runs."""
    if progress is True:
        return Shown()
    if callable(progress):
        return Heard(progress)
    if progress is False or progress is None:
        return Heard(None)
    raise TypeError(f"progress is True, False or a function, not {progress!r}")
