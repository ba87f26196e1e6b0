"""A list as a file: exactly the rows and columns that the address lists, streamed in batches."""

import json
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from annotation.access import roles
from annotation.access.roles import Role
from common.tables.csv import csv_lines
from lib.faults import NotFound
from lib.files import parquet
from web.http.exports import exported
from web.staff.decorators import staff_actor
from web.staff.grid.columns import NUMBER, Column
from web.staff.grid.listing import BATCH, DOWNLOAD, FILES, Listing, M, R, columns_asked

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": parquet.CONTENT_TYPE,
}


def download(request: HttpRequest, listing: Listing[M, R]) -> HttpResponseBase:
    """The file that `?download=csv|jsonl|parquet` asks for.

    Raises:
        NotFound: there is no such format.
        ExtraMissing: Parquet is asked for, and pyarrow is not installed.
    """
    kind = request.GET.get(DOWNLOAD, "")
    if kind not in FILES:
        raise NotFound
    columns = columns_asked(request, listing.columns)
    rows = _rows(request, listing, columns)
    names = [column.key for column in columns]
    if kind == "csv":
        pieces = csv_lines(names, (map(_in_csv, row) for row in rows))
    elif kind == "jsonl":
        pieces = (_line(dict(zip(names, row, strict=True))) for row in rows)
    else:
        pieces = _parquet(columns, rows)
    return exported(
        request,
        pieces,
        what=listing.name,
        by=staff_actor(request),
        with_identity=listing.names_workers and roles.may_somewhere(request.user, Role.ADMIN),
        content_type=TYPES[kind],
        filename=f"{listing.name}.{kind}",
    )


def _rows(request: HttpRequest, listing: Listing[M, R], columns: list[Column[R]]) -> Iterator[list[object]]:
    for batch in listing.batches(request):
        for row in listing.made(batch):
            yield [column.value(row) for column in columns]


def _in_csv(value: object) -> object:
    if isinstance(value, datetime | date):
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def _line(row: dict[str, object]) -> bytes:
    return json.dumps(row, ensure_ascii=False, default=_plain).encode() + b"\n"


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime | date) else str(value)


def _parquet(columns: list[Column[R]], rows: Iterator[list[object]]) -> Iterator[bytes]:
    """The rows as Parquet. Numbers of number columns stay numbers, all else is text.

    Raises:
        ExtraMissing: pyarrow is not installed.
    """
    shape = [parquet.Column(one.key, "number" if one.kind == NUMBER else "text") for one in columns]
    lines = ({one.key: _cell(one, value) for one, value in zip(columns, row, strict=True)} for row in rows)
    return parquet.pieces(lines, shape, rows_a_group=BATCH)


def _cell(column: Column[R], value: object) -> object:
    if column.kind == NUMBER:
        return float(value) if isinstance(value, int | float | Decimal) else None
    return None if value is None else str(_in_csv(value))
