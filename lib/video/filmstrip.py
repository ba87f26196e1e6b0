"""The filmstrip: thumbnails at even distances on sheets; a page shows them until the exact frame is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import av
from av.video.reformatter import Interpolation
from PIL import Image

MAX_THUMBNAILS = 1500
COLUMNS = ROWS = 10
_BOX = 160  # pixels; a landscape thumbnail is this wide, a portrait one this high
_QUALITY = 50


@dataclass(frozen=True, slots=True)
class Filmstrip:
    """The places of the thumbnails.

    Thumbnail `i` shows frame `i * every`. It is on sheet `i // (columns * rows)`; there, with
    `j = i % (columns * rows)`, in column `j % columns` and row `j // columns`. The last sheet has only the
    rows that it needs.

    Attributes:
        every: Number of frames from one thumbnail to the next.
        columns: Number of columns of a sheet.
        rows: Number of rows of a full sheet.
        width: Width of one thumbnail, in pixels.
        height: Height of one thumbnail, in pixels.
        sheets: Names of the WebP files, relative to the folder of preparation.
        count: Number of thumbnails.
    """

    every: int
    columns: int
    rows: int
    width: int
    height: int
    sheets: list[str]
    count: int


class FilmstripWriter:
    """Writes the sheets from the pictures of a video in order; one sheet is in memory at a time."""

    def __init__(self, folder: Path, *, width: int, height: int, frames: int) -> None:
        """
        Args:
            folder: Existing folder for the sheets.
            width: Width of the pictures.
            height: Height of the pictures.
            frames: Expected number of frames, which decides the distance between thumbnails.
        """
        self._folder = folder
        scale = min(1.0, _BOX / max(width, height))
        self._size = (max(1, round(width * scale)), max(1, round(height * scale)))
        self._every = max(1, -(-frames // MAX_THUMBNAILS))
        self._count = 0
        self._sheets: list[str] = []
        self._sheet = self._blank()

    def add(self, number: int, picture: av.VideoFrame) -> None:
        """Add frame `number`. Frames between two thumbnails are ignored, without cost."""
        if number % self._every:
            return
        width, height = self._size
        place = self._count % (COLUMNS * ROWS)
        self._sheet.paste(to_image(picture, width, height), (place % COLUMNS * width, place // COLUMNS * height))
        self._count += 1
        if place == COLUMNS * ROWS - 1:
            self._write()

    def finish(self) -> Filmstrip:
        """Write the last sheet, and return the places of all thumbnails."""
        if self._count % (COLUMNS * ROWS):
            self._write()
        width, height = self._size
        return Filmstrip(
            every=self._every,
            columns=COLUMNS,
            rows=ROWS,
            width=width,
            height=height,
            sheets=self._sheets,
            count=self._count,
        )

    def _blank(self) -> Image.Image:
        return Image.new("RGB", (COLUMNS * self._size[0], ROWS * self._size[1]))

    def _write(self) -> None:
        on_sheet = (self._count - 1) % (COLUMNS * ROWS) + 1
        rows = -(-on_sheet // COLUMNS)
        name = f"strip-{len(self._sheets):03d}.webp"
        sheet = self._sheet.crop((0, 0, self._sheet.width, rows * self._size[1]))
        sheet.save(self._folder / name, "WEBP", quality=_QUALITY, method=2)
        self._sheets.append(name)
        self._sheet = self._blank()


def to_image(picture: av.VideoFrame, width: int, height: int) -> Image.Image:
    """A picture of the proxy as RGB, scaled to this size."""
    small = picture.reformat(width=width, height=height, format="rgb24", interpolation=Interpolation.AREA, threads=1)
    return Image.fromarray(small.to_ndarray())
