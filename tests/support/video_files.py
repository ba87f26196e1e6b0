"""Odd files, written with PyAV, that a kind of clip does not cover."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
from av.stream import Disposition
from av.video.reformatter import ColorRange

from tests.support.clips import Picture, draw


def write_pictures(
    path: Path,
    pictures: list[Picture],
    *,
    codec: str,
    pix_fmt: str,
    colours: int | None = None,
    full_range: bool = False,
) -> None:
    """Plain RGB pictures as a video of 30 fps.

    `colours` is the scaler's number of the YUV to use; with `full_range` black is 0 and white is 255, and the
    stream says so.
    """
    levels = ColorRange.JPEG if full_range else None
    with av.open(str(path), "w") as out:
        stream = out.add_stream(codec, rate=30)
        assert isinstance(stream, av.VideoStream)
        stream.height, stream.width = pictures[0].shape[:2]
        stream.pix_fmt = pix_fmt
        if full_range:
            stream.codec_context.color_range = ColorRange.JPEG
        for number, picture in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame = frame.reformat(format=pix_fmt, dst_colorspace=colours, dst_color_range=levels)
            frame.pts = number
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))


def write_two_sizes(path: Path, first: tuple[int, int], second: tuple[int, int]) -> None:
    """20 frames of Motion JPEG whose size changes at frame 10; the header names the first size."""
    with av.open(str(path), "w") as out:
        stream = out.add_stream("mjpeg", rate=30)
        other = av.CodecContext.create("mjpeg", "w")
        for context, (width, height) in ((stream.codec_context, first), (other, second)):
            context.width, context.height, context.pix_fmt = width, height, "yuvj420p"
            context.time_base = Fraction(1, 30)
        for number in range(20):
            context, (width, height) = (stream.codec_context, first) if number < 10 else (other, second)
            frame = av.VideoFrame.from_ndarray(draw(number, width=width, height=height), format="rgb24")
            frame = frame.reformat(format="yuvj420p")
            frame.pts, frame.time_base = number, Fraction(1, 30)
            for packet in context.encode(frame):
                packet.stream = stream
                out.mux(packet)


def write_with_cover(source: Path, target: Path, *, video: bool) -> None:
    """The video, or else the sound, of `source` with a cover picture beside it."""
    with av.open(str(source)) as whole, av.open(str(target), "w") as out:
        template: av.VideoStream | av.AudioStream = whole.streams.video[0] if video else whole.streams.audio[0]
        stream = out.add_stream_from_template(template)
        cover = out.add_stream("mjpeg", rate=1)
        cover.width, cover.height, cover.pix_fmt = 64, 48, "yuvj420p"
        cover.disposition = Disposition.attached_pic
        picture = av.VideoFrame.from_ndarray(draw(0, width=64, height=48), format="rgb24")
        picture = picture.reformat(format="yuvj420p")
        picture.pts = 0
        out.mux(cover.encode(picture))
        out.mux(cover.encode(None))
        for packet in whole.demux(template):
            if packet.size:
                packet.stream = stream
                out.mux(packet)


def boxes(mp4: bytes) -> list[tuple[bytes, int, int]]:
    """The top-level boxes of an MP4: kind, where it starts, where it ends."""
    at, found = 0, []
    while at < len(mp4):
        end = at + int.from_bytes(mp4[at : at + 4])
        found.append((mp4[at + 4 : at + 8], at, end))
        at = end
    return found


def box(mp4: bytes, kind: bytes) -> tuple[int, int]:
    """The start and end of the one top-level box of a kind."""
    ((start, end),) = [(start, end) for found, start, end in boxes(mp4) if found == kind]
    return start, end
