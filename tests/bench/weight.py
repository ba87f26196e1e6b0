"""How much JavaScript the page of a live session loads, as it comes over the line."""

import gzip
import json
from pathlib import Path
from typing import Any

from tests.bench.rows import Row

DIST = Path(__file__).resolve().parent.parent.parent / "frontend" / "dist"
ENTRIES = ("src/site.ts", "src/interaction/main.tsx")
MOST_KB = 250


def run() -> list[Row]:
    path = DIST / "manifest.json"
    manifest = json.loads(path.read_text()) if path.exists() else {}
    if not manifest.keys() >= set(ENTRIES):
        case = "not built: make frontend/dist/manifest.json"
        return [Row("JavaScript of a live session", case, 0.0, None, "kB", 0.0, "")]
    files = sorted(file for file in set[str]().union(*(_files(manifest, entry) for entry in ENTRIES)))
    kilobytes = sum(len(gzip.compress((DIST / file).read_bytes())) for file in files) / 1000
    case = f"{len(files)} files, gzipped"
    return [
        Row(
            "JavaScript of a live session",
            case,
            kilobytes,
            None,
            "kB",
            kilobytes / MOST_KB,
            "budget",
            budget=f"{MOST_KB} kB",
        )
    ]


def _files(manifest: dict[str, Any], name: str) -> set[str]:
    """The script of an entry, and those that it imports at once."""
    chunk = manifest[name]
    own = {chunk["file"]} if chunk["file"].endswith(".js") else set()
    return own.union(*(_files(manifest, one) for one in chunk.get("imports", [])))
