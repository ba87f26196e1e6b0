"""The agent's connection to the gateway: one socket for many sessions, with a reconnect whenever it breaks."""

import asyncio
import logging
import random
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from crosswalk_client import frames
from crosswalk_client.frames import BadFrame, Json
from crosswalk_client.session import Session, SessionEnded

logger = logging.getLogger(__name__)
NOT_ALLOWED = (4401, 4403)
REPLACED, OVER = 4409, 4410


class Refused(Exception):
    """The gateway refuses this agent: the key or the agent's name is wrong. Another try would not help."""


class Replaced(Exception):
    """A newer connection of this same process took over, or the server wants this agent no longer."""


@dataclass(frozen=True)
class Timing:
    """Durations in seconds.

    Attributes:
        ping: Time between two pings.
        misses: Number of unanswered pings after which the connection counts as dead (a count, not seconds).
        first_wait, longest_wait: Bounds of the wait before the next try to connect. The wait doubles at each failure
            and is shortened at random.
        rate: Wait after the server's error "rate".
        gap: Wait for messages in flight, before the messages that the server lacks are sent again.
        reassign: Time after a reconnect within which the server must assign a session again; otherwise it is over.
    """

    ping: float = 15.0
    misses: int = 2
    first_wait: float = 0.25
    longest_wait: float = 8.0
    rate: float = 1.0
    gap: float = 0.05
    reassign: float = 10.0


