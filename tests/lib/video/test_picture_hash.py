"""Perceptual hashes: another quality of the same video looks the same, another video does not."""

import io
from collections.abc import Sequence
from fractions import Fraction

import av
import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from lib.video.alike import look_alike
from lib.video.frames import FrameTable
from lib.video.picture_hash import PLACES, PictureHasher

FPS, FRAMES, SIDE = 10, 32, 160
Picture = NDArray[np.uint8]


def walk(*, row: int, speed: int) -> list[Picture]:
    """A square that walks over an uneven room."""
    rough = np.random.default_rng(1).integers(40, 200, (23, 23)).astype(np.uint8)
    room = cv2.resize(rough, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)
    pictures: list[Picture] = []
    for number in range(FRAMES):
        picture = room.copy()
        at = 4 + number * speed
        picture[row : row + 24, at : at + 24] = 240
        pictures.append(np.dstack([picture] * 3).astype(np.uint8))
    return pictures


def hashed(pictures: Sequence[Picture], *, from_s: float = 0.0, crf: int | None = None) -> str:
    frames = [av.VideoFrame.from_ndarray(one, format="rgb24").reformat(format="yuv420p") for one in pictures]
    hasher = PictureHasher()
    for frame in frames if crf is None else encoded(frames, crf):
        hasher.add(frame)
    table = FrameTable(time_base=Fraction(1, FPS), pts=tuple(range(FRAMES)), last_duration=1)
    return hasher.finish(table, from_s=from_s)


def encoded(frames: Sequence[av.VideoFrame], crf: int) -> list[av.VideoFrame]:
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=FPS, options={"crf": str(crf)})
        stream.width = stream.height = SIDE
        stream.pix_fmt = "yuv420p"
        for number, frame in enumerate(frames):
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    file.seek(0)
    with av.open(file, "r") as made:
        return [frame.reformat(format="yuv420p") for frame in made.decode(video=0)]


WALK = walk(row=60, speed=4)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (hashed(WALK), True),
        (hashed(WALK, crf=30), True),
        (hashed(walk(row=60, speed=2)), False),
        (hashed(walk(row=90, speed=4)), False),
        (hashed([*WALK[:-6], *WALK[:6]]), False),
        ("", False),
    ],
    ids=["equal", "another quality", "slower", "another way", "another end", "not kept"],
)
def test_videos_that_look_the_same(other: str, same: bool) -> None:
    assert look_alike(hashed(WALK), other) is same


def test_pictures_before_the_takeover_do_not_count() -> None:
    begun_elsewhere = [*walk(row=10, speed=1)[:16], *WALK[16:]]
    assert not look_alike(hashed(WALK), hashed(begun_elsewhere))
    found = hashed(begun_elsewhere, from_s=1.6)
    assert found == hashed(WALK, from_s=1.6)
    assert len(found) == PLACES * 64
    # A takeover after the end hashes the last picture.
    assert hashed(WALK, from_s=99.0) == hashed([WALK[-1]] * FRAMES)
