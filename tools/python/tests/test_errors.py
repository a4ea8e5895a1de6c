"""What can go wrong: one tree of exceptions, each with what a program needs to know."""

from __future__ import annotations

import copy
import gc
import logging
import os
import pickle
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import twistbase

CODES = {
    twistbase.UsageError: "usage",
    twistbase.InvalidPosition: "invalid",
    twistbase.TableError: "data",
    twistbase.MissingTable: "data",
    twistbase.Busy: "busy",
    twistbase.StorageError: "io",
    twistbase.BudgetSpent: "budget",
}


def raised(ask: Callable[[], object]) -> twistbase.Error:
    with pytest.raises(twistbase.Error) as caught:
        ask()
    return caught.value


def same_after_a_pickle(error: twistbase.Error) -> None:
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert again.__dict__ == error.__dict__


def test_the_tree() -> None:
    for kind, code in CODES.items():
        assert issubclass(kind, twistbase.Error)
        assert kind.code == code
        assert kind.__module__ == "twistbase"
        assert kind.__doc__
    assert issubclass(twistbase.UsageError, ValueError)
    assert issubclass(twistbase.InvalidPosition, ValueError)
    assert issubclass(twistbase.StorageError, OSError)
    assert issubclass(twistbase.MissingTable, twistbase.TableError)
    assert not issubclass(twistbase.TableError, ValueError)


def test_no_position(db: twistbase.Database) -> None:
    facelets = "UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBR"
    error = raised(lambda: db.cube3(facelets))
    assert isinstance(error, twistbase.InvalidPosition)
    assert (error.code, error.input, error.element) == ("invalid", facelets, None)
    assert "cube" in error.expected
    assert len(error.problems) == 4
    for problem in error.problems:
        assert set(problem) == {"code", "message", "at"}
        assert problem["message"] in str(error)
    at = error.problems[2]["at"]
    assert at is not None
    assert 0 <= at["start"] < at["end"] <= 54
    same_after_a_pickle(error)


@pytest.mark.parametrize(
    ("puzzle", "text"),
    [
        ("cube3", "R U X"),
        ("cube3", "U" * 54),
        ("cube3", "facelets:"),
        ("cube3", "(1,0)/(3,3)/"),
        ("cube2", "UUUUR RRR FFFF DDDD LLLL BBB"),
        ("cube2", "R U Q"),
        ("square1", "01234567-89ABCDEE"),
        ("square1", "(1,0)/(1,0)/"),
        ("cube21", "nonsense"),
        ("square1-corners", "(99,0)"),
        ("cube3", "R" * 100_000),
        ("cube3", "R\0U"),
        ("cube3", "Ⓡ Ⓤ"),
        ("cube2", "index:99999999"),
    ],
)
def test_what_is_no_position(db: twistbase.Database, puzzle: str, text: str) -> None:
    error = raised(lambda: db.puzzle(puzzle)(text))
    assert isinstance(error, twistbase.InvalidPosition)
    assert error.problems
    assert error.input in (text, text[: len(error.input)])
    for problem in error.problems:
        at = problem["at"]
        assert at is None or 0 <= at["start"] <= at["end"] <= len(text.encode())
    same_after_a_pickle(error)


def test_places_are_bytes(db: twistbase.Database) -> None:
    text = "R U Ⓡ X"
    error = raised(lambda: db.cube3(text))
    assert isinstance(error, twistbase.InvalidPosition)
    at = error.problems[-1]["at"]
    assert at is not None
    assert text.encode()[at["start"] : at["end"]].decode()


@pytest.mark.parametrize("text", ["\ud800", "R\udcff"])
def test_texts_that_are_none(db: twistbase.Database, text: str) -> None:
    with pytest.raises((twistbase.Error, UnicodeError)):
        db.cube3(text)


