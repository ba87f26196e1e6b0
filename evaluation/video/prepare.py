"""Preparation: from a posted file to the frame table, the scrub proxy, the poster and the filmstrip.

A bad file is refused with a reason and leaves nothing behind. Safe in several threads at once; preparing the
same file again replaces the results by equal ones.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from evaluation.video.container import check_container
from evaluation.video.filmstrip import Filmstrip, FilmstripWriter, to_image
from evaluation.video.frames import TOLERANCE, FrameTable
from evaluation.video.limits import Limits
from evaluation.video.picture import Canvas
from evaluation.video.probe import probe
from evaluation.video.problems import ProblemCode, VideoProblem
from evaluation.video.proxy import ProxyWriter, check_proxy
from evaluation.video.reading import decoded_frames
from evaluation.video.timeline import Timeline

PREP_VERSION = 1
"""Goes up when the same file would be prepared differently; stored with every annotation."""

_PROXY, _POSTER = "proxy.mp4", "poster.jpg"
_POSTER_QUALITY = 82
_PROGRESS_EVERY = 25  # frames
_DECODED = 0.98  # the share of the work that is done once all frames are encoded


@dataclass(frozen=True, slots=True)
class Prepared:
    """What became of a posted file.

    Attributes:
        table: Every frame and its exact time.
        width: Of the picture as players show the source: turned, in square pixels.
        height: As width.
        proxy_width: Of the scrub proxy and the poster; even, never above the source but for evenness.
        proxy_height: As proxy_width; at most `Limits.max_height`.
        duration_s: From the start of the first frame to the end of the last.
        codec: Of the source, as `h264`; a key of `probe.CODECS`.
        start_pts: The first frame's own time in the source, in ticks of the table.
        proxy: Name of the scrub proxy in the folder of preparation.
        poster: Name of the poster (JPEG), likewise.
        filmstrip: Where the thumbnails are.
        sha256: Of the source, in hexadecimal.
        prep_version: PREP_VERSION.
    """

    table: FrameTable
    width: int
    height: int
    proxy_width: int
    proxy_height: int
    duration_s: float
    codec: str
    start_pts: int
    proxy: str
    poster: str
    filmstrip: Filmstrip
    sha256: str
    prep_version: int


def prepare(
    source: Path,
    into: Path,
    *,
    limits: Limits,
    on_progress: Callable[[float], None] | None = None,
    poster_at_s: float = 0.0,
) -> Prepared:
    """Prepare a posted video.

    Args:
        source: The posted file; only read.
        into: Folder for the results, made if missing. Files of an earlier preparation are replaced.
        limits: What the video may cost us.
        on_progress: Called now and then, in this thread, with the share done: in [0, 1], never falling.
            What it raises ends the preparation, so it can also cancel one.
        poster_at_s: The poster shows the frame on screen at this time; the last frame if that is too late.

    Returns:
        The frame table, and where the files are.

    Raises:
        VideoProblem: The file is no video that we can use. `into` is as it was before.
        ProxyMismatch: A fault of ours: the proxy does not match the source. `into` is as it was before.
        OSError: A file cannot be read or written.

    Costs: 5 to 9 s of CPU per 1800 frames of 640 x 360; memory for some dozen pictures and one sheet.
    """
    is_new = not into.exists()
    into.mkdir(parents=True, exist_ok=True)
    # Inside `into`, so that moving the finished files is a rename within one file system.
    work = Path(tempfile.mkdtemp(prefix=".preparing-", dir=into))
    try:
        prepared = _prepare(source, work, limits, on_progress or (lambda _: None), poster_at_s)
        for file in sorted(work.iterdir()):
            file.replace(into / file.name)
        work.rmdir()
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        if is_new:
            with suppress(OSError):  # somebody else has put something there: theirs to keep
                into.rmdir()
        raise
    return prepared


def _prepare(
    source: Path, work: Path, limits: Limits, on_progress: Callable[[float], None], poster_at_s: float
) -> Prepared:
    on_progress(0.0)
    check_container(source)
    look = probe(source, limits)
    with source.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()

    with ExitStack() as open_things:
        frames = open_things.enter_context(closing(decoded_frames(source, look.stream_index, limits)))
        first = next(frames, None)
        if first is None:
            raise VideoProblem(ProblemCode.NO_FRAMES, "Not one frame of the video could be decoded.")
        canvas = Canvas.for_frame(first, pixel_aspect=look.pixel_aspect, max_height=limits.max_height)
        poster = canvas.picture(first)
        filmstrip = FilmstripWriter(work, width=canvas.width, height=canvas.height, frames=look.packets)
        timeline = Timeline(look)
        proxy = open_things.enter_context(ProxyWriter(work / _PROXY, canvas, time_base=look.time_base, rate=look.rate))
        for number, frame in enumerate(chain([first], frames)):
            limits.check_frames(number + 1)
            limits.check_picture(frame.width, frame.height)
            pts = timeline.add(frame)
            at = pts * look.time_base
            limits.check_duration(float(at))
            picture = canvas.picture(frame)
            if at <= poster_at_s + TOLERANCE:
                poster = picture
            filmstrip.add(number, picture)
            proxy.add(picture, pts)
            if number % _PROGRESS_EVERY == 0:
                on_progress(min(number / look.packets, 1.0) * _DECODED)
        table = timeline.table()
        limits.check_duration(table.duration_s)
        proxy.finish(table.last_duration)
    check_proxy(work / _PROXY, table)
    to_image(poster, canvas.width, canvas.height).save(work / _POSTER, "JPEG", quality=_POSTER_QUALITY)
    on_progress(1.0)
    return Prepared(
        table=table,
        width=canvas.shown[0],
        height=canvas.shown[1],
        proxy_width=canvas.width,
        proxy_height=canvas.height,
        duration_s=table.duration_s,
        codec=look.codec,
        start_pts=table.start_pts,
        proxy=_PROXY,
        poster=_POSTER,
        filmstrip=filmstrip.finish(),
        sha256=sha256,
        prep_version=PREP_VERSION,
    )
