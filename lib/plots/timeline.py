"""Geometry of an episode's timeline: the marks of truth, consensus and answers. The template draws it."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from lib.plots.intervals import AXIS, ROW, Tick, place, ticks_at

Kind = Literal["truth", "consensus", "answer"]
HEAD = 20
"""Height of the text above the lanes in px; the CSS of the names beside them has the same number."""
MOST_TICKS = 7
_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600)


class Mark(NamedTuple):
    """One judgement of the episode; `at_s` is None where it has no moment, `outcome` is None for a tie."""

    kind: Kind
    label: str
    outcome: str | None
    at_s: float | None
    tolerance_s: float | None = None
    href: str = ""
    note: str = ""


class Lane(NamedTuple):
    """One row of the timeline. The band shows the tolerance: moments in it count as right."""

    mark: Mark
    y: int
    top: int
    x: str
    band_x: str
    band_width: str


class Moment(NamedTuple):
    """A moment on all lanes; `anchor` keeps the texts of two moments apart and inside the plot."""

    x: str
    at_s: float
    anchor: Literal["start", "end"]

    @property
    def dx(self) -> int:
        """The distance of the text from the line, in px."""
        return -4 if self.anchor == "end" else 4


class Timeline(NamedTuple):
    """Lanes on an axis from the first frame to the end of the video; heights in px."""

    lanes: tuple[Lane, ...]
    ticks: tuple[Tick, ...]
    takeover: Moment
    deadline: Moment
    after_deadline: str
    lanes_height: int
    bottom: int
    height: int


def timeline(*, duration_s: float, takeover_s: float, deadline_s: float, marks: Sequence[Mark]) -> Timeline:
    """All marks of an episode on one axis, one in each lane, in the given order.

    Args:
        duration_s: The length of the video, > 0.
        deadline_s: The end of the continuation; one after the end of the video counts as the end.
    """
    if duration_s <= 0:
        raise ValueError(f"no axis of {duration_s} s")
    takeover, deadline = takeover_s / duration_s, min(deadline_s, duration_s) / duration_s
    lanes = tuple(_lane(mark, number, duration_s) for number, mark in enumerate(marks))
    height = ROW * len(lanes)
    return Timeline(
        lanes=lanes,
        ticks=ticks_at([(at / duration_s, _clock(at)) for at in tick_times(duration_s)]),
        takeover=Moment(place(takeover), takeover_s, "start" if takeover <= 0.3 else "end"),
        deadline=Moment(place(deadline), deadline_s, "end" if deadline >= 0.7 else "start"),
        after_deadline=place(1 - deadline),
        lanes_height=height,
        bottom=HEAD + height,
        height=HEAD + height + AXIS,
    )


def tick_times(duration_s: float) -> list[float]:
    """Round moments from 0 on, at most `MOST_TICKS`.

    >>> tick_times(11.2)
    [0, 2, 4, 6, 8, 10]
    """
    step = next((step for step in _STEPS if duration_s / step < MOST_TICKS), duration_s / (MOST_TICKS - 1))
    count = int(duration_s / step + 1e-9)
    return [round(number * step, 3) for number in range(count + 1)]


def _clock(at: float) -> str:
    return f"{int(at // 60)}:{int(at % 60):02d}" if at >= 60 else f"{at:g} s"


def _lane(mark: Mark, number: int, duration_s: float) -> Lane:
    top = HEAD + number * ROW
    lane = Lane(mark, y=top + ROW // 2, top=top, x="", band_x="", band_width="")
    if mark.at_s is None:
        return lane
    lane = lane._replace(x=place(mark.at_s / duration_s))
    if mark.tolerance_s:
        left = max(mark.at_s - mark.tolerance_s, 0.0)
        right = min(mark.at_s + mark.tolerance_s, duration_s)
        lane = lane._replace(band_x=place(left / duration_s), band_width=place((right - left) / duration_s))
    return lane
