"""What a measurement says, and the table of all of them."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table.

    Attributes:
        part: What was measured.
        case: Under which circumstances.
        median, p95: In `unit`; p95 is None where there are too few to tell.
        ratio: Of this median to that of the case named in `against`.
        queries: How many the database was sent; None where they were not counted.
        budget: What we would not like to see exceeded. It is printed, never asserted.
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


def timed(act: Callable[[], object]) -> float:
    """How long it took, in seconds."""
    start = perf_counter()
    act()
    return perf_counter() - start


def compared(part: str, cases: Mapping[str, Sequence[float]], *, against: str) -> list[Row]:
    """Rows in milliseconds of cases that were measured by turns, in seconds; the ratio is to the case `against`."""
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
    """The rows as text, each with the database it was measured on."""
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
