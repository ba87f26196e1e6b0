"""Where things stand in plots with two axes: bars, rows, lines, heat. No Django, no data: templates draw.

Across, places are percentages, so a plot takes any width; down, they are pixels. Rates in rows: `common/plots.py`.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from common.plots import AXIS, Tick, place, ticks_at

HEIGHT = 120
"""Height of the part between the axes in px."""
HEAD = 16
"""Room above it, for what stands at the very top."""
MARKS = 10
"""More room above bars, for the words of marks."""
CELL = 34
"""Side of a cell of a heat plot in px."""
STRIPE = 46
"""Height of a row with its words above its bar in px."""
SHADES = 5
"""How many depths of colour a heat plot has."""
_WORDS_AT_MOST = 6


class Level(NamedTuple):
    """A line across the plot at one value, with its words."""

    y: float
    text: str


class Bar(NamedTuple):
    """One bar: a count over a stretch of the axis."""

    x: str
    width: str
    y: float
    height: float
    title: str


class BarPlot(NamedTuple):
    """Counts side by side; `marks` are places of interest on the axis."""

    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]
    levels: tuple[Level, ...]
    marks: tuple[Tick, ...]
    floor: int
    height: int


class Point(NamedTuple):
    """A value at a place along the axis, in [0, 1] of it; an interval where there is one."""

    at: float
    value: float
    low: float | None = None
    high: float | None = None


class Spot(NamedTuple):
    """A point where it is drawn."""

    x: str
    y: float
    y_low: float | None
    y_high: float | None


class Segment(NamedTuple):
    """A piece of a line between two spots."""

    x1: str
    y1: float
    x2: str
    y2: float


class LinePlot(NamedTuple):
    """One line through points, with their intervals as whiskers."""

    spots: tuple[Spot, ...]
    segments: tuple[Segment, ...]
    ticks: tuple[Tick, ...]
    levels: tuple[Level, ...]
    floor: int
    height: int


class Stripe(NamedTuple):
    """One bar that lies under its words; `mark` is where else it might end, "" nowhere."""

    label: str
    text: str
    y: int
    width: str
    mark: str


class RowPlot(NamedTuple):
    """Counts below each other, each as long as its share of the most."""

    stripes: tuple[Stripe, ...]
    height: int


class Cell(NamedTuple):
    """One field of a heat plot; `shade` 0 is palest. Without a value it stays empty."""

    x: int
    y: int
    shade: int
    text: str
    title: str
    is_dark: bool


class HeatPlot(NamedTuple):
    """Values of pairs, as fields of a square; names stand at the rows, their numbers at the columns too."""

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
    """Counts of equal stretches of an axis, from left to right.

    Args:
        counts: What each bar is called, and how high it is (>= 0).
        edges: Words below the axis, each at its share of the width; without them the bars' own names stand there.
        marks: Places to point at, each at its share of the width.

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
    """Counts below each other, in the order given.

    Args:
        counts: What each is called, how much it is (>= 0), and the same in words.
        marks: A share of the axis to point at in each row.

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
    """A value along an axis.

    Args:
        bounds: The values at the bottom and at the top.
        edges: Words below the axis, each at its share of the width.
        levels: Values to draw a line across at, with words.

    >>> plot = line_plot([Point(0, 0.0), Point(1, 1.0)], bounds=(0, 1))
    >>> [(spot.x, spot.y) for spot in plot.spots]
    [('0%', 128.0), ('100%', 8.0)]
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
    """Shares of pairs.

    Args:
        names: Of rows and columns alike, in order.
        values: By row and column, from 0: a share in [0, 1], and what it rests on.

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
    """At most some words, evenly chosen, so that they do not run into each other."""
    step = -(-len(words) // _WORDS_AT_MOST)
    return words[:: max(step, 1)]
