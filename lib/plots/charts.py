"""Geometry of plots with two axes: bars, rows, lines, heat maps. Templates draw them.

Horizontal places are percentages, so a plot fits any width; vertical places are pixels. Rates in rows:
`lib/plots/intervals.py`.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from lib.plots.intervals import AXIS, Tick, place, ticks_at

HEIGHT = 120
"""Height of the plot area, in px."""
HEAD = 16
"""Space above the plot area, in px, for text at its upper edge."""
MARKS = 10
"""Additional space above bars, in px, for the text of marks."""
CELL = 34
"""Side of a cell of a heat plot, in px."""
STRIPE = 46
"""Height of a row with its text above its bar, in px."""
SHADES = 5
"""Number of shades of a heat plot."""
_WORDS_AT_MOST = 6


class Level(NamedTuple):
    """A horizontal line at one value, with its text."""

    y: float
    text: str


class Bar(NamedTuple):
    """One bar: a count over a part of the axis."""

    x: str
    width: str
    y: float
    height: float
    title: str


class BarPlot(NamedTuple):
    """Bars side by side; `marks` are places of interest on the axis."""

    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]
    levels: tuple[Level, ...]
    marks: tuple[Tick, ...]
    floor: int
    height: int


class Point(NamedTuple):
    """A value at a place in [0, 1] along the axis, with its interval if it has one."""

    at: float
    value: float
    low: float | None = None
    high: float | None = None


class Spot(NamedTuple):
    """The place where a point is drawn."""

    x: str
    y: float
    y_low: float | None
    y_high: float | None


class Segment(NamedTuple):
    """The piece of a line between two spots."""

    x1: str
    y1: float
    x2: str
    y2: float


class LinePlot(NamedTuple):
    """One line through points, with the intervals as whiskers."""

    spots: tuple[Spot, ...]
    segments: tuple[Segment, ...]
    ticks: tuple[Tick, ...]
    levels: tuple[Level, ...]
    floor: int
    height: int


class Stripe(NamedTuple):
    """One horizontal bar below its text; `mark` is a second place on the axis, "" without one."""

    label: str
    text: str
    y: int
    width: str
    mark: str


class RowPlot(NamedTuple):
    """Horizontal bars below each other; each length is the share of the greatest count."""

    stripes: tuple[Stripe, ...]
    height: int


class Cell(NamedTuple):
    """One cell of a heat plot; `shade` 0 is the palest. A pair without a value has no cell."""

    x: int
    y: int
    shade: int
    text: str
    title: str
    is_dark: bool


class HeatPlot(NamedTuple):
    """Values of pairs as cells of a square; rows have names and numbers, columns have the numbers."""

    cells: tuple[Cell, ...]
    names: tuple[tuple[int, str], ...]
    columns: tuple[tuple[int, str], ...]
    size: int


def bar_plot(
    counts: Sequence[tuple[str, float]],
    *,
    edges: Sequence[tuple[float, str]] = (),
    marks: Sequence[tuple[float, str]] = (),
) -> BarPlot:
    """Bars of counts over equal parts of an axis, from left to right.

    Args:
        counts: Name and height (>= 0) of each bar.
        edges: Texts below the axis, each with its place in [0, 1]; without them the names of the bars.
        marks: Texts of marks, each with its place in [0, 1].

    >>> [bar.height for bar in bar_plot([("a", 1), ("b", 2)]).bars]
    [60.0, 120.0]
    """
    most = max((count for _, count in counts), default=0)
    head = HEAD + MARKS if marks else HEAD
    stretch = 1 / len(counts) if counts else 1.0
    bars = []
    for number, (name, count) in enumerate(counts):
        height = HEIGHT * count / most if most else 0.0
        gap = stretch * 0.06
        bars.append(
            Bar(
                place(number * stretch + gap),
                place(stretch - 2 * gap),
                head + HEIGHT - height,
                height,
                f"{name}: {count:,.10g}",
            )
        )
    words = edges or _thinned([((number + 0.5) * stretch, name) for number, (name, _) in enumerate(counts)])
    return BarPlot(
        bars=tuple(bars),
        ticks=ticks_at(words),
        levels=(Level(head, f"{most:,.10g}"),) if most else (),
        marks=ticks_at(marks),
        floor=head + HEIGHT,
        height=head + HEIGHT + AXIS,
    )


def row_plot(counts: Sequence[tuple[str, float, str]], *, marks: Sequence[float] = ()) -> RowPlot:
    """Horizontal bars of counts, in the given order.

    Args:
        counts: Name, count (>= 0) and text of the count of each row.
        marks: A place in [0, 1] to mark in each row.

    >>> [stripe.width for stripe in row_plot([("a", 4, "4"), ("b", 1, "1")]).stripes]
    ['100%', '25%']
    """
    most = max((count for _, count, _ in counts), default=0)
    stripes = tuple(
        Stripe(
            label,
            text,
            number * STRIPE,
            place(count / most if most else 0.0),
            place(marks[number]) if number < len(marks) else "",
        )
        for number, (label, count, text) in enumerate(counts)
    )
    return RowPlot(stripes, STRIPE * len(stripes))


def line_plot(
    points: Sequence[Point],
    *,
    bounds: tuple[float, float],
    edges: Sequence[tuple[float, str]] = (),
    levels: Sequence[tuple[float, str]] = (),
) -> LinePlot:
    """A line of values along an axis.

    Args:
        bounds: The values at the bottom and at the top of the plot.
        edges: Texts below the axis, each with its place in [0, 1].
        levels: Values for horizontal lines, with their texts.

    >>> plot = line_plot([Point(0, 0.0), Point(1, 1.0)], bounds=(0, 1))
    >>> [(spot.x, spot.y) for spot in plot.spots]
    [('0%', 136.0), ('100%', 16.0)]
    """
    bottom, top = bounds

    def down(value: float) -> float:
        share = (value - bottom) / (top - bottom) if top > bottom else 0.0
        return HEAD + HEIGHT * (1 - min(max(share, 0.0), 1.0))

    spots = tuple(
        Spot(
            place(point.at),
            down(point.value),
            None if point.low is None else down(point.low),
            None if point.high is None else down(point.high),
        )
        for point in points
    )
    return LinePlot(
        spots=spots,
        segments=tuple(Segment(a.x, a.y, b.x, b.y) for a, b in pairwise(spots)),
        ticks=ticks_at(edges),
        levels=tuple(Level(down(value), text) for value, text in levels),
        floor=HEAD + HEIGHT,
        height=HEAD + HEIGHT + AXIS,
    )


def heat_plot(names: Sequence[str], values: dict[tuple[int, int], tuple[float, str]]) -> HeatPlot:
    """A heat map of shares of pairs.

    Args:
        names: Names of the rows, which are those of the columns too.
        values: By row and column, from 0: a share in [0, 1], and a text for its basis.

    >>> [cell.shade for cell in heat_plot(["a", "b"], {(0, 1): (0.99, "n 9"), (1, 0): (0.2, "n 9")}).cells]
    [4, 1]
    """
    cells = tuple(
        Cell(
            x=column * CELL,
            y=row * CELL,
            shade=(shade := min(int(share * SHADES), SHADES - 1)),
            text=f"{share * 100:.0f}",
            title=f"{names[row]} and {names[column]}: {share * 100:.0f} %, {basis}",
            is_dark=shade >= SHADES - 2,
        )
        for (row, column), (share, basis) in sorted(values.items())
    )
    middles = [number * CELL + CELL // 2 for number in range(len(names))]
    return HeatPlot(
        cells=cells,
        names=tuple(
            (middle, f"{number + 1} {name}") for number, (middle, name) in enumerate(zip(middles, names, strict=True))
        ),
        columns=tuple((middle, str(number + 1)) for number, middle in enumerate(middles)),
        size=CELL * len(names),
    )


def _thinned(words: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """At most `_WORDS_AT_MOST` texts, evenly chosen, so that they do not overlap."""
    step = -(-len(words) // _WORDS_AT_MOST)
    return words[:: max(step, 1)]
