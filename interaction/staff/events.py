"""A session's log as programs read it: page by page for the replay, and as one file."""

from collections.abc import Iterator
from typing import Any, Final

from interaction import commands
from interaction.models import Command, Event, Session

Json = dict[str, Any]
MOST_EVENTS: Final = 2000
"""Events of one page."""
MOST_VOXELS: Final = 100_000
"""Blocks that the events of one page may name, with the one that goes over it: an event has up to 32,768 of them."""


def page_after(session: Session, seq: int) -> list[Event]:
    """The next events of a page, oldest first; empty at the end of the log. 1 query."""
    found, voxels = [], 0
    rows = Event.objects.filter(session=session, seq__gt=seq).order_by("seq")[:MOST_EVENTS]
    for event in rows.iterator(chunk_size=500):
        found.append(event)
        voxels += len(event.body.get("changes") or event.body.get("voxels") or ())
        if voxels >= MOST_VOXELS:
            break
    return found


def as_shown(session: Session, events: list[Event]) -> list[Json]:
    """As the replay reads them: parses in words beside the form. At most 1 query more."""
    parsed = {event.body["command"] for event in events if event.type == "parse"}
    texts: dict[str, str] = {}
    if parsed:
        named = Command.objects.filter(session=session, name__in=parsed)
        texts = dict(named.values_list("name", "text"))
    return [_shown(event, texts) for event in events]


def _shown(event: Event, texts: dict[str, str]) -> Json:
    body = event.body
    if event.type == "parse":
        # Each parse as it was sent: a later one replaces it in the command, not in the log.
        said = Command(text=texts.get(body["command"], ""), form=body["form"])
        body = {**body, "words": commands.in_words(said)}
    return {"seq": event.seq, "from": event.role, "type": event.type, "body": body, "at": event.at.isoformat()}


def log_rows(session: Session) -> Iterator[Json]:
    """Every event as it is kept, oldest first."""
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
