"""Signed, expiring addresses of videos, posters and filmstrips, and the file that each leads to."""

from django.conf import settings
from django.core.signing import BadSignature, TimestampSigner

from annotation.models import Assignment
from annotation.tools.quiz_questions import is_hold_of_question, payload_held
from evaluation.models import Film
from lib.faults import NotFound

_signer = TimestampSigner(salt="crosswalk.clip")
ADDRESS_MAX_AGE_S = 24 * 3600
"""How long an address works."""


def video_address(hold: str, name: str) -> str:
    """A signed address of a video file; it expires and needs no header.

    The episode's id is not in it, except where the hold is `episode:ID`, which only staff get.
    """
    return f"{settings.CLIPS_PATH}{_signer.sign(hold)}/{name}"


def film_of_address(signed: str) -> Film:
    """The film to which a signed address leads.

    Raises:
        NotFound: the signature is wrong or too old, or the hold or its film does not exist.
    """
    try:
        hold = _signer.unsign(signed, max_age=ADDRESS_MAX_AGE_S)
    except BadSignature:
        raise NotFound from None
    if hold.startswith("episode:"):
        return _found(Film.objects.filter(episode__external_id=hold.removeprefix("episode:")).first())
    if hold.startswith("task:"):
        return _found(Film.objects.filter(episode__shown_in__task_id=int(hold.removeprefix("task:"))).first())
    if is_hold_of_question(hold):
        return _found(Film.objects.filter(episode__external_id=payload_held(hold).get("episode")).first())
    assignment = Assignment.objects.filter(public_id=hold).values_list("task_id", flat=True).first()
    if assignment is None:
        raise NotFound
    return _found(Film.objects.filter(episode__shown_in__task_id=assignment).first())


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
