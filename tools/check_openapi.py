#!/usr/bin/env python3
"""Validates what the server says of its API with an independent validator, and asks it once about every path.

    pip install openapi-spec-validator
    cargo build --release && tools/check_openapi.py [--binary target/release/twistbase]

Builds square1-corners in a temporary store, serves it on a free port, and fails with the first difference.
"""

import argparse
import json
import os
import subprocess
import tempfile
import urllib.parse
import urllib.request

from openapi_spec_validator import validate

TABLE = "square1-corners"
POSITION = "(1,0)/(3,3)/"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/twistbase")
    binary = os.path.abspath(parser.parse_args().binary)
    with tempfile.TemporaryDirectory() as folder:
        command = [binary, "--store", folder, "--quiet"]
        subprocess.run([*command, "build", TABLE], check=True)
        server = subprocess.Popen([*command, "serve", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        try:
            paths = check(server.stdout.readline().strip())
        finally:
            server.terminate()
        assert server.wait() == 0
    print(f"{paths} paths of a valid OpenAPI document were answered")


def check(root):
    document = json.load(urllib.request.urlopen(f"{root}/api/v1/openapi.json"))
    validate(document)
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            needed = {it["name"] for it in operation["parameters"] if it["in"] == "query" and it["required"]}
            assert needed <= {"position"}, (path, needed)
            query = urllib.parse.urlencode({"position": POSITION} if needed else {})
            body = f"{POSITION}\n".encode() if method == "post" else None
            request = urllib.request.Request(f"{root}{path.format(puzzle=TABLE)}?{query}", data=body, method=method.upper())
            with urllib.request.urlopen(request) as response:
                kind = response.headers.get_content_type()
                assert kind in operation["responses"]["200"]["content"], (path, kind)
                assert response.read(), path
    return len(document["paths"])


if __name__ == "__main__":
    main()
