"""One session of the conformance gateway: its log, and the worker that the checks play in it."""

import asyncio
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from client import frames
from client.conformance.bodies import BadBody, check_body
from client.frames import Event, Json, Place

SIZE: Place = (24, 16, 24)
GROUND = 8
Wire = Callable[[str], None]


def flat_world() -> Json:
    """A meadow with the agent and the player on it."""
    width, _, depth = SIZE
    return {
        "size": list(SIZE),
        "blocks": [[x, 0, z, GROUND] for x in range(width) for z in range(depth)],
        "agent": {"x": 8, "y": 1, "z": 8, "pitch": 0, "yaw": 0},
        "player": {"x": 12, "y": 1, "z": 4, "pitch": 0, "yaw": 0},
    }


def scene_after(events: Sequence[Event]) -> Json:
    """The meadow after what was done to it."""
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


class Log:
    """A session as the gateway keeps it.

    Attributes:
        events: All that happened, in order.
        number_faults: Where its messages were not numbered 1, 2, 3…, or not sent again as they were; a sentence each.
        body_faults: Messages that are not valid.
        late: How many messages came after the session was taken back.
        tells_all: Whether an agent that comes back hears everything since the beginning, or only what comes after the
            scene that it is given: up to now, or up to a command that is not over.
        is_behind: A message was refused as too much: what was in flight behind it may come too early.
    """

    def __init__(self) -> None:
        self.id = uuid.uuid4().hex[:12]
        self.events: list[Event] = []
        self.number_faults: list[str] = []
        self.body_faults: list[str] = []
        self.late = 0
        self.is_behind = False
        self.tells_all = True
        self.last_cseq = 0
        self.is_over = False
        self._seen: dict[int, tuple[Any, Any]] = {}
        self._seqs: dict[int, int] = {}
        self._wire: Wire | None = None
        self._grew = asyncio.Condition()

    def attach(self, wire: Wire) -> None:
        """The agent is here (again): give it the session and all events since the beginning."""
        self._wire = wire
        have = 0 if self.tells_all else self._settled_seq()
        world = scene_after(self.events[:have])
        assigned = {"session": self.id, "world": world, "capabilities": [], "have": have, "last_cseq": self.last_cseq}
        wire(frames.write("assign", **assigned))
        for event in self.events[have:]:
            self._tell(event)

    def detach(self) -> None:
        """The agent's connection is gone."""
        self._wire = None

    async def append(self, sender: frames.Sender, kind: str, body: Mapping[str, object]) -> Event:
        """Something happens; the agent hears of it."""
        event = Event(len(self.events) + 1, sender, kind, dict(body))
        self.events.append(event)
        self._tell(event)
        async with self._grew:
            self._grew.notify_all()
        return event

    def note_sent(self, frame: Json) -> None:
        """Remember what came with a number, whether or not it will be taken: it must come again just so."""
        cseq, message = frame.get("cseq"), (frame.get("type"), frame.get("body"))
        if isinstance(cseq, int) and self._seen.setdefault(cseq, message) != message:
            self.number_faults.append(f"message {cseq} came twice, but with different contents")

    async def take(self, frame: Json) -> str:
        """One `send` of the agent: keep it, once; the answer to it."""
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
        """What the agent sent of one type, after event `since`."""
        return [event for event in self.events[since:] if event.sender == "agent" and event.type == kind]

    async def until(self, holds: Callable[[], object], patience_s: float) -> bool:
        """Wait until something holds, looking whenever the log grows; False if that takes too long."""
        try:
            async with asyncio.timeout(patience_s), self._grew:
                await self._grew.wait_for(lambda: bool(holds()))
        except TimeoutError:
            return False
        return True

    def tell_raw(self, text: str) -> None:
        """Send the agent any frame."""
        if self._wire is not None:
            self._wire(text)

    def _settled_seq(self) -> int:
        """The last event before the first command that is not over; the last of all where there is none."""
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
