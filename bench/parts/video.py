"""The preparation of a video, compared with a plain decode of the same clip."""

import tempfile
from pathlib import Path

import av

from bench.rows import Row, seconds_of
from lib.video.limits import Limits
from lib.video.prepare import prepare
from tests.support.clips import barcode_clip

FRAMES, RATE = 450, 30
ROUNDS = 3


def run() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="crosswalk-bench-") as folder:
        clip = barcode_clip(Path(folder) / "clip", kind="longgop", frames=FRAMES, width=640, height=360).path
        decoded, prepared = [], []
        for number in range(ROUNDS):
            decoded.append(seconds_of(lambda: _decode(clip)))
            made = Path(folder) / f"made-{number}"
            prepared.append(seconds_of(lambda made=made: prepare(clip, made, limits=Limits())))  # type: ignore[misc]
    base, whole = sorted(decoded)[ROUNDS // 2], sorted(prepared)[ROUNDS // 2]
    a_minute = 60 * RATE / FRAMES
    part = "a minute of 640 x 360 video"
    return [
        Row(part, "bare decode", base * a_minute, None, "s", 1.0, "bare decode"),
        Row(part, "preparation", whole * a_minute, None, "s", whole / base, "bare decode"),
    ]


def _decode(clip: Path) -> None:
    with av.open(str(clip)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        assert sum(1 for _ in container.decode(stream)) == FRAMES
