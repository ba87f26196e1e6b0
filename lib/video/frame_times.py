"""Build the frame table from decoded frames; each frame must have an exact time, later than the one before."""

from __future__ import annotations

import av

from lib.video.frames import FrameTable
from lib.video.probe import Probe
from lib.video.problems import ProblemCode, VideoProblem


class FrameTimes:
    """Collects the times of one video's frames, in the order in which they are shown."""

    def __init__(self, first_look: Probe) -> None:
        self._first_look = first_look
        self._start = 0
        self._pts: list[int] = []
        self._last_duration = 0
        self._interlaced = False

    def add(self, frame: av.VideoFrame) -> int:
        """Add the next frame, and return its time in ticks from the first frame.

        Raises:
            VideoProblem: MISSING_TIMESTAMPS, DUPLICATE_TIMESTAMPS, DISORDERED_TIMESTAMPS.
        """
        number = len(self._pts)
        if frame.pts is None:
            raise VideoProblem(
                ProblemCode.MISSING_TIMESTAMPS,
                f"Frame {number:,} has no time of its own, and times are never guessed from a frame rate. "
                "Please write the video as MP4, WebM or Matroska with a time for each frame.",
            )
        if number == 0:
            self._start = frame.pts
        pts = frame.pts - self._start
        if number and pts <= self._pts[-1]:
            raise self._not_later(number, pts)
        self._pts.append(pts)
        self._last_duration = frame.duration
        self._interlaced = self._interlaced or frame.interlaced_frame
        return pts

    def table(self) -> FrameTable:
        """The table of all frames added; at least one.

        Raises:
            VideoProblem: UNDECODABLE: the decoder left out pictures without an error.
        """
        self._check_complete()
        return FrameTable(
            time_base=self._first_look.time_base,
            pts=tuple(self._pts),
            last_duration=self._end_of_last(),
            start_pts=self._start,
        )

    def _not_later(self, number: int, pts: int) -> VideoProblem:
        at = f"{float(pts * self._first_look.time_base):.3f} s after the first frame"
        if pts == self._pts[-1]:
            return VideoProblem(
                ProblemCode.DUPLICATE_TIMESTAMPS,
                f"Frames {number - 1:,} and {number:,} have the same time, {at}.",
            )
        return VideoProblem(
            ProblemCode.DISORDERED_TIMESTAMPS,
            f"Frame {number:,} is shown after frame {number - 1:,} but has an earlier time, {at}. "
            "(AVI cannot hold H.264 with B-frames; MP4 can.)",
        )

    def _end_of_last(self) -> int:
        """Duration of the last frame in ticks: from its packet, or that of the frame before, or 1."""
        if self._last_duration > 0:
            return self._last_duration
        return self._pts[-1] - self._pts[-2] if len(self._pts) > 1 else 1

    def _check_complete(self) -> None:
        # This cannot be decided where a packet may hide its picture, or two packets with one field each make one frame.
        if self._first_look.hides_pictures or self._interlaced:
            return
        # Pictures before the first frame may be missing by design, in a video that was cut between key frames.
        shown = {self._start + pts for pts in self._pts}
        lost = [pts for pts in self._first_look.packet_pts if pts > self._start and pts not in shown]
        if lost:
            at = float((lost[0] - self._start) * self._first_look.time_base)
            raise VideoProblem(
                ProblemCode.UNDECODABLE,
                f"The file is damaged: {len(lost):,} of {self._first_look.packets:,} frames cannot be decoded, the "
                f"first of them {at:.3f} s after the start.",
            )
