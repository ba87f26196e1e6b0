"""What both kinds of socket share: frames in and out, who must say hello, how much may come, and the way of a message.

A frame that cannot be taken is refused by name, and the socket survives.
"""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from django.utils import timezone

from annotation.voxels.mask import Size
from common.strict_json import parse_json, unstorable
from interaction import log, rules
from interaction.log import Message, Receipt, Sender
from interaction.messages import FROM, cseq_of, read_body
from interaction.models import Event
from interaction.pool import in_pool
from interaction.refusals import Gap, Refusal, SessionClosed, Stale, TooMany
from interaction.writer import writer

logger = logging.getLogger(__name__)
Frame = dict[str, Any]
BAD_TOKEN, NOT_YOURS, NO_HELLO, REPLACED, ENDED = 4401, 4403, 4408, 4409, 4410
FAILED = 1011
"""An error of ours (RFC 6455, 7.4.1)."""
HELLO_S = 5.0


class Place(NamedTuple):
    """A session as one socket writes to it; `named` goes into each frame about it."""

    session: int
    sender: Sender
    size: Size
    named: dict[str, str]


class Bucket:
    """How many frames may still come: `rate` more each second, up to `most`."""

    def __init__(self, rate: float, most: float) -> None:
        self._rate, self._most = rate, most
        self._left, self._at = most, time.monotonic()

    def take(self) -> bool:
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Line(AsyncWebsocketConsumer):
    """One socket. Channels hands over its frames one at a time, in order."""

    most_characters: ClassVar[int]
    bucket: Bucket

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Without what Channels does beside for each frame: a task, and a look for old connections in a thread.

        Connections to the database are those of the pool, and there is no channel layer to listen to.
        """
        self.scope, self.base_send = scope, send
        with suppress(StopConsumer):
            while True:
                await self.dispatch(await receive())

    async def dispatch(self, message: Any) -> None:
        if message["type"] == "websocket.connect":
            await self.connect()
        elif message["type"] == "websocket.receive":
            await self.receive(message.get("text"), message.get("bytes"))
        else:
            await self.disconnect(message["code"])

    async def connect(self) -> None:
        self.has_said_hello = False
        self.is_over = False
        self.woken = asyncio.Event()
        # The last message of each session that counted.
        self.counted: dict[int, int] = {}
        self.tasks: list[asyncio.Task[None]] = []
        await self.accept()
        self._be_patient()

    def _be_patient(self) -> None:
        loop = asyncio.get_running_loop()
        self.patience = loop.call_later(HELLO_S, lambda: loop.create_task(self._give_up()))

    async def _give_up(self) -> None:
        if not self.has_said_hello:
            await self.hang_up(NO_HELLO)

    async def hang_up(self, code: int) -> None:
        """Close the socket; what is still to be sent is not."""
        if self.is_over:
            return
        self.is_over = True
        # Who has gone already cannot be told.
        with suppress(Exception):
            await self.close(code=code)
        for task in self.tasks:
            if task is not asyncio.current_task():
                task.cancel()

    async def disconnect(self, code: int) -> None:
        self.is_over = True
        self.patience.cancel()
        for task in self.tasks:
            task.cancel()
        try:
            if self.has_said_hello:
                await self.gone()
        except Exception:
            logger.exception("sessions.socket_failed")
        raise StopConsumer

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if self.is_over:
            return
        try:
            await self._receive(text_data)
        except Exception:
            # Were it to travel, Channels would drop the socket without a word to `disconnect`.
            logger.exception("sessions.socket_failed")
            await self.hang_up(FAILED)

    async def _receive(self, text_data: str | None) -> None:
        if not self.bucket.take():
            place = None if text_data is None else self.addressed(text_data)
            await self.refuse(TooMany("Too many frames at once; wait a second."), place)
        elif text_data is None:
            await self.refuse(Refusal("Frames are JSON text."))
        elif len(text_data) > self.most_characters:
            await self._refuse_unread(text_data, Refusal(f"A frame has at most {self.most_characters} characters."))
        else:
            await self._read(text_data)

    async def _read(self, text: str) -> None:
        try:
            frame = parse_json(text)
        except ValueError as error:
            await self._refuse_unread(text, Refusal(f"The frame is not JSON: {error}."))
            return
        kind = frame.get("t") if isinstance(frame, dict) else None
        if kind == "ping":
            await self.say(t="pong", n=frame.get("n"))
            await self.beat()
        elif kind == "pong":
            pass
        elif kind == "hello" and not self.has_said_hello:
            await self._take_hello(frame)
        elif kind != "send" or not self.has_said_hello:
            known = "send or ping" if self.has_said_hello else "hello first"
            unknown = Refusal(f"A frame of the kind {str(kind)[:40]!r} is not known here: send {known}.")
            await self._refuse_unread(text, unknown)
        else:
            await self.take(frame)

    async def _take_hello(self, frame: Frame) -> None:
        # It has come in time, however long the database takes over it.
        self.patience.cancel()
        try:
            greeted = await self.greet(frame)
        except Refusal as refusal:
            await self.refuse(refusal)
            self._be_patient()
            return
        if greeted:
            self.has_said_hello = True
            self.keep_doing(self._pump)
            self.woken.set()

    def keep_doing(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do something beside for as long as the socket is open; where it fails, the other end must come anew."""
        self.tasks.append(asyncio.create_task(self._or_hang_up(work)))

    async def _or_hang_up(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception:
            logger.exception("sessions.socket_failed")
            await self.hang_up(FAILED)

    async def _pump(self) -> None:
        """Send what the log has, whenever somebody says that there is more."""
        while True:
            await self.woken.wait()
            self.woken.clear()
            await self.pass_on()

    async def _refuse_unread(self, text: str, refusal: Refusal) -> None:
        """Refuse a frame of which nothing is known but what stands in its text; where that is a number, it counts."""
        place, cseq = self.addressed(text), cseq_of(text)
        if place is not None and cseq is not None:
            await self._reject(place, cseq, refusal)
        else:
            await self.refuse(refusal, place)

    # One message ---------------------------------------------------------------------------------------------------

    async def append(self, place: Place, frame: Frame) -> None:
        """Take one message of a session, and say what became of it."""
        cseq, kind = frame.get("cseq"), frame.get("type")
        if type(cseq) is not int or cseq < 1:
            await self.refuse(Refusal("`cseq` counts your messages: 1, 2, 3…"), place)
            return
        try:
            body = read_body(place.sender.role, kind, frame.get("body", {}), size=place.size)
        except Refusal as refusal:
            await self._reject(place, cseq, refusal)
            return
        message = Message(place.session, place.sender, cseq, str(kind), body)
        try:
            receipt = await _taken(message)
        except Refusal as refusal:
            await self._refuse_counted(place, cseq, refusal)
            return
        self.counted[place.session] = max(self.counted.get(place.session, 0), cseq)
        await self.say(t="ack", cseq=cseq, seq=receipt.seq, dup=receipt.is_repeat, **place.named)

    async def _reject(self, place: Place, cseq: int, refusal: Refusal) -> None:
        """Refuse a message that cannot be read; it counts all the same."""
        try:
            await in_pool(log.reject, place.session, place.sender, cseq=cseq, at=timezone.now())
        except Refusal as other:
            refusal = other
        await self._refuse_counted(place, cseq, refusal)

    async def _refuse_counted(self, place: Place, cseq: int, refusal: Refusal) -> None:
        if not isinstance(refusal, Gap | Stale | SessionClosed):
            self.counted[place.session] = max(self.counted.get(place.session, 0), cseq)
        await self.refuse(refusal, place, cseq=cseq)

    async def refuse(self, refusal: Refusal, place: Place | None = None, **about: int) -> None:
        last = self.counted.get(place.session) if place else None
        await self.say(
            t="error", code=refusal.code, detail=str(refusal), last_cseq=last, **about, **(place.named if place else {})
        )
        if isinstance(refusal, Stale):
            await self.hang_up(REPLACED)

    async def say(self, **frame: Any) -> None:
        if self.is_over:
            return
        try:
            await self.send(text_data=json.dumps(frame, separators=(",", ":")))
        except OSError:
            # The other end has just gone; `disconnect` comes next.
            self.is_over = True

    async def say_event(self, event: Event, place: Place) -> None:
        origin = {"from": event.role}
        await self.say(
            t="event", seq=event.seq, **origin, type=event.type, body=event.body, at=wall_time(event.at), **place.named
        )

    # What each kind of socket does for itself ------------------------------------------------------------------------

    async def greet(self, frame: Frame) -> bool:
        """Answer a hello; False where the socket was closed instead.

        Raises:
            Refusal: the hello is not one.
        """
        raise NotImplementedError

    async def take(self, frame: Frame) -> None:
        """Take a `send`."""
        raise NotImplementedError

    async def pass_on(self) -> None:
        """Send what has been appended since."""
        raise NotImplementedError

    def addressed(self, text: str) -> Place | None:
        """The session that an unread frame is for, where that can be told."""
        raise NotImplementedError

    async def beat(self) -> None:
        """The other end lives."""

    async def gone(self) -> None:
        """The socket has ended, after a hello."""


async def _taken(message: Message) -> Receipt:
    if not FROM[message.sender.role][message.kind].has_rule:
        seq = await writer().append(message)
        if seq is not None:
            return Receipt(seq, is_repeat=False)
    return await in_pool(_take, message)


def _take(message: Message) -> Receipt:
    """The time of an event is when it is written, not when it began to wait for a thread."""
    session, sender, cseq, kind, body = message
    return rules.take(session, sender, cseq=cseq, kind=kind, body=body, at=timezone.now())


def text_in(frame: Frame, name: str, *, most: int = 64) -> str:
    """A text that a hello must have.

    Raises:
        Refusal: it has none.
    """
    found = frame.get(name)
    if not isinstance(found, str) or not 1 <= len(found) <= most or unstorable(found):
        raise Refusal(f"`{name}` is a text of 1 to {most} characters.")
    return found


def number_in(frame: Frame, name: str, *, least: int, most: int) -> int:
    """The same for a whole number."""
    found = frame.get(name, least)
    if type(found) is not int or not least <= found <= most:
        raise Refusal(f"`{name}` is a whole number from {least} to {most}.")
    return found


def wall_time(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")
