"""Convert one decoded frame into a picture of the proxy: upright, square pixels, small, even sides, known colours."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from fractions import Fraction
from typing import SupportsBytes, cast

import av
import numpy as np
from av.video.frame import PictureType
from av.video.reformatter import ColorRange, Interpolation

from lib.video.problems import ProblemCode, VideoProblem

# The conversion from YUV to RGB, in the numbers of ISO/IEC 23091-2, which H.264, MP4 and the library share.
BT709, BT601 = 1, 6
_RGB, _SMPTE240, _BT2020 = 0, 7, 9
_KNOWN_COLOURS = {1: BT709, 4: BT601, 5: BT601, 6: BT601, 7: _SMPTE240, 9: _BT2020, 10: _BT2020}
_SCALER_COLOURS = {BT709: 1, BT601: 5}  # the scaler has its own numbers
_HD_LINES = 720

_MAX_WIDTH = 4096  # of the proxy: every H.264 decoder supports it

_UPRIGHT = (1, 0, 0, 1)


@dataclass(frozen=True, slots=True)
class Canvas:
    """The conversion of every frame of one video into a picture of the proxy; the first frame decides it.

    Attributes:
        shown: (width, height) of the source as players show it: upright, with square pixels.
        scaled: (width, height) to which a stored picture is scaled before it is turned.
        width: Width of the proxy; even.
        height: Height of the proxy; even.
        swap: Whether lines become columns (a quarter turn, together with a flip).
        flip_x: Whether left and right are mirrored, after the swap.
        flip_y: Whether top and bottom are mirrored, after the swap.
        colours: BT601 or BT709: the conversion from the proxy's YUV to RGB.
    """

    shown: tuple[int, int]
    scaled: tuple[int, int]
    width: int
    height: int
    swap: bool
    flip_x: bool
    flip_y: bool
    colours: int

    @classmethod
    def for_frame(cls, frame: av.VideoFrame, *, pixel_aspect: Fraction | None, max_height: int) -> Canvas:
        """The conversion that fits the first frame.

        Args:
            frame: The first decoded frame.
            pixel_aspect: Width of a stored pixel over its height; None or 0 if the file does not give it.
            max_height: Greatest height of the proxy in lines, >= 2.
        """
        x_to_x, x_to_y, y_to_x, y_to_y = _orientation(frame)
        swap = abs(x_to_x) + abs(y_to_y) < abs(x_to_y) + abs(y_to_x)
        width, height = Fraction(frame.width), Fraction(frame.height)
        # Like players, stretch the short side of a pixel, so that no line or column is lost.
        if pixel_aspect and pixel_aspect > 1:
            width *= pixel_aspect
        elif pixel_aspect:
            height /= pixel_aspect
        if swap:
            width, height = height, width
        shown = fitted = (max(1, round(width)), max(1, round(height)))
        shrink = min(max_height / height, _MAX_WIDTH / width)
        if shrink < 1:
            fitted = (_even(width * shrink), _even(height * shrink))
        return cls(
            shown=shown,
            scaled=(fitted[1], fitted[0]) if swap else fitted,
            # To scale an odd side by one pixel would blur every pixel; to repeat the last line blurs none.
            width=fitted[0] + fitted[0] % 2,
            height=fitted[1] + fitted[1] % 2,
            swap=swap,
            flip_x=(y_to_x if swap else x_to_x) < 0,
            flip_y=(x_to_y if swap else y_to_y) < 0,
            colours=BT601 if _colours(frame) == BT601 else BT709,
        )

    def picture(self, frame: av.VideoFrame) -> av.VideoFrame:
        """The frame as a picture of the proxy: yuv420p of limited range, `width` x `height`; it may be `frame` itself.

        Raises:
            VideoProblem: UNSUPPORTED_CODEC: the pixel format cannot be converted.
        """
        frame.colorspace = _colours(frame)
        try:
            picture = frame.reformat(
                width=self.scaled[0],
                height=self.scaled[1],
                format="yuv420p",
                dst_colorspace=_SCALER_COLOURS[self.colours],
                src_color_range=_range(frame),
                dst_color_range=ColorRange.MPEG,
                interpolation=Interpolation.BICUBIC,
                threads=1,
            )
        except av.FFmpegError as error:
            raise VideoProblem(
                ProblemCode.UNSUPPORTED_CODEC,
                f"The pictures are stored as {frame.format.name}, which we cannot convert.",
            ) from error
        if self.swap or self.flip_x or self.flip_y or self.scaled != (self.width, self.height):
            picture = self._turn(picture)
        picture.colorspace = self.colours
        picture.color_range = ColorRange.MPEG
        picture.pict_type = PictureType.NONE  # otherwise the encoder would copy the source's key frames
        return picture

    def _turn(self, picture: av.VideoFrame) -> av.VideoFrame:
        turned = av.VideoFrame(self.width, self.height, "yuv420p")
        for source, target in zip(picture.planes, turned.planes, strict=True):
            stored = np.frombuffer(bytes(source), np.uint8).reshape(-1, source.line_size)
            plane = stored[: source.height, : source.width]
            plane = plane.T if self.swap else plane
            plane = plane[:: -1 if self.flip_y else 1, :: -1 if self.flip_x else 1]
            lines = np.pad(
                plane,
                ((0, target.height - plane.shape[0]), (0, target.width - plane.shape[1])),
                mode="edge",
            )
            # A stored line may be longer than the picture.
            padded = np.pad(lines, ((0, 0), (0, target.line_size - target.width)))
            target.update(padded.tobytes())
        return turned


def _even(side: Fraction | float) -> int:
    return max(2, 2 * round(side / 2))


def _orientation(frame: av.VideoFrame) -> tuple[int, int, int, int]:
    """The directions of the stored axes after the display matrix: (x to x, x to y, y to x, y to y).

    Source: the track matrix of ISO/IEC 14496-12: x' = a x + c y, y' = b x + d y, stored as a b u c d v x y w.
    """
    found = cast("SupportsBytes | None", frame.side_data.get("DISPLAYMATRIX"))
    if found is None:
        return _UPRIGHT
    a, b, _, c, d, *_ = struct.unpack("=9i", bytes(found))
    return (a, b, c, d) if any((a, b, c, d)) else _UPRIGHT


def _colours(frame: av.VideoFrame) -> int:
    """The frame's conversion from YUV to RGB; if the file does not give it, by its height, as browsers guess."""
    if _holds_rgb(frame):
        return _RGB
    return _KNOWN_COLOURS.get(frame.colorspace, BT601 if frame.height < _HD_LINES else BT709)


def _range(frame: av.VideoFrame) -> ColorRange:
    full = _holds_rgb(frame) or frame.format.name.startswith("yuvj") or frame.color_range == ColorRange.JPEG
    return ColorRange.JPEG if full else ColorRange.MPEG


def _holds_rgb(frame: av.VideoFrame) -> bool:
    return frame.format.is_rgb or frame.format.has_palette
