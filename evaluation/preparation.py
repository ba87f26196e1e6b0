"""Preparing an episode's video in the background, retrying it, and failed episodes in the review queue.

Preparation makes the exact frame table, a proxy to scrub in, a poster and a filmstrip.
"""

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import Project
from annotation.review.queue import Item, Subject
from audit import log
from audit.changes import changes
from evaluation import episodes, project_feeds, tallies
from evaluation.bucket_files import postings
from evaluation.models import Episode, Film
from evaluation.repeats.resemblances import note_resemblances
from jobs import outbox
from jobs.models import Job
from jobs.outbox import Running
from lib.faults import FilesUnavailable
from lib.files.scratch import scratch_folder
from lib.video.limits import Limits
from lib.video.problems import VideoProblem

if TYPE_CHECKING:
    from lib.video.prepare import Prepared

logger = logging.getLogger(__name__)

CRASHED = "preparation_failed"
"""The problem code of an episode whose preparation failed for a reason that is not in its video."""
SEVERITY = 0.6
"""Severity of a failed episode among the kinds of the review queue (`docs/reviewing.md`): it holds up no worker, but a
ranking lacks one try."""


def prepare_episode(running: Running) -> None:
    """Job handler. It may run again after a crash; it does nothing for an episode that is ready or has failed.

    Only what the video itself causes makes the episode fail. A full disk, a missing file of the server's own or an
    encoder that it lacks is raised, and the job waits.
    """
    # Not at the start of every process: it takes 17 MB.
    from lib.video.prepare import prepare

    episode = Episode.objects.select_related("revision").filter(pk=running.subject).first()
    if episode is None or episode.status != Episode.Status.PREPARING:
        return
    with scratch_folder(settings.SCRATCH_DIR) as scratch:
        source, made = scratch / "source", scratch / "made"
        made.mkdir()
        _fetch(episode, source)
        limits = Limits(max_duration_s=settings.VIDEO_MAX_DURATION_S)
        try:
            prepared = prepare(source, made, limits=limits, on_progress=running.report, hash_from_s=episode.takeover_s)
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
    """Mark the episode as failed when every attempt of its job has failed; staff see the job's error."""
    episodes.fail(
        pk=int(subject),
        code=CRASHED,
        detail="The video could not be prepared, and we could not find out why. Try another encoding.",
    )


def retry_job(*, job: Job, by: str, at: datetime) -> bool:
    """Let a failed job of any kind run again from its first attempt, when staff ask for it.

    An episode that failed because its preparation crashed goes back to preparing, since the handler skips every other
    episode; so does the copy of a file of a bucket.

    Returns:
        False if the job has not failed, or an unfinished job has its unique key.
    """
    with transaction.atomic():
        locked = Job.objects.select_for_update().get(pk=job.pk)
        if not outbox.retry(pk=job.pk, at=at):
            return False
        before: dict[str, Any] = {"state": locked.state, "attempts": locked.attempts}
        after: dict[str, Any] = {"state": Job.State.WAITING.value, "attempts": 0}
        if job.kind == episodes.PREPARE and Episode.objects.filter(
            pk=job.subject, status=Episode.Status.FAILED, problem_code=CRASHED
        ).update(status=Episode.Status.PREPARING, problem_code="", problem_detail=""):
            before |= {"episode": Episode.Status.FAILED.value}
            after |= {"episode": Episode.Status.PREPARING.value}
        postings.try_again(locked)
        log.record(
            verb="job.retried",
            actor=by,
            subject=log.Subject("job", str(job.pk)),
            at=at,
            kind=job.kind,
            of=job.subject,
            **changes(before, after),
        )
    return True


def make_ready(*, episode: Episode, film: Film, at: datetime) -> None:
    """Store the film, mark the episode as ready, and post its tasks, in one transaction."""
    with transaction.atomic():
        film.save()
        changed = Episode.objects.filter(pk=episode.pk, status=Episode.Status.PREPARING).update(
            status=Episode.Status.READY, ready_at=at
        )
        if changed:
            episode.refresh_from_db()
            tallies.count_ready(episode)
            note_resemblances(episode, film)
            episodes.announce("episode.ready", episode.pk, at=at)
            project_feeds.post_to_projects(episode=episode, at=at)
    logger.info("episode.ready", extra={"episode": episode.pk, "frames": film.frames})


def _misfit(episode: Episode, prepared: "Prepared") -> tuple[str, str] | None:
    """Code and sentence of the fault, where the video ends before a moment that the data names; None if it does not."""
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


def _fetch(episode: Episode, target: Path) -> None:
    """Copy the posted video here.

    Raises:
        FilesUnavailable: the storage does not have it, or has another file in its place. Neither says anything about
            the video that was posted.
    """
    sha256 = hashlib.sha256()
    with _own_files(), default_storage.open(episode.source, "rb") as stored, target.open("wb") as local:
        for chunk in stored.chunks():
            sha256.update(chunk)
            local.write(chunk)
    if sha256.hexdigest() != episode.source_sha256:
        raise FilesUnavailable(f"The stored file {episode.source} is not the one that was posted.")


@contextmanager
def _own_files() -> Iterator[None]:
    """Turn every error of the storage into one of the server's own; each kind of storage has errors of its own."""
    try:
        yield
    except Exception as error:
        raise FilesUnavailable from error


def _film(episode: Episode, prepared: "Prepared", made: Path) -> Film:
    folder = f"episodes/{episode.folder}"

    def keep(name: str) -> str:
        path = f"{folder}/{name}"
        with _own_files(), (made / name).open("rb") as file:
            # An earlier attempt that was interrupted may have stored a file of this name: it is replaced.
            default_storage.delete(path)
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
        activity=prepared.activity.to_json(),
        picture_hash=prepared.picture_hash,
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


class FailedEpisodes:
    """Source of the review queue: episodes whose video could not be used.

    They belong to no project, so every account that sees the queue sees them.
    """

    kind = "failed-episode"
    label = "failed episode"

    def waiting(self, projects: QuerySet[Project]) -> QuerySet[Any, Any]:
        return self._rows().values("pk")

    def worst(self, projects: QuerySet[Project], limit: int) -> list[Item]:
        rows = self._rows().order_by("created_at", "pk").only("external_id", "problem_detail", "created_at")[:limit]
        return [
            Item(
                severity=SEVERITY,
                title=row.external_id,
                detail=row.problem_detail,
                subject=Subject("episode", row.external_id),
                at=row.created_at,
                project=None,
            )
            for row in rows
        ]

    @staticmethod
    def _rows() -> QuerySet[Episode]:
        return Episode.objects.listed().filter(status=Episode.Status.FAILED)
