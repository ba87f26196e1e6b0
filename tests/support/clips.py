"""Barcoded clips, made with PyAV when a test asks for one: every frame carries its own number.

A frame shows its number as 16 blocks, most significant bit first (white is 1), in the top 1/18 of the
picture, and the complement of each block in the next 1/18, so a picture that is blurred, half of another
frame or covered reads as unreadable and never as a wrong number. Below, a square walks over a soft
gradient, so that a codec has something to predict and something to get wrong.

    python -m tests.support.clips vfr vfr.mp4 --frames 300
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, cast

import av
import numpy as np
import numpy.typing as npt
from av.video.frame import PictureType

Picture = npt.NDArray[np.uint8]
"""RGB, shape (height, width, 3)."""

BITS = 16
STRIPS = 18  # the number takes the first 1/18 of the height, its complement the second
MIN_CONTRAST = 60  # of 255, between a block and its complement; below, the picture is called unreadable


@dataclass(frozen=True, slots=True)
class Clip:
    """A clip and the truth about it.

    `times` are the exact presentation times of the frames, counted from the first frame = 0; `start` is
    the first frame's own time in the file; `end` is where the last frame ends, None if the container does
    not keep that. `width` and `height` are those of the picture as a player shows it.
    """

    path: Path
    kind: str
    frames: int
    times: tuple[Fraction, ...]
    start: Fraction
    end: Fraction | None
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parameters of one kind of clip; the default is H.264 in MP4, 30 fps, upright, square pixels."""

    suffix: str = ".mp4"
    codec: str = "libx264"
    pix_fmt: str = "yuv420p"
    time_base: Fraction = Fraction(1, 15360)
    ticks: Callable[[int], int] = lambda frame: frame * 512
    start_ticks: int = 0
    options: Mapping[str, str] = field(default_factory=lambda: {"preset": "ultrafast", "crf": "23"})
    container: Mapping[str, str] = field(default_factory=dict)
    gop: int = 250
    b_frames: int = 0
    sound: bool = False
    size: tuple[int, int] | None = None
    matrix: tuple[int, ...] | None = None
    """A QuickTime display matrix, and with it `turn`, which undoes it on the picture to be stored."""
    turn: Callable[[Picture], Picture] = lambda picture: picture
    pixel_aspect: Fraction = Fraction(1)
    keeps_end: bool = True


def _irregular(frame: int) -> int:
    """Start of a frame in 1/90000 s when no two intervals need be equal: from 1/60 s to 1/9 s."""
    return frame * 5750 + (Random(frame).randint(-2125, 2125) if frame else 0)


def _milliseconds(frame: int) -> int:
    return round(Fraction(frame * 1000, 30))


ONE = 1 << 16  # 1.0 in the 16.16 numbers of a display matrix
WHOLE = 1 << 30  # 1.0 in the 2.30 numbers of its last column
VP9 = {"deadline": "realtime", "cpu-used": "8", "crf": "34", "b": "0"}
X264_SMALL = {"preset": "ultrafast", "crf": "23"}

