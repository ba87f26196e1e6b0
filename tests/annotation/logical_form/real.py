"""The real annotated commands that lie beside the repository; tests of them skip where they are not there."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

FILE = Path(__file__).resolve().parents[4] / "shared" / "data" / "droidlet_lf_pairs.jsonl"
needs_real_pairs = pytest.mark.skipif(not FILE.exists(), reason="../shared/data/droidlet_lf_pairs.jsonl is not here")


class Pair(NamedTuple):
    """A command, its form as it was written, and whether its own time's schema took it."""

    text: str
    form: Any
    is_valid: bool


def real_pairs() -> list[Pair]:
    """All pairs of the file; none where it is not there."""
    if not FILE.exists():
        return []
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    return [Pair(row["text"], row["lf"], row["schema_ok"]) for row in rows if "lf" in row]
