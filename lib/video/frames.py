"""The frame table: the frames of a video and the exact time of each.

Inside, times are whole ticks of a rational time base, so no time is rounded; only arguments and results are float
seconds. Twin: the marker page reads the same JSON and computes `pts * num / den` in doubles, which is the same float as
the result of `FrameTable.time_s`.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise
from typing import TypedDict

TOLERANCE = Fraction(1, 1_000_000)
"""Times from outside are exact to a microsecond, the precision of browsers and JSON."""


class FrameTableJson(TypedDict):
    """The compact JSON of a frame table: 9000 frames at a constant rate are one pair."""

    time_base: list[int]
    """[numerator, denominator] of one tick, in seconds."""
    start_pts: int
    """The first frame's time in the source file, in ticks."""
    deltas: list[list[int]]
    """Runs of [ticks, frames]: the duration of each frame, including the last; the counts sum to the frames."""


@dataclass(frozen=True, slots=True)
class FrameTable:
    """The time of each frame of one video; frames are numbered from 0.

    Attributes:
        time_base: Seconds per tick, > 0.
        pts: The tick at which each frame appears, counted from the first frame: `pts[0] == 0`, ascending.
        last_duration: Duration of the last frame in ticks, >= 1.
        start_pts: The time of the first frame in the source file, in ticks; any integer.

    Raises:
        ValueError: one of these conditions does not hold.

    >>> table = FrameTable(time_base=Fraction(1, 30000), pts=(0, 1001, 2002), last_duration=1001)
    >>> len(table), table.frame_at(0.05), table.first_from(0.05), table.last_before(0.0667)
    (3, 1, 2, 1)
    >>> table.to_json()
    {'time_base': [1, 30000], 'start_pts': 0, 'deltas': [[1001, 3]]}
    """

    time_base: Fraction
    pts: tuple[int, ...]
    last_duration: int
    start_pts: int = 0

    def __post_init__(self) -> None:
        if self.time_base <= 0:
            raise ValueError(f"a tick must last some time, not {self.time_base} s")
        if not self.pts or self.pts[0] != 0:
            raise ValueError("a frame table starts with a frame at 0")
        if self.last_duration < 1:
            raise ValueError(f"the last frame must be shown for at least a tick, not {self.last_duration}")
        for number, (earlier, later) in enumerate(pairwise(self.pts)):
            if later <= earlier:
                raise ValueError(f"frame {number + 1} at tick {later} does not follow tick {earlier}")

    def __len__(self) -> int:
        return len(self.pts)

    @property
    def end(self) -> int:
        """The tick at which the last frame ends."""
        return self.pts[-1] + self.last_duration

    @property
    def duration_s(self) -> float:
        """The time from the start of the first frame to the end of the last, in seconds."""
        return float(self.end * self.time_base)

    def time_s(self, frame: int) -> float:
        """The time at which `frame` appears, in seconds from the first frame.

        Raises:
            IndexError: there is no such frame; negative numbers do not count from the end.
        """
        if not 0 <= frame < len(self.pts):
            raise IndexError(f"frame {frame} of {len(self.pts)}")
        return float(self.pts[frame] * self.time_base)

    def frame_at(self, time_s: float) -> int:
        """The frame on screen at `time_s`: the last frame that has appeared at that time.

        Before the first frame it is frame 0, after the end the last frame. `frame_at(time_s(k)) == k`.

        Raises:
            ValueError: `time_s` is not a finite number (also in the three methods below).
        """
        return self.last_until(time_s)

    def first_from(self, time_s: float) -> int:
        """The first frame that appears at `time_s` or later; without one, the last frame.

        With the time of the takeover, it is the first frame on which a marker may be set.
        """
        ticks = math.ceil((_exact(time_s) - TOLERANCE) / self.time_base)
        return min(bisect_left(self.pts, ticks), len(self.pts) - 1)

    def last_until(self, time_s: float) -> int:
        """The last frame that appears at `time_s` or earlier; without one, frame 0.

        With the time of the deadline, it is the last frame on which a marker may be set.
        """
        ticks = math.floor((_exact(time_s) + TOLERANCE) / self.time_base)
        return max(bisect_right(self.pts, ticks) - 1, 0)

    def last_before(self, time_s: float) -> int:
        """The last frame that appears strictly before `time_s`; without one, frame 0.

        With the time of the deadline, it is the frame that marks the failure of an agent that never did the task.
        """
        ticks = math.ceil((_exact(time_s) - TOLERANCE) / self.time_base)
        return max(bisect_left(self.pts, ticks) - 1, 0)

    def to_json(self) -> FrameTableJson:
        """The compact JSON, for storage and for the page; `from_json` is the inverse."""
        return {
            "time_base": [self.time_base.numerator, self.time_base.denominator],
            "start_pts": self.start_pts,
            "deltas": [[delta, sum(1 for _ in run)] for delta, run in groupby(self._durations())],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> FrameTable:
        """Read the compact JSON.

        Raises:
            ValueError: `data` is not the result of `to_json`.
        """
        tick = _integers(data.get("time_base"), "time_base")
        if len(tick) != 2 or min(tick) < 1:
            raise ValueError("time_base must be [numerator, denominator], both positive")
        (start_pts,) = _integers([data.get("start_pts")], "start_pts")
        runs = data.get("deltas")
        if not isinstance(runs, Sequence) or not runs:
            raise ValueError("deltas must be a list of [ticks, count]")
        pts: list[int] = []
        at = 0
        for run in runs:
            pair = _integers(run, "deltas")
            if len(pair) != 2 or min(pair) < 1:
                raise ValueError("each of deltas must be [ticks, count], both positive")
            delta, count = pair
            pts.extend(range(at, at + delta * count, delta))
            at += delta * count
        return cls(
            time_base=Fraction(tick[0], tick[1]),
            pts=tuple(pts),
            last_duration=at - pts[-1],
            start_pts=start_pts,
        )

    def _durations(self) -> Iterator[int]:
        for earlier, later in pairwise(self.pts):
            yield later - earlier
        yield self.last_duration


def _exact(time_s: float) -> Fraction:
    if not math.isfinite(time_s):
        raise ValueError(f"a time must be finite, not {time_s}")
    return Fraction(time_s)


def _integers(value: object, name: str) -> list[int]:
    # type() and not isinstance(): True and False are not ticks.
    if not isinstance(value, Sequence) or not all(type(item) is int for item in value):
        raise ValueError(f"{name} must hold integers")
    return list(value)
