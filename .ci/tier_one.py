"""The steps of .ci/run, in their order: what is quick and fails often comes first."""

import os
import pathlib
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from steps import MORE_TABLES, PAGE_TABLES, PROGRAM, TABLES, TEST, UNIT, Steps, made_folder, rust, turn  # noqa: E402

PARTS = 18
"""Parts of tools/check_all; one of them runs at the end."""
SCENARIOS = [
    *("cosets", "killed-tasks", "flipped-shard"),
    *("positions", "killed-node", "other-version"),
    *("verify", "killed-controller", "submitted-twice"),
    *("full-disk", "flipped-stage", "time-limit"),
]
"""Farms on Slurm: three in a row run."""
CHROMIUM = """
if ! command -v chromium >/dev/null; then
    root=$([ "$(id -u)" = 0 ] || echo sudo)
    $root apt-get update --quiet
    $root apt-get install --quiet --yes --no-install-recommends chromium
fi
"""


def fetch(made: Steps) -> str:
    """What is fetched from the network, while Rust compiles."""
    packages = shlex.join(made.python_packages())
    npm = "npm ci --no-audit --no-fund --prefix tests/page"
    return f"set -e\n{packages}\n{npm}\n{CHROMIUM}"


def check(made: Steps) -> None:
    made.begin("fetch", "bash", "-c", fetch(made))

    # Formatting, lints, documentation; then the README's test command, which begins with what its first one compiles.
    # With `--release` lints and the program share build scripts and macros.
    made.run("format", "cargo", "fmt", "--all", "--check")
    made.run("layout of schemas", "python3", "tools/format_schemas.py", "--check")
    made.run("lint", "cargo", "clippy", "--release", "--workspace", "--all-targets", "--all-features", "--locked", "--", "-D", "warnings")
    doc = ["cargo", "doc", "--release", "--workspace", "--exclude", "twistbase-python", "--exclude", "twistbase-embed", "--no-deps", "--all-features"]
    made.run("documentation", *doc, env={"RUSTDOCFLAGS": "-D warnings"})
    made.run("compile", *TEST, "--no-run", "--locked")
    made.run("quick tests", *TEST)
    made.mark("program")
    made.run("every test has its check", "tools/check_all", "--unlisted", "--made", made.made)

    # The page waits for its browser half of the time: it runs beside what follows.
    made.finish("fetch")
    made.mark("python")
    page = made.need_store("page-store", [*TABLES, *PAGE_TABLES])
    made.begin("page", "npm", "test", "--prefix", "tests/page", env={"TWISTBASE": str(PROGRAM), "TWISTBASE_STORE": str(page)})
    made.run("unit tests", *UNIT)
    made.run("examples in the documentation", "cargo", "test", "--release", "--doc")

    # Longer tests of what was just compiled; those of names with full_ belong to the second tier. Many take all cores for a part of
    # their time: two at a time. Those that damage files and kill processes wait for disks, too: three.
    made.run("long unit tests", *rust(skip=("::full_",), command=tuple(UNIT)))
    made.run("long tests", *rust(skip=("::full_", "faults::", "kills::")))
    made.finish("page")

    # The Python package is compiled and tested beside what waits for disks, other programs and Slurm.
    made.begin("wheel", *made.build_wheel())
    made.run("tests of faults", *rust("faults::", "kills::", skip=("::full_",), threads=3))
    made.run("Parquet", made.python, "tools/check_parquet.py", "--binary", PROGRAM)
    made.finish("wheel")
    made.install_wheel()
    store = made.need_store("python-store", [*TABLES, *MORE_TABLES])
    env = {"TWISTBASE": str(PROGRAM), "TWISTBASE_TEST_STORE": str(store)}
    pytest = [made.python, "-m", "pytest", "--quiet"]
    made.begin("Python tests", *pytest, "tools/python/tests", env=env)
    made.run("OpenAPI", made.python, "tools/check_openapi.py", "--binary", PROGRAM, "--seconds", 20)
    first = 3 * (turn() % (len(SCENARIOS) // 3))
    farm = ["python3", "tools/check_farm.py", "--install", "--binary", PROGRAM, "--tables", store]
    made.run("farms", *farm, *SCENARIOS[first : first + 3])

    # A part of the second tier, beside what is left of the tests in Python.
    part = os.environ.get("TWISTBASE_CHECK_PART") or f"{1 + turn() % PARTS}/{PARTS}"
    made.run(f"part {part} of tools/check_all", "tools/check_all", "--part", part, "--made", made.made, patience=2400)
    made.finish("Python tests")
    made.run("Python types", *pytest, "--long", "tools/python/tests/test_types.py", env=env)


def main() -> None:
    made = made_folder("twistbase-ci")
    with Steps(".ci/run", made) as steps:
        check(steps)
    # Nothing waits for it: the disk takes its time for as many gigabytes.
    subprocess.Popen(["rm", "-rf", made], start_new_session=True)


if __name__ == "__main__":
    main()
