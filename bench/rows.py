"""The result of a measurement, and the table of all results."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table.

    Attributes:
        part: The measured part of the application.
        case: The circumstances.
        median, p95: In `unit`; p95 is None if there are too few values.
        ratio: This median divided by that of the case `against`.
        queries: The number of database queries; None if not counted.
        budget: The limit that we want to keep. It is printed, never asserted.
    """

    part: str
    case: str
    median: float
    p95: float | None
    unit: str
    ratio: float
    against: str
    queries: int | None = None
    budget: str = ""


def seconds_of(act: Callable[[], object]) -> float:
    """The seconds that a call takes."""
    start = perf_counter()
    act()
    return perf_counter() - start


def compared(part: str, cases: Mapping[str, Sequence[float]], *, against: str) -> list[Row]:
    """Rows in milliseconds of cases that were measured in turns, in seconds; the ratio is to the case `against`."""
    base = statistics.median(cases[against])
    return [
        Row(
            part=part,
            case=case,
            median=statistics.median(seconds) * 1000,
            p95=statistics.quantiles(seconds, n=20)[-1] * 1000,
            unit="ms",
            ratio=statistics.median(seconds) / base,
            against=against,
        )
        for case, seconds in cases.items()
    ]


def table(rows: Sequence[tuple[str, Row]]) -> str:
    """The rows as text, each with its database."""
    lines = [("database", "what", "case", "median", "p95", "ratio", "to", "queries", "budget")]
    for database, row in rows:
        median, p95 = f"{row.median:,.2f} {row.unit}", "" if row.p95 is None else f"{row.p95:,.2f}"
        queries = "" if row.queries is None else str(row.queries)
        lines.append((database, row.part, row.case, median, p95, f"{row.ratio:.2f}", row.against, queries, row.budget))
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    ruled = [lines[0], tuple("-" * width for width in widths), *lines[1:]]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in ruled
    )
