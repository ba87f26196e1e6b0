"""Geometry of step curves and of scatter plots; places along the axis in percent, heights in pixels."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from lib.plots.charts import HEAD, Level, Segment
from lib.plots.intervals import AXIS, Tick, anchor_at, place

TALL = 220
"""Height of the plot area, in px."""
SERIES = 6
"""The number of colours, and so of curves in one plot."""
LABELLED = 0.78
"""The share of the width that curves take; their names stand to the right."""
LINE = 15
"""The least distance between two names, in px."""
_LETTERS = 16


class Moment(NamedTuple):
    """The height of a curve from this place on, with its interval."""

    at: float
    value: float
    low: float
    high: float


class Band(NamedTuple):
    """The interval of a curve between two of its steps; `title` says its values."""

    x: str
    width: str
    y: float
    height: float
    title: str
    anchor: str


class Step(NamedTuple):
    """One curve. `series` is its colour, `label_y` the height of its name, `title` its course in words."""

    series: int
    label: str
    label_y: float
    title: str
    segments: tuple[Segment, ...]
    bands: tuple[Band, ...]


class StepPlot(NamedTuple):
    """Curves that rise in steps, from 0 to 100 %."""

    steps: tuple[Step, ...]
    ticks: tuple[Tick, ...]
    levels: tuple[Level, ...]
    label_x: str
    floor: int
    height: int


class Dot(NamedTuple):
    """One point with its name; only some names are written beside their dots.

    `anchor` is for the name, `tip_anchor` for all its words above it.
    """

    x: str
    y: float
    title: str
    label: str
    anchor: str
    tip_anchor: str


class ScatterPlot(NamedTuple):
    """Points of two measures, with the names of both axes; `line` is a diagonal of equal values, if there is one."""

    dots: tuple[Dot, ...]
    ticks: tuple[Tick, ...]
    levels: tuple[Level, ...]
    line: Segment | None
    x_name: str
    y_name: str
    floor: int
    height: int


def step_plot(curves: Sequence[tuple[str, Sequence[Moment]]], *, end: float, unit: str = "s") -> StepPlot:
    """At most `SERIES` curves from 0 on; each begins at 0 and goes on to the end.

    Args:
        curves: The name of each, and its steps in order of time.
        end: The time at the right end.

    >>> plot = step_plot([("a", [Moment(1.0, 0.5, 0.1, 0.9)])], end=2.0)
    >>> [segment.y1 for segment in plot.steps[0].segments], plot.steps[0].label
    ([236.0, 236.0, 126.0], 'a')
    """
    drawn = list(curves)[:SERIES]
    ends = [(moments[-1].value if moments else 0.0) for _, moments in drawn]
    heights = apart([_down(value) for value in ends])
    steps = tuple(
        Step(number + 1, short(name), heights[number], _course(name, moments, unit), *_stairs(name, moments, end, unit))
        for number, (name, moments) in enumerate(drawn)
    )
    marks = [(LABELLED * share, f"{end * share:.3g} {unit}") for share in (0.0, 0.5, 1.0)]
    return StepPlot(
        steps=steps,
        ticks=tuple(Tick(place(at), text, "start" if at == 0 else "middle") for at, text in marks),
        levels=tuple(Level(_down(share), f"{share * 100:.0f} %") for share in (0.0, 0.5, 1.0)),
        label_x=place(LABELLED + 0.015),
        floor=HEAD + TALL,
        height=HEAD + TALL + AXIS,
    )


def _course(name: str, moments: Sequence[Moment], unit: str) -> str:
    """When the curve reaches a quarter and a half, and where it ends.

    >>> _course("a", [Moment(1.0, 0.3, 0.1, 0.5), Moment(2.0, 0.6, 0.4, 0.8)], "s")
    'a: 25 % after 1 s, 50 % after 2 s, in the end 60 %'
    """
    reached = [
        f"{share * 100:.0f} % after {next(one.at for one in moments if one.value >= share):.3g} {unit}"
        for share in (0.25, 0.5)
        if any(one.value >= share for one in moments)
    ]
    last = moments[-1].value if moments else 0.0
    return f"{name}: {', '.join([*reached, f'in the end {last * 100:.0f} %'])}"


def _stairs(
    name: str, moments: Sequence[Moment], end: float, unit: str
) -> tuple[tuple[Segment, ...], tuple[Band, ...]]:
    segments, bands = [], []
    left, height = 0.0, float(HEAD + TALL)
    for number, moment in enumerate(moments):
        here = _along(moment.at, end)
        below = _down(moment.value)
        following = _along(moments[number + 1].at, end) if number + 1 < len(moments) else LABELLED
        segments += [
            Segment(place(left), height, place(here), height),
            Segment(place(here), height, place(here), below),
        ]
        bands.append(
            Band(
                place(here),
                place(following - here),
                _down(moment.high),
                _down(moment.low) - _down(moment.high),
                f"{name}, {moment.at:.3g} {unit}: {moment.value * 100:.0f} % "
                f"({moment.low * 100:.0f}–{moment.high * 100:.0f} %)",
                anchor_at(here),
            )
        )
        left, height = here, below
    segments.append(Segment(place(left), height, place(LABELLED), height))
    return tuple(segments), tuple(bands)


def _along(at: float, end: float) -> float:
    return LABELLED * (min(at / end, 1.0) if end > 0 else 0.0)


def _down(share: float) -> float:
    return HEAD + TALL * (1 - min(max(share, 0.0), 1.0))


def apart(heights: Sequence[float]) -> list[float]:
    """The heights, moved so that names do not overlap.

    >>> apart([100.0, 100.0])
    [92.5, 107.5]
    """
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    placed: dict[int, float] = {}
    reached = -math.inf
    for name in order:
        reached = max(heights[name], reached + LINE)
        placed[name] = reached
    # What was pushed down is put back by half, so that a group of equal ends stands around its end.
    pushed = max((placed[name] - heights[name] for name in order), default=0.0) / 2
    return [placed[name] - pushed for name in range(len(heights))]


def short(name: str) -> str:
    """The name, cut where it would not fit beside a curve."""
    return name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"


def scatter_plot(
    points: Sequence[tuple[str, float, float]],
    *,
    x_name: str,
    y_name: str,
    bounds: tuple[float, float] | None = None,
    named: int = 12,
) -> ScatterPlot:
    """Points with their names.

    Args:
        points: Name, and place along both axes.
        bounds: The ends of both axes; then equal values are a diagonal. Without it each axis has its own.
        named: How many of the first points have their names written; the others have them as tooltips.

    >>> plot = scatter_plot([("a", 0.0, 1.0), ("b", 2.0, 3.0)], x_name="probe", y_name="success")
    >>> [(dot.x, dot.y) for dot in plot.dots]
    [('6%', 222.8), ('94%', 29.2)]
    """
    xs, ys = [x for _, x, _ in points], [y for _, _, y in points]
    (left, right), (bottom, top) = bounds or _ends(xs), bounds or _ends(ys)

    def along(x: float) -> float:
        return 0.06 + 0.88 * ((x - left) / (right - left))

    def down(y: float) -> float:
        return round(HEAD + TALL * (1 - (0.06 + 0.88 * ((y - bottom) / (top - bottom)))), 3)

    dots = tuple(
        Dot(
            place(along(x)),
            down(y),
            f"{name}: {x_name} {x:.4g}, {y_name} {y:.4g}",
            short(name) if number < named else "",
            "end" if along(x) > 0.7 else "start",
            anchor_at(along(x)),
        )
        for number, (name, x, y) in enumerate(points)
    )
    return ScatterPlot(
        dots=dots,
        ticks=tuple(Tick(place(along(x)), f"{x:.3g}", "middle") for x in (left, (left + right) / 2, right)),
        levels=tuple(Level(down(y), f"{y:.3g}") for y in (bottom, (bottom + top) / 2, top)),
        line=Segment(place(along(left)), down(bottom), place(along(right)), down(top)) if bounds else None,
        x_name=x_name,
        y_name=y_name,
        floor=HEAD + TALL,
        height=HEAD + TALL + 2 * AXIS,
    )


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """The least and the greatest, apart from each other."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)
