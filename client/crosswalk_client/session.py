"""One worker's session on the agent's side: events arrive once and in order, and no message is lost."""

import asyncio
import json
import logging
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from crosswalk_client.frames import Event, Json, Place, send, whole_in
from crosswalk_client.outbox import Held, Outbox

logger = logging.getLogger(__name__)
State = Literal["received", "thinking", "acting", "done", "failed"]
ENDED = ("done", "failed")
BACKLOG_S = 0.5
"""Wait before the first command of a session that another process served before: its statuses must arrive first."""


class SessionEnded(Exception):
    """The session is over; no message can be sent in it."""


@dataclass(frozen=True)
class Command:
    """One command of the worker."""

    id: str
    text: str


class Session:
    """One worker's session.

    Attributes:
        id: Id of the session.
        world: The scene after event `have`; later changes arrive as events.
        capabilities: The list of the agent's abilities that the worker saw, as the server sent it.
        have: Number of the last event that `world` includes.
        models: The models that the server wants this session to use, by module, as it sent them; often none.
    """

    def __init__(self, frame: Json, *, limit: int = 64) -> None:
        """Args: frame: The `assign`. limit: How many messages may wait for the server.

        Raises:
            BadFrame: a field is missing.
        """
        self.id = str(frame.get("session"))
        self.world: Json = frame.get("world") or {}
        self.capabilities: object = frame.get("capabilities")
        self.models: object = frame.get("models")
        self.have = whole_in(frame, "have")
        self.is_inherited = whole_in(frame, "last_cseq") > 0
        self._applied = self.have
        self._outbox = Outbox(last_cseq=whole_in(frame, "last_cseq"), limit=limit)
        self._first_cseq = whole_in(frame, "last_cseq") + 1
        self._first_held: Held | None = None
        self._first_seq: int | None = None
        self._backlog_ends = asyncio.get_running_loop().time() + (BACKLOG_S if self.is_inherited else 0)
        self._coming: asyncio.Queue[Event | None] = asyncio.Queue()
        self._wire: Callable[[str], None] | None = None
        self._room = asyncio.Event()
        self._over = asyncio.Event()
        self._reason = ""
        self._progress: dict[str, str] = {}
        self._unfinished: dict[str, str] = {}
        self._stops: dict[str, asyncio.Event] = {}
        self._asking: dict[str, asyncio.Future[int | None]] = {}

    # For the author of an agent.

    @property
    def ended(self) -> bool:
        """True if the session is over; then no message can be sent."""
        return self._over.is_set()

    @property
    def reason(self) -> str:
        """The reason why the session is over."""
        return self._reason

    async def until_ended(self) -> str:
        """Wait for the end of the session and return its reason."""
        await self._over.wait()
        return self._reason

    async def events(self) -> AsyncIterator[Event]:
        """Yield every event once, in order, until the session ends. Iterate over it, or over `commands`, only once."""
        while (event := await self._coming.get()) is not None:
            yield event
        self._coming.put_nowait(None)

    async def commands(self) -> AsyncIterator[Command]:
        """Yield the commands to obey, for an agent that needs no other event."""
        async for event in self.events():
            if (command := await self.command_in(event)) is not None:
                yield command

    async def command_in(self, event: Event) -> Command | None:
        """The command in an event if this process should obey it; otherwise None.

        A command that was stopped, or that an earlier process ended, is not obeyed. A command that an earlier process
        left unfinished fails here with the reason "restarted", because its progress is unknown.
        """
        if event.type != "command" or event.sender != "worker":
            return None
        wait_s = self._backlog_ends - asyncio.get_running_loop().time()
        if wait_s > 0:
            await asyncio.sleep(wait_s)
        command = Command(str(event.body.get("id")), str(event.body.get("text")))
        state = self._progress.get(command.id)
        if state in ENDED:
            return None
        if state is not None:
            await self.status(command.id, "failed", "restarted")
            return None
        return command

    def is_stopped(self, command: str) -> bool:
        """True if the worker or the server asked to end this command, or the session is over."""
        return self.ended or self._stop_of(command).is_set()

    async def until_stopped(self, command: str) -> None:
        """Wait until `is_stopped`."""
        await self._stop_of(command).wait()

    async def status(self, command: str, state: State, reason: str | None = None) -> None:
        """Report the state of a command: received, thinking, acting, then done or failed.

        Args:
            reason: Why it failed; cut after 200 characters.

        Nothing is sent about a command that the server has already ended.
        """
        if self._progress.get(command) in ENDED:
            return
        if state in ENDED:
            self._unfinished.pop(command, None)
        else:
            self._unfinished[command] = state
        body: Json = {"command": command, "state": state}
        await self.send("status", body | ({"reason": reason[:200]} if reason else {}))

    async def parse(
        self,
        command: str,
        form: Mapping[str, object],
        version: str | None = None,
        *,
        shadow: Mapping[str, object] | None = None,
    ) -> None:
        """Report the logical form that the agent understood.

        Args:
            version: Names the parser or the model that made it.
            shadow: What a model that does not act made of the command: {"model", "parse"}.
        """
        body: Json = {"command": command, "form": form}
        await self.send(
            "parse", body | ({"version": version} if version else {}) | ({"shadow": shadow} if shadow else {})
        )

    async def objects(self, command: str, phrase: str, voxels: Iterable[Place]) -> None:
        """Report the blocks that the agent took a phrase of the command for; no voxels mean that it found nothing."""
        await self.send("objects", {"command": command, "phrase": phrase, "voxels": _rows(voxels)})

    async def blocks(self, changes: Iterable[tuple[int, int, int, int]]) -> None:
        """Change blocks: x, y, z and the new id, 0 for air; at most 4096 changes."""
        await self.send("blocks", {"changes": _rows(changes)})

    async def pose(self, x: float, y: float, z: float, pitch: float, yaw: float) -> None:
        """Report the agent's place (the cell of its feet) and look in degrees (yaw 0 is along +z, 90 along +x)."""
        await self.send("pose", {"x": x, "y": y, "z": z, "pitch": pitch, "yaw": yaw})

    async def say(self, text: str) -> None:
        """Say a text to the worker. It is cut after 1000 characters; an empty text is not sent."""
        if text.strip():
            await self.send("say", {"text": text[:1000]})

    async def point(self, low: Place, high: Place) -> None:
        """Flash the box between two corners, both inclusive."""
        await self.send("point", {"box": _rows((low, high))})

    async def ask(self, text: str, choices: Sequence[str], point: tuple[Place, Place] | None = None) -> int | None:
        """Ask the worker to choose, and return the index of the choice; None if a stop or the end came instead.

        Args:
            choices: 1 to 9 choices; each is cut after 200 characters.
            point: Two corners of a box that flashes with the question.
        """
        question = uuid.uuid4().hex
        answer: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self._asking[question] = answer
        body: Json = {"question": question, "text": text[:1000], "choices": [choice[:200] for choice in choices]}
        try:
            await self.send("ask", body | ({"point": _rows(point)} if point else {}))
            return await answer
        finally:
            self._asking.pop(question, None)

    async def send(self, kind: str, body: Mapping[str, object]) -> int:
        """Send a message and return its number. Waits while too many messages wait for the server.

        Raises:
            SessionEnded: the session is over.
            TypeError, ValueError: the body is not JSON.
        """
        # A copy: the caller may change the original, and only JSON may enter the outbox.
        body = json.loads(json.dumps(body, allow_nan=False))
        while self._outbox.is_full and not self.ended:
            self._room.clear()
            await self._room.wait()
        if self.ended:
            raise SessionEnded(self._reason)
        held = self._outbox.put(kind, body)
        if held.cseq == self._first_cseq:
            self._first_held = held
        self._put_on_wire(held)
        return held.cseq

    async def flush(self) -> None:
        """Wait until the server has every message, or the session ends."""
        while len(self._outbox) and not self.ended:
            self._room.clear()
            await self._room.wait()

    # For `AgentClient`.

    def plug(self, wire: Callable[[str], None]) -> None:
        """Write to this connection from now on, beginning with the messages that wait in the outbox."""
        self._wire = wire
        for held in self._outbox.after(0):
            self._put_on_wire(held)

    def unplug(self) -> None:
        """Write nothing for now; new messages wait in the outbox."""
        self._wire = None

    def resume(self, frame: Json) -> None:
        """Handle a new `assign` of this session after a reconnect.

        Its scene may include events that never arrived here. None of these is an unfinished command, because the server
        sends unfinished commands again. So every command that runs here was ended meanwhile, and an event "world" with
        the new scene follows.
        """
        have = whole_in(frame, "have")
        if have <= self._applied:
            return
        self.world, self.have, self._applied = frame.get("world") or {}, have, have
        for command in self.unfinished():
            self._progress[command] = "failed"
            self._stop_of(command).set()
        self._release_questions()
        self._coming.put_nowait(Event(seq=have, sender="server", type="world", body=self.world))

    def settle(self, last_cseq: int) -> bool:
        """Drop the messages that the server has. False if it lacks messages that were dropped: it has lost them."""
        can_go_on = self._outbox.can_go_on_from(last_cseq)
        self._outbox.settle(last_cseq)
        self._room.set()
        return can_go_on

    def acknowledged(self, cseq: int, seq: int) -> None:
        """Handle an `ack`: the server has stored message `cseq` as event `seq`."""
        if self._first_seq is None:
            self._first_seq = seq
        self.settle(cseq)

    def unfinished(self) -> list[str]:
        """Ids of the commands that this process began and has not ended."""
        return [command for command in self._unfinished if self._progress.get(command) not in ENDED]

    def held(self, cseq: int) -> Held | None:
        """The waiting message with this number; None if it does not wait."""
        return self._outbox.find(cseq)

    def take(self, event: Event) -> None:
        """Handle an event; an event that arrived before is dropped."""
        if event.seq <= self._applied or self.ended:
            return
        self._applied = event.seq
        event = replace(event, ours=event.sender == "agent" and self._is_ours(event))
        self._note(event)
        self._coming.put_nowait(event)
        if event.sender == "server" and event.type == "closed":
            self.end(str(event.body.get("reason", "closed")))

    def end(self, reason: str) -> None:
        """Mark the session as over and wake everything that waits."""
        if self.ended:
            return
        self._reason = reason
        self._over.set()
        self._room.set()
        self._wire = None
        for stop in self._stops.values():
            stop.set()
        self._release_questions()
        self._coming.put_nowait(None)

    def _put_on_wire(self, held: Held) -> None:
        if self._wire is not None:
            self._wire(send(self.id, held.cseq, held.type, held.body))

    def _note(self, event: Event) -> None:
        """Apply an event to stops, statuses and open questions, before `events` yields it."""
        command = str(event.body.get("command"))
        has_failed = event.sender == "server" and event.type == "status"
        if event.type == "stop" or has_failed:
            self._stop_of(command).set()
            self._release_questions()
        if event.type == "status" and not event.ours:
            self._progress[command] = str(event.body.get("state"))
        if event.type == "choose" and (answer := self._asking.get(str(event.body.get("question")))) is not None:
            choice = event.body.get("choice")
            if isinstance(choice, int) and not answer.done():
                answer.set_result(choice)

    def _is_ours(self, event: Event) -> bool:
        """True if this process sent the event, and not an earlier one that served the session: events have no cseq."""
        if not self.is_inherited:
            return True
        if self._first_seq is not None:
            return event.seq >= self._first_seq
        first = self._first_held  # its echo may overtake its ack
        return first is not None and (event.type, event.body) == (first.type, first.body)

    def _release_questions(self) -> None:
        for answer in self._asking.values():
            if not answer.done():
                answer.set_result(None)

    def _stop_of(self, command: str) -> asyncio.Event:
        stop = self._stops.setdefault(command, asyncio.Event())
        if self.ended:
            stop.set()
        return stop


def _rows(places: Iterable[Sequence[int]]) -> list[list[int]]:
    """The places as JSON lists; integers of NumPy become Python's."""
    return [[int(part) for part in place] for place in places]
