"""Making the film of a command, and marking its posting as posted or failed."""

import json
import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple, TypedDict

from django.conf import settings

from annotation.scene_store import scene_named
from common.redaction import REMOVED
from interaction.models import Event, Posting, Session
from interaction.recordings.moments import Happening, Part, Stage, part_of
from jobs.outbox import Running
from lib.faults import Conflict

logger = logging.getLogger(__name__)

AFTER_S: Final = 2.0
"""How long the film goes on after the command is over."""
SEEN: Final = ("blocks", "place", "destroy", "pose", "command", "status", "stop", "say", "ask", "choose", "point")
"""Types of events that a film shows. Judgements are left out, so that the people who watch it judge for themselves."""
_REPORTS = 0.02


class Recording(NamedTuple):
    """A command's film and its session's log, ready to be posted as an episode.

    `data` has the members of a `POST /episodes/`; its continuation is None where the next free one is wanted.
    """

    data: dict[str, Any]
    video: Path
    log: bytes


def queued(subject: str) -> Posting | None:
    """The posting of this id with its command and session, if it waits for its film. 1 query."""
    found = Posting.objects.select_related("live__command", "live__session__agent", "live__session__scene")
    return found.filter(pk=subject, status=Posting.Status.QUEUED).first()


def make_recording(posting: Posting, running: Running, *, folder: Path) -> Recording:
    """Make the film of the posting's command in `folder`; reports progress to the job.

    Raises:
        Conflict: the session's words were erased, or the film would be too long.
    """
    # Not at the start of every process: it loads PyAV and Pillow.
    from interaction.recordings import film

    command, session = posting.live.command, posting.live.session
    if command.text == REMOVED:
        raise Conflict("What was said in this session was taken away: nobody could judge this command.")
    part = _part(posting)
    happenings = list(_happenings(session, part))
    path = folder / f"{posting.episode}.mp4"
    film.write(path, Stage.of(scene_named(session.scene.digest)), happenings, part, report=_rare_reports(running))
    data = {
        "external_id": posting.episode,
        "agent": session.agent.slug,
        "suite": posting.suite,
        "scenario": posting.scenario,
        "continuation": posting.continuation,
        "instruction": command.text,
        "takeover_s": (_ms(session, command.at) - part.begins_ms) / 1000,
        "transcript": transcript_of(happenings, part),
        "metadata": {
            "session": session.public_id,
            "command": posting.number,
            "outcome": command.outcome,
            "form": command.form,
        },
    }
    return Recording(data, path, log_of(session))


def mark_posted(posting: Posting, *, continuation: int, at: datetime) -> None:
    """Mark the posting as posted, unless its status changed meanwhile."""
    Posting.objects.filter(pk=posting.pk, status=Posting.Status.QUEUED).update(
        status=Posting.Status.POSTED, continuation=continuation, posted_at=at
    )
    logger.info("posting.posted", extra={"posting": posting.pk, "episode": posting.episode})


def mark_failed(posting: Posting, problem: str) -> None:
    """Mark the posting as failed with a reason for staff, unless its status changed meanwhile."""
    Posting.objects.filter(pk=posting.pk, status=Posting.Status.QUEUED).update(
        status=Posting.Status.FAILED, problem=problem
    )
    logger.info("posting.failed", extra={"posting": posting.pk})


def _part(posting: Posting) -> Part:
    command, session = posting.live.command, posting.live.session
    part = part_of(
        told_ms=_ms(session, command.at),
        over_ms=_ms(session, posting.live.over_at) if posting.live.over_at else None,
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
    """A time of the session as its films count it: milliseconds since the session was created."""
    return round((at - session.created_at).total_seconds() * 1000)


def _happenings(session: Session, part: Part) -> Iterator[Happening]:
    """The events that a film shows, from the session's begin to the part's end. 1 query."""
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


def _rare_reports(running: Running) -> Callable[[float], None]:
    """A report function that writes to the job only when the share has grown by `_REPORTS`: each report is a write."""
    reported = -1.0

    def report(share: float) -> None:
        nonlocal reported
        if share - reported >= _REPORTS:
            reported = share
            running.report(share)

    return report


class Line(TypedDict):
    """`at_s` counts from the start of the film; `speaker` is player or agent."""

    at_s: float
    speaker: str
    text: str


def transcript_of(happenings: Iterable[Happening], part: Part) -> list[Line]:
    """The lines said in the part: commands, choices and "Stop." of the player, speech and questions of the agent.

    All events since the session's start are read, since a choice may answer a question from before the part.
    """
    choices: dict[str, list[str]] = {}
    lines: list[Line] = []
    for event in happenings:
        if event.kind == "ask":
            choices[event.body["question"]] = event.body["choices"]
        if not part.begins_ms <= event.at_ms <= part.ends_ms:
            continue
        at_s = (event.at_ms - part.begins_ms) / 1000
        lines += [Line(at_s=at_s, speaker=speaker, text=text) for speaker, text in _said(event, choices) if text]
    return lines


def _said(event: Happening, choices: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    body = event.body
    match event.kind:
        case "command":
            yield "player", body["text"]
        case "stop":
            yield "player", "Stop."
        case "say":
            yield "agent", body["text"]
        case "ask":
            yield "agent", f"{body['text']} ({' / '.join(body['choices'])})"
        case "choose":
            offered = choices.get(body["question"], [])
            yield "player", offered[body["choice"]] if body["choice"] < len(offered) else ""
