"""Threads, processes, Ctrl-C: a database is shared, and long work lets others go on."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import twistbase
from conftest import PATIENCE, python

FAR = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"


def all_sorts(db: twistbase.Database) -> list[Any]:
    """A bit of everything."""
    return [
        db.distances("cube2", db.cube2.random(1000, 3)).sum(),
        db.cube2("R U F").distance,
        db.cube21("(1,0)/(3,3)/").solution().moves,
        db.square1_corners("(1,0)/").answer(),
        str(db.solve("R U F")),
        [str(solution) for solution in db.solve_many(["R", "U"])],
        [str(solution) for solution in db.cube2("R U F R U F").solutions()],
        db.sample("cube2", 5, 10).tolist(),
        db.bounds("phase1", ["R U F"]).tolist(),
        db.stats("cube2")["mean"],
    ]


def with_errors(db: twistbase.Database) -> list[str]:
    """Errors are made by the interpreter, which may change threads meanwhile."""
    messages = []
    for ask in (
        lambda: db.puzzle("nothing"),
        lambda: db.cube3("R X"),
        lambda: db.distances("cube2", ["X"]),
        lambda: db.distances("nothing", ["R"]),
        lambda: db.solve("R", method="nothing"),  # type: ignore[arg-type]
        lambda: db.solve("R", method="optimal", table="nx-eo3-ep4-qtm"),
    ):
        with pytest.raises(twistbase.Error) as caught:
            ask()
        messages.append(str(caught.value))
    return messages


@pytest.mark.parametrize("work", [all_sorts, with_errors])
def test_threads_share_a_database(store: Path, work: Callable[[twistbase.Database], Any]) -> None:
    """Opened, asked, and refused by many threads at once."""
    expected = work(twistbase.open(store, build="never"))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        db = twistbase.open(store, build="never")
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            futures = [pool.submit(work, db) for _ in range(48)]
            for future in futures:
                assert future.result(timeout=PATIENCE) == expected
    finally:
        sys.setswitchinterval(interval)


def test_a_table_is_built_once_by_threads_that_need_it(tmp_path: Path) -> None:
    db = twistbase.open(tmp_path)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(lambda: db.cube2("R U F").distance) for _ in range(8)]
        assert [future.result(timeout=PATIENCE) for future in futures] == [3] * 8


def progress_of_another_thread(work: Callable[[], object]) -> int:
    """How often another thread gets its turn while this one works."""
    turns, ended, started = 0, threading.Event(), threading.Event()

    def other() -> None:
        nonlocal turns
        started.set()
        while not ended.is_set():
            turns += 1
            time.sleep(0.001)

    thread = threading.Thread(target=other)
    thread.start()
    started.wait(PATIENCE)
    before = turns
    try:
        work()
    finally:
        counted = turns - before
        ended.set()
        thread.join(PATIENCE)
    return counted


@pytest.mark.parametrize("name", ["arrays", "solve", "batch", "build", "random"])
def test_other_threads_go_on(db: twistbase.Database, tmp_path: Path, name: str) -> None:
    """The interpreter's lock is given back meanwhile: with it, the other thread would not get a turn. A busy machine may give it
    none, either: then again."""
    indices = np.random.default_rng(1).integers(0, 3_674_160, 300_000)

    def solve() -> None:
        with pytest.raises(twistbase.BudgetSpent):
            db.solve(FAR, method="optimal", timeout=0.5)

    work: dict[str, Callable[[], object]] = {
        "arrays": lambda: [db.indices("cube2", db.positions("cube2", indices)) for _ in range(5)],
        "solve": solve,
        "batch": lambda: list(db.solve_many([FAR] * 4, timeout=0.2, errors="return")),
        "build": lambda: twistbase.open(tmp_path).build("cube2", force=True),
        "random": lambda: db.cube3.random(1_000_000, 1),
    }
    assert any(progress_of_another_thread(work[name]) >= 10 for _ in range(10))


def test_threads_come_to_an_end(store: Path) -> None:
    """Many threads at once leave no pool of threads for each of them."""
    code = """
import concurrent.futures, os, sys, time, twistbase
db = twistbase.open(sys.argv[1], build="never")
ask = lambda _: db.distances("cube2", range(1000)).sum()
with concurrent.futures.ThreadPoolExecutor(64) as pool:
    assert len(set(pool.map(ask, range(2000)))) == 1
deadline = time.monotonic() + 30
def count(): return len(os.listdir("/proc/self/task"))
while count() > 8 * (os.cpu_count() + 1) + 8 and time.monotonic() < deadline: time.sleep(0.1)
print(count(), os.cpu_count())
"""
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("this system does not tell the threads of a process")
    done = python(code, str(store))
    assert done.returncode == 0, done.stderr
    threads, cores = map(int, done.stdout.split())
    assert threads <= 8 * (cores + 1) + 8


@pytest.mark.parametrize("limit", ["1", "3"])
def test_the_threads_of_a_call_can_be_limited(store: Path, limit: str) -> None:
    """Set by the interpreter itself, before the first call."""
    code = """