def missing(db: twistbase.Database) -> dict[str, tuple[Callable[[], object], str]]:
    return {
        "distance": (lambda: db.cube2("R").distance, "cube2"),
        "qtm": (lambda: db.cube2("R", metric="qtm").distance, "cube2-qtm"),
        "best": (lambda: db.square1("(1,0)/").solution(), "square1"),
        "count": (lambda: db.cube21("(1,0)/").count, "cube21"),
        "moves": (lambda: db.square1_corners("(1,0)/").moves(), "square1-corners"),
        "solutions": (lambda: list(db.cube2("R").solutions()), "cube2"),
        "answer": (lambda: db.cube2("R").answer(), "cube2"),
        "distances": (lambda: db.distances("square1", ["(1,0)/"]), "square1"),
        "bounds": (lambda: db.bounds("phase1", ["R"]), "phase1"),
        "indices": (lambda: db.indices("cube21", ["(1,0)/"]), "cube21"),
        "positions": (lambda: db.positions("cube2", [1, 2]), "cube2"),
        "sample": (lambda: db.sample("cube2", 1, 1), "cube2"),
        "stats": (lambda: db.stats("phase2"), "phase2"),
        "stream": (lambda: db.export("cube2").__arrow_c_stream__(), "cube2"),
        "write": (lambda: db.write("cube2", Path(db.path) / "out.csv", format="csv"), "cube2"),
        "verify": (lambda: db.verify("cube2"), "cube2"),
        "two-phase": (lambda: db.solve("R"), "phase1"),
        "table": (lambda: db.solve("R", method="optimal", table="huge"), "huge"),
        "batch": (lambda: list(db.solve_many(["R"])), "phase1"),
        "look up": (lambda: db.solve("R", puzzle="cube2"), "cube2"),
    }


@pytest.mark.parametrize("ask", missing(twistbase.open("/nowhere", build="never")))
def test_missing_tables_name_the_call_that_builds_them(empty: twistbase.Database, ask: str) -> None:
    call, table = missing(empty)[ask]
    error = raised(call)
    assert isinstance(error, twistbase.MissingTable)
    assert (error.code, error.fault, error.table) == ("data", "missing", table)
    calls = f"db.build('{table}')"
    assert error.remedy in (calls, f"{calls}; db.build('phase2')")
    assert (error.remedy != calls) == (ask in ("two-phase", "batch")), "the solver needs two tables"
    assert error.detail
    assert error.file is None or error.file.startswith(empty.path)
    assert table in str(error)
    assert not Path(empty.path).exists() or not any(Path(empty.path).glob("*.redb")), "nothing was built"
    same_after_a_pickle(error)


def test_an_optimal_search_names_the_table_that_fits_best(empty: twistbase.Database) -> None:
    error = raised(lambda: empty.solve("R", method="optimal"))
    assert isinstance(error, twistbase.MissingTable)
    assert error.table in {table["table"] for table in empty.tables() if table["metric"] == "htm"}
    assert error.remedy == f"db.build('{error.table}')"


def test_the_remedy_mends_it(empty: twistbase.Database) -> None:
    position = empty.cube2("R U F")
    error = raised(lambda: position.distance)
    assert isinstance(error, twistbase.MissingTable)
    eval(error.remedy, {"db": empty})
    assert position.distance == 3


def test_small_tables_are_built_on_first_use(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "twistbase")
    db = twistbase.open(tmp_path, build="auto")
    assert db.cube2("R U F").distance == 3
    assert [table["table"] for table in db.tables() if table["status"] == "complete"] == ["cube2"]
    assert db.distances("square1-corners", ["(1,0)/"]).tolist() == [1]
    # What nobody listens to is logged.
    assert [(record.name, record.levelname) for record in caplog.records] == [("twistbase", "INFO")] * len(caplog.records)
    assert [text for text in caplog.messages if text.startswith("Building ")] == [
        f"Building {table} (needed to answer this) ..." for table in ("cube2", "square1-corners")
    ]
    with pytest.raises(twistbase.MissingTable):
        twistbase.open(tmp_path, build="never").cube2("R", metric="qtm").distance  # noqa: B018
    # One of 2.7 GB is not small.
    with pytest.raises(twistbase.MissingTable, match="nx-eo3-ep1-htm"):
        db.solve("R", method="optimal", table="nx-eo3-ep1-htm")


