"""The compressed size of the JavaScript that the page of a live session loads."""

import gzip
import json
from typing import Any

from bench.rows import Row
from tests.support.shared_data import ROOT

DIST = ROOT / "frontend" / "dist"
ENTRIES = ("src/page/site.ts", "src/tools/interaction/main.tsx")
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
    """The script of an entry, and the scripts that it imports at once."""
    chunk = manifest[name]
    own = {chunk["file"]} if chunk["file"].endswith(".js") else set()
    return own.union(*(_files(manifest, one) for one in chunk.get("imports", [])))