import os, sys, twistbase
os.environ["RAYON_NUM_THREADS"] = sys.argv[2]
db = twistbase.open(sys.argv[1], build="never")
assert db.distances("cube2", range(1000)).shape == (1000,)
assert db.solve(db.cube3.random(seed=1), timeout=2).length <= 30
assert db.solve("R U F", method="optimal").length == 3
def name_of(task):
    # One that was joined may be listed for a moment more.
    try:
        with open(f"/proc/self/task/{task}/comm") as file: return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""
print(sum(name_of(task).startswith("twistbase-") for task in os.listdir("/proc/self/task")))
"""
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("this system does not tell the threads of a process")
    done = python(code, str(store), limit)
    assert (done.returncode, done.stdout.strip()) == (0, limit), done.stderr


# Processes.


def in_a_process(db: twistbase.Database, position: twistbase.Position) -> list[Any]:
    return [all_sorts(db), position.distance, str(position), with_errors(db)]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(db: twistbase.Database, method: str) -> None:
    """Started after this process has searched, so that a fork has none of the threads that it knows of."""
    position = db.cube2("R U F")
    expected = in_a_process(db, position)
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        futures = [pool.submit(in_a_process, db, position) for _ in range(4)]
        for future in futures:
            assert future.result(timeout=PATIENCE) == expected
    assert in_a_process(db, position) == expected


def test_a_fork_while_a_batch_is_under_way(store: Path) -> None:
    code = """
import os, sys, twistbase, threading
db = twistbase.open(sys.argv[1], build="never")
texts = db.cube3.texts(db.cube3.random(300, 1))
solved = db.solve_many(texts, target=22)
first = next(solved)
search = threading.Thread(target=lambda: db.solve(db.cube3.random(seed=1), timeout=1))
search.start()
child = os.fork()
if child == 0:
    assert len(list(db.solve_many(texts[:20], target=22))) == 20
    assert db.cube2("R U F").distance == 3
    assert db.distances("cube2", ["R"]).tolist() == [1]
    assert len(db.solve(texts[0], target=22)) <= 22
    try: next(solved)
    except twistbase.UsageError as error: assert "process that began it" in str(error)
    else: assert False
    del solved
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert len(list(solved)) == 299
search.join()
print("both ended")
"""
    done = python(code, str(store))
    assert (done.returncode, done.stdout.strip()) == (0, "both ended"), done.stderr


def test_first_use_imports_nothing(store: Path) -> None:
    """What is looked up once is looked up when the package is imported: a child that is forked meanwhile would wait for it for ever."""
    code = """
import builtins, sys
import numpy, twistbase
db = twistbase.open(sys.argv[1], build="never")
names, original = [], builtins.__import__
def noted(name, *others, **more):
    names.append(name)
    return original(name, *others, **more)
builtins.__import__ = noted
assert db.distances("cube2", range(3)).shape == (3,)
assert db.distances("cube2", ["R U F"]).tolist() == [3]
assert db.cube2("R U F").distance == 3
print(sorted(name for name in set(names) if "multiarray" in name or "twistbase" in name))
"""
    done = python(code, str(store))
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stdout + done.stderr


def test_many_forks(store: Path) -> None:
    """Forked again and again while threads ask: locks that another thread held would stay locked in the child."""
    code = """
import os, sys, threading, twistbase
db = twistbase.open(sys.argv[1], build="never")
assert db.cube2("R U F").distance == 3
ended = threading.Event()
def ask():
    while not ended.is_set():
        db.distances("cube2", range(1000)); db.cube2("R U F").distance; db.puzzle("cube21")
threads = [threading.Thread(target=ask) for _ in range(3)]
for thread in threads: thread.start()
for number in range(40):
    child = os.fork()
    if child == 0:
        assert db.cube2("R U F").distance == 3
        assert db.distances("cube2", [1, 2]).shape == (2,)
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
ended.set()
for thread in threads: thread.join()
print("all ended")
"""
    done = python(code, str(store))
    assert (done.returncode, done.stdout.strip()) == (0, "all ended"), done.stderr


# Ctrl-C.

INTERRUPTED = {
    "build": """
import tempfile
folder = tempfile.mkdtemp(dir=sys.argv[2])
other = twistbase.open(folder, build="never")
def work(): other.build("phase2-exact")
def again(): assert [t["status"] for t in other.tables() if t["table"] == "phase2-exact"] != ["complete"]
""",
    "first use": """
import tempfile
other = twistbase.open(tempfile.mkdtemp(dir=sys.argv[2]))
def work(): other.sample("phase2-exact", None, 1)
def again(): pass
""",
    "optimal": """
