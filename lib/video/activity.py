"""The activity in a video: how much the picture changes from frame to frame, and where it cuts, freezes or is black.

The changes are sums of whole numbers over the pixels of the proxy, so equal pictures give equal results on every
processor. The results are small however long the video is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from lib.video.frames import FrameTable

# Several files are prepared at once, each in a thread of its own.
cv2.setNumThreads(1)

BINS = 240
"""The most parts of the band."""
MOST_MOMENTS, MOST_STRETCHES, MOST_CUTS = 500, 50, 50
LEAST_CHANGE = 0.0008
"""A change below this, as a share of the whole range of all pixels, is none."""
QUIETEST, OVER_NOISE = 20, 3.0
"""A change is more than noise of a codec if it is so many times as large as that of the quietest frames, in percent."""
TOLD_BLACK_S, TOLD_FROZEN_S, TOLD_FROZEN_SHARE = 1.0, 5.0, 0.5
"""From these lengths on a black or frozen stretch is told; a frozen one also if it is so much of the video."""
QUIET_S = 0.4
"""After so much time without a change the next change is a moment of its own."""
AROUND_S = 1.0
"""Changes are compared with those around them, so far to both sides."""
STILL = 0.00005
LEAST_STILL_S = 2.0
"""A picture that changes less than `STILL` for at least so long is frozen."""
LEAST_BLACK_S = 0.25
DARK = 32
"""The highest luma of a dark pixel; black is 16."""
LIGHT_SHARE = 0.002
"""A picture is black if at most this share of its pixels is not dark."""
CUT, CUT_WITH_OTHER_TONES, SAME_TONES, CUT_OVER_AROUND = 0.2, 0.08, 0.5, 5.0
"""A change so large is a cut; a smaller one is a cut if the tones of the pictures correlate less than `SAME_TONES`.
Both are so many times as large as the changes around them."""

Floats = NDArray[np.float64]
Stretch = tuple[int, int]
"""The first and the last frame."""


@dataclass(frozen=True, slots=True)
class Activity:
    """The activity in a video.

    Attributes:
        band: The largest change in each of at most `BINS` equal parts of the video, 0 to 255, as a root of its share of
            the largest one; cuts aside.
        moments: The frames at which something begins to change, or changes much more than around them.
        cuts: The first frames after a cut.
        frozen: Stretches in which the picture stays the same.
        black: Stretches in which the picture is black.
        notes: What the poster of the video should know: `black`, `frozen`, `cut`.
    """

    band: list[int]
    moments: list[int]
    cuts: list[int]
    frozen: list[Stretch]
    black: list[Stretch]
    notes: list[str]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class ActivityMeter:
    """Measures the pictures of a video in order; the last picture is in memory."""

    def __init__(self) -> None:
        self._last: tuple[av.VideoFrame, list[NDArray[np.uint8]]] | None = None
        self._changes: list[float] = []
        self._alike: list[float] = []
        self._black: list[bool] = []

    def add(self, picture: av.VideoFrame) -> None:
        """Add the next picture, as the canvas makes it: yuv420p of limited range."""
        planes = [pixels_of(plane) for plane in picture.planes]
        luma = planes[0]
        light = cv2.countNonZero(cv2.threshold(luma, DARK, 255, cv2.THRESH_BINARY)[1])
        self._black.append(light <= LIGHT_SHARE * luma.size)
        change, alike = 0.0, 1.0
        if self._last is not None:
            before = self._last[1]
            size = sum(plane.size for plane in planes)
            differences = sum(cv2.norm(a, b, cv2.NORM_L1) for a, b in zip(before, planes, strict=True))
            change = differences / (255 * size)
            if change >= CUT_WITH_OTHER_TONES:
                alike = float(cv2.compareHist(_tones(before[0]), _tones(luma), cv2.HISTCMP_CORREL))
        self._changes.append(change)
        self._alike.append(alike)
        # The frame is kept with its planes, because they are views of its memory.
        self._last = picture, planes

    def finish(self, table: FrameTable) -> Activity:
        """The activity, once all pictures of the table were added."""
        changes = np.array(self._changes)
        times = np.array([table.time_s(frame) for frame in range(len(table))])
        rate = len(changes) / max(table.duration_s, 1e-9)
        around = _median_around(changes, max(1, round(AROUND_S * rate)))
        is_large = (changes >= CUT) | ((changes >= CUT_WITH_OTHER_TONES) & (np.array(self._alike) < SAME_TONES))
        is_cut = is_large & (changes >= CUT_OVER_AROUND * around)
        own = np.where(is_cut, 0.0, changes)
        ends = [*times[1:], table.duration_s]
        still = [change <= STILL for change in changes]
        # The first frame has none before it: it is frozen if the next one is.
        still[0] = len(still) > 1 and still[1]
        black = _stretches(self._black, times, ends, least_s=LEAST_BLACK_S)
        frozen = _stretches(still, times, ends, least_s=LEAST_STILL_S)

        def longest_s(stretches: Sequence[Stretch]) -> float:
            return max((float(ends[last]) - float(times[first]) for first, last in stretches), default=0.0)

        told_frozen_s = min(TOLD_FROZEN_S, max(LEAST_STILL_S, TOLD_FROZEN_SHARE * table.duration_s))
        is_told = {
            "black": longest_s(black) >= min(TOLD_BLACK_S, table.duration_s),
            "frozen": longest_s(frozen) >= told_frozen_s,
            "cut": bool(is_cut.any()),
        }
        return Activity(
            band=_band(own),
            moments=_moments(own, around, quiet=max(1, round(QUIET_S * rate)))[:MOST_MOMENTS],
            cuts=[int(frame) for frame in np.flatnonzero(is_cut)[:MOST_CUTS]],
            frozen=frozen[:MOST_STRETCHES],
            black=black[:MOST_STRETCHES],
            notes=[note for note, is_so in is_told.items() if is_so],
        )


def pixels_of(plane: av.video.plane.VideoPlane) -> NDArray[np.uint8]:
    """The pixels of a plane, without the padding of its lines: a view of its memory."""
    stored = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
    return stored[: plane.height, : plane.width]


def _tones(luma: NDArray[np.uint8]) -> NDArray[np.float32]:
    return cv2.calcHist([luma], [0], None, [32], [0, 256]).astype(np.float32)


def _median_around(changes: Floats, reach: int) -> Floats:
    """The median of the changes within `reach` frames of each frame."""
    padded = np.pad(changes, reach, mode="reflect" if len(changes) > reach else "edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1)
    medians: Floats = np.median(windows, axis=1)
    return medians


def _band(changes: Floats) -> list[int]:
    peak = float(changes.max(initial=0.0))
    if peak < LEAST_CHANGE:
        return [0] * min(BINS, len(changes))
    parts = np.array_split(changes, min(BINS, len(changes)))
    return [round(255 * float(np.sqrt(part.max() / peak))) for part in parts]


def _moments(changes: Floats, around: Floats, *, quiet: int) -> list[int]:
    found: list[int] = []
    noise = float(np.percentile(changes[1:], QUIETEST)) if len(changes) > 1 else 0.0
    least = max(LEAST_CHANGE, OVER_NOISE * noise)
    last_change = -quiet - 1
    for frame, (change, usual) in enumerate(zip(changes.tolist(), around.tolist(), strict=True)):
        if change < least:
            continue
        is_start = frame - last_change > quiet
        is_peak = change >= 3 * usual and usual > 0 and (not found or frame - found[-1] > quiet)
        if is_start or is_peak:
            found.append(frame)
        last_change = frame
    return found


def _stretches(flags: Sequence[bool], times: Floats, ends: Iterable[float], *, least_s: float) -> list[Stretch]:
    """The runs of flagged frames that last at least so long."""
    until = list(ends)
    found: list[Stretch] = []
    first: int | None = None
    for frame, is_on in enumerate([*flags, False]):
        if is_on and first is None:
            first = frame
        elif not is_on and first is not None:
            if until[frame - 1] - float(times[first]) >= least_s:
                found.append((first, frame - 1))
            first = None
    return found
