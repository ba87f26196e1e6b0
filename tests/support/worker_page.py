"""A worker's page as a program, by section 7 of the contract, and a class that kills processes during its sessions."""

import asyncio
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.support.servers import AGENT_KEY, Site
from tests.support.shared_data import ROOT

Frame = dict[str, Any]
ENDED = 4410
RED_WOOL = 60


@dataclass
class Held:
    """A message that is not acknowledged yet."""

    cseq: int
    kind: str
    body: dict[str, Any]


@dataclass
class Page:
    """One worker and their session.

    Attributes:
        events: All events received, in their order.
        acked: The messages that the server acknowledged, by the number of the event.
        on_ack: Called at each.
    """

    address: str
    token: str
    chance: random.Random
    on_ack: Callable[[], None]
    events: list[Frame] = field(default_factory=list)
    acked: dict[int, Held] = field(default_factory=dict)
    connections: int = 0
    is_over: bool = False
    socket: ClientConnection | None = None
    _outbox: list[Held] = field(default_factory=list)
    _cseq: int = 0
    _resume: str = "page-0"
    _moved: asyncio.Event = field(default_factory=asyncio.Event)

    async def work(self, commands: int) -> None:
        """The whole session, whatever happens to its connection."""
        line = asyncio.create_task(self._stay_connected())
        try:
            await self._story(commands)
        finally:
            line.cancel()
            await asyncio.gather(line, return_exceptions=True)

    def cut(self) -> None:
        """Cut the connection."""
        if self.socket is not None:
            self.socket.transport.abort()

    def said(self, kind: str) -> list[Frame]:
        return [event for event in self.events if event["type"] == kind]

    # The acts of the worker ----------------------------------------------------------------------------------------

    async def _story(self, commands: int) -> None:
        self._send("start")
        self._send("pose", x=1, y=1, z=0, pitch=0, yaw=90)
        for number in range(1, commands + 1):
            self._send("place", at=[number, 6, 6], block=RED_WOOL)
            self._send("command", id=f"c{number}", text="build a red cube")
            await self._judge(f"c{number}")
        self._send("reflect", usability=5, performance=3, feedback="fine")
        await self._until(lambda: bool(self.said("may_finish")))
        self._send("finish")
        await self._until(lambda: self.is_over)

    async def _judge(self, command: str) -> None:
        answered: set[int] = set()

        def asked() -> list[Frame]:
            found = (event for event in self.said("question") if event["body"]["command"] == command)
            return [event for event in found if event["seq"] not in answered]

        def is_judged() -> bool:
            return any(event["body"]["command"] == command for event in self.said("outcome"))

        while not self.is_over:
            await self._until(lambda: bool(asked()) or is_judged())
            if is_judged() or self.is_over:
                return
            question = asked()[-1]["body"]
            answered.update(event["seq"] for event in asked())
            text = {"text": "it did not"} if question["choices"][0]["text"] else {}
            self._send("mark", command=command, node=question["node"], choice=0, **text)

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds() and not self.is_over:
            self._moved.clear()
            await self._moved.wait()

    def _send(self, kind: str, **body: Any) -> None:
        self._cseq += 1
        self._outbox.append(Held(self._cseq, kind, body))
        if self.socket is not None:
            asyncio.get_running_loop().create_task(self._put(self.socket, self._outbox[-1]))

    # The connection ------------------------------------------------------------------------------------------------

    async def _stay_connected(self) -> None:
        while not self.is_over:
            with suppress(OSError, TimeoutError, InvalidHandshake, ConnectionClosed):
                async with connect(self.address, compression=None, close_timeout=1) as socket:
                    await self._converse(socket)
            self.socket = None
            await asyncio.sleep(self.chance.uniform(0.05, 0.3))

    async def _converse(self, socket: ClientConnection) -> None:
        if self.connections and self.chance.random() < 0.2:
            # Reloaded: another page of the same worker, which has what the old one kept.
            self._resume = f"page-{self.connections}"
        self.connections += 1
        have = self.events[-1]["seq"] if self.events else 0
        await socket.send(json.dumps({"t": "hello", "token": self.token, "resume": self._resume, "have": have}))
        try:
            async for text in socket:
                await self._take(socket, json.loads(text))
        finally:
            self.socket = None
            if socket.close_code == ENDED:
                self.is_over = True
            self._moved.set()

    async def _take(self, socket: ClientConnection, frame: Frame) -> None:
        match frame["t"]:
            case "welcome":
                self._go_on_from(frame["last_cseq"], is_same=frame["same"])
                await self._put_all(socket)
            case "ack":
                self._acknowledge(frame)
            case "event":
                self.events.append(frame)
                self.is_over = self.is_over or frame["type"] == "closed"
            case "error" if frame["code"] in {"gap", "rate"}:
                self.socket = None
                await asyncio.sleep(1.0 if frame["code"] == "rate" else 0.05)
                self._settle(frame["last_cseq"] or 0)
                await self._put_all(socket)
            case "error" if frame["code"] == "invalid":
                self._settle(frame["last_cseq"] or 0)
        self._moved.set()

    def _go_on_from(self, last_cseq: int, *, is_same: bool) -> None:
        if is_same:
            self._settle(last_cseq)
            return
        for number, held in enumerate(self._outbox, last_cseq + 1):
            held.cseq = number
        self._cseq = last_cseq + len(self._outbox)

    def _acknowledge(self, frame: Frame) -> None:
        held = next((one for one in self._outbox if one.cseq == frame["cseq"]), None)
        if held is not None:
            self.acked[frame["seq"]] = held
            self.on_ack()
        self._settle(frame["cseq"])

    def _settle(self, last_cseq: int) -> None:
        self._outbox = [held for held in self._outbox if held.cseq > last_cseq]

    async def _put_all(self, socket: ClientConnection) -> None:
        # Messages that are written meanwhile are appended, and sent too.
        for held in self._outbox:
            await self._put(socket, held)
        self.socket = socket

    async def _put(self, socket: ClientConnection, held: Held) -> None:
        with suppress(ConnectionClosed):
            await socket.send(json.dumps({"t": "send", "cseq": held.cseq, "type": held.kind, "body": held.body}))


