"""The part that both sockets share: reading and sending frames, the hello, the limit of frames, appending a message.

A frame that cannot be used is answered with an error, and the socket stays open.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from django.utils import timezone

from common.metrics import SOCKETS
from common.server_faults import is_full
from interaction.db_threads import in_pool
from interaction.session import event_log, message_effects
from interaction.session.batch_writer import batch_writer
from interaction.session.event_log import Message, Receipt, Sender
from interaction.session.messages import FROM, cseq_of, read_body
from interaction.session.recent_events import LoggedEvent
from interaction.session.refusals import Gap, Refusal, SessionClosed, Stale, TooMany
from lib.strict_json import parse_json, unstorable
from lib.voxels.mask import Size
from web.edge.client_address import address_of_scope
from web.edge.failed_credentials import count_failure, refusal_of
from web.sockets import limits
from web.sockets.limits import CHARACTERS_A_TOKEN, Bucket

logger = logging.getLogger(__name__)
Frame = dict[str, Any]
BAD_TOKEN, NOT_YOURS, NO_HELLO, REPLACED, ENDED = 4401, 4403, 4408, 4409, 4410
FAILED = 1011
"""The close code of an internal error (RFC 6455, section 7.4.1)."""
LATER = 1013
"""The close code that asks to come again later (IANA's registry of the same RFC, section 11.7)."""
FLOODED = 1008
"""The close code of a socket that went on sending frames that are refused (RFC 6455: a policy violation)."""
HELLO_S = 5.0
# Kept, since to make one takes longer than to write a frame with it.
_encoder = json.JSONEncoder(separators=(",", ":"))


class SessionRef(NamedTuple):
    """One session as seen by one socket.

    Attributes:
        session: Its primary key.
        sender: The side that this socket writes as.
        size: Sides of the session's world, in blocks.
        frame_fields: Fields that go into every frame about this session.
    """

    session: int
    sender: Sender
    size: Size
    frame_fields: dict[str, str]


class Connection(AsyncWebsocketConsumer):
    """One WebSocket. Channels calls `receive` for one frame at a time, in the order in which they came."""

    kind: ClassVar[str]
    most_characters: ClassVar[int]
    bucket: Bucket
    """The limits on what this socket sends."""
    refusals: Bucket
    """How many frames of the socket are refused before it is closed."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle messages one after another.

        Channels' own version starts a task for each frame and looks for old database connections in a thread. Neither
        is needed: the pool keeps its connections, and there is no channel layer.
        """
        self.scope, self.base_send = scope, send
        self.is_anonymous = False
        try:
            with SOCKETS.labels(self.kind).track_inprogress(), suppress(StopConsumer):
                while True:
                    await self.dispatch(await receive())
        finally:
            self.leave_anonymous()

    async def dispatch(self, message: Any) -> None:
        if message["type"] == "websocket.connect":
            await self.connect()
        elif message["type"] == "websocket.receive":
            await self.receive(message.get("text"), message.get("bytes"))
        else:
            await self.disconnect(message["code"])

    async def connect(self) -> None:
        self.address = address_of_scope(self.scope)
        self.has_said_hello = False
        self.is_closed = False
        self.hello_timeout: asyncio.TimerHandle | None = None
        self.woken = asyncio.Event()
        # For each session the number of the last message that counted.
        self.last_cseqs: dict[int, int] = {}
        self.tasks: list[asyncio.Task[None]] = []
        refusal = await asyncio.to_thread(refusal_of, self.address) or limits.enter_anonymous(self.address)
        if refusal is not None:
            self.is_closed = True
            await limits.refuse_handshake(refusal, self.base_send)
            return
        self.is_anonymous = True
        await self.accept()
        self._expect_hello()

    def leave_anonymous(self) -> None:
        """The socket has shown a valid credential, or is closed: it no longer counts as anonymous."""
        if self.is_anonymous:
            self.is_anonymous = False
            limits.leave_anonymous(self.address)

    async def close_with_bad_credential(self) -> None:
        await asyncio.to_thread(count_failure, self.address)
        await self.close_with(BAD_TOKEN)

    def _expect_hello(self) -> None:
        loop = asyncio.get_running_loop()
        self.hello_timeout = loop.call_later(HELLO_S, lambda: loop.create_task(self._close_without_hello()))

    async def _close_without_hello(self) -> None:
        if not self.has_said_hello:
            await self.close_with(NO_HELLO)

    async def close_with(self, code: int) -> None:
        """Close the socket. Frames that are still to be sent are dropped."""
        if self.is_closed:
            return
        self.is_closed = True
        # The other end may be gone already; then there is nobody to inform.
        with suppress(Exception):
            await self.close(code=code)
        for task in self.tasks:
            if task is not asyncio.current_task():
                task.cancel()

    async def disconnect(self, code: int) -> None:
        self.is_closed = True
        if self.hello_timeout is not None:
            self.hello_timeout.cancel()
        for task in self.tasks:
            task.cancel()
        try:
            if self.has_said_hello:
                await self.on_close()
        except Exception:
            logger.exception("sessions.socket_failed")
        raise StopConsumer

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if self.is_closed:
            return
        try:
            await self._receive(text_data)
        except Exception as error:
            # If this exception left the method, Channels would drop the socket without calling `disconnect`.
            logger.exception("sessions.socket_failed")
            await self.close_with(LATER if is_full(error) else FAILED)

    async def _receive(self, text_data: str | None) -> None:
        if not self.bucket.take(1 + len(text_data or "") // CHARACTERS_A_TOKEN):
            ref = None if text_data is None else self.session_named_in(text_data)
            await self.refuse(TooMany("Too many frames at once; wait a second."), ref)
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
            await self.send_frame(t="pong", n=frame.get("n"))
            await self.on_heartbeat()
        elif kind == "pong":
            pass
        elif kind == "hello" and not self.has_said_hello:
            await self._take_hello(frame)
        elif kind != "send" or not self.has_said_hello:
            known = "send or ping" if self.has_said_hello else "hello first"
            unknown = Refusal(f"A frame of the kind {str(kind)[:40]!r} is not known here: send {known}.")
            await self._refuse_unread(text, unknown)
        else:
            await self.on_send(frame)

    async def _take_hello(self, frame: Frame) -> None:
        # The hello came in time, even if the database takes long over it.
        if self.hello_timeout is not None:
            self.hello_timeout.cancel()
        try:
            greeted = await self.on_hello(frame)
        except Refusal as refusal:
            await self.refuse(refusal)
            self._expect_hello()
            return
        if greeted:
            self.has_said_hello = True
            self.leave_anonymous()
            self.run_while_open(self._send_on_wake)
            self.woken.set()

    def run_while_open(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run a task until the socket closes.

        If the task fails, the socket closes and the other end must connect again.
        """
        self.tasks.append(asyncio.create_task(self._or_close(work)))

    async def _or_close(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception:
            logger.exception("sessions.socket_failed")
            await self.close_with(FAILED)

    async def _send_on_wake(self) -> None:
        """Send new events each time this socket is woken."""
        while True:
            await self.woken.wait()
            self.woken.clear()
            await self.send_new_events()

    async def _refuse_unread(self, text: str, refusal: Refusal) -> None:
        """Refuse a frame that could not be parsed.

        If its text contains a message number, the message counts as refused.
        """
        ref, cseq = self.session_named_in(text), cseq_of(text)
        if ref is not None and cseq is not None:
            await self._reject(ref, cseq, refusal)
        else:
            await self.refuse(refusal, ref)

    # One message ---------------------------------------------------------------------------------------------------

    async def append(self, ref: SessionRef, frame: Frame) -> None:
        """Append one message to the log of a session, and answer with an `ack` or an error."""
        cseq, kind = frame.get("cseq"), frame.get("type")
        if type(cseq) is not int or cseq < 1:
            await self.refuse(Refusal("`cseq` counts your messages: 1, 2, 3…"), ref)
            return
        try:
            body = read_body(ref.sender.role, kind, frame.get("body", {}), size=ref.size)
        except Refusal as refusal:
            await self._reject(ref, cseq, refusal)
            return
        message = Message(ref.session, ref.sender, cseq, str(kind), body)
        try:
            receipt = await _append(message)
        except Refusal as refusal:
            await self._refuse_counted(ref, cseq, refusal)
            return
        self.last_cseqs[ref.session] = max(self.last_cseqs.get(ref.session, 0), cseq)
        await self.send_frame(t="ack", cseq=cseq, seq=receipt.seq, dup=receipt.is_repeat, **ref.frame_fields)

    async def _reject(self, ref: SessionRef, cseq: int, refusal: Refusal) -> None:
        """Refuse a message that cannot be read. Its number counts, so the next message must have the next number."""
        try:
            await in_pool(event_log.reject, ref.session, ref.sender, cseq=cseq, at=timezone.now())
        except Refusal as other:
            refusal = other
        await self._refuse_counted(ref, cseq, refusal)

    async def _refuse_counted(self, ref: SessionRef, cseq: int, refusal: Refusal) -> None:
        if not isinstance(refusal, Gap | Stale | SessionClosed):
            self.last_cseqs[ref.session] = max(self.last_cseqs.get(ref.session, 0), cseq)
        await self.refuse(refusal, ref, cseq=cseq)

    async def refuse(self, refusal: Refusal, ref: SessionRef | None = None, **about: int) -> None:
        last = self.last_cseqs.get(ref.session) if ref else None
        await self.send_frame(
            t="error",
            code=refusal.code,
            detail=str(refusal),
            last_cseq=last,
            **about,
            **(ref.frame_fields if ref else {}),
        )
        if isinstance(refusal, Stale):
            await self.close_with(REPLACED)
        elif not self.refusals.take():
            await self.close_with(FLOODED)

    async def send_frame(self, **frame: Any) -> None:
        await self._send_text(_encoder.encode(frame))

    async def send_event(self, event: LoggedEvent, ref: SessionRef) -> None:
        # Written as text: the body is JSON already, and the other fields need no escapes.
        fields = "".join(f',"{name}":"{value}"' for name, value in ref.frame_fields.items())
        await self._send_text(
            f'{{"t":"event","seq":{event.seq},"from":"{event.role.value}","type":"{event.type}","body":{event.body},'
            f'"at":"{wall_time(event.at)}"{fields}}}'
        )

    async def _send_text(self, text: str) -> None:
        if self.is_closed:
            return
        message: Any = {"type": "websocket.send", "text": text}
        try:
            await self.base_send(message)
        except OSError:
            # The other end has just gone; `disconnect` is called next.
            self.is_closed = True

    # What each kind of socket does for itself ------------------------------------------------------------------------

    async def on_hello(self, frame: Frame) -> bool:
        """Answer a hello. Returns False if the socket was closed instead.

        Raises:
            Refusal: the hello is not valid.
        """
        raise NotImplementedError

    async def on_send(self, frame: Frame) -> None:
        """Handle a `send` frame."""
        raise NotImplementedError

    async def send_new_events(self) -> None:
        """Send all events that were appended since the last call."""
        raise NotImplementedError

    def session_named_in(self, text: str) -> SessionRef | None:
        """The session that a frame is for, found in its unparsed text; None if the text names none."""
        raise NotImplementedError

    async def on_heartbeat(self) -> None:
        """Called at each ping of the other end."""

    async def on_close(self) -> None:
        """Called when the socket has closed, if a hello came before."""


async def _append(message: Message) -> Receipt:
    if not FROM[message.sender.role][message.kind].has_rule:
        seq = await batch_writer().append(message)
        if seq is not None:
            return Receipt(seq, is_repeat=False)
    return await in_pool(_take, message)


def _take(message: Message) -> Receipt:
    """Append a message that has a rule.

    Its event gets the time at which it is written, not at which it began to wait.
    """
    session, sender, cseq, kind, body = message
    return message_effects.take(session, sender, cseq=cseq, kind=kind, body=body, at=timezone.now())


def text_in(frame: Frame, name: str, *, most: int = 64) -> str:
    """A text field of a hello.

    Raises:
        Refusal: the field is missing, empty, too long, or holds characters that no database can keep.
    """
    found = frame.get(name)
    if not isinstance(found, str) or not 1 <= len(found) <= most or unstorable(found):
        raise Refusal(f"`{name}` is a text of 1 to {most} characters.")
    return found


def number_in(frame: Frame, name: str, *, least: int, most: int) -> int:
    """A field of a hello that is a whole number; `least` if the field is missing.

    Raises:
        Refusal: the field is no whole number, or out of range.
    """
    found = frame.get(name, least)
    if type(found) is not int or not least <= found <= most:
        raise Refusal(f"`{name}` is a whole number from {least} to {most}.")
    return found


def wall_time(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")