def work(): db.solve(FAR, method="optimal", table="phase1")
def again(): assert str(db.solve("R", method="optimal", table="phase1")) == "R'"
""",
    "two-phase": """
def work(): db.solve(FAR, method="two-phase", target=5)
def again(): assert str(db.solve("R")) == "R'"
""",
    "all solutions": """
def work(): db.solve_all(FAR, table="phase1")
def again(): assert len(db.solve_all("R", table="phase1")) == 1
""",
    "a callback": """
def work(): db.solve(FAR, method="two-phase", target=5, on_improved=lambda solution: time.sleep(0.01))
def again(): assert str(db.solve("R")) == "R'"
""",
    "batch": """
def work():
    for solution in db.solve_many([FAR] * 100, method="optimal", table="phase1"): pass
def again(): assert [str(solution) for solution in db.solve_many(["R"])] == ["R'"]
""",
    "distances": """
array = db.cube21.random(400_000, 1)
array = np.concatenate([array] * 10)
def work():
    while True: db.distances("cube21", array)
def again(): assert db.distances("cube2", ["R"]).tolist() == [1]
""",
    "random": """
def work():
    while True: db.cube3.random(2_000_000, 1)
def again(): assert len(db.cube3.random(3, 1)) == 3
""",
    "export": """
import pyarrow
def work():
    while True: pyarrow.table(db.export("cube2"))
def again(): assert pyarrow.table(db.export("cube2", levels=[0])).num_rows == 1
""",
    "verify": """
def work():
    while True: db.verify("cube21")
def again(): assert db.verify("cube2")["intact"]
""",
    "asyncio": """
import asyncio
def work(): asyncio.run(db.solve_async(FAR, method="optimal", table="phase1"))
def again(): assert str(asyncio.run(db.solve_async("R"))) == "R'"
""",
}

HARNESS = """
import sys, time, threading, signal, os, numpy as np, twistbase
FAR = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
db = twistbase.open(sys.argv[1], build="never")
{code}
print("ready", flush=True)
try:
    work()
except KeyboardInterrupt:
    print("interrupted", flush=True)
again()
print("again", flush=True)
"""


@pytest.mark.parametrize("given", ["indices", "arrays", "texts", "positions"])
def test_no_interrupt_is_lost_in_small_calls(db: twistbase.Database, given: str) -> None:
    """Also one that comes while it is read what was given."""
    array = db.cube2.random(5, 1)
    positions: Any = {
        "indices": np.arange(3, dtype=np.uint64),
        "arrays": array,
        "texts": db.cube2.texts(array),
        "positions": [db.cube2("R U F")] * 5,
    }[given]
    for number in range(40):
        interrupt = threading.Timer(0.003 + 0.0003 * number, os.kill, (os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            interrupt.start()
            deadline = time.monotonic() + 10
            while time.monotonic() < deadline:
                db.distances("cube2", positions)
        interrupt.join()


@pytest.mark.parametrize("name", INTERRUPTED)
def test_interrupted(store: Path, tmp_path: Path, name: str) -> None:
    command = [sys.executable, "-P", "-c", HARNESS.format(code=INTERRUPTED[name]), str(store), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.7)
            process.send_signal(signal.SIGINT)
            began = time.monotonic()
            out, err = process.communicate(timeout=PATIENCE)
            assert out == "interrupted\nagain\n", err
            # What it would have taken else is minutes or has no end.
            assert time.monotonic() - began < PATIENCE / 4
        finally:
            process.kill()


def test_a_build_that_was_interrupted_goes_on(store: Path, tmp_path: Path) -> None:
    code = """
import sys, twistbase, signal, os
db = twistbase.open(sys.argv[1], build="never")
def hear(stage, done, total, unit):
    if done: os.kill(os.getpid(), signal.SIGINT)
try: db.build("cube21", progress=hear)
except KeyboardInterrupt: print("interrupted")
"""
    done = python(code, str(tmp_path))
    assert done.stdout == "interrupted\n", done.stderr
    db = twistbase.open(tmp_path, build="never")
    assert [table["status"] for table in db.tables() if table["table"] == "cube21"] != ["complete"]
    db.build("cube2")
    assert db.cube2("R").distance == 1


def test_a_search_in_another_thread_does_not_take_the_signal(store: Path) -> None:
    """Ctrl-C is for the main thread; the other one ends with its own work."""
    code = """
import sys, threading, time, os, signal, twistbase
db = twistbase.open(sys.argv[1], build="never")
found = []
thread = threading.Thread(target=lambda: found.append(len(db.solve(db.cube3.random(seed=1), timeout=1.5))))
thread.start()
try:
    time.sleep(0.3); os.kill(os.getpid(), signal.SIGINT); time.sleep(30)
except KeyboardInterrupt:
    print("main")
thread.join()
print(len(found))
"""
    done = python(code, str(store))
    assert done.stdout == "main\n1\n", done.stderr
