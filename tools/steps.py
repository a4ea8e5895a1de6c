"""What .ci/run and tools/check_all share: steps that print progress and times, and what the checks need (tables, a Python, a wheel)."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").absolute()
PROGRAM = TARGET / "release" / "twistbase"
"""The program as the tests compile it."""
TEST = ["cargo", "test", "--release", "--package", "twistbase"]
"""The README's test command. Other runs of the program's tests begin with it, so that nothing is compiled twice."""
UNIT = ["cargo", "test", "--release", "--lib"]
"""The tests that lie beside what they test."""
FULL = {"TWISTBASE_TEST_FULL": "1"}
"""With it, tests repeat as often as the second tier of checks wants."""
PACKAGES = ["pyarrow", "duckdb", "openapi-spec-validator", "schemathesis", "maturin", "-r", "tools/python/tests/requirements.txt"]
TABLES = ["cube2", "cube2-qtm", "cube3-cross", "square1-corners", "phase1", "phase2", "cube21", "skewb"]
"""What the page's tests ask, with PAGE_TABLES. The Python package and farms ask more."""
PAGE_TABLES = ["cube3-eo", "cube3-dr-from-eo", "cube3-htr-from-dr", "cube3-half-turns"]
"""The tables of solutions in steps."""
MORE_TABLES = ["phase2-exact", "square1", "nx-eo1-ep1-htm", "nx-eo1-ep1-qtm", "phase1-qtm", "phase2-qtm"]
PATIENCE = 1500
"""Seconds after which a step hangs."""


class StepFailed(Exception):
    """A step that failed; the message says how to repeat it."""


