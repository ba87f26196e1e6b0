"""The timeline takes exact times only, and notices what a decoder leaves out."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import av
import pytest

from lib.video.frame_times import FrameTimes
from lib.video.probe import Probe
from lib.video.problems import ProblemCode, VideoProblem

LOOK = Probe(
    stream_index=0,
    codec="h264",
    time_base=Fraction(1, 100),
    packets=5,
    packet_pts=(30, 34, 38, 42, 46),
    pixel_aspect=None,
    hides_pictures=False,
)


def timeline(look: Probe, *times: int | None, duration: int = 0) -> FrameTimes:
    found = FrameTimes(look)
    for time in times:
        frame = av.VideoFrame(2, 2)
        frame.pts, frame.duration = time, duration
        found.add(frame)
    return found


def test_times_count_from_the_first_frame() -> None:
    table = timeline(LOOK, 30, 34, 38, 42, 46, duration=3).table()
    assert (table.pts, table.start_pts, table.last_duration) == ((0, 4, 8, 12, 16), 30, 3)
    assert table.time_base == LOOK.time_base


def test_an_unknown_end_is_taken_from_the_frame_before() -> None:
    assert timeline(LOOK, 30, 34, 38, 42, 46).table().last_duration == 4
    assert timeline(replace(LOOK, packet_pts=(30,)), 30).table().last_duration == 1


@pytest.mark.parametrize(
    ("times", "code", "words"),
    [
        ((None,), ProblemCode.MISSING_TIMESTAMPS, "Frame 0 "),
        ((30, 34, None), ProblemCode.MISSING_TIMESTAMPS, "Frame 2 "),
        ((30, 34, 34), ProblemCode.DUPLICATE_TIMESTAMPS, "Frames 1 and 2 have the same time, 0.040 s"),
        ((30, 38, 34), ProblemCode.DISORDERED_TIMESTAMPS, "Frame 2 is shown after frame 1"),
        ((30, 29), ProblemCode.DISORDERED_TIMESTAMPS, "-0.010 s"),
    ],
)
def test_a_time_must_be_there_and_later_than_the_last(
    times: tuple[int | None, ...], code: ProblemCode, words: str
) -> None:
    with pytest.raises(VideoProblem) as caught:
        timeline(LOOK, *times)
    assert (caught.value.code, words in caught.value.detail) == (code, True)


@pytest.mark.parametrize(
    ("times", "words"),
    [((30, 34, 42, 46), "1 of 5 frames cannot be decoded, the first of them 0.080 s"), ((30, 34), "3 of 5 frames")],
)
def test_frames_left_out_in_silence_are_noticed(times: tuple[int, ...], words: str) -> None:
    with pytest.raises(VideoProblem) as caught:
        timeline(LOOK, *times).table()
    assert (caught.value.code, words in caught.value.detail) == (ProblemCode.UNDECODABLE, True)


@pytest.mark.parametrize(("look", "times"), [(LOOK, (38, 42, 46)), (replace(LOOK, hides_pictures=True), (30, 34, 42))])
def test_a_video_may_begin_between_key_frames_and_a_codec_may_hide_pictures(
    look: Probe, times: tuple[int, ...]
) -> None:
    assert len(timeline(look, *times).table()) == 3
