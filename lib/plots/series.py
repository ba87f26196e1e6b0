"""Geometry of plots with several named lines through points; places along the axis in percent, heights in pixels."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from lib.plots.charts import HEAD, Level, Point, Segment, Spot
from lib.plots.curves import LABELLED, SERIES, TALL, apart, short
from lib.plots.intervals import AXIS, Tick, place, ticks_at


class Series(NamedTuple):
    """One line. `series` is its colour, `label_y` the height of its name."""

    series: int
    label: str
    label_y: float
    spots: tuple[Spot, ...]
    segments: tuple[Segment, ...]


class SeriesPlot(NamedTuple):
    """Lines with their names at their ends, and their intervals as whiskers."""

    lines: tuple[Series, ...]
    ticks: tuple[Tick, ...]
    levels: tuple[Level, ...]
    label_x: str
    floor: int
    height: int


def series_plot(
    lines: Sequence[tuple[str, Sequence[Point]]],
    *,
    edges: Sequence[tuple[float, str]] = (),
    levels: Sequence[tuple[float, str]] = (),
    top: float = 1.0,
) -> SeriesPlot:
    """At most `SERIES` lines of values from 0 to `top`; a line without points is left out.

    Args:
        lines: The name of each, and its points from left to right.
        edges: Texts below the axis, each with its place in [0, 1].
        levels: Values for horizontal lines, with their texts.

    >>> plot = series_plot([("a", [Point(0, 0.0), Point(1, 1.0)]), ("b", [Point(1, 0.5)])])
    >>> [(line.label, [spot.x for spot in line.spots]) for line in plot.lines]
    [('a', ['0%', '78%']), ('b', ['78%'])]
    """
    drawn = [(name, points) for name, points in lines if points][:SERIES]
    heights = apart([_down(points[-1].value, top) for _, points in drawn])
    found = []
    for number, (name, points) in enumerate(drawn):
        spots = tuple(_spot(point, top) for point in points)
        segments = tuple(Segment(a.x, a.y, b.x, b.y) for a, b in pairwise(spots))
        found.append(Series(number + 1, short(name), heights[number], spots, segments))
    return SeriesPlot(
        lines=tuple(found),
        ticks=ticks_at([(LABELLED * at, text) for at, text in edges]),
        levels=tuple(Level(_down(value, top), text) for value, text in levels),
        label_x=place(LABELLED + 0.02),
        floor=HEAD + TALL,
        height=HEAD + TALL + AXIS,
    )


def _spot(point: Point, top: float) -> Spot:
    low, high = (None if value is None else _down(value, top) for value in (point.low, point.high))
    return Spot(place(LABELLED * point.at), _down(point.value, top), low, high)


def _down(value: float, top: float) -> float:
    return HEAD + TALL * (1 - min(max(value / top if top else 0.0, 0.0), 1.0))
