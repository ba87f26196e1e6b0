"""The activity of videos whose pictures are known: moments, cuts, frozen and black stretches, and what is told."""

from collections.abc import Sequence
from fractions import Fraction

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from lib.video.activity import BINS, Activity, ActivityMeter
from lib.video.frames import FrameTable

FPS = 10
Picture = NDArray[np.uint8]
BLACK: Picture = np.zeros((64, 96, 3), np.uint8)


def room(*, at: int = 0, bright: int = 120) -> Picture:
    """A grey room with a white square, `at` pixels from the left."""
    picture = np.full((64, 96, 3), bright, np.uint8)
    picture[40:50, :, :] = 60
    picture[20:32, at : at + 12] = 250
    return picture


def elsewhere() -> Picture:
    """Another place: dark, with bright lines."""
    picture = np.full((64, 96, 3), 30, np.uint8)
    picture[::4] = 240
    return picture


def measured(pictures: Sequence[Picture]) -> Activity:
    meter = ActivityMeter()
    for picture in pictures:
        meter.add(av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format="yuv420p"))
    table = FrameTable(time_base=Fraction(1, FPS), pts=tuple(range(len(pictures))), last_duration=1)
    return meter.finish(table)


def test_a_step_now_and_then_is_a_moment_each() -> None:
    pictures = [room(at=4 * (frame // 10)) for frame in range(60)]
    found = measured(pictures)
    assert found.moments == [10, 20, 30, 40, 50]
    assert (found.cuts, found.black, found.notes) == ([], [], [])
    assert [frame for frame, height in enumerate(found.band) if height] == found.moments


def test_steady_motion_is_one_moment_and_a_jump_in_it_another() -> None:
    pictures = [room(at=10)] * 10 + [room(at=10 + frame) for frame in range(1, 31)]
    assert measured(pictures).moments == [10]
    pictures[30:] = [room(at=70 + frame) for frame in range(10)]
    assert measured(pictures).moments == [10, 30]


@pytest.mark.parametrize(
    ("pictures", "notes", "stretches"),
    [
        ([room(at=frame) for frame in range(40)], [], ([], [], [])),
        ([room()] * 60, ["frozen"], ([], [(0, 59)], [])),
        ([BLACK] * 60, ["black", "frozen"], ([(0, 59)], [(0, 59)], [])),
        # A wait of three seconds in ten is no fault of the recording.
        ([room(at=frame if frame < 70 else 70) for frame in range(100)], [], ([], [(71, 99)], [])),
        ([room(at=frame if frame < 40 else 40) for frame in range(100)], ["frozen"], ([], [(41, 99)], [])),
        (
            [*[room(at=frame) for frame in range(20)], *[BLACK] * 12, *[room(at=frame) for frame in range(20)]],
            ["black", "cut"],
            ([(20, 31)], [], [20, 32]),
        ),
        (
            [*[room(at=frame) for frame in range(30)], *[elsewhere()] * 5, *[room(at=frame) for frame in range(30)]],
            ["cut"],
            ([], [], [30, 35]),
        ),
    ],
    ids=["moves", "frozen", "black", "waits", "hangs", "fades", "jumps"],
)
def test_what_is_wrong_with_the_picture_is_found(
    pictures: list[Picture], notes: list[str], stretches: tuple[list[object], list[object], list[object]]
) -> None:
    found = measured(pictures)
    assert found.notes == notes
    assert (found.black, found.frozen, found.cuts) == stretches


def test_noise_of_a_codec_is_no_moment() -> None:
    rng = np.random.default_rng(3)
    quiet = [np.clip(room().astype(int) + rng.integers(-1, 2, (64, 96, 1)) // 2, 0, 255) for _ in range(40)]
    assert measured([one.astype(np.uint8) for one in quiet]).moments == []


@pytest.mark.parametrize("frames", [1, 2, 3, BINS, BINS + 1, 3 * BINS + 7])
def test_any_number_of_frames_makes_a_small_band_the_same_each_time(frames: int) -> None:
    pictures = [room(at=frame % 80) for frame in range(frames)]
    first, again = measured(pictures), measured(pictures)
    assert first == again
    assert len(first.band) == min(frames, BINS)
    assert all(0 <= height <= 255 for height in first.band)
    assert all(0 <= frame < frames for frame in first.moments)