RECIPES: dict[str, Recipe] = {
    "longgop": Recipe(),
    "bframes": Recipe(b_frames=3, options={**X264_SMALL, "x264-params": "bframes=3:b-adapt=0:b-pyramid=normal"}),
    "ntsc": Recipe(time_base=Fraction(1, 30000), ticks=lambda frame: frame * 1001),
    "vfr": Recipe(time_base=Fraction(1, 90000), ticks=_irregular, b_frames=2, keeps_end=False),
    "vp9": Recipe(
        ".webm",
        "libvpx-vp9",
        time_base=Fraction(1, 1000),
        ticks=_milliseconds,
        options=VP9,
        keeps_end=False,
    ),
    "start": Recipe(time_base=Fraction(1, 90000), ticks=lambda frame: frame * 3000, start_ticks=225_000),
    "mov": Recipe(".mov", time_base=Fraction(1, 600), ticks=lambda frame: frame * 25),
    "mkv": Recipe(".mkv", time_base=Fraction(1, 1000), ticks=_milliseconds, b_frames=2, keeps_end=False),
    "with_sound": Recipe(sound=True),
    "odd": Recipe(pix_fmt="yuv444p", size=(321, 181)),
    # Filmed with the camera on its side: players turn the stored picture a quarter clockwise.
    "rotated": Recipe(matrix=(0, ONE, 0, -ONE, 0, 0, 0, 0, WHOLE), turn=lambda picture: np.rot90(picture, 1)),
    "upside_down": Recipe(matrix=(-ONE, 0, 0, 0, -ONE, 0, 0, 0, WHOLE), turn=lambda picture: np.rot90(picture, 2)),
    "mirrored": Recipe(matrix=(-ONE, 0, 0, 0, ONE, 0, 0, 0, WHOLE), turn=lambda picture: picture[:, ::-1]),
    "anamorphic": Recipe(pixel_aspect=Fraction(2)),
    "avi": Recipe(
        ".avi",
        "mjpeg",
        "yuvj420p",
        time_base=Fraction(1, 30),
        ticks=lambda frame: frame,
        options={"q": "4"},
        keeps_end=False,
    ),
    "ts": Recipe(".ts", time_base=Fraction(1, 90000), ticks=lambda frame: frame * 3003, keeps_end=False),
    "fragmented": Recipe(container={"movflags": "frag_keyframe+empty_moov"}, gop=15),
    "streamed": Recipe(
        ".webm",
        "libvpx-vp9",
        time_base=Fraction(1, 1000),
        ticks=_milliseconds,
        options=VP9,
        container={"live": "1"},
        keeps_end=False,
    ),
    "hevc": Recipe(
        codec="libx265",
        options={"preset": "ultrafast", "crf": "26", "x265-params": "log-level=none:bframes=0"},
    ),
    "av1": Recipe(codec="libsvtav1", options={"preset": "12", "crf": "40"}),
    "prores": Recipe(".mov", "prores_ks", "yuv422p10le", options={}),
    "faststart": Recipe(container={"movflags": "faststart"}),
    "ten_bit": Recipe(".mkv", "ffv1", "yuv422p10le", Fraction(1, 1000), _milliseconds, options={}, keeps_end=False),
    "rgb": Recipe(".mkv", "ffv1", "bgr0", Fraction(1, 1000), _milliseconds, options={}, keeps_end=False),
}


@cache
def _background(width: int, height: int) -> Picture:
    across = np.linspace(40, 200, width, dtype=np.float32)
    down = np.linspace(0, 55, height, dtype=np.float32)
    grey = across[None, :] + down[:, None]
    return np.stack([grey, np.flip(grey, axis=1), 255 - grey], axis=2).clip(0, 255).astype(np.uint8)


