"""Draws a game as a short video that a person can judge: the map, and a strip with what the map cannot show."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from demo.babyai.world import World

WIDTH = 384
LARGEST_TILE = 52
OUTER_WALL = 0.25  # how much of the walls around the whole map is shown; there is nothing to see in them
STRIP = 40
ICON = 32

BACKGROUND = "#14161a"
QUIET = "#8b93a1"
TEXT = "#ffffff"
CONTEXT = "#4a5568"
AGENT = "#c2410c"

X264 = {"crf": "26", "preset": "veryslow", "tune": "animation", "bf": "0", "sc_threshold": "0"}

Frame = NDArray[np.uint8]


def draw(world: World, *, step: int, in_control: bool) -> Frame:
    """One picture of `world` after `step` actions.

    The map shows all rooms from above. The strip shows whether the agent is `in_control`, the number of steps, and the
    thing that the agent carries.

    Order: axes (row, column, RGB), uint8; both sides are even, because the codec requires it.
    """
    columns, rows = world.size
    tile = min(LARGEST_TILE, int(WIDTH / (columns - 2 + 2 * OUTER_WALL)) // 2 * 2)
    cut = round(tile * (1 - OUTER_WALL))
    shown = Image.fromarray(world.picture(tile)).crop((cut, cut, columns * tile - cut, rows * tile - cut))
    canvas = Image.new("RGB", (WIDTH, shown.height + STRIP), BACKGROUND)
    canvas.paste(shown, ((WIDTH - shown.width) // 2, 0))
    _strip(canvas, world, step=step, in_control=in_control)
    return np.asarray(canvas, dtype=np.uint8)


def _strip(canvas: Image.Image, world: World, *, step: int, in_control: bool) -> None:
    pen = ImageDraw.Draw(canvas)
    font = ImageFont.load_default(size=15)
    middle = canvas.height - STRIP // 2
    pen.rectangle((6, middle - 12, 88, middle + 11), fill=AGENT if in_control else CONTEXT)
    pen.text((47, middle), "AGENT" if in_control else "CONTEXT", font=font, fill=TEXT, anchor="mm")
    pen.text((98, middle), f"step {step}", font=font, fill=QUIET, anchor="lm")
    carried = world.carried()
    if carried is None:
        pen.text((WIDTH - 10, middle), "carries nothing", font=font, fill=QUIET, anchor="rm")
    else:
        canvas.paste(Image.fromarray(world.carried_picture(ICON)), (WIDTH - ICON - 6, middle - ICON // 2))
        pen.text((WIDTH - ICON - 14, middle), carried, font=font, fill=TEXT, anchor="rm")


def write(path: Path, pictures: Sequence[Frame], *, fps: int, repeat: int) -> int:
    """Write each picture `repeat` times to an MP4. The same pictures always give the same bytes.

    Returns:
        The number of frames; frame i starts at exactly i / fps.

    Raises:
        ValueError: The written file has another number of frames or other times.
    """
    height, width, _ = pictures[0].shape
    container = {"movflags": "+faststart", "fflags": "+bitexact"}
    with av.open(str(path), "w", format="mp4", options=container) as film:
        stream = film.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        # One thread: with more, the bytes depend on the machine. No B frames: decoded in the order shown.
        stream.codec_context.thread_count = 1
        stream.codec_context.flags |= av.codec.context.Flags.bitexact.value
        stream.options = {**X264, "g": str(2 * fps)}
        for index in range(len(pictures) * repeat):
            frame = av.VideoFrame.from_ndarray(pictures[index // repeat], format="rgb24")
            frame.pts = index
            film.mux(stream.encode(frame))
        film.mux(stream.encode())
    times = frame_times(path)
    if times != [index / fps for index in range(len(pictures) * repeat)]:
        raise ValueError(f"{path.name}: frames were lost or moved while writing")
    return len(times)


def frame_times(path: Path) -> list[float]:
    """The times of all frames in seconds, by decoding the video."""
    with av.open(str(path)) as film:
        return [frame.time for frame in film.decode(video=0)]


def fingerprint(path: Path) -> str:
    """SHA-256 of the file, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
