"""Geometry of plots of intervals: places along an axis in percent, rows in pixels. Templates draw them.

Places along the axis are SVG percentages, so a plot fits any width while its text and strokes keep their size.
"""

from collections.abc import Sequence
from typing import NamedTuple

ROW = 28
"""Height of a row in px; the CSS of the labels beside a plot has the same number (`--plot-row`)."""
AXIS = 24
"""Height of the ticks' numbers below the rows in px."""


class Tick(NamedTuple):
    """A place on the axis with its text; `anchor` keeps the texts of the ends inside the plot."""

    x: str
    text: str
    anchor: str


class Measured(NamedTuple):
    """One measured value in [0, 1], with its interval and its standard error; None means not known yet."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    n: int | None = None
    href: str = ""


class Row(NamedTuple):
    """One row of an interval plot. A row without a value shows only its label.

    `title` says the values in words, `anchor` keeps these words inside the plot.
    """

    label: str
    href: str
    n: int | None
    value: float | None
    low: float | None
    high: float | None
    y: int
    x: str = ""
    x_low: str = ""
    x_high: str = ""
    width: str = ""
    x_error: str = ""
    error_width: str = ""
    anchor: str = "start"
    title: str = ""


class Line(NamedTuple):
    """A dashed line from top to bottom, to compare rows with."""

    x: str
    label: str
    value: float


class IntervalPlot(NamedTuple):
    """Rows from top to bottom on an axis from 0 to 100 %; heights in px."""

    rows: tuple[Row, ...]
    ticks: tuple[Tick, ...]
    rows_height: int
    height: int
    lines: tuple[Line, ...] = ()


def place(share: float) -> str:
    """A share of the axis as an SVG length, kept within the axis.

    >>> place(0.125), place(1.2)
    ('12.5%', '100%')
    """
    return f"{min(max(share, 0.0), 1.0) * 100:.4g}%"


def anchor_at(share: float) -> str:
    """The `text-anchor` of words above a mark at this share of the axis, so that they stay inside the plot.

    >>> anchor_at(0.1), anchor_at(0.5), anchor_at(0.9)
    ('start', 'middle', 'end')
    """
    return "start" if share < 0.3 else "end" if share > 0.7 else "middle"


def ticks_at(shares: Sequence[tuple[float, str]]) -> tuple[Tick, ...]:
    """Ticks whose texts stay inside the plot.

    >>> [tick.anchor for tick in ticks_at([(0, "0 %"), (0.5, "50 %"), (1, "100 %")])]
    ['start', 'middle', 'end']
    """
    return tuple(
        Tick(place(share), text, "start" if share <= 0.02 else "end" if share >= 0.98 else "middle")
        for share, text in shares
    )


def interval_plot(measured: Sequence[Measured], *, lines: Sequence[tuple[str, float]] = ()) -> IntervalPlot:
    """Rates with their intervals, one in each row, in the given order; the axis always begins at zero.

    Args:
        lines: Names and values that all rows are compared with.
    """
    rows = tuple(_row(one, number) for number, one in enumerate(measured))
    # Text only at every other line: a narrow plot has no space for more.
    quarters = [(0.0, "0 %"), (0.25, ""), (0.5, "50 %"), (0.75, ""), (1.0, "100 %")]
    return IntervalPlot(
        rows,
        ticks_at(quarters),
        ROW * len(rows),
        ROW * len(rows) + AXIS,
        tuple(Line(place(value), label, value) for label, value in lines),
    )


def _row(one: Measured, number: int) -> Row:
    row = Row(one.label, one.href, one.n, one.value, one.low, one.high, y=number * ROW + ROW // 2)
    if one.value is None:
        return row
    low, high = (one.value if end is None else end for end in (one.low, one.high))
    row = row._replace(
        x=place(one.value),
        x_low=place(low),
        x_high=place(high),
        width=place(high - low),
        anchor=anchor_at(one.value),
        title=_in_words(one, one.value),
    )
    if one.standard_error:
        left, right = max(one.value - one.standard_error, 0.0), min(one.value + one.standard_error, 1.0)
        row = row._replace(x_error=place(left), error_width=place(right - left))
    return row


def _in_words(one: Measured, value: float) -> str:
    """The row in words.

    >>> _in_words(Measured("alfa", 0.55, 0.42, 0.67, n=60), 0.55)
    'alfa: 55.0 % (42–67 %, n 60)'
    """
    interval = None if one.low is None or one.high is None else f"{one.low * 100:.0f}–{one.high * 100:.0f} %"
    basis = [part for part in (interval, None if one.n is None else f"n {one.n}") if part]
    return f"{one.label}: {value * 100:.1f} %" + (f" ({', '.join(basis)})" if basis else "")
