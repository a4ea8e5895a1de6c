#!/usr/bin/env python3
"""Writes schema/json/*.json in one layout: what fits into a line stands in a line, so that a member and its description are one line.

    tools/format_schemas.py          rewrites the files
    tools/format_schemas.py --check  lists files in another layout; exit status 1 if there are any
"""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "schema" / "json"
WIDTH = 140


def layout(value: Any, indent: str = "", room: int = WIDTH) -> str:
    """JSON in a line of at most `room` characters, or with a line for each member. Lists of texts and numbers fill their lines."""
    if isinstance(value, dict) and value:
        line = "{ " + json.dumps(value, ensure_ascii=False)[1:-1] + " }"
        items = [(json.dumps(name, ensure_ascii=False) + ": ", item) for name, item in value.items()]
        brackets = "{}"
    elif isinstance(value, list) and value:
        line, items, brackets = json.dumps(value, ensure_ascii=False), [("", item) for item in value], "[]"
    else:
        return json.dumps(value, ensure_ascii=False)
    if len(line) <= room:
        return line
    deeper = indent + "  "
    if isinstance(value, list) and not any(isinstance(item, (dict, list)) for item in value):
        words = [layout(item) + "," for item in value]
        wrapped = [words[0]]
        for word in words[1:]:
            if len(deeper + wrapped[-1]) + 1 + len(word) <= WIDTH:
                wrapped[-1] += " " + word
            else:
                wrapped.append(word)
        return "[\n" + "\n".join(deeper + line for line in wrapped).removesuffix(",") + "\n" + indent + "]"
    lines = [deeper + name + layout(item, deeper, WIDTH - len(deeper + name) - 1) for name, item in items]
    return brackets[0] + "\n" + ",\n".join(lines) + "\n" + indent + brackets[1]


def main() -> int:
    is_check, wrong = sys.argv[1:] == ["--check"], []
    for path in sorted(FOLDER.glob("*.json")):
        text = path.read_text(encoding="utf-8")
        expected = layout(json.loads(text)) + "\n"
        if text != expected:
            wrong.append(path)
            if not is_check:
                path.write_text(expected, encoding="utf-8")
    if is_check:
        for path in wrong:
            print(f"{path.relative_to(FOLDER.parent.parent)} has another layout; run tools/format_schemas.py")
    return int(is_check and bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
