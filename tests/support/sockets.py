"""Both ends of live sockets in one process, an agent's gateway, and a connection that a test can cut."""

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

from asgiref.testing import ApplicationCommunicator
from django.utils import timezone

from agents.keys import create_key
from agents.models import ApiKey
from config.asgi import application
from crosswalk_client.conformance.checks import Result, examine
from crosswalk_client.conformance.server import Gateway
from crosswalk_client.conformance.trial import Options
from crosswalk_client.gateway import AgentClient, Timing
from crosswalk_client.session import Session
from tests.support.builders import claim, make_worker, token_for
from tests.support.sessions import make_live_project

Frame = dict[str, Any]
PATIENCE_S = 10
POSE: dict[str, Any] = {"x": 1, "y": 4, "z": 2, "pitch": 0, "yaw": 90}


class End:
    """One end of a socket."""

    def __init__(self, path: str, **headers: str) -> None:
        named = [(name.encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "websocket", "path": path, "raw_path": path.encode(), "query_string": b"", "headers": named}
        # Its types are missing.
        make: Any = ApplicationCommunicator
        self._line = make(application, {**scope, "subprotocols": []})
        self.cseq = 0

    async def open(self) -> bool:
        await self._line.send_input({"type": "websocket.connect"})
        said = await self._line.receive_output(timeout=PATIENCE_S)
        return bool(said["type"] == "websocket.accept")

    async def raw(self, text: str) -> None:
        await self._line.send_input({"type": "websocket.receive", "text": text})

    async def bytes(self, data: bytes) -> None:
        await self._line.send_input({"type": "websocket.receive", "bytes": data})

    async def frame(self, **frame: Any) -> None:
        await self.raw(json.dumps(frame))

    async def send(self, kind: str, session: str | None = None, **body: Any) -> None:
        self.cseq += 1
        named = {} if session is None else {"session": session}
        await self.frame(t="send", cseq=self.cseq, type=kind, body=body, **named)

    async def next(self) -> Frame:
        """The next frame; a close is `{"t": "close", "code"}`."""
        said = await self._line.receive_output(timeout=PATIENCE_S)
        if said["type"] == "websocket.close":
            return {"t": "close", "code": said.get("code")}
        found: Frame = json.loads(said["text"])
        return found

    async def until(self, fits: Callable[[Frame], bool]) -> Frame:
        """The next frame that fits; those before it are gone."""
        while True:
            frame = await self.next()
            if fits(frame):
                return frame
            assert frame["t"] != "close", frame

    async def frame_of(self, t: str) -> Frame:
        return await self.until(lambda frame: frame["t"] == t)

    async def event(self, kind: str) -> Frame:
        return await self.until(lambda frame: frame["t"] == "event" and frame["type"] == kind)

    async def close(self) -> None:
        with suppress(asyncio.CancelledError):
            await self._line.send_input({"type": "websocket.disconnect", "code": 1000})
            await self._line.wait(timeout=PATIENCE_S)


def play(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a story with sockets in an event loop of its own, and cancel the tasks that it left."""

    async def whole() -> None:
        try:
            await story()
        finally:
            left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in left:
                task.cancel()
            await _all(left)

    asyncio.run(whole())


async def _all(tasks: list[Any]) -> None:
    waiting: list[Awaitable[Any]] = list(tasks)
    await asyncio.gather(*waiting, return_exceptions=True)


KEY, AGENT = "secret", "builder"
HURRY = Timing(first_wait=0.01, longest_wait=0.02, rate=0.05, gap=0.01)
BRISK = Options(commands=("build a small cube",), connect_s=10, patience_s=2, stop_s=1, settle_s=0.05)
Serve = Callable[[Session], Awaitable[None]]


@asynccontextmanager
async def serving(
    gateway: Gateway, serve: Serve, *, capacity: int = 2, timing: Timing = HURRY, limit: int = 64
) -> AsyncIterator[AgentClient]:
    """A client of the gateway, connected."""
    async with gateway.listen() as url:
        client = AgentClient(url, KEY, AGENT, capacity, serve, timing=timing, most_unacknowledged=limit)
        running = asyncio.create_task(client.run())
        try:
            assert await gateway.until(lambda: gateway.hellos, 10)
            yield client
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await running


def gateway_of() -> Gateway:
    return Gateway(key=KEY, agent=AGENT)


def examined(serve: Serve, *, options: Options = BRISK, capacity: int = 2) -> dict[str, Result]:
    """The results of the conformance test of an agent, by check."""

    async def run() -> list[Result]:
        gateway = gateway_of()
        async with serving(gateway, serve, capacity=capacity):
            return await examine(gateway, options)

    return {result.name: result for result in asyncio.run(run())}


async def idle(session: Session) -> None:
    """An agent that never says anything."""
    await session.until_ended()


CHUNK = 65_536
Pair = tuple[socket.socket, socket.socket]


class Cable:
    """Joins a port of its own to the server's."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._is_in = True
        self._lock = threading.Lock()
        self._pairs: list[Pair] = []
        self._flows = threading.Event()
        self._flows.set()
        self._ear = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._ear.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def pull(self) -> None:
        """Cut every connection in the middle, and refuse new ones."""
        with self._lock:
            self._is_in = False
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            _shut(pair)

    def plug(self) -> None:
        """New connections pass again, and the bytes that were held back go on."""
        with self._lock:
            self._is_in = True
        self._flows.set()

    def freeze(self) -> None:
        """Hold all bytes back without closing a connection, as a lost network does."""
        self._flows.clear()

    def end(self) -> None:
        self.pull()
        self._flows.set()
        # Closing alone does not wake the thread that waits in `accept`.
        with suppress(OSError):
            self._ear.shutdown(socket.SHUT_RDWR)
        self._ear.close()

    def _listen(self) -> None:
        while True:
            try:
                near, _ = self._ear.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self._to))
            except OSError:
                near.close()
                continue
            with self._lock:
                is_in = self._is_in
                if is_in:
                    self._pairs.append((near, far))
            if not is_in:
                _shut((near, far))
                continue
            for pair in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(CHUNK):
                self._flows.wait()
                sink.sendall(chunk)
        _shut((source, sink))


def _shut(pair: Pair) -> None:
    for end in pair:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()


@contextmanager
def cable_to(port: int) -> Iterator[Cable]:
    """A cable that is plugged in until the end of the block."""
    found = Cable(port)
    try:
        yield found
    finally:
        found.end()


class Place:
    """A project with a worker's claim and an agent's key."""

    def __init__(self, **settings: Any) -> None:
        self.project = make_live_project(**settings)
        self.assignment, self.token = self.claimed("w")
        self.agent = self.project.settings["agent"]
        self.key = create_key(name="agent", scopes=[ApiKey.Scope.AGENTS], at=timezone.now())

    def claimed(self, name: str) -> tuple[str, str]:
        worker = make_worker(name)
        hold = claim(self.project, worker, at=timezone.now())
        return hold.public_id, token_for(self.project, worker)

    async def worker(self, *, resume: str = "tab", have: int = 0) -> tuple[End, Frame]:
        end = End(f"/ws/work/{self.assignment}/")
        assert await end.open()
        await end.frame(t="hello", token=self.token, resume=resume, have=have)
        welcome = await end.frame_of("welcome")
        end.cseq = welcome["last_cseq"]
        return end, welcome

    async def process(self, *, resume: str = "p1", capacity: int = 2) -> End:
        end = End(f"/ws/agents/{self.agent}/", authorization=f"Api-Key {self.key}")
        assert await end.open()
        await end.frame(t="hello", resume=resume, capacity=capacity)
        await end.frame_of("welcome")
        return end