def test_a_table_to_a_depth(tmp_path: Path) -> None:
    db = twistbase.open(tmp_path, build="never")
    report = db.build("cube2", depth=5)
    assert report["depth"] == 5
    assert db.cube2("R U F").distance == 3
    far = db.cube2("R U F R2 U' F2 R U2 F")  # 7 moves are enough
    for ask in (lambda: far.distance, lambda: db.distances("cube2", ["R", far]), lambda: far.solution()):
        error = raised(ask)
        assert isinstance(error, twistbase.TableError)
        assert not isinstance(error, twistbase.MissingTable)
        assert (error.fault, error.table) == ("bounded", "cube2")
        assert error.remedy == "db.build('cube2')"
    assert raised(lambda: db.distances("cube2", ["R", far])).element == 1
    assert db.build("cube2")["extended_from"] == 5
    assert far.distance == 7


def test_a_removed_table(tmp_path: Path) -> None:
    db = twistbase.open(tmp_path, build="never")
    db.build("cube2")
    assert db.cube2("R U F").distance == 3
    assert db.remove("cube2", unfinished=True) == {"table": "cube2", "removed": False, "bytes": 0}
    removed = db.remove("cube2")
    assert removed["removed"] and removed["bytes"] > 0 and not (tmp_path / "cube2.redb").exists()
    assert isinstance(raised(lambda: db.cube2("R U").distance), twistbase.MissingTable)
    assert not db.remove("cube2")["removed"]


