"""How much the log of one session may hold: bytes of all its events, and changes of blocks."""

import json
from typing import Any, Final, NamedTuple

from django.conf import settings

from interaction.models import Event, Session
from interaction.session.refusals import Refusal

EVENT_BYTES: Final = 100
"""Bytes of an event besides its body."""
ENDING: Final = frozenset({"status", "stop", "mark", "back", "reflect", "finish"})
"""Messages with which a command and a session come to their end. A full log takes as many bytes again of them."""


class Cost(NamedTuple):
    """The amounts that a message takes from the quotas of its session."""

    bytes: int
    blocks: int


class LogFull(Refusal):
    """The log of the session has no room for this message."""


# Kept, since to make one takes longer than to write a small body with it.
_encoder: Final = json.JSONEncoder(separators=(",", ":"))


def written(body: dict[str, Any]) -> str:
    """The body as the log keeps it."""
    return _encoder.encode(body)


def cost_of(kind: str, body: dict[str, Any], text: str) -> Cost:
    """The cost of a message, whose body is `text` in the log."""
    return Cost(EVENT_BYTES + len(text), _blocks(kind, body))


def cost_of_all(events: list[Event]) -> Cost:
    """The cost of events together."""
    costs = [cost_of(event.type, event.body, written(event.body)) for event in events]
    return Cost(sum(cost.bytes for cost in costs), sum(cost.blocks for cost in costs))


def check_room(session: Session, kind: str, cost: Cost) -> None:
    """Check that the log has room for a message.

    Raises:
        LogFull: it has not.
    """
    most_bytes: int = settings.SESSION_LOG_MAX_BYTES
    if session.blocks_changed + cost.blocks > settings.SESSION_BLOCKS_MAX:
        raise LogFull(
            f"A session has at most {settings.SESSION_BLOCKS_MAX} changes of blocks, and {session.blocks_changed} are "
            "made. Go on without changing more blocks."
        )
    if session.log_bytes + cost.bytes > most_bytes * (2 if kind in ENDING else 1):
        raise LogFull(f"The log of a session has at most {most_bytes} bytes, and it is full. Finish the session.")


def _blocks(kind: str, body: dict[str, Any]) -> int:
    if kind == "blocks":
        return len(body["changes"])
    return int(kind in ("place", "destroy"))
