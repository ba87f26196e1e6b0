"""Preparation of a posted file: the frame table, the scrub proxy, the poster and the filmstrip.

A bad file is refused with a reason, and no results remain. Several threads may prepare files at once. To prepare the
same file again replaces the results with equal ones.
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

from lib.video.activity import Activity, ActivityMeter
from lib.video.container import check_container
from lib.video.decoder import decoded_frames
from lib.video.filmstrip import Filmstrip, FilmstripWriter, to_image
from lib.video.frame_times import FrameTimes
from lib.video.frames import TOLERANCE, FrameTable
from lib.video.limits import Limits
from lib.video.picture import Canvas
from lib.video.picture_hash import PictureHasher
from lib.video.probe import probe
from lib.video.problems import ProblemCode, VideoProblem
from lib.video.proxy import ProxyWriter, check_proxy

PREP_VERSION = 1
"""Increase it when the same file would give other results; it is stored with every annotation."""

_PROXY, _POSTER = "proxy.mp4", "poster.jpg"
_POSTER_QUALITY = 82
_PROGRESS_EVERY = 25  # frames
_DECODED = 0.98  # the share of the work after all frames are encoded


@dataclass(frozen=True, slots=True)
class Prepared:
    """The results of a preparation.

    Attributes:
        table: Every frame and its exact time.
        width: Width of the source as players show it: upright, in square pixels.
        height: Height of the source as players show it.
        proxy_width: Width of the scrub proxy and the poster; even, at most the width of the source rounded up.
        proxy_height: Height of the scrub proxy and the poster; even, at most `Limits.max_height`.
        duration_s: Time from the start of the first frame to the end of the last.
        codec: Codec of the source, such as `h264`; a key of `probe.CODECS`.
        start_pts: Time of the first frame in the source, in ticks of the table.
        proxy: Name of the scrub proxy in the folder of preparation.
        poster: Name of the poster (JPEG) in that folder.
        filmstrip: The places of the thumbnails.
        activity: How much changes when, and where the video cuts, freezes or is black.
        picture_hash: Perceptual hashes of pictures from `hash_from_s` on: see `lib.video.picture_hash`.
        sha256: SHA-256 of the source, in hexadecimal.
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
    activity: Activity
    picture_hash: str
    sha256: str
    prep_version: int


def prepare(
    source: Path,
    into: Path,
    *,
    limits: Limits,
    on_progress: Callable[[float], None] | None = None,
    poster_at_s: float = 0.0,
    hash_from_s: float = 0.0,
) -> Prepared:
    """Prepare a posted video.

    Args:
        source: The posted file; it is only read.
        into: Folder for the results, made if missing. Files of an earlier preparation are replaced.
        limits: Limits on the video.
        on_progress: Called repeatedly, in this thread, with the share of work done: in [0, 1], never falling. An
            exception from it ends the preparation, so it can also cancel one.
        poster_at_s: The poster shows the frame on screen at this time, or the last frame if the video is shorter.
        hash_from_s: From here on its pictures are hashed: before the takeover all continuations look the same.

    Returns:
        The frame table, and the names of the files.

    Raises:
        VideoProblem: the file is not a usable video. `into` is unchanged.
        ProxyMismatch: the proxy does not match the source, which is a fault of ours. `into` is unchanged.
        OSError: a file cannot be read or written.

    Costs: 5 to 9 s of CPU per 1800 frames of 640 x 360; memory for some dozen pictures and one sheet.
    """
    is_new = not into.exists()
    into.mkdir(parents=True, exist_ok=True)
    # Inside `into`, so the finished files can be moved by a rename within one file system.
    work = Path(tempfile.mkdtemp(prefix=".preparing-", dir=into))
    try:
        prepared = _prepare(source, work, limits, on_progress or (lambda _: None), poster_at_s, hash_from_s)
        for file in sorted(work.iterdir()):
            file.replace(into / file.name)
        work.rmdir()
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        if is_new:
            with suppress(OSError):  # another process has put a file there; it stays
                into.rmdir()
        raise
    return prepared


def _prepare(
    source: Path,
    work: Path,
    limits: Limits,
    on_progress: Callable[[float], None],
    poster_at_s: float,
    hash_from_s: float,
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
        activity = ActivityMeter()
        hasher = PictureHasher()
        times = FrameTimes(look)
        proxy = open_things.enter_context(ProxyWriter(work / _PROXY, canvas, time_base=look.time_base, rate=look.rate))
        for number, frame in enumerate(chain([first], frames)):
            limits.check_frames(number + 1)
            limits.check_picture(frame.width, frame.height)
            pts = times.add(frame)
            at = pts * look.time_base
            limits.check_duration(float(at))
            picture = canvas.picture(frame)
            if at <= poster_at_s + TOLERANCE:
                poster = picture
            filmstrip.add(number, picture)
            activity.add(picture)
            hasher.add(picture)
            proxy.add(picture, pts)
            if number % _PROGRESS_EVERY == 0:
                on_progress(min(number / look.packets, 1.0) * _DECODED)
        table = times.table()
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
        activity=activity.finish(table),
        picture_hash=hasher.finish(table, from_s=hash_from_s),
        sha256=sha256,
        prep_version=PREP_VERSION,
    )
