"""The filmstrip: small pictures at even distances, many to a sheet, shown until the exact frame is there."""

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
    """Where the thumbnail of a frame is.

    Thumbnail `i` shows frame `i * every`. It is on sheet `i // (columns * rows)`; there, with
    `j = i % (columns * rows)`, in column `j % columns` and row `j // columns`. The last sheet has only the
    rows that it needs.

    Attributes:
        every: Frames between two thumbnails.
        columns: Thumbnails side by side on a sheet.
        rows: Of a full sheet.
        width: Of one thumbnail, in pixels.
        height: Of one thumbnail, in pixels.
        sheets: Names of the WebP files, relative to the folder of preparation.
        count: Thumbnails in all.
    """

    every: int
    columns: int
    rows: int
    width: int
    height: int
    sheets: list[str]
    count: int


class FilmstripWriter:
    """Takes the pictures of a video in order and writes the sheets, one in memory at a time."""

    def __init__(self, folder: Path, *, width: int, height: int, frames: int) -> None:
        """
        Args:
            folder: Where the sheets go; exists.
            width: Of the pictures to come.
            height: Of the pictures to come.
            frames: How many are expected; decides the distance of thumbnails.
        """
        self._folder = folder
        scale = min(1.0, _BOX / max(width, height))
        self._size = (max(1, round(width * scale)), max(1, round(height * scale)))
        self._every = max(1, -(-frames // MAX_THUMBNAILS))
        self._count = 0
        self._sheets: list[str] = []
        self._sheet = self._blank()

    def add(self, number: int, picture: av.VideoFrame) -> None:
        """Take frame `number`; all but every so many are ignored, at no cost."""
        if number % self._every:
            return
        width, height = self._size
        place = self._count % (COLUMNS * ROWS)
        self._sheet.paste(to_image(picture, width, height), (place % COLUMNS * width, place // COLUMNS * height))
        self._count += 1
        if place == COLUMNS * ROWS - 1:
            self._write()

    def finish(self) -> Filmstrip:
        """Write what is left and say where everything is."""
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
    """A picture of the proxy as RGB, in the size asked for."""
    small = picture.reformat(width=width, height=height, format="rgb24", interpolation=Interpolation.AREA, threads=1)
    return Image.fromarray(small.to_ndarray())
