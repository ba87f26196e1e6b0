"""Signed, expiring addresses of videos, posters and filmstrips, and the file that each leads to.

A worker's address works as long as the hold for which it was made, and while the submitted answer may be corrected.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.core.signing import BadSignature, TimestampSigner

from annotation.models import Assignment
from annotation.tools.practice import is_hold_of_practice, practice_held
from annotation.tools.quiz_questions import is_hold_of_question, payload_held
from annotation.work.corrections import grace_of
from evaluation.models import Film
from lib.faults import NotFound

_signer = TimestampSigner(salt="crosswalk.clip")
ADDRESS_MAX_AGE_S = 24 * 3600
"""How long an address works at most."""
AFTER_HOLD = timedelta(minutes=1)
"""How long a worker's address still works after the hold ended: the page may be reading the video."""

MIN_DIRECT_S, MAX_DIRECT_S = 60, 3600
"""The shortest and the longest life of an address in the bucket; see `seconds_left`."""
OTHER_DIRECT = timedelta(minutes=10)
"""The life of an address in the bucket where no lease bounds it: for staff, quizzes and answers being corrected."""


def video_address(hold: str, name: str) -> str:
    """A signed address of a video file; it expires and needs no header.

    The episode's id is not in it, except where the hold is `episode:ID`, which only staff get.
    """
    return f"{settings.CLIPS_PATH}{_signer.sign(hold)}/{name}"


def hold_of_address(signed: str) -> str:
    """The hold for which the signed address was made; it may have ended.

    Raises:
        NotFound: the signature is wrong or too old.
    """
    try:
        return _signer.unsign(signed, max_age=ADDRESS_MAX_AGE_S)
    except BadSignature:
        raise NotFound from None


def film_of_hold(hold: str, *, at: datetime) -> Film:
    """The film to which an address for this hold leads.

    Raises:
        NotFound: the hold has ended, or the hold or its film does not exist.
    """
    since = at - AFTER_HOLD
    if hold.startswith("episode:"):
        return _found(Film.objects.filter(episode__external_id=hold.removeprefix("episode:")).first())
    if hold.startswith("task:"):
        return _found(Film.objects.filter(episode__shown_in__task_id=int(hold.removeprefix("task:"))).first())
    if is_hold_of_question(hold):
        return _found(Film.objects.filter(episode__external_id=payload_held(hold, since=since).get("episode")).first())
    if is_hold_of_practice(hold):
        return _found(Film.objects.filter(episode__external_id=practice_held(hold).get("episode")).first())
    held = Assignment.objects.filter(public_id=hold).select_related("task__project").first()
    if held is None or not _is_open(held, since=since):
        raise NotFound
    return _found(Film.objects.filter(episode__shown_in__task_id=held.task_id).first())


def seconds_left(hold: str, *, at: datetime) -> int:
    """For how long an address in the bucket may be given out for this hold, in seconds. At most 1 query.

    A worker's hold lasts at least until its lease ends; the page asks anew for a video whose address has expired.
    """
    held = Assignment.objects.filter(public_id=hold, closed_at=None).only("lease_expires_at").first()
    left = held.lease_expires_at + AFTER_HOLD - at if held else OTHER_DIRECT
    return max(MIN_DIRECT_S, min(int(left.total_seconds()), MAX_DIRECT_S))


def _is_open(held: Assignment, *, since: datetime) -> bool:
    """True while the task is held, and while a submitted answer may be corrected: then the worker looks at it again."""
    if held.closed_at is None:
        return held.lease_expires_at > since
    is_submitted = held.status == Assignment.Status.SUBMITTED
    grace = grace_of(held.task.project) if is_submitted else timedelta(0)
    return held.closed_at + grace > since


def _found(film: Film | None) -> Film:
    if film is None:
        raise NotFound
    return film


def stored_file(film: Film, name: str) -> tuple[str, str, str]:
    """The film's file with this name in an address: its storage name, content type and ETag."""
    sheets = film.filmstrip["sheets"]
    files = {"video.mp4": (film.proxy, "video/mp4"), "poster.jpg": (film.poster, "image/jpeg")}
    files |= {f"strip-{number}.webp": (sheet, "image/webp") for number, sheet in enumerate(sheets)}
    if name not in files:
        raise NotFound
    stored, content_type = files[name]
    return stored, content_type, f"{film.proxy_sha256[:32]}-{name}"
