"""The trees that every server begins with, each a JSON file under its slug."""

import json
from pathlib import Path
from typing import Any

DEFAULT = "default"
"""The paper's: done? understood? the right object? what else?"""
PARSE_FIRST = "parse-first"
"""The same questions, but what the assistant understood is shown before any is asked, so that no wrong parse is passed
over because the result looked right. A wrong parse is an `nlu_error` whatever came of it: the parse is what is mended.
"""
RATE = "rate"
"""One question, for sessions that only measure how often a command is carried out."""
SHIPPED = (DEFAULT, PARSE_FIRST, RATE)

_HERE = Path(__file__).resolve().parent


def shipped_tree(slug: str) -> dict[str, Any]:
    """The content of one of `SHIPPED`."""
    found: dict[str, Any] = json.loads((_HERE / f"{slug}.json").read_text(encoding="utf-8"))
    return found
