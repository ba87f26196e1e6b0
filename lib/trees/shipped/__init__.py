"""The trees of every new server, one JSON file for each slug."""

import json
from pathlib import Path
from typing import Any

DEFAULT = "default"
"""The tree of the paper: done? understood? the right object? what else?"""
PARSE_FIRST = "parse-first"
"""The same questions, but the worker sees the parse before the first question, so a wrong parse is noticed even where
the result looked right. A wrong parse is an `nlu_error` whatever the result was, because the parse must be corrected.
"""
RATE = "rate"
"""One question, for sessions that only measure how often a command is carried out."""
SHIPPED = (DEFAULT, PARSE_FIRST, RATE)

_HERE = Path(__file__).resolve().parent


def shipped_tree(slug: str) -> dict[str, Any]:
    """The content of one of `SHIPPED`."""
    found: dict[str, Any] = json.loads((_HERE / f"{slug}.json").read_text(encoding="utf-8"))
    return found
