"""Tables as CSV (RFC 4180), line by line, for programs and for spreadsheets."""

import csv
import io
from collections.abc import Iterable, Iterator

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_lines(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[bytes]:
    """The header and the rows as lines of CSV.

    None becomes an empty cell. Text that a spreadsheet would run as a formula gets an apostrophe before it.

    >>> list(csv_lines(["text", "n"], [["=1+1", 0], ["dig", None]]))
    [b'text,n\\r\\n', b"'=1+1,0\\r\\n", b'dig,\\r\\n']
    """
    yield _line(columns)
    for row in rows:
        yield _line(_cell(value) for value in row)


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _line(cells: Iterable[object]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue().encode()
