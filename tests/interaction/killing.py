"""Who kills what in the middle of sessions: the web process, an agent's process, the connections to the database."""

import asyncio
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from tests.interaction.page import Page
from tests.interaction.processes import AGENT_KEY, Site
from tests.servers import ROOT

AGENTS = 2


@dataclass
class Killer:
    """Counts what is acknowledged, and kills at moments that were drawn before.

    Attributes:
        moments: After how many acknowledgements what is killed.
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
        """Wait until all that was killed is there again."""
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
        command = [sys.executable, "-m", "tests.interaction.quick_agent", self.site.socket_url, AGENT_KEY, self.agent]
        log = os.open(self.notes.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            return subprocess.Popen([*command, str(self.notes)], cwd=ROOT, stdout=log, stderr=log)
        finally:
            os.close(log)


def drawn(kills: Mapping[str, int], *, within: int, chance: random.Random) -> dict[int, str]:
    """Each of the kinds so often, at different counts up to `within`."""
    kinds = list(Counter(kills).elements())
    return dict(zip(chance.sample(range(1, within), len(kinds)), kinds, strict=True))