@pytest.mark.parametrize("where", ["at the beginning of every page", "somewhere in pages of the second part"])
def test_a_damaged_table(tmp_path: Path, capfd: pytest.CaptureFixture[str], where: str) -> None:
    db = twistbase.open(tmp_path, build="never")
    db.build("cube2")
    file = tmp_path / "cube2.redb"
    data = bytearray(file.read_bytes())
    for at in range(4096 if "beginning" in where else len(data) // 4, len(data), 4096):
        data[at] ^= 0xFF
    file.write_bytes(data)
    error = raised(lambda: twistbase.open(tmp_path, build="never").distances("cube2", range(0, 3_674_160, 1000)))
    assert isinstance(error, twistbase.TableError)
    assert error.fault in ("damaged", "foreign", "stale")
    assert error.file == str(file)
    assert error.remedy
    same_after_a_pickle(error)
    assert capfd.readouterr().err == "", "what became an error was not printed as a panic, too"


def test_a_table_that_is_in_use(tmp_path: Path) -> None:
    """The lock that a build holds, held by this process."""
    import fcntl

    db = twistbase.open(tmp_path, build="never")
    tmp_path.joinpath("cube2.lock").touch()
    with tmp_path.joinpath("cube2.lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        error = raised(lambda: db.build("cube2"))
    assert isinstance(error, twistbase.Busy)
    assert "cube2" in str(error)
    same_after_a_pickle(error)
    assert db.build("cube2")["outcome"] == "built"


def test_what_the_system_refuses(tmp_path: Path) -> None:
    tmp_path.joinpath("file").write_text("no folder")
    db = twistbase.open(tmp_path / "file" / "store", build="never")
    error = raised(lambda: db.build("cube2"))
    assert isinstance(error, twistbase.StorageError)
    assert isinstance(error, OSError)
    assert error.code == "io"
    same_after_a_pickle(error)


def test_too_little_memory(empty: twistbase.Database) -> None:
    error = raised(lambda: empty.build("square1", memory=1000))
    assert isinstance(error, twistbase.BudgetSpent)
    assert (error.best, error.bound) == (None, None)
    same_after_a_pickle(error)


def test_a_valid_cube_outside_the_table_that_is_to_list_its_solutions(empty: twistbase.Database) -> None:
    error = raised(lambda: empty.cube3("R U F", table="phase2-exact").solutions())
    assert isinstance(error, twistbase.InvalidPosition)
    assert str(error).startswith("valid, but not a position in H")
    assert "the method optimal" in str(error)


def test_a_set_of_tables_is_built_like_a_table(empty: twistbase.Database) -> None:
    assert isinstance(raised(lambda: empty.build("cube3", memory=1000)), twistbase.BudgetSpent)
    assert isinstance(raised(lambda: empty.build("cube3", depth=3)), twistbase.UsageError)


USAGE: dict[str, Callable[[twistbase.Database], object]] = {
    "table": lambda db: db.distances("cube4", ["R"]),
    "table to build": lambda db: db.build("cube4"),
    "table to export": lambda db: db.export("cube4"),
    "puzzle": lambda db: db.puzzle("cube4"),
    "policy": lambda db: twistbase.open("/nowhere", build="all"),  # type: ignore[arg-type]
    "cache": lambda db: twistbase.open("/nowhere", cache="always"),  # type: ignore[arg-type]
    "rows of an explanation": lambda db: db.stats("cube2", rows=True, explain=True),  # type: ignore[call-overload]
    "seed of no sample": lambda db: db.export("cube2", seed=5),
    "file of no format": lambda db: db.write("cube2", "/nowhere/far"),
    "shapes of a cube": lambda db: db.cube2("R").solutions(shapes=True),
    "depth of a table of two bits": lambda db: db.build("nx-eo1-ep1-htm", depth=3),
    "negative depth": lambda db: db.build("cube2", depth=-1),
    "negative target": lambda db: db.solve("R", target=-1),
    "negative count": lambda db: db.cube2.random(-1),
    "negative seed": lambda db: db.cube2.random(1, seed=-1),
    "count of scrambles": lambda db: db.square1.scrambles(-1),
    "limit of solutions": lambda db: db.cube2("R").solutions(limit=-1),
    "pixels": lambda db: db.cube2("R").png(pixels=-1),
    "nodes of a distance": lambda db: db.cube3("R").exact(max_nodes=-1),
    "endless time": lambda db: db.solve("R", timeout=10**400),
    "coset": lambda db: db.plan_cosets("/nowhere/farm", [-1]),
    "cosets": lambda db: db.plan_cosets("/nowhere/farm", (-1, 5)),
    "level that no number is": lambda db: db.export("cube2", levels=[300]),
    "column": lambda db: db.export("cube2", columns=["colour"]),  # type: ignore[list-item]
    "errors": lambda db: db.solve_many([], errors="ignore"),  # type: ignore[call-overload]
    "time": lambda db: db.solve("R", timeout=-1),
    "metric of the two-phase solver": lambda db: db.solve("R", method="two-phase", metric="wca"),
    "method of all solutions": lambda db: db.solve_all("R", method="two-phase"),
    "another method of all solutions": lambda db: db.solve_all("R2", method="phase2"),
    "limit of no solutions": lambda db: db.solve_all("R", limit=0),
    "goal of another puzzle": lambda db: db.solve("R", goal=db.cube2("R")),
    "time of what is looked up": lambda db: db.solve("R", puzzle="cube2", timeout=1),
    "random positions of H": lambda db: db.cube2.random(in_h=True),
    "length": lambda db: db.solve_all("R", max_depth=99),
    "scrambles of a puzzle without competitions": lambda db: db.cube21.scrambles(),
    "no folder": lambda db: twistbase.open(""),
    "no folder of a farm": lambda db: twistbase.Farm(""),
}


@pytest.mark.parametrize("ask", USAGE.values(), ids=USAGE.keys())
def test_requests_that_make_no_sense(db: twistbase.Database, ask: Callable[[twistbase.Database], Any]) -> None:
    error = raised(lambda: ask(db))
    assert isinstance(error, twistbase.UsageError)
    assert error.code == "usage"
    for option in ("--", "in-h", "max-depth", "time cannot", "map cannot", "scramble cannot"):
        assert option not in str(error), "an option of the program, not of the call"
    same_after_a_pickle(error)


def test_a_file_that_is_there(db: twistbase.Database, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    db.write("cube2", path, format="csv", levels=[0])
    error = raised(lambda: db.write("cube2", path, format="csv", levels=[0]))
    assert "force=True replaces it" in str(error)


def test_options_that_there_are_not(db: twistbase.Database, tmp_path: Path) -> None:
    def hear(*_: object) -> None:
        pass

    for ask in (
        lambda: db.solve("R", limit=1),  # type: ignore[call-arg]
        lambda: db.solve("R", extra=1),  # type: ignore[call-arg]
        lambda: db.solve_many(["R"], limit=1),  # type: ignore[call-overload]
        lambda: db.solve_many(["R"], extra=1),  # type: ignore[call-overload]
        lambda: db.solve_many(["R"], on_improved=hear),  # type: ignore[call-overload]
        lambda: db.solve_many(["R"], on_depth=hear),  # type: ignore[call-overload]
        lambda: db.plan_solve(tmp_path / "farm", ["R"], table="phase1", on_improved=hear),  # type: ignore[call-arg]
        lambda: db.build("cube2", progress=1),  # type: ignore[arg-type]
        lambda: db.solve("R", colour=1),  # type: ignore[call-arg]
        lambda: db.export("cube2", colour=1),  # type: ignore[call-arg]
        lambda: db.solve_many(["R"], colour=1),  # type: ignore[call-overload]
        lambda: db.build("cube2", colour=1),  # type: ignore[call-arg]
    ):
        with pytest.raises(TypeError):
            ask()


def test_databases(store: Path) -> None:
    db = twistbase.open(store, build="never")
    assert db.path == str(store)
    assert (db.build_policy, db.cache) == ("never", "on-demand")
    again = pickle.loads(pickle.dumps(db))
    assert (again.path, again.build_policy) == (db.path, "never")
    assert again.cube2("R").distance == 1
    assert str(store) in repr(db)
    assert twistbase.open(str(store)).build_policy == "auto"
    assert twistbase.open(str(store), build="small").build_policy == "auto", "another spelling"
    assert twistbase.Database(str(store)).build_policy == "auto"


def test_the_use_of_the_cache(tmp_path: Path) -> None:
    """What is asked for often is copied into the cache where that is allowed."""
    cached = tmp_path / "cache" / "square1-corners"
    twistbase.open(tmp_path).build("square1-corners")
    positions = twistbase.open(tmp_path).square1_corners.random(20_000, seed=1)
    told = []
    for cache in ("off", "read-only", "on-demand", "read-only", "off"):
        db = twistbase.open(tmp_path, build="never", cache=cache)  # type: ignore[arg-type]
        assert db.cache == cache
        files = sorted(cached.glob("*")) if cached.exists() else []
        for opened in (db, pickle.loads(pickle.dumps(db))):
            assert opened.cache == cache
            told.append(opened.distances("square1-corners", positions).tolist())
            position = pickle.loads(pickle.dumps(opened.square1_corners("(1,0)/(3,3)/")))
            told.append([position.distance, *(answer["distance"] for answer in position.moves())])
            assert opened.write("square1-corners", tmp_path / "out.csv", columns=["solution"], sample=500, force=True)
        now = sorted(cached.glob("*")) if cached.exists() else []
        assert (len(now) > 0) == (bool(files) or cache == "on-demand")
        assert cache == "on-demand" or now == files
        assert told[-4:] == told[:2] * 2


def test_the_default_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TWISTBASE_STORE", str(tmp_path / "named"))
    assert twistbase.open().path == str(tmp_path / "named")
    monkeypatch.setenv("TWISTBASE_STORE", "")
    with pytest.raises(twistbase.UsageError, match="TWISTBASE_STORE is empty; give a folder"):
        twistbase.open()
    monkeypatch.delenv("TWISTBASE_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert twistbase.open().path.startswith(str(tmp_path))
    assert not list(tmp_path.iterdir()), "to open a folder makes nothing"


def test_what_is_built_is_said_by_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for value, policy in (("never", "never"), ("auto", "auto")):
        monkeypatch.setenv("TWISTBASE_BUILD", value)
        assert twistbase.open(tmp_path).build_policy == policy
        for build in ("auto", "small"):
            assert twistbase.open(tmp_path, build=build).build_policy == "auto"  # type: ignore[arg-type]
    monkeypatch.setenv("TWISTBASE_BUILD", "never")
    with pytest.raises(twistbase.MissingTable):
        twistbase.open(tmp_path).cube2("R").distance  # noqa: B018
    for value, said in (("sometimes", "sometimes"), ("", "empty")):
        monkeypatch.setenv("TWISTBASE_BUILD", value)
        with pytest.raises(twistbase.UsageError, match=f"TWISTBASE_BUILD is {said}; set it to auto or never"):
            twistbase.open(tmp_path)


def test_a_folder_that_is_no_text(tmp_path: Path) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    try:
        os.mkdir(folder)
    except OSError:
        pytest.skip("this file system takes texts alone")
    db = twistbase.open(folder, build="never")
    assert db.path == folder
    db.build("square1-corners")
    for again in (pickle.loads(pickle.dumps(db)).square1_corners, pickle.loads(pickle.dumps(db.square1_corners))):
        assert again("(1,0)/").distance == 1
    assert pickle.loads(pickle.dumps(db.square1_corners("(1,0)/"))).distance == 1
    farm = db.plan_verify(folder + "/farm", "square1-corners")
    assert farm.path == folder + "/farm"
    assert pickle.loads(pickle.dumps(farm)).plan == farm.plan


def test_closed(store: Path) -> None:
    def opened() -> list[str]:
        folder = Path("/proc/self/fd")
        if not folder.exists():
            pytest.skip("this system does not tell the files of a process")
        links = []
        for file in folder.iterdir():
            try:
                links.append(os.readlink(file))
            except OSError:
                continue
        return [link for link in links if link == os.path.realpath(store / "cube2.redb")]

    gc.collect()
    before = len(opened())
    with twistbase.open(store, build="never") as db:
        position = db.cube2("R U F")
        assert position.distance == 3
        assert db.distances("cube2", ["R"]).tolist() == [1]
        assert len(opened()) > before
    assert len(opened()) == before
    # What was taken from it goes on.
    assert position.distance == 3
    assert db.distances("cube2", ["R"]).tolist() == [1]
    db.close()
    db.close()
    assert len(opened()) == before


def test_weak_references(db: twistbase.Database, store: Path) -> None:
    position = db.cube2("R U F")
    things: list[Any] = [
        twistbase.open(store), db.cube2, position, position.solution(), position.solutions(), db.solve_many([]), db.export("cube2")
    ]
    kept = [weakref.ref(thing) for thing in things]
    assert [reference() for reference in kept] == things
    del things, position
    gc.collect()
    assert [reference() for reference in kept] == [None] * len(kept)


def test_a_folder_is_where_it_was_when_it_was_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for folder in ("here", "elsewhere"):
        tmp_path.joinpath(folder).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    db = twistbase.open("store")
    pickled = pickle.dumps((db, db.cube2("R U")))
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert db.cube2("R").distance == 1
    again, position = pickle.loads(pickled)
    assert again.cube2("R").distance == 1
    assert position.distance == 2
    assert not list(tmp_path.joinpath("elsewhere").iterdir())
    assert tmp_path.joinpath("here", "store", "cube2.redb").exists()
