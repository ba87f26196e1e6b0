"""Perceptual hashes of a video's pictures, by which continuations that look the same are found.

Each picture becomes 256 bits: its lowest frequencies (a cosine transform of 64 x 64 grey pixels), each above or below
their median. Another quality of the same picture changes few of them. `lib/video/alike.py` compares them.

Source: Zauner (2010), "Implementation and benchmarking of perceptual image hash functions", section 3.2.1.
"""

from __future__ import annotations

import av
import cv2
import numpy as np

from lib.video.activity import pixels_of
from lib.video.frames import FrameTable

PLACES = 16
"""The pictures that are kept, at even times from the takeover to the end of the video."""
SIDE, LOWEST = 64, 16
_WAVES = np.cos(np.pi / SIDE * np.outer(np.arange(LOWEST), np.arange(SIDE) + 0.5))
"""The cosines of the lowest frequencies, shape (LOWEST, SIDE)."""
_DIGITS = 3
"""What is below these decimals comes from rounding: an even picture has frequencies of 0."""


class PictureHasher:
    """Hashes the pictures of a video in order."""

    def __init__(self) -> None:
        self._hashes: list[bytes] = []

    def add(self, picture: av.VideoFrame) -> None:
        """Add the next picture, as the canvas makes it: yuv420p of limited range."""
        small = cv2.resize(pixels_of(picture.planes[0]), (SIDE, SIDE), interpolation=cv2.INTER_AREA).astype(np.float64)
        # OpenCV's own transform differs in the last bits where several threads use it at once.
        low = (_WAVES @ small @ _WAVES.T).round(_DIGITS).ravel()
        bits = low > np.median(low[1:])
        # The first says only how bright the whole picture is.
        bits[0] = False
        self._hashes.append(np.packbits(bits).tobytes())

    def finish(self, table: FrameTable, *, from_s: float) -> str:
        """The hashes of `PLACES` pictures from this moment on, in hexadecimal, once all pictures of the table were
        added."""
        end_s = table.duration_s
        first_s = min(from_s, end_s)
        wanted = [first_s + place * (end_s - first_s) / PLACES for place in range(PLACES)]
        return b"".join(self._hashes[table.last_until(time_s)] for time_s in wanted).hex()