class AgentClient:
    """Serves sessions with one agent until it is cancelled.

    `on_session` runs once for each session, concurrently with the other sessions. It returns when the agent has
    finished with the session, normally when `session.events()` ends. Messages that were not delivered stay in memory
    over reconnects.
    """

    def __init__(
        self,
        url: str,
        key: str,
        agent: str,
        capacity: int,
        on_session: Callable[[Session], Awaitable[None]],
        *,
        timing: Timing | None = None,
        most_unacknowledged: int = 64,
        chance: random.Random | None = None,
    ) -> None:
        """Args:
        url: Address of the site: "wss://example.org".
        key: An API key with the scope `agents`.
        agent: The agent's slug.
        capacity: Number of sessions that this process serves at once.
        on_session: The agent's code for one session.
        most_unacknowledged: Number of messages of a session that may wait for the server; with more, senders wait.
        chance: Random source of the jitter in waiting times.
        """
        self.resume = str(uuid.uuid4())
        self.sessions: dict[str, Session] = {}
        self.is_connected = False
        self._address = f"{url.rstrip('/')}/ws/agents/{agent}/"
        self._key = key
        self._capacity = capacity
        self._on_session = on_session
        self._timing = timing or Timing()
        self._limit = most_unacknowledged
        self._chance = chance or random.Random()  # noqa: S311
        self._serving: set[asyncio.Task[None]] = set()
        self._unnamed: set[str] = set()
        self._wait_s = self._timing.first_wait
        self._unanswered = 0
        self._paused: set[str] = set()

    async def run(self) -> None:
        """Connect, serve, and connect again whenever the connection breaks.

        Raises:
            Refused: the key or the agent's name is wrong.
            Replaced: another connection serves in place of this one, or the server wants this agent no longer.
        """
        try:
            while True:
                try:
                    await self._connect_once()
                except (OSError, TimeoutError, ConnectionClosed, InvalidHandshake) as error:
                    self._give_up_if_final(error)
                    logger.info("connection lost: %s", error)
                await asyncio.sleep(self._next_wait_s())
        finally:
            for session in list(self.sessions.values()):
                self._end(session, "client stopped")
            for task in self._serving:
                task.cancel()
            await asyncio.gather(*self._serving, return_exceptions=True)

    def _next_wait_s(self) -> float:
        # The bound comes before the doubling: a server may be down for days, and a thousand doublings overflow a float.
        wait_s = min(self._timing.longest_wait, self._wait_s)
        self._wait_s = wait_s * 2
        return wait_s * self._chance.uniform(0.5, 1)

    def _give_up_if_final(self, error: Exception) -> None:
        if isinstance(error, InvalidStatus) and error.response.status_code in (401, 403, 404):
            raise Refused(f"the gateway answered {error.response.status_code}: check key and agent") from error
        code = error.rcvd.code if isinstance(error, ConnectionClosed) and error.rcvd else None
        if code in NOT_ALLOWED:
            raise Refused(f"the gateway closed with {code}: check key and agent") from error
        if code in (REPLACED, OVER):
            raise Replaced(f"the gateway closed with {code}") from error

    async def _connect_once(self) -> None:
        headers = {"Authorization": f"Api-Key {self._key}"}
        # The gateway's own pings show that the server still works. The library's pings would not: a stuck server
        # still answers those.
        async with connect(
            self._address,
            additional_headers=headers,
            max_size=frames.MOST_BYTES,
            ping_interval=None,
            close_timeout=2,
        ) as socket:
            await self._converse(socket)

    async def _converse(self, socket: ClientConnection) -> None:
        outgoing: asyncio.Queue[str] = asyncio.Queue()
        outgoing.put_nowait(frames.write("hello", resume=self.resume, capacity=self._capacity))
        self._unanswered = 0
        # Pauses belong to one connection: a callback that was scheduled for an old connection must find its set empty.
        self._paused = set()
        self._unnamed = set(self.sessions)
        helpers = [
            asyncio.create_task(self._write(socket, outgoing)),
            asyncio.create_task(self._ping(socket, outgoing)),
            asyncio.create_task(self._end_unnamed()),
        ]
        try:
            while True:
                self._take(await socket.recv(), outgoing.put_nowait)
        finally:
            self.is_connected = False
            self._paused.clear()
            for session in self.sessions.values():
                session.unplug()
            for helper in helpers:
                helper.cancel()
            await asyncio.gather(*helpers, return_exceptions=True)

    async def _write(self, socket: ClientConnection, outgoing: "asyncio.Queue[str]") -> None:
        while True:
            await socket.send(await outgoing.get())

    async def _ping(self, socket: ClientConnection, outgoing: "asyncio.Queue[str]") -> None:
        number = 0
        while True:
            await asyncio.sleep(self._timing.ping)
            if self._unanswered >= self._timing.misses:
                logger.warning("%s pings without an answer: connecting anew", self._unanswered)
                socket.transport.abort()
                return
            number += 1
            self._unanswered += 1
            outgoing.put_nowait(frames.write("ping", n=number))

    async def _end_unnamed(self) -> None:
        """End the sessions that the server did not assign to this process again after a reconnect."""
        await asyncio.sleep(self._timing.reassign)
        for name in self._unnamed & set(self.sessions):
            self._end(self.sessions[name], "not assigned again")

    def _take(self, text: str | bytes, wire: Callable[[str], None]) -> None:
        """Handle one frame of the server. A frame that is not understood is logged and skipped."""
        try:
            frame = frames.read(text)
            match frame["t"]:
                case "welcome":
                    self._wait_s, self.is_connected = self._timing.first_wait, True
                case "ping":
                    wire(frames.write("pong", n=frame.get("n")))
                case "pong":
                    self._unanswered = 0
                case "assign":
                    self._assign(frame, wire)
                case "error":
                    self._error(frame, wire)
                case "event" | "ack" | "unassign":
                    self._tell_session(frame)
                case unknown:
                    logger.info("passed over a frame of kind %s", unknown)
        except BadFrame as error:
            logger.warning("passed over a frame: %s", error)

    def _assign(self, frame: Json, wire: Callable[[str], None]) -> None:
        name, last_cseq = str(frame.get("session")), frames.whole_in(frame, "last_cseq")
        self._unnamed.discard(name)
        session = self.sessions.get(name)
        if session is None:
            session = self.sessions[name] = Session(frame, limit=self._limit)
            self._start(session)
        else:
            session.resume(frame)
        if session.settle(last_cseq):
            session.plug(wire)
        else:
            logger.error("session %s: the server has lost what it had: it stands at %s", name, last_cseq)
            self._end(session, "history lost")

    def _tell_session(self, frame: Json) -> None:
        session = self.sessions.get(str(frame.get("session")))
        if session is None:
            logger.info("passed over a frame %s of a session that is not ours", frame["t"])
        elif frame["t"] == "ack":
            session.acknowledged(frames.whole_in(frame, "cseq"), frames.whole_in(frame, "seq"))
        elif frame["t"] == "unassign":
            self._end(session, str(frame.get("reason", "unassigned")))
        else:
            session.take(frames.event_of(frame))
            if session.ended:
                self._end(session, session.reason)

    def _error(self, frame: Json, wire: Callable[[str], None]) -> None:
        code, session = frame.get("code"), self.sessions.get(str(frame.get("session")))
        if code == "stale":
            raise Replaced("a newer connection of this process took over")
        if session is None:
            logger.warning("the gateway said %s: %s", code, frame.get("detail"))
        elif code == "closed":
            self._end(session, "closed")
        elif code == "invalid":
            last_cseq = frames.whole_in(frame, "last_cseq")
            logger.error("session %s: message %s was refused: %s", session.id, last_cseq, frame.get("detail"))
            session.settle(last_cseq)
        elif code in ("gap", "rate") and session.id not in self._paused:
            self._send_again_later(session, frames.whole_in(frame, "last_cseq"), wire, is_rate=code == "rate")

    def _send_again_later(
        self, session: Session, last_cseq: int, wire: Callable[[str], None], *, is_rate: bool
    ) -> None:
        """Pause the session's messages for a moment, then send again every message that the server lacks.

        The server refuses the messages in flight too. To resend at each refusal would send every message many times.
        """
        if not session.settle(last_cseq):
            self._end(session, "history lost")
            return
        session.unplug()
        self._paused.add(session.id)
        paused = self._paused

        def go_on() -> None:
            if session.id in paused and not session.ended:
                paused.discard(session.id)
                session.plug(wire)

        asyncio.get_running_loop().call_later(self._timing.rate if is_rate else self._timing.gap, go_on)

    def _start(self, session: Session) -> None:
        task = asyncio.create_task(self._serve(session), name=f"session {session.id}")
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, session: Session) -> None:
        """Run the agent's code on a session. If it raises or returns early, fail all later commands of the session."""
        with suppress(SessionEnded):
            try:
                await self._on_session(session)
            except SessionEnded:
                raise
            except Exception:
                logger.exception("the agent's code broke in session %s", session.id)
            for left in session.unfinished():
                await session.status(left, "failed", "crashed")
            async for command in session.commands():
                await session.status(command.id, "received")
                await session.status(command.id, "failed", "the agent has left this session")

    def _end(self, session: Session, reason: str) -> None:
        self.sessions.pop(session.id, None)
        session.end(reason)
