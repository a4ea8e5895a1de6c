#!/usr/bin/env python3
"""Lets independent programs read what the server says of its API, and ask it what that allows, and what not.

    pip install openapi-spec-validator schemathesis
    cargo build --release && tools/check_openapi.py [--binary target/release/twistbase] [--seconds 60]

Builds small tables in a temporary store and serves it on a free port. openapi-spec-validator reads the document; schemathesis
makes requests of it for so many seconds and fails if an answer is not as the document says, if something is refused or accepted
for no reason that is in it, or if the server fails otherwise than by saying that a table is missing. At the end an optimal search
has to work as if nothing had been.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

from openapi_spec_validator import validate

TABLES = ["square1-corners", "cube2", "cube2-qtm", "phase1", "phase2"]
CONFIG = """
[checks]
# 503: a table is missing. 500 is in the document, too, and has no reason here.
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 503]
# Whether a text is a position of a puzzle, and which puzzle takes which parameter, is more than a schema says. 403: no build is allowed.
positive_data_acceptance.expected-statuses = ["2xx", "3xx", 400, 403, 413, 422, 503]
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/twistbase")
    parser.add_argument("--seconds", type=int, default=60)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        command = [os.path.abspath(arguments.binary), "--store", store, "--quiet"]
        for table in TABLES:
            subprocess.run([*command, "build", table], check=True, stdout=subprocess.DEVNULL)
        serve = [*command, "serve", "--no-build", "--listen", "127.0.0.1:0", "--search-time", "500ms"]
        server = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True)
        try:
            root = server.stdout.readline().strip()
            paths = read(root)
            ask(root, pathlib.Path(folder), arguments.seconds)
            assert b'"final":true' in fetch(root, "cube3/solve", position="R U F"), "a search after all that"
        finally:
            server.terminate()
        assert server.wait() == 0
    print(f"{paths} paths of a valid OpenAPI document were asked")


def fetch(root, path, **query):
    return urllib.request.urlopen(f"{root}/api/v1/{path}?{urllib.parse.urlencode(query)}").read()


def read(root):
    """Validates the document."""
    document = json.loads(fetch(root, "openapi.json"))
    validate(document)
    return len(document["paths"])


def ask(root, folder, seconds):
    """Makes requests of the document, some right and some wrong, the same ones in every run."""
    (folder / "schemathesis.toml").write_text(CONFIG)
    subprocess.run(
        [
            *[sys.executable, "-m", "schemathesis.cli", "--config-file", folder / "schemathesis.toml"],
            *["run", f"{root}/api/v1/openapi.json", "--phases", "examples,coverage,fuzzing", "--max-time", str(seconds)],
            *["--seed", "17", "--generation-database", "none", "--no-color", "--warnings", "off"],
        ],
        check=True,
        # For what it writes down.
        cwd=folder,
    )


if __name__ == "__main__":
    main()