def draw(number: int, *, width: int, height: int) -> Picture:
    """The picture of one frame, upright: its barcode and a walking square."""
    picture = _background(width, height).copy()
    side = max(4, height // 8)
    top = 2 * height // STRIPS
    x = (number * 7) % max(1, width - side)
    y = top + (number * 3) % max(1, height - top - side)
    picture[y : y + side, x : x + side] = (250, 240, 30)
    for bit in range(BITS):
        left, right = bit * width // BITS, (bit + 1) * width // BITS
        lit = number >> (BITS - 1 - bit) & 1
        picture[: height // STRIPS, left:right] = 255 * lit
        picture[height // STRIPS : 2 * height // STRIPS, left:right] = 255 * (1 - lit)
    return picture


def read_barcode(picture: npt.NDArray[Any]) -> int | None:
    """The number a frame carries; None if the picture does not say it clearly.

    Args:
        picture: RGB, shape (height, width, 3), of any size down to about 64 x 48.
    """
    height, width = picture.shape[:2]
    light = picture.astype(np.float64).mean(axis=2)
    number = 0
    for bit in range(BITS):
        left, right = bit * width / BITS, (bit + 1) * width / BITS
        inner = slice(int(left + (right - left) * 0.3), int(left + (right - left) * 0.7) + 1)
        values = []
        for strip in (0, 1):
            upper, lower = strip * height / STRIPS, (strip + 1) * height / STRIPS
            rows = slice(int(upper + (lower - upper) * 0.3), int(upper + (lower - upper) * 0.7) + 1)
            values.append(float(light[rows, inner].mean()))
        if abs(values[0] - values[1]) < MIN_CONTRAST:
            return None
        number = number << 1 | int(values[0] > values[1])
    return number


def barcode_clip(path: Path, *, kind: str, frames: int = 90, width: int = 320, height: int = 180) -> Clip:
    """Write a barcoded clip of one kind; the suffix of `path` is replaced by the one that the kind needs.

    Args:
        path: Where to write; its folder exists.
        kind: A key of RECIPES.
        frames: At most 65536, so that the number fits the barcode.
        width: Of the picture as shown; the kind `odd` has a size of its own.
        height: As width.

    Raises:
        KeyError: no such kind.
    """
    return clip_from(RECIPES[kind], path, kind=kind, frames=frames, width=width, height=height)


def clip_from(
    recipe: Recipe, path: Path, *, kind: str = "", frames: int = 90, width: int = 320, height: int = 180
) -> Clip:
    """As `barcode_clip`, from a recipe of one's own: `replace(RECIPES["mkv"], gop=1)`."""
    path = path.with_suffix(recipe.suffix)
    width, height = recipe.size or (width, height)
    ticks = [recipe.ticks(frame) for frame in range(frames + 1)]
    with av.open(str(path), "w", options=dict(recipe.container)) as out:
        _write_pictures(out, recipe, frames, ticks, width, height)
    return Clip(
        path=path,
        kind=kind,
        frames=frames,
        times=tuple(tick * recipe.time_base for tick in ticks[:-1]),
        start=recipe.start_ticks * recipe.time_base,
        end=ticks[-1] * recipe.time_base if recipe.keeps_end else None,
        width=width,
        height=height,
    )


def _write_pictures(
    out: av.container.OutputContainer, recipe: Recipe, frames: int, ticks: list[int], width: int, height: int
) -> None:
    stored = recipe.turn(draw(0, width=width, height=height))
    stream = out.add_stream(recipe.codec, rate=30, options=dict(recipe.options))
    assert isinstance(stream, av.VideoStream)
    stream.width = int(stored.shape[1] / recipe.pixel_aspect)
    stream.height = stored.shape[0]
    stream.pix_fmt = recipe.pix_fmt
    stream.gop_size = recipe.gop
    stream.max_b_frames = recipe.b_frames
    stream.codec_context.time_base = recipe.time_base
    stream.time_base = recipe.time_base
    stream.codec_context.sample_aspect_ratio = recipe.pixel_aspect
    if recipe.matrix is not None:
        stream.set_display_matrix(recipe.matrix)
    sound = out.add_stream("aac", rate=48000) if recipe.sound else None
    durations = {recipe.start_ticks + start: end - start for start, end in pairwise(ticks)}
    for number in range(frames):
        picture = np.ascontiguousarray(recipe.turn(draw(number, width=width, height=height)))
        frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
        frame = frame.reformat(width=stream.width, height=stream.height, format=recipe.pix_fmt)
        frame.pict_type = PictureType.NONE
        frame.pts = recipe.start_ticks + ticks[number]
        frame.time_base = recipe.time_base
        _mux(out, stream.encode(frame), durations)
    _mux(out, stream.encode(None), durations)
    if sound is not None:
        assert isinstance(sound, av.AudioStream)
        _write_sound(out, sound, ticks[-1] * recipe.time_base)


def _mux(
    out: av.container.OutputContainer, packets: list[av.Packet[av.VideoStream]], durations: dict[int, int]
) -> None:
    """Write packets with the durations we mean; encoders invent one from the nominal rate."""
    for packet in packets:
        packet.duration = durations[cast(int, packet.pts)]
        out.mux_one(packet)


def _write_sound(out: av.container.OutputContainer, stream: av.AudioStream, length: Fraction) -> None:
    """A quiet tone, as long as the pictures."""
    samples = int(length * 48000)
    wave = (np.sin(np.arange(samples) * 440 * 2 * np.pi / 48000) * 0.1).astype(np.float32)
    for first in range(0, samples, 1024):
        frame = av.AudioFrame.from_ndarray(wave[None, first : first + 1024], format="fltp", layout="mono")
        frame.sample_rate = 48000
        frame.pts = first
        out.mux(stream.encode(frame))
    out.mux(stream.encode(None))


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a clip whose frames carry their own numbers.")
    parser.add_argument("kind", choices=sorted(RECIPES))
    parser.add_argument("out", type=Path)
    parser.add_argument("--frames", type=int, default=90)
    parser.add_argument("--width", type=int, default=320)
    parser.add_argument("--height", type=int, default=180)
    args = parser.parse_args()
    clip = barcode_clip(args.out, kind=args.kind, frames=args.frames, width=args.width, height=args.height)
    print(f"{clip.path}: {clip.frames} frames, {clip.width} x {clip.height}")  # noqa: T201


if __name__ == "__main__":
    main()
