"""The barcode is itself held to its promise: the right number or none, never a wrong one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from tests.clips import draw, read_barcode


@pytest.mark.parametrize("size", [(64, 48), (320, 180), (181, 321), (160, 90), (1280, 720)])
@pytest.mark.parametrize("number", [0, 1, 77, 0x5555, 0xFFFF])
def test_a_drawn_number_reads_back(number: int, size: tuple[int, int]) -> None:
    assert read_barcode(draw(number, width=size[0], height=size[1])) == number


def test_a_mixture_of_two_frames_is_unreadable() -> None:
    one, other = (draw(number, width=320, height=180).astype(np.float64) for number in (0x00FF, 0xFF00))
    assert read_barcode((one + other) / 2) is None


def test_a_covered_barcode_is_unreadable() -> None:
    picture = draw(77, width=320, height=180)
    picture[:20] = 128
    assert read_barcode(picture) is None


def test_a_turned_or_mirrored_picture_does_not_read_as_its_number() -> None:
    picture = draw(77, width=320, height=180)
    others = [picture[:, ::-1], picture[::-1], picture[::-1, ::-1], np.rot90(picture), np.rot90(picture, 3)]
    assert [read_barcode(other) for other in others].count(77) == 0


def test_the_number_survives_shrinking() -> None:
    picture = Image.fromarray(draw(1234, width=640, height=360)).resize((160, 90), Image.Resampling.BOX)
    assert read_barcode(np.asarray(picture)) == 1234


def test_the_command_writes_a_clip(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "tests.clips", "mkv", str(tmp_path / "made"), "--frames", "5"], check=True)
    with av.open(str(tmp_path / "made.mkv")) as video:
        assert [read_barcode(frame.to_ndarray(format="rgb24")) for frame in video.decode(video=0)] == [
            0,
            1,
            2,
            3,
            4,
        ]