AGENTS = 2


@dataclass
class Killer:
    """Counts acknowledgements, and kills processes after numbers of them that were drawn before.

    Attributes:
        moments: The process to kill, by the number of acknowledgements.
    """

    site: Site
    agent: str
    notes: Path
    chance: random.Random
    moments: dict[int, str]
    pages: list[Page] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    _acked: int = 0
    _agents: "list[subprocess.Popen[bytes]]" = field(default_factory=list)
    _acts: "set[asyncio.Task[None]]" = field(default_factory=set)
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)

    def begin(self) -> None:
        self.site.start()
        self._agents = [self._new_agent() for _ in range(AGENTS)]

    def end(self) -> None:
        for agent in self._agents:
            agent.kill()
            agent.wait()
        self.site.stop()

    def count(self) -> None:
        """One more message was acknowledged."""
        self._acked += 1
        if what := self.moments.get(self._acked):
            act = asyncio.create_task(self._kill(what))
            self._acts.add(act)

    async def settled(self) -> None:
        """Wait until every killed process runs again."""
        await asyncio.gather(*self._acts)

    async def _kill(self, what: str) -> None:
        async with self._one_at_a_time:
            self.done.append(what)
            await {"web": self._kill_web, "agent": self._kill_agent, "database": self._kill_database}[what]()

    async def _kill_web(self) -> None:
        self.site.kill()
        await asyncio.to_thread(self.site.start)

    async def _kill_agent(self) -> None:
        which = self.chance.randrange(len(self._agents))
        self._agents[which].kill()
        self._agents[which].wait()
        self._agents[which] = self._new_agent()

    async def _kill_database(self) -> None:
        """All connections of the server to its database; where that is a file, those of the pages to the server."""
        address = self.site.environment.get("DATABASE_URL")
        if not address:
            for page in self.pages:
                page.cut()
            return
        async with await psycopg.AsyncConnection.connect(address, autocommit=True) as connection:
            await connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

    def _new_agent(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "tests.support.quick_agent", self.site.socket_url, AGENT_KEY, self.agent]
        log = os.open(self.notes.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            return subprocess.Popen([*command, str(self.notes)], cwd=ROOT, stdout=log, stderr=log)
        finally:
            os.close(log)


def drawn(kills: Mapping[str, int], *, within: int, chance: random.Random) -> dict[int, str]:
    """Each kind as often as `kills` says, at different counts up to `within`."""
    kinds = list(Counter(kills).elements())
    return dict(zip(chance.sample(range(1, within), len(kinds)), kinds, strict=True))
