"""One worker's session as the agent sees it: events come in, each once and in order; messages go out, none is lost."""

import asyncio
import json
import logging
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from client.frames import Event, Json, Place, send, whole_in
from client.outbox import Held, Outbox

logger = logging.getLogger(__name__)
State = Literal["received", "thinking", "acting", "done", "failed"]
ENDED = ("done", "failed")
BACKLOG_S = 0.5
"""How long a session that another process has served is listened to before its commands are looked at."""


class SessionEnded(Exception):
    """The session is over: nothing can be sent in it."""


@dataclass(frozen=True)
class Command:
    """Something the worker tells the agent to do."""

    id: str
    text: str


class Session:
    """One worker's session.

    Attributes:
        id: Of the session.
        world: The scene as of the event `have`; what happened since comes as events.
        capabilities: What the worker was told that the agent can do, as the server gave it.
        have: The last event that `world` includes.
    """

    def __init__(self, frame: Json, *, limit: int = 64) -> None:
        """Args: frame: The `assign`. limit: How many messages may wait for the server.

        Raises:
            BadFrame: the frame lacks something.
        """
        self.id = str(frame.get("session"))
        self.world: Json = frame.get("world") or {}
        self.capabilities: object = frame.get("capabilities")
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

    # What the agent's author uses.

    @property
    def ended(self) -> bool:
        """Whether the session is over; nothing can be sent any more."""
        return self._over.is_set()

    @property
    def reason(self) -> str:
        """Why it is over."""
        return self._reason

    async def until_ended(self) -> str:
        """Wait for the end; why it came."""
        await self._over.wait()
        return self._reason

    async def events(self) -> AsyncIterator[Event]:
        """Everything that happens, each once, in order, until the session ends. Use it, or `commands`, in one place."""
        while (event := await self._coming.get()) is not None:
            yield event
        self._coming.put_nowait(None)

    async def commands(self) -> AsyncIterator[Command]:
        """The commands to obey, for an agent that needs no other event."""
        async for event in self.events():
            if (command := await self.command_in(event)) is not None:
                yield command

    async def command_in(self, event: Event) -> Command | None:
        """The command in an event, if this process should obey it.

        Not so where it has been stopped, or where a process before this one ended it. One that was left half done is
        failed here with the reason "restarted": nobody knows how far it came.
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
        """Whether the worker, or the server, has asked to end this command, or the session is over."""
        return self.ended or self._stop_of(command).is_set()

    async def until_stopped(self, command: str) -> None:
        """Wait until `is_stopped`."""
        await self._stop_of(command).wait()

    async def status(self, command: str, state: State, reason: str | None = None) -> None:
        """How far a command is: received, thinking, acting, then done or failed (say why, up to 200 characters).

        Nothing is sent about a command that the server has ended already.
        """
        if self._progress.get(command) in ENDED:
            return
        if state in ENDED:
            self._unfinished.pop(command, None)
        else:
            self._unfinished[command] = state
        body: Json = {"command": command, "state": state}
        await self.send("status", body | ({"reason": reason[:200]} if reason else {}))

    async def parse(self, command: str, form: Mapping[str, object], version: str | None = None) -> None:
        """What a command was understood as, as a logical form."""
        await self.send("parse", {"command": command, "form": form} | ({"version": version} if version else {}))

    async def objects(self, command: str, phrase: str, voxels: Iterable[Place]) -> None:
        """Which blocks a phrase of the command was taken for; none: nothing was found."""
        await self.send("objects", {"command": command, "phrase": phrase, "voxels": _rows(voxels)})

    async def blocks(self, changes: Iterable[tuple[int, int, int, int]]) -> None:
        """Change blocks: x, y, z and the id that is there from now on, 0 for air; at most 4096."""
        await self.send("blocks", {"changes": _rows(changes)})

    async def pose(self, x: float, y: float, z: float, pitch: float, yaw: float) -> None:
        """Where the agent stands (the cell of its feet) and looks (degrees; yaw 0 is along +z, 90 along +x)."""
        await self.send("pose", {"x": x, "y": y, "z": z, "pitch": pitch, "yaw": yaw})

    async def say(self, text: str) -> None:
        """Speak; at most 1000 characters are shown, and nothing is sent where there is nothing to say."""
        if text.strip():
            await self.send("say", {"text": text[:1000]})

    async def point(self, low: Place, high: Place) -> None:
        """Flash the box between two corners, both inclusive."""
        await self.send("point", {"box": _rows((low, high))})

    async def ask(self, text: str, choices: Sequence[str], point: tuple[Place, Place] | None = None) -> int | None:
        """Ask the worker to choose; the index of the choice, or None where a stop or the end came instead.

        Args:
            choices: 1 to 9, each up to 200 characters.
            point: Two corners of a box to flash with it.
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
        """Send a message; its number. Waits while too many others wait for the server.

        Raises:
            SessionEnded: it is over.
            TypeError, ValueError: the body is no JSON.
        """
        # A copy: the caller may change his own, and what is no JSON must not get into the outbox.
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
        """Wait until the server has everything that was sent, or the session ends."""
        while len(self._outbox) and not self.ended:
            self._room.clear()
            await self._room.wait()

    # What the client uses.

    def plug(self, wire: Callable[[str], None]) -> None:
        """Write to this connection from now on, and first what the server has not got."""
        self._wire = wire
        for held in self._outbox.after(0):
            self._put_on_wire(held)

    def unplug(self) -> None:
        """Write nothing for now; what is sent waits in the outbox."""
        self._wire = None

    def resume(self, frame: Json) -> None:
        """The server has assigned the session again, after a reconnect.

        Its scene may include events that never came here. Then none of them was a command that is not over, for such a
        one is told again: what runs here has been ended meanwhile, and whoever keeps the world must take it anew.
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
        """Forget what the server has; False where it lacks what is not here any more, so that nothing can follow."""
        can_go_on = self._outbox.can_go_on_from(last_cseq)
        self._outbox.settle(last_cseq)
        self._room.set()
        return can_go_on

    def acknowledged(self, cseq: int, seq: int) -> None:
        """The server keeps message `cseq`, as event `seq`."""
        if self._first_seq is None:
            self._first_seq = seq
        self.settle(cseq)

    def unfinished(self) -> list[str]:
        """The commands that this process began and has not ended."""
        return [command for command in self._unfinished if self._progress.get(command) not in ENDED]

    def held(self, cseq: int) -> Held | None:
        """The message with this number, while it waits."""
        return self._outbox.find(cseq)

    def take(self, event: Event) -> None:
        """An event has come; what came before is dropped."""
        if event.seq <= self._applied or self.ended:
            return
        self._applied = event.seq
        event = replace(event, ours=event.sender == "agent" and self._is_ours(event))
        self._note(event)
        self._coming.put_nowait(event)
        if event.sender == "server" and event.type == "closed":
            self.end(str(event.body.get("reason", "closed")))

    def end(self, reason: str) -> None:
        """The session is over."""
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
        """Let an event reach those who wait for just it, before `events` comes to it."""
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
        """Whether this process sent it, and not one that served the session before: events have no cseq."""
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
    """As JSON has them; numpy's whole numbers become Python's."""
    return [[int(part) for part in place] for place in places]
