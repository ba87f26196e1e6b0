"""Parquet files, written piece by piece: only one group of rows is in memory at once.

pyarrow does the writing. It is large and few need it, so it is an extra: `CROSSWALK_EXTRAS=parquet`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, Literal, NamedTuple

from lib.extras import check_installed

EXTRA = "parquet"
CONTENT_TYPE = "application/vnd.apache.parquet"
Kind = Literal["text", "texts", "boolean", "integer", "number", "moment", "places", "json"]


class Column(NamedTuple):
    """A column and the kind of its values, any of which may be null.

    `moment` is a time in UTC, `places` a list of lists of integers, and `json` any JSON, as text.
    """

    name: str
    kind: Kind


def pieces(rows: Iterable[Mapping[str, Any]], columns: Sequence[Column], *, rows_a_group: int) -> Iterator[bytes]:
    """A Parquet file of these columns, in pieces; each piece but the last is a group of rows.

    Args:
        rows: Fields that are no column are left out, missing ones are null. Moments may be ISO 8601 text.

    Raises:
        ExtraMissing: pyarrow is not installed. It is raised before the first row is read.
    """
    check_installed(EXTRA)
    return _pieces(rows, columns, rows_a_group)


def _pieces(rows: Iterable[Mapping[str, Any]], columns: Sequence[Column], rows_a_group: int) -> Iterator[bytes]:
    # Loaded here: the server works without it, and no process pays for it before the first file.
    import pyarrow
    import pyarrow.parquet

    schema = pyarrow.schema([_field(pyarrow, column) for column in columns])
    written = _Written()
    waiting = iter(rows)
    with pyarrow.parquet.ParquetWriter(pyarrow.PythonFile(written, mode="w"), schema, compression="zstd") as writer:
        while group := [_values(row, columns) for row in islice(waiting, rows_a_group)]:
            writer.write_table(pyarrow.Table.from_pylist(group, schema=schema))
            yield written.taken()
    yield written.taken()


class _Written:
    """A file that forgets what was taken of it. pyarrow writes it from front to back."""

    closed = False

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._place = 0

    def write(self, part: Any) -> int:
        content = bytes(part)
        self._parts.append(content)
        self._place += len(content)
        return len(content)

    def taken(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)

    def tell(self) -> int:
        return self._place

    def flush(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True


def _field(pyarrow: Any, column: Column) -> Any:
    types = {
        "text": pyarrow.string(),
        "texts": pyarrow.list_(pyarrow.string()),
        "boolean": pyarrow.bool_(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "moment": pyarrow.timestamp("us", tz="UTC"),
        "places": pyarrow.list_(pyarrow.list_(pyarrow.int32())),
        "json": pyarrow.string(),
    }
    return pyarrow.field(column.name, types[column.kind], metadata={"kind": column.kind})


def _values(row: Mapping[str, Any], columns: Sequence[Column]) -> dict[str, Any]:
    return {name: _value(row.get(name), kind) for name, kind in columns}


def _value(value: Any, kind: Kind) -> Any:
    if value is None:
        return None
    if kind == "json":
        return json.dumps(value, ensure_ascii=False)
    return datetime.fromisoformat(value) if kind == "moment" and isinstance(value, str) else value
