"""A gateway in memory for one agent: the server's side of section 7 of the contract, with mishaps on demand."""

import asyncio
import hmac
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Literal

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from crosswalk_client import frames
from crosswalk_client.conformance.log import Log, holds_in_time
from crosswalk_client.frames import BadFrame, Json

Mishap = Literal["cut unread", "cut unanswered", "rate", None]
"""A fault of the gateway: it cuts the socket before or after it stores the message, or it answers "rate"."""
HELLO_S = 5.0


class Gateway:
    """Takes one agent's connection and gives it sessions.

    Attributes:
        hellos: Each `hello`, with the seconds between the connection and it.
        pongs: The numbers of the answered pings.
        faults: A sentence for each breach of the protocol outside of a session.
        mishap: Called for each `send` before it is stored; returns the mishap, if any.
        refused: A sentence for each refused connection.
        is_mute: Whether the gateway leaves pings unanswered.
    """

    def __init__(self, *, key: str, agent: str) -> None:
        self.hellos: list[tuple[Json, float]] = []
        self.pongs: list[object] = []
        self.faults: list[str] = []
        self.refused: list[str] = []
        self.mishap: Callable[[Log, Json], Mishap] = lambda log, frame: None
        self.is_mute = False
        self._key, self._agent = key, agent
        self._logs: dict[str, Log] = {}
        self._socket: ServerConnection | None = None
        self._wire: Callable[[str], None] | None = None
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def listen(self, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
        """Serve, and yield the URL for the agent. Port 0 means any free port."""
        server = await serve(
            self._talk,
            host,
            port,
            process_request=self._check_request,
            max_size=frames.MOST_BYTES,
            ping_interval=None,
            close_timeout=1,
        )
        async with server:
            yield f"ws://{host}:{next(iter(server.sockets)).getsockname()[1]}"

    @property
    def capacity(self) -> int:
        """How many sessions the agent serves at once, by its last `hello`."""
        value = self.hellos[-1][0].get("capacity") if self.hellos else 0
        return value if frames.is_whole(value) else 0

    def open(self) -> Log:
        """Assign a new session."""
        log = Log()
        self.assign(log)
        return log

    def assign(self, log: Log) -> None:
        """Assign an existing session, as after the end of another process."""
        self._logs[log.id] = log
        if self._wire is not None:
            log.attach(self._wire)

    def close(self, log: Log, reason: str = "over") -> None:
        """Take a session back."""
        log.is_over = True
        log.tell_raw(frames.write("unassign", session=log.id, reason=reason))

    def cut(self) -> None:
        """Break the connection, as a lost network does: no closing frame."""
        if self._socket is not None:
            broken, self._socket = self._socket, None  # frames that it still sends are lost
            self._detach()
            broken.transport.abort()

    def write(self, text: str) -> None:
        """Send the agent any frame."""
        if self._wire is not None:
            self._wire(text)

    async def until(self, holds: Callable[[], object], patience_s: float) -> bool:
        """Wait until `holds()` is true, calling it at each hello, pong and lost connection; else False in the end."""
        return await holds_in_time(self._changed, holds, patience_s)

    def _check_request(self, socket: ServerConnection, request: Request) -> Response | None:
        path = request.path.partition("?")[0]
        if path != f"/ws/agents/{self._agent}/":
            self.refused.append(f"it asked for {path}, not /ws/agents/{self._agent}/")
            return socket.respond(HTTPStatus.NOT_FOUND, "no such agent\n")
        value = request.headers.get("Authorization", "")
        if not hmac.compare_digest(value.encode(), f"Api-Key {self._key}".encode()):
            self.refused.append("its header `Authorization: Api-Key KEY` was missing or had another key")
            return socket.respond(HTTPStatus.FORBIDDEN, "wrong key\n")
        return None

    async def _talk(self, socket: ServerConnection) -> None:
        began = asyncio.get_running_loop().time()
        try:
            hello = frames.read(await asyncio.wait_for(socket.recv(), HELLO_S))
        except asyncio.TimeoutError:  # in Python 3.10 it is not the built-in TimeoutError
            self.faults.append("no hello came within 5 s")
            await socket.close(4408)
            return
        except (BadFrame, ConnectionClosed) as error:
            self.faults.append(f"the first frame was no hello: {error}")
            return
        outgoing: asyncio.Queue[str] = asyncio.Queue()
        writer = asyncio.create_task(self._write_all(socket, outgoing))
        await self._welcome(socket, hello, asyncio.get_running_loop().time() - began, outgoing.put_nowait)
        try:
            async for text in socket:
                if self._socket is not socket:
                    return
                await self._take(text)
        except ConnectionClosed:
            pass
        finally:
            writer.cancel()
            if self._socket is socket:
                self._detach()
            await self._note_change()

    async def _welcome(self, socket: ServerConnection, hello: Json, took_s: float, wire: Callable[[str], None]) -> None:
        if hello["t"] != "hello":
            self.faults.append(f"the first frame was a {hello['t']}, not a hello")
        self.hellos.append((hello, took_s))
        self._detach()
        self._socket, self._wire = socket, wire
        wire(
            frames.write(
                "welcome", epoch=len(self.hellos), last_cseq=0, last_seq=0, state={}, server_time="2026-01-01T00:00:00Z"
            )
        )
        for log in self._logs.values():
            if not log.is_over:
                log.attach(wire)
        await self._note_change()

    async def _take(self, text: str | bytes) -> None:
        try:
            frame = frames.read(text)
        except BadFrame as error:
            self.faults.append(f"a frame was {error}")
            return
        match frame["t"]:
            case "send":
                await self._take_message(frame)
            case "ping" if not self.is_mute:
                self.write(frames.write("pong", n=frame.get("n")))
            case "pong":
                self.pongs.append(frame.get("n"))
                await self._note_change()
            case "ping":
                pass
            case unknown:
                self.faults.append(f"there is no frame {unknown!r}")

    async def _take_message(self, frame: Json) -> None:
        log = self._logs.get(str(frame.get("session")))
        if log is None:
            self.faults.append(f"a message named no session that it was given: {frame.get('session')!r}")
            return
        if log.is_over:
            log.late += 1
            self.write(log.error("closed", "the session is over"))
            return
        log.note_sent(frame)
        mishap = self.mishap(log, frame)
        if mishap == "cut unread":
            self.cut()
        elif mishap == "rate":
            log.is_behind = True
            self.write(log.error("rate", "too much"))
        else:
            answer = await log.take(frame)
            if mishap == "cut unanswered":
                self.cut()
            else:
                self.write(answer)

    def _detach(self) -> None:
        self._wire = None
        for log in self._logs.values():
            log.detach()

    async def _note_change(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _write_all(self, socket: ServerConnection, outgoing: "asyncio.Queue[str]") -> None:
        while True:
            await socket.send(await outgoing.get())
