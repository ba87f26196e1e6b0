"""Writes moments of a session to a film file. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Final, NamedTuple, cast

import av
import numpy as np
from av.video.frame import PictureType

from interaction.recordings.moments import GAP_MS, Happening, Part, Stage, moments
from interaction.recordings.picture import Camera, best_corner
from lib.video.encoder import add_h264

TICK: Final = Fraction(1, 1000)
_X264: Final = {
    "crf": "24",
    "preset": "veryfast",
    "tune": "animation",
    "bf": "0",
    "sc_threshold": "0",
    # x264's vector code gives other bytes on other processors; its AVX-512 code even from run to run on a busy machine.
    "x264-params": "no-asm=1",
}
_GOP = 8
"""Frames between two key frames: a player that seeks decodes at most so many."""
_HEADROOM = 3
"""Empty layers shown above the highest block."""


class Made(NamedTuple):
    """A film that was written; it lasts until `ends_ms`."""

    frames: int
    ends_ms: int
    width: int
    height: int


def write(
    path: Path,
    stage: Stage,
    happenings: list[Happening],
    part: Part,
    *,
    report: Callable[[float], object] = lambda share: None,
) -> Made:
    """Write the part as H.264 in MP4: a frame for each moment, at its exact time in ms.

    The same log makes the same bytes with the same libraries, so that a repeated post is recognised as a repeat.

    Args:
        report: Called now and then with the share that is written, 0..1.
    """
    size = cast(tuple[int, int, int], stage.grid.shape)
    camera = Camera(size, top=_top_of(stage, happenings, part), turns=best_corner(stage, happenings, part))
    options = {"movflags": "+faststart", "fflags": "+bitexact"}
    times: list[int] = []
    with av.open(str(path), "w", format="mp4", options=options) as out:
        stream = add_h264(out, rate=30, options={**_X264, "g": str(_GOP)})
        stream.width, stream.height, stream.pix_fmt = camera.width, camera.height, "yuv420p"
        stream.codec_context.time_base = stream.time_base = TICK
        # One thread: with more, the bytes depend on the machine.
        stream.codec_context.thread_count = 1
        stream.codec_context.flags |= av.codec.context.Flags.bitexact.value
        packets: list[av.Packet[av.VideoStream]] = []
        for at_ms in moments(stage, happenings, part):
            frame = av.VideoFrame.from_ndarray(camera.draw(stage), format="rgb24")
            frame.pict_type = PictureType.NONE
            frame.pts, frame.time_base = at_ms, TICK
            packets += stream.encode(frame)
            times.append(at_ms)
            report(min(1.0, at_ms / max(1, part.ends_ms - part.begins_ms)))
        ends_ms = max(part.ends_ms - part.begins_ms, times[-1] + GAP_MS)
        packets += stream.encode(None)
        # Each frame lasts until the next one; encoders would guess its duration.
        for packet, until in zip(packets, [*times[1:], ends_ms], strict=True):
            packet.duration = until - cast(int, packet.pts)
            out.mux_one(packet)
    return Made(len(times), ends_ms, camera.width, camera.height)


def _top_of(stage: Stage, happenings: Iterable[Happening], part: Part) -> int:
    """The number of layers, from below, that anything in the film reaches, with some air above."""
    filled = np.flatnonzero(stage.grid.any(axis=(0, 2)))
    heights = [int(filled[-1]) + 1] if filled.size else [0]
    heights += [round(pose.y) + 2 for pose in (stage.agent, stage.player) if pose is not None]
    for event in happenings:
        if event.at_ms > part.ends_ms:
            break
        match event.kind:
            case "blocks":
                heights += [change[1] + 1 for change in event.body["changes"] if change[3]]
            case "place":
                heights.append(event.body["at"][1] + 1)
            case "pose":
                heights.append(round(event.body["y"]) + 2)
    return max(heights) + _HEADROOM
