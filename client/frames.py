"""The frames of the gateway, JSON texts: how they are read and written. `docs/live.md` has the whole table."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard, cast, get_args

Json = dict[str, Any]
Place = tuple[int, int, int]
"""A cell of the world: x, y, z; y is up."""
Sender = Literal["worker", "agent", "server"]
MOST_BYTES = 64 * 2**20
"""Of one frame: a full world of 64³ blocks takes about 4 MiB."""


class BadFrame(Exception):
    """A frame is not what section 7 of the contract says; its text says where."""


@dataclass(frozen=True)
class Event:
    """One line of a session's log.

    Attributes:
        seq: Its number in the log, from 1. Agents are not told everything, so numbers may be left out.
        sender: Who sent it.
        type: "command", "stop", "pose" and so on; types may be added, so skip those you do not know.
        body: What it says.
        at: The server's time, ISO 8601.
        ours: This process sent it: it comes back as all events do.
    """

    seq: int
    sender: Sender
    type: str
    body: Json
    at: str = ""
    ours: bool = False


def read(text: str | bytes) -> Json:
    """The frame in a text.

    Raises:
        BadFrame: it is no JSON object with a kind `t`.
    """
    try:
        frame = json.loads(text)
    except ValueError as error:
        raise BadFrame(f"not JSON: {error}") from None
    if not isinstance(frame, dict) or not isinstance(frame.get("t"), str):
        raise BadFrame("not an object with a kind `t`")
    return frame


def write(kind: str, /, **fields: object) -> str:
    """A frame as text.

    >>> write("pong", n=3)
    '{"t":"pong","n":3}'
    """
    return json.dumps({"t": kind, **fields}, separators=(",", ":"), allow_nan=False)


def send(session: str, cseq: int, kind: str, body: Mapping[str, object]) -> str:
    """The frame with one message of the agent."""
    return write("send", session=session, cseq=cseq, type=kind, body=body)


def event_of(frame: Json) -> Event:
    """The event in an `event` frame.

    Raises:
        BadFrame: a field is missing or has another type.
    """
    seq, sender, kind, body = (frame.get(name) for name in ("seq", "from", "type", "body"))
    if not is_whole(seq) or sender not in get_args(Sender) or not isinstance(kind, str) or not isinstance(body, dict):
        raise BadFrame("an event has seq, from, type and body")
    return Event(seq=seq, sender=cast(Sender, sender), type=kind, body=body, at=str(frame.get("at", "")))


def whole_in(frame: Json, name: str) -> int:
    """A whole number of a frame.

    Raises:
        BadFrame: it is missing, or something else.
    """
    value = frame.get(name)
    if not is_whole(value):
        raise BadFrame(f"`{name}` should be a whole number")
    return value


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a JSON value is a whole number, at least 0; true and false are not.

    >>> is_whole(3), is_whole(True), is_whole(-1)
    (True, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
