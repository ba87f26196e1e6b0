"""Recordings: H.264 that the eye cannot tell from the pictures, one frame a step, at exact times."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from crosswalk_client.runner.environments import needed

EXACT = {"crf": "10", "preset": "ultrafast"}


def write_video(path: Path, frames: Iterable[np.ndarray[Any, Any]], *, fps: float) -> int:
    """Write the frames; their number. The file is complete or not there."""
    av = needed("av")
    unfinished = path.with_name(f".{path.name}.unfinished")
    count = 0
    with av.open(str(unfinished), "w", format="mp4", options={"movflags": "+faststart"}) as out:
        stream: Any = None
        for picture in frames:
            shown = _even(picture)
            if stream is None:
                stream = out.add_stream("libx264", rate=Fraction(fps).limit_denominator(1000), options=EXACT)
                stream.height, stream.width = shown.shape[:2]
                stream.pix_fmt = "yuv420p"
                # The runner has a process for each continuation; more threads in each cost more than they bring.
                stream.codec_context.thread_count = 1
            for packet in stream.encode(av.VideoFrame.from_ndarray(shown, format="rgb24")):
                out.mux(packet)
            count += 1
        for packet in stream.encode() if stream is not None else ():
            out.mux(packet)
    unfinished.replace(path)
    return count


def _even(picture: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The picture with even sides, which H.264 wants: the last row or column is there twice."""
    height, width = picture.shape[:2]
    if not (height % 2 or width % 2):
        return np.ascontiguousarray(picture, dtype=np.uint8)
    padded = np.pad(picture, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
    return np.ascontiguousarray(padded, dtype=np.uint8)
