"""Read and write the frames of the gateway, which are JSON texts. `docs/live.md` lists all of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard, cast, get_args

Json = dict[str, Any]
Place = tuple[int, int, int]
"""A cell of the world: x, y, z; y is up."""
Sender = Literal["worker", "agent", "server"]
MOST_BYTES = 64 * 2**20
"""The largest frame; a full world of 64³ blocks takes about 4 MiB."""


class BadFrame(Exception):
    """A frame breaks section 7 of the contract; the message names the fault."""


@dataclass(frozen=True)
class Event:
    """One event of a session's log.

    Attributes:
        seq: Number of the event in the log, from 1. Agents do not receive every event, so numbers may be missing.
        sender: The side that sent it.
        type: "command", "stop", "pose" and so on. New types may be added, so skip types that you do not know.
        body: The content, by type.
        at: The server's time, ISO 8601.
        ours: True where this process sent it: an agent's messages come back to it as events.
    """

    seq: int
    sender: Sender
    type: str
    body: Json
    at: str = ""
    ours: bool = False


def read(text: str | bytes) -> Json:
    """Parse the text of a frame.

    Raises:
        BadFrame: the text is not a JSON object with a kind `t`.
    """
    try:
        frame = json.loads(text)
    except ValueError as error:
        raise BadFrame(f"not JSON: {error}") from None
    if not isinstance(frame, dict) or not isinstance(frame.get("t"), str):
        raise BadFrame("not an object with a kind `t`")
    return frame


def write(kind: str, /, **fields: object) -> str:
    """Return the text of a frame.

    >>> write("pong", n=3)
    '{"t":"pong","n":3}'
    """
    return json.dumps({"t": kind, **fields}, separators=(",", ":"), allow_nan=False)


def send(session: str, cseq: int, kind: str, body: Mapping[str, object]) -> str:
    """Return the text of a `send` frame, which carries one message of the agent."""
    return write("send", session=session, cseq=cseq, type=kind, body=body)


def event_of(frame: Json) -> Event:
    """Return the event in an `event` frame.

    Raises:
        BadFrame: a field is missing or has another type.
    """
    seq, sender, kind, body = (frame.get(name) for name in ("seq", "from", "type", "body"))
    if not is_whole(seq) or sender not in get_args(Sender) or not isinstance(kind, str) or not isinstance(body, dict):
        raise BadFrame("an event has seq, from, type and body")
    return Event(seq=seq, sender=cast(Sender, sender), type=kind, body=body, at=str(frame.get("at", "")))


def whole_in(frame: Json, name: str) -> int:
    """Return a field of a frame that holds a whole number.

    Raises:
        BadFrame: the field is missing, or holds something else.
    """
    value = frame.get(name)
    if not is_whole(value):
        raise BadFrame(f"`{name}` should be a whole number")
    return value


def is_whole(value: object) -> TypeGuard[int]:
    """True if a JSON value is a whole number, at least 0; true and false are not.

    >>> is_whole(3), is_whole(True), is_whole(-1)
    (True, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