class Step:
    """A command with its output in a file."""

    def __init__(self, name: str, command: list[str], log: pathlib.Path, env: dict[str, str], patience: float, live: bool) -> None:
        self.name, self.command, self.log, self.env, self.patience = name, command, log, env, patience
        self.began, self.hangs = time.monotonic(), False
        self.ended = self.began
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            # A group of its own, which ends as a whole.
            start_new_session=True,
        )
        self.copier = threading.Thread(target=self.copy, args=[live], daemon=True)
        self.copier.start()

    def copy(self, live: bool) -> None:
        with self.log.open("wb") as log:
            for line in self.process.stdout:
                log.write(line)
                log.flush()
                if live:
                    sys.stdout.buffer.write(line)
                    sys.stdout.buffer.flush()
        self.ended = time.monotonic()

    @property
    def seconds(self) -> float:
        return self.ended - self.began

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, how)

    def stop(self) -> None:
        """Ends it with all that it started: first so that it can tidy up."""
        self.kill(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(20)
        self.kill()

    def wait(self) -> int:
        try:
            status = self.process.wait(max(1.0, self.patience - (time.monotonic() - self.began)))
        except subprocess.TimeoutExpired:
            self.hangs = True
            self.stop()
            status = self.process.wait()
        # What a step started in the background may hold its output open.
        self.copier.join(10)
        if self.copier.is_alive():
            self.ended = time.monotonic()
        return status

    def repeat(self) -> str:
        """The command that repeats the step, or each test that failed."""
        text = self.log.read_text(errors="replace")
        environment = [f"{name}={shlex.quote(value)}" for name, value in self.env.items()]
        before = " ".join(environment) + " " * bool(environment)
        whole = before + shlex.join(self.command)
        if self.command[:2] == ["cargo", "test"]:
            # The names that libtest lists after its last "failures:".
            failed = re.findall(r"^    (\w+(?:::\w+)+)$", text.rpartition("\nfailures:\n")[2], re.MULTILINE)
            command = self.command[: [*self.command, "--"].index("--")]
            tests = [f"{before}{shlex.join([*command, '--', '--include-ignored', '--exact', name])}" for name in failed]
            return "\n".join(tests) or whole
        # pytest's summary.
        failed = re.findall(r"^(?:FAILED|ERROR) (\S+::[^ ]+)", text, re.MULTILINE)
        if failed:
            command = [word for word in self.command if not word.startswith("tools/python/tests")]
            return f"{before}{shlex.join([*command, *dict.fromkeys(failed)])}"
        return whole


class Steps:
    """Runs steps one after another, some beside the others."""

    def __init__(self, title: str, made: pathlib.Path) -> None:
        self.title, self.made = title, made
        self.began = time.monotonic()
        self.times: list[tuple[float, str]] = []
        self.beside: dict[str, Step] = {}
        self.running: Step | None = None
        self.done: set[str] = set()
        (made / "logs").mkdir(parents=True, exist_ok=True)
        # A shell ignores it for what it starts in the background, and so would the tests that interrupt what they start.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for each in (signal.SIGTERM, signal.SIGHUP):
            # The way out is the same as that of an error.
            signal.signal(each, lambda number, _: sys.exit(128 + number))

    def say(self, text: str) -> None:
        print(f"\n== {text} (after {time.monotonic() - self.began:.0f} s)", flush=True)

    def start(self, name: str, command: list[object], env: dict[str, str], patience: float, live: bool) -> Step:
        words = [str(word) for word in command]
        log = self.made / "logs" / f"{re.sub(r'[^A-Za-z0-9]+', '-', name)}.log"
        return Step(name, words, log, env, patience, live)

    def run(self, name: str, *command: object, env: dict[str, str] | None = None, patience: float = PATIENCE) -> None:
        """Runs a command to its end. A failure ends the whole."""
        self.say(f"{name}: {shlex.join(map(str, command))}")
        self.running = self.start(name, list(command), env or {}, patience, True)
        self.end(self.running)
        self.running = None

    def begin(self, name: str, *command: object, env: dict[str, str] | None = None, patience: float = PATIENCE) -> None:
        """Runs a command beside what follows."""
        self.say(f"{name} begins: {shlex.join(map(str, command))}")
        self.beside[name] = self.start(name, list(command), env or {}, patience, False)

    def finish(self, name: str) -> None:
        """Waits for one that began, and prints what it said."""
        self.say(f"{name} is waited for")
        step = self.beside[name]
        try:
            status = step.wait()
        finally:
            del self.beside[name]
        print(step.log.read_text(errors="replace"), flush=True)
        self.judge(step, status)

    def end(self, step: Step) -> None:
        self.judge(step, step.wait())

    def judge(self, step: Step, status: int) -> None:
        self.times.append((step.seconds, step.name))
        if step.hangs or status != 0:
            how = f"hangs: killed after {step.seconds:.0f} s" if step.hangs else f"failed with {status} after {step.seconds:.0f} s"
            raise StepFailed(f"{step.name} {how}. To repeat it:\n{step.repeat()}")

    def __enter__(self) -> Steps:
        return self

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> bool:
        for step in [*self.beside.values(), *filter(None, [self.running])]:
            step.stop()
            if step is not self.running:
                print(f"\n{step.name}, so far:\n{step.log.read_text(errors='replace')}", flush=True)
        print("\nThe longest steps:")
        for seconds, name in sorted(self.times, reverse=True)[:10]:
            print(f"{seconds:7.0f} s  {name}")
        took = time.monotonic() - self.began
        if error is None:
            print(f"\n{self.title}: all passed in {took:.0f} s", flush=True)
        elif isinstance(error, StepFailed):
            print(f"\n{self.title}: after {took:.0f} s, {error}", flush=True)
            sys.exit(1)
        return False

    def once(self, what: str) -> bool:
        """Whether this is still to be done in the folder of these steps; it is done then."""
        mark = self.made / f"{what}.done"
        if what in self.done or mark.exists():
            return False
        self.done.add(what)
        return True

    def mark(self, what: str) -> None:
        (self.made / f"{what}.done").touch()

    # What several checks need.

    @property
    def python(self) -> pathlib.Path:
        return self.made / "python" / "bin" / "python"

    def python_packages(self) -> list[str]:
        """The command that makes an environment with all packages that the checks need."""
        folder = shlex.quote(str(self.made / "python"))
        return ["bash", "-c", f"python3 -m venv {folder} && {folder}/bin/pip install --quiet {shlex.join(PACKAGES)}"]

    def need_python(self) -> None:
        if self.once("python"):
            self.run("Python packages", *self.python_packages())
            self.mark("python")

    def need_program(self) -> None:
        if self.once("program"):
            self.run("compile", *TEST, "--no-run")
            self.mark("program")

    def build_wheel(self) -> list[object]:
        """The command that makes a wheel of the Python package."""
        return [self.python.with_name("maturin"), "build", "--release", "--locked", "--manifest-path", "tools/python/Cargo.toml", "--out", self.made / "wheels"]

    def install_wheel(self) -> None:
        [wheel] = (self.made / "wheels").glob("*.whl")
        self.run("install the wheel", self.python, "-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", wheel)
        self.mark("wheel")

    def need_wheel(self) -> None:
        """The Python package as a wheel, installed."""
        self.need_python()
        if self.once("wheel"):
            self.run("wheel", *self.build_wheel())
            self.install_wheel()

    def need_store(self, name: str, tables: list[str]) -> pathlib.Path:
        """A folder with these tables: those that the Rust tests have built, and the others built now."""
        self.need_program()
        store = self.made / name
        store.mkdir(exist_ok=True)
        for table in tables:
            for found in shared_tables().glob(f"*/{table}.redb"):
                with contextlib.suppress(FileExistsError):
                    os.link(found, store / found.name)
        self.run(f"tables of {name}", PROGRAM, "--quiet", "--store", store, "build", *tables)
        return store


def shared_tables() -> pathlib.Path:
    """Where the Rust tests of several runs find each other's tables."""
    return pathlib.Path(os.environ["TWISTBASE_TEST_TABLES"])


def made_folder(name: str) -> pathlib.Path:
    """A new folder for what checks make. Nothing of an earlier run is used."""
    made = pathlib.Path(os.environ.get("TMPDIR") or tempfile.gettempdir()) / name
    shutil.rmtree(made, ignore_errors=True)
    (made / "tables").mkdir(parents=True)
    os.environ["TWISTBASE_TEST_TABLES"] = str(made / "tables")
    return made


def rust(*filters: str, skip: tuple[str, ...] = (), threads: int = 2, only: str = "--ignored", command: tuple[str, ...] = (*TEST, "--test", "all")) -> list[str]:
    """A command that runs Rust tests whose names contain one of these."""
    skipped = [word for name in skip for word in ("--skip", name)]
    return [*command, "--", only, "--nocapture", f"--test-threads={threads}", *skipped, *filters]


def turn() -> int:
    """A number that is one more each day."""
    return int(time.time() // 86_400)
