"""The barcode is itself held to its promise: the right number or none, never a wrong one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

from tests.support.clips import draw, read_barcode


@pytest.mark.parametrize("size", [(64, 48), (320, 180), (181, 321), (160, 90), (1280, 720)])
@pytest.mark.parametrize("number", [0, 1, 77, 0x5555, 0xFFFF])
def test_a_drawn_number_reads_back(number: int, size: tuple[int, int]) -> None:
    assert read_barcode(draw(number, width=size[0], height=size[1])) == number


def covered(picture: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.concatenate([np.full_like(picture[:20], 128), picture[20:]])


PICTURE = draw(77, width=320, height=180)


@pytest.mark.parametrize(
    "other",
    [
        (PICTURE.astype(np.float64) + draw(0xFF00, width=320, height=180)) / 2,
        covered(PICTURE),
        *(PICTURE[:, ::-1], PICTURE[::-1], PICTURE[::-1, ::-1], np.rot90(PICTURE), np.rot90(PICTURE, 3)),
    ],
)
def test_a_mixed_covered_turned_or_mirrored_picture_does_not_read_as_its_number(other: np.ndarray[Any, Any]) -> None:
    assert read_barcode(other) != 77


def test_the_number_survives_shrinking() -> None:
    picture = Image.fromarray(draw(1234, width=640, height=360)).resize((160, 90), Image.Resampling.BOX)
    assert read_barcode(np.asarray(picture)) == 1234


def test_the_command_writes_a_clip(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "tests.support.clips", "mkv", str(tmp_path / "made"), "--frames", "5"], check=True
    )
    with av.open(str(tmp_path / "made.mkv")) as video:
        numbers = [read_barcode(frame.to_ndarray(format="rgb24")) for frame in video.decode(video=0)]
    assert numbers == [0, 1, 2, 3, 4]
