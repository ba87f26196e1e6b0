"""One session of the conformance gateway: its log of events, and the faults in the agent's messages."""

import asyncio
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from crosswalk_client import frames
from crosswalk_client.conformance.bodies import BadBody, check_body
from crosswalk_client.frames import Event, Json, Place

SIZE: Place = (24, 16, 24)
GROUND = 8
Wire = Callable[[str], None]


def flat_world() -> Json:
    """A flat world with the agent and the player on it."""
    width, _, depth = SIZE
    return {
        "size": list(SIZE),
        "blocks": [[x, 0, z, GROUND] for x in range(width) for z in range(depth)],
        "agent": {"x": 8, "y": 1, "z": 8, "pitch": 0, "yaw": 0},
        "player": {"x": 12, "y": 1, "z": 4, "pitch": 0, "yaw": 0},
    }


def scene_after(events: Sequence[Event]) -> Json:
    """The flat world after these events."""
    scene = flat_world()
    blocks = {(x, y, z): block for x, y, z, block in scene["blocks"]}
    for event in events:
        match event.type:
            case "pose":
                scene["agent" if event.sender == "agent" else "player"] = event.body
            case "blocks":
                blocks.update({(x, y, z): block for x, y, z, block in event.body["changes"]})
            case "place":
                blocks[tuple(event.body["at"])] = event.body["block"]
            case "destroy":
                blocks[tuple(event.body["at"])] = 0
    return scene | {"blocks": [[*place, block] for place, block in sorted(blocks.items()) if block]}


async def holds_in_time(changed: asyncio.Condition, holds: Callable[[], object], patience_s: float) -> bool:
    """Wait until `holds()` is true, calling it at each notification of `changed`; False after `patience_s` seconds."""

    async def wait() -> None:
        async with changed:
            await changed.wait_for(lambda: bool(holds()))

    try:
        await asyncio.wait_for(wait(), patience_s)
    except asyncio.TimeoutError:  # in Python 3.10 it is not the built-in TimeoutError
        return False
    return True


class Log:
    """The gateway's side of a session.

    Attributes:
        events: All events, in order.
        number_faults: A sentence for each message that was not numbered 1, 2, 3…, or was changed when sent again.
        body_faults: A sentence for each message that is not valid.
        late: Number of messages that came after the session was taken back.
        tells_all: Whether an agent that reconnects receives every event since the beginning. If not, it receives the
            current scene (or the scene before the first unfinished command) and the events after it.
        models: The models that the session is to use, as `assign` names them.
        is_behind: A message was refused with the error "rate", so the messages in flight behind it may come too early.
    """

    def __init__(self) -> None:
        self.id = uuid.uuid4().hex[:12]
        self.events: list[Event] = []
        self.number_faults: list[str] = []
        self.body_faults: list[str] = []
        self.late = 0
        self.is_behind = False
        self.models: Json = {}
        self.tells_all = True
        self.last_cseq = 0
        self.is_over = False
        self._seen: dict[int, tuple[Any, Any]] = {}
        self._seqs: dict[int, int] = {}
        self._wire: Wire | None = None
        self._grew = asyncio.Condition()

    def attach(self, wire: Wire) -> None:
        """Assign the session to the agent on this connection, and send the events that it lacks."""
        self._wire = wire
        have = 0 if self.tells_all else self._settled_seq()
        world = scene_after(self.events[:have])
        assigned = {"session": self.id, "world": world, "capabilities": [], "have": have, "last_cseq": self.last_cseq}
        wire(frames.write("assign", **assigned, **({"models": self.models} if self.models else {})))
        for event in self.events[have:]:
            self._tell(event)

    def detach(self) -> None:
        """The agent's connection is gone."""
        self._wire = None

    async def append(self, sender: frames.Sender, kind: str, body: Mapping[str, object]) -> Event:
        """Add an event to the log and send it to the agent."""
        event = Event(len(self.events) + 1, sender, kind, dict(body))
        self.events.append(event)
        self._tell(event)
        async with self._grew:
            self._grew.notify_all()
        return event

    def note_sent(self, frame: Json) -> None:
        """Remember the message with this number, accepted or not: when it comes again, it must be the same."""
        cseq, message = frame.get("cseq"), (frame.get("type"), frame.get("body"))
        if isinstance(cseq, int) and self._seen.setdefault(cseq, message) != message:
            self.number_faults.append(f"message {cseq} came twice, but with different contents")

    async def take(self, frame: Json) -> str:
        """Handle one `send` of the agent, store it once, and return the frame that answers it."""
        cseq = frame.get("cseq")
        if not frames.is_whole(cseq) or cseq == 0:
            self.number_faults.append(f"cseq is {cseq!r}, not a number from 1")
            return self.error("invalid", "cseq is a number from 1")
        if cseq <= self.last_cseq:
            return frames.write("ack", session=self.id, cseq=cseq, seq=self._seqs.get(cseq, 0), dup=True)
        if cseq > self.last_cseq + 1:
            if not self.is_behind:
                self.number_faults.append(f"message {cseq} came where {self.last_cseq + 1} was due")
            return self.error("gap", f"{self.last_cseq + 1} is due")
        self.last_cseq, self.is_behind = cseq, False
        try:
            check_body(frame.get("type"), frame.get("body"), SIZE)
        except BadBody as error:
            self.body_faults.append(f"message {cseq} is not valid: {error}")
            return self.error("invalid", str(error))
        event = await self.append("agent", frame["type"], frame["body"])
        self._seqs[cseq] = event.seq
        return frames.write("ack", session=self.id, cseq=cseq, seq=event.seq, dup=False)

    def error(self, code: str, detail: str) -> str:
        """An `error` frame about this session."""
        return frames.write("error", code=code, detail=detail, last_cseq=self.last_cseq, session=self.id)

    def states_of(self, command: str) -> list[str]:
        """The statuses of a command so far, in order."""
        mine = [event for event in self.events if event.sender == "agent" and event.type == "status"]
        return [str(event.body["state"]) for event in mine if event.body["command"] == command]

    def sent(self, kind: str, since: int = 0) -> list[Event]:
        """The agent's messages of one type, after event `since`."""
        return [event for event in self.events[since:] if event.sender == "agent" and event.type == kind]

    async def until(self, holds: Callable[[], object], patience_s: float) -> bool:
        """Wait until `holds()` is true, calling it whenever the log grows; False after `patience_s` seconds."""
        return await holds_in_time(self._grew, holds, patience_s)

    def tell_raw(self, text: str) -> None:
        """Send the agent any frame."""
        if self._wire is not None:
            self._wire(text)

    def _settled_seq(self) -> int:
        """Number of the last event before the first unfinished command; without one, of the last event."""
        over = {event.body.get("command") for event in self.events if event.body.get("state") in ("done", "failed")}
        begun = (event.seq - 1 for event in self.events if event.type == "command" and event.body["id"] not in over)
        return next(begun, len(self.events))

    def _tell(self, event: Event) -> None:
        self.tell_raw(
            frames.write(
                "event",
                session=self.id,
                seq=event.seq,
                type=event.type,
                body=event.body,
                at="2026-01-01T00:00:00Z",
                **{"from": event.sender},
            )
        )
