"""The job that makes the film of a command and posts it as an episode."""

import json
import logging
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotation.voxels.store import scene_named
from common.errors import Conflict, CrosswalkError
from common.mentions import REMOVED
from interaction.models import Command, Event, Posting, Session
from interaction.recordings import film
from interaction.recordings.asking import RECORD
from interaction.recordings.moments import Happening, Part, Stage, part_of
from interaction.recordings.posting import poster
from interaction.recordings.transcript import transcript_of
from jobs.outbox import Running

__all__ = ["RECORD", "abandon", "record"]

logger = logging.getLogger(__name__)

AFTER_S: Final = 2.0
"""How long the film goes on when the command is over."""
SEEN: Final = ("blocks", "place", "destroy", "pose", "command", "status", "stop", "say", "ask", "choose", "point")
"""What a film shows. How the command was judged is not among it: whoever watches it is to judge for themselves."""
_REPORTS = 0.02


def record(running: Running) -> None:
    """Job handler; may run again after a crash, and does nothing for what was posted or has failed."""
    found = Posting.objects.select_related("command__session__agent", "command__session__scene")
    posting = found.filter(pk=running.subject, status=Posting.Status.QUEUED).first()
    if posting is None:
        return
    try:
        continuation = _post(posting, running, at=timezone.now())
    except CrosswalkError as refused:
        # It would be refused again: what it says is told, and staff may ask for something else.
        why = "; ".join(fault.detail for fault in refused.faults) or refused.detail
        _fail(posting, why)
        return
    _keep_no_words_taken_away(posting)
    Posting.objects.filter(pk=posting.pk, status=Posting.Status.QUEUED).update(
        status=Posting.Status.POSTED, continuation=continuation, posted_at=timezone.now()
    )
    logger.info("posting.posted", extra={"posting": posting.pk, "episode": posting.episode})


def abandon(subject: str) -> None:
    """Every attempt has failed: say so where it was asked for; staff see the job's error."""
    posting = Posting.objects.get(pk=int(subject))
    _fail(posting, "The film could not be made, and we could not find out why. Background work has the error.")


def _fail(posting: Posting, why: str) -> None:
    # An attempt before this one may have posted the episode, and died.
    _keep_no_words_taken_away(posting)
    Posting.objects.filter(pk=posting.pk, status=Posting.Status.QUEUED).update(
        status=Posting.Status.FAILED, problem=why
    )
    logger.info("posting.failed", extra={"posting": posting.pk})


def _keep_no_words_taken_away(posting: Posting) -> None:
    """Take out of the episode what was taken out of the session while the film was made.

    Comes before the status: a job that dies in between does this again.
    """
    with transaction.atomic():
        # Whoever takes the words away at this moment has the row: their end is waited for.
        told = Command.objects.select_for_update().values_list("text", flat=True).get(pk=posting.command_id)
        if told == REMOVED:
            poster().take_words_out([posting.episode])
            Posting.objects.filter(pk=posting.pk).update(has_words=False)


def _post(posting: Posting, running: Running, *, at: datetime) -> int:
    command, session = posting.command, posting.command.given_in
    if command.text == REMOVED:
        raise Conflict("What was said in this session was taken away: nobody could judge this command.")
    part = _part(posting)
    happenings = list(_happenings(session, part))
    with tempfile.TemporaryDirectory(prefix="crosswalk-") as scratch:
        path = Path(scratch) / f"{posting.episode}.mp4"
        stage = Stage.of(scene_named(session.scene.digest))
        film.write(path, stage, happenings, part, report=_seldom(running))
        data = {
            "external_id": posting.episode,
            "agent": session.agent.slug,
            "suite": posting.suite,
            "scenario": posting.scenario,
            "continuation": posting.continuation,
            "instruction": command.text,
            "takeover_s": (_ms(session, command.sent_at) - part.begins_ms) / 1000,
            "transcript": transcript_of(happenings, part),
            "metadata": {
                "session": session.public_id,
                "command": posting.number,
                "outcome": command.outcome,
                "form": command.form,
            },
        }
        return poster().post(data, video=path, trajectory=log_of(session), at=at)


def _part(posting: Posting) -> Part:
    command, session = posting.command, posting.command.given_in
    part = part_of(
        told_ms=_ms(session, command.sent_at),
        over_ms=_ms(session, command.over_at) if command.over_at else None,
        first_ms=_ms(session, session.started_at or session.created_at),
        last_ms=_ms(session, session.ended_at or session.moved_at),
        context_ms=round(posting.context_s * 1000),
        after_ms=round(AFTER_S * 1000),
    )
    length_s = (part.ends_ms - part.begins_ms) / 1000
    if length_s > settings.VIDEO_MAX_DURATION_S:
        raise Conflict(f"The film would last {length_s:.0f} s; at most {settings.VIDEO_MAX_DURATION_S:g} s are taken.")
    return part


def _ms(session: Session, at: datetime) -> int:
    """A time of the session as its films count it: from when it was made."""
    return round((at - session.created_at).total_seconds() * 1000)


def _happenings(session: Session, part: Part) -> Iterator[Happening]:
    """What a film shows, from the session's begin to the part's end. 1 query."""
    rows = Event.objects.filter(session=session, type__in=SEEN).order_by("seq")
    for at, role, kind, body in rows.values_list("at", "role", "type", "body").iterator(chunk_size=500):
        event = Happening(_ms(session, at), role, kind, body)
        if event.at_ms > part.ends_ms:
            return
        yield event


def log_of(session: Session) -> bytes:
    """The session's whole log as JSON Lines: what the agent did, exactly."""
    rows = Event.objects.filter(session=session).order_by("seq")
    lines = [
        json.dumps(_line(event), ensure_ascii=False, separators=(",", ":")) for event in rows.iterator(chunk_size=500)
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def _line(event: Event) -> dict[str, Any]:
    return {
        "seq": event.seq,
        "from": event.role,
        "type": event.type,
        "body": event.body,
        "at": event.at.isoformat(),
    }


def _seldom(running: Running) -> Callable[[float], None]:
    """Report to the job where it got on by a little: each report is a write."""
    told = -1.0

    def report(share: float) -> None:
        nonlocal told
        if share - told >= _REPORTS:
            told = share
            running.report(share)

    return report
