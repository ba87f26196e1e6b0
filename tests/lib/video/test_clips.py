"""The barcode is itself held to its promise: the right number or none, never a wrong one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.clips import draw, read_barcode


@pytest.mark.parametrize("size", [(64, 48), (181, 321)])
def test_a_drawn_number_reads_back(size: tuple[int, int]) -> None:
    for number in (0, 1, 77, 0x5555, 0xFFFF):
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
