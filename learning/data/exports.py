"""The items of a tranche as lines, for files."""

import json
from collections.abc import Iterator
from typing import Any

from learning.data.kinds import kind_of
from learning.data.tranches import collected
from learning.models import Tranche
from lib.files.parquet import Column
from lib.splits import Split

COLUMNS = {
    "nlu": (Column("item", "text"), Column("text", "text"), Column("form", "json"), Column("origin", "text")),
    "vision": (
        Column("item", "text"),
        Column("scene", "text"),
        Column("phrase", "text"),
        Column("voxels", "places"),
        Column("origin", "text"),
    ),
}
"""The columns of a Parquet file of a module's items."""


def item_rows(tranche: Tranche, split: Split) -> Iterator[dict[str, Any]]:
    """The items of one split, with their truths: kept ones, or of an open tranche that collects those of now."""
    kind = kind_of(tranche.module)
    if tranche.number > 0 and tranche.status == Tranche.Status.OPEN:
        for name, of, known in collected(tranche):
            if of == split:
                yield {"item": name, **kind.line(known.given, known.truth), "origin": str(known.origin)}
        return
    rows = tranche.items.of(split).usable().order_by("pk")
    for row in rows.iterator(chunk_size=1000):
        yield {"item": row.item, **kind.line(row.given or {}, row.truth), "origin": row.origin}


def item_lines(rows: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    """The rows as JSON Lines."""
    return (json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)
