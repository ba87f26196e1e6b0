"""A session's log for programs: pages for the replay, and one file. (Twin: `frontend/src/staff/replay/payload.ts`.)"""

from collections.abc import Iterator
from typing import Any, Final

from commands.readout import sentence_of
from interaction.models import Event, LiveCommand, Session

Json = dict[str, Any]
MOST_EVENTS: Final = 2000
"""The most events on one page."""
MOST_VOXELS: Final = 100_000
"""After this many voxels a page ends with the event that reaches it. One event has up to 32,768."""


def page_after(session: Session, seq: int) -> list[Event]:
    """The next page of events, oldest first; empty at the end of the log. 1 query."""
    found, voxels = [], 0
    rows = Event.objects.filter(session=session, seq__gt=seq).order_by("seq")[:MOST_EVENTS]
    for event in rows.iterator(chunk_size=500):
        found.append(event)
        voxels += len(event.body.get("changes") or event.body.get("voxels") or ())
        if voxels >= MOST_VOXELS:
            break
    return found


def as_shown(session: Session, events: list[Event]) -> list[Json]:
    """The events for the replay; parses also have their words. At most 1 query more."""
    parsed = {event.body["command"] for event in events if event.type == "parse"}
    texts: dict[str, str] = {}
    if parsed:
        named = LiveCommand.objects.filter(session=session, name__in=parsed)
        texts = dict(named.values_list("name", "command__text"))
    return [_shown(event, texts) for event in events]


def _shown(event: Event, texts: dict[str, str]) -> Json:
    body = event.body
    if event.type == "parse":
        # Each parse is shown as it was sent. A later parse replaces it in the command, but not in the log.
        body = {**body, "words": sentence_of(body["form"], text=texts.get(body["command"], ""))}
    return {"seq": event.seq, "from": event.role, "type": event.type, "body": body, "at": event.at.isoformat()}


def log_rows(session: Session) -> Iterator[Json]:
    """Every event as it is stored, oldest first."""
    rows = Event.objects.filter(session=session).order_by("seq")
    return (
        {
            "session": session.public_id,
            "seq": event.seq,
            "from": event.role,
            "cseq": event.cseq,
            "type": event.type,
            "body": event.body,
            "at": event.at.isoformat(),
        }
        for event in rows.iterator(chunk_size=500)
    )
