"""Preparing an episode's video in the background: exact frame table, scrub proxy, poster, filmstrip."""

import hashlib
import logging
import tempfile
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from evaluation import episodes, feeds
from evaluation.models import Episode, Film
from evaluation.video.limits import Limits
from evaluation.video.prepare import Prepared, prepare
from evaluation.video.problems import VideoProblem
from jobs.outbox import Running

logger = logging.getLogger(__name__)

CRASHED = "preparation_failed"


def prepare_episode(running: Running) -> None:
    """Job handler; may run again after a crash, and does nothing for an episode that is ready or failed."""
    episode = Episode.objects.select_related("revision").filter(pk=running.subject).first()
    if episode is None or episode.status != Episode.Status.PREPARING:
        return
    with tempfile.TemporaryDirectory(prefix="crosswalk-") as scratch:
        source, made = Path(scratch) / "source", Path(scratch) / "made"
        made.mkdir()
        _fetch(episode.source, source)
        limits = Limits(max_duration_s=settings.VIDEO_MAX_DURATION_S)
        try:
            prepared = prepare(source, made, limits=limits, on_progress=running.report)
        except VideoProblem as problem:
            episodes.fail(pk=episode.pk, code=str(problem.code), detail=problem.detail)
            return
        misfit = _misfit(episode, prepared)
        if misfit is not None:
            episodes.fail(pk=episode.pk, code=misfit[0], detail=misfit[1])
            return
        running.report(1.0)
        film = _film(episode, prepared, made)
    make_ready(episode=episode, film=film, at=timezone.now())


def abandon(subject: str) -> None:
    """Every attempt has failed: say so to the poster; staff see the job's error."""
    episodes.fail(
        pk=int(subject),
        code=CRASHED,
        detail="The video could not be prepared, and we could not find out why. Try another encoding.",
    )


def make_ready(*, episode: Episode, film: Film, at: datetime) -> None:
    """Keep the film, open the episode, and make its tasks: all or nothing."""
    with transaction.atomic():
        film.save()
        changed = Episode.objects.filter(pk=episode.pk, status=Episode.Status.PREPARING).update(
            status=Episode.Status.READY, ready_at=at
        )
        if changed:
            episode.refresh_from_db()
            feeds.offer(episode=episode, at=at)
    logger.info("episode.ready", extra={"episode": episode.pk, "frames": film.frames})


def _misfit(episode: Episode, prepared: Prepared) -> tuple[str, str] | None:
    """Code and sentence where the video is fine, but ends before a moment that the data names."""
    table = prepared.table
    end = f"the video ends at {table.duration_s:.3f} s"
    truth_s = (episode.reference or {}).get("time_s")
    if episode.takeover_s >= table.duration_s:
        return "takeover_outside", f"The agent takes over at {episode.takeover_s} s, but {end}."
    if truth_s is not None and truth_s > table.duration_s:
        return "reference_outside", f"The true moment is given as {truth_s} s, but {end}."
    if episode.step_frames and episode.step_frames[-1] >= len(table):
        return (
            "steps_outside",
            f"A step begins at frame {episode.step_frames[-1]}, but there are {len(table)} frames.",
        )
    return None


def _fetch(name: str, target: Path) -> None:
    with default_storage.open(name, "rb") as stored, target.open("wb") as local:
        for chunk in stored.chunks():
            local.write(chunk)


def _film(episode: Episode, prepared: Prepared, made: Path) -> Film:
    folder = f"episodes/{episode.folder}"

    def keep(name: str) -> str:
        path = f"{folder}/{name}"
        # The same name from an earlier attempt that was cut short: replaced, not kept beside.
        default_storage.delete(path)
        with (made / name).open("rb") as file:
            return default_storage.save(path, File(file))

    strip = prepared.filmstrip
    return Film(
        episode=episode,
        table=prepared.table.to_json(),
        frames=len(prepared.table),
        duration_s=prepared.table.duration_s,
        width=prepared.width,
        height=prepared.height,
        codec=prepared.codec,
        proxy=keep(prepared.proxy),
        proxy_sha256=hashlib.sha256((made / prepared.proxy).read_bytes()).hexdigest(),
        poster=keep(prepared.poster),
        filmstrip={
            "every": strip.every,
            "columns": strip.columns,
            "rows": strip.rows,
            "width": strip.width,
            "height": strip.height,
            "sheets": [keep(sheet) for sheet in strip.sheets],
        },
        prep_version=prepared.prep_version,
        prepared_at=timezone.now(),
    )
