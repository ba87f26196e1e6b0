"""The files beside a report: itself as PDF, every figure as SVG, every table as CSV, Parquet and LaTeX, in one zip."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from common.tables.csv import csv_lines
from lib.extras import is_installed
from lib.files import parquet
from lib.files.latex import latex_table
from lib.files.parts import Part, zipped
from web.staff.figure_files import Figure, Value, svg_of

FORMAT = "crosswalk-suite-report"
NUMBER = 1
HTML = "report.html"
PDF = "report.pdf"
_ROWS_A_GROUP = 10_000
_WITHOUT_PARQUET = (
    "The tables are here as CSV and LaTeX alone: the server that made this report lacks the extra “parquet”.\n"
)


class ReportTable(NamedTuple):
    """One table of a report; figures have their own."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]


def files_of_report(
    page: bytes, figures: Mapping[str, Figure], tables: Mapping[str, ReportTable], *, inputs: dict[str, Any]
) -> Iterator[bytes]:
    """The zip file, in pieces; its `manifest.json` has the inputs and the SHA-256 of each file."""
    return zipped(_parts(page, figures, tables), about={"format": FORMAT, "number": NUMBER, "inputs": inputs})


def _parts(page: bytes, figures: Mapping[str, Figure], tables: Mapping[str, ReportTable]) -> list[Part]:
    # ReportLab takes long to import, and few requests need it.
    from lib.printing.pages import printed

    parts = [_part(HTML, page), _part(PDF, printed(page.decode()))]
    for name, figure in figures.items():
        parts.append(Part.of_text(f"figures/{name}.svg", svg_of(figure)))
        parts += _data(f"figures/{name}", figure.columns, figure.rows)
    for name, table in tables.items():
        parts += _data(f"tables/{name}", table.columns, table.rows)
        latex = latex_table(table.columns, table.rows, caption=table.caption, label=f"tab:{name}")
        parts.append(Part.of_text(f"tables/{name}.tex", latex))
    if not is_installed(parquet.EXTRA):
        parts.append(Part.of_text("README.txt", _WITHOUT_PARQUET))
    return parts


def _data(path: str, columns: Sequence[str], rows: Sequence[Sequence[Value]]) -> list[Part]:
    parts = [_part(f"{path}.csv", b"".join(csv_lines(columns, rows)))]
    if is_installed(parquet.EXTRA):
        kinds = [parquet.Column(name, _kind([row[at] for row in rows])) for at, name in enumerate(columns)]
        records = [dict(zip(columns, row, strict=True)) for row in rows]
        pieces = parquet.pieces(records, kinds, rows_a_group=_ROWS_A_GROUP)
        parts.append(_part(f"{path}.parquet", b"".join(pieces)))
    return parts


def _kind(values: Sequence[Value]) -> parquet.Kind:
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, int) for value in known):
        return "integer"
    return "number" if known and all(isinstance(value, int | float) for value in known) else "text"


def _part(path: str, content: bytes) -> Part:
    return Part(path, len(content), hashlib.sha256(content).hexdigest(), [content])
