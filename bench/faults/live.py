"""Live sessions of workers with the built-in agent."""

import asyncio
import random
import threading
from itertools import count

from bench.faults.acknowledged import Acknowledged
from bench.faults.caller import Caller
from bench.faults.server import Server
from tests.support.worker_page import Page

AT_ONCE = 3
COMMANDS = 2
PATIENCE_S, LAST_S = 60, 15
"""The most seconds of a session, and after the end of the load."""
PROJECT = "play"


class Sessions:
    """Sessions, several at a time, until the load is stopped."""

    def __init__(
        self, server: Server, log: Acknowledged, caller: Caller, is_stopped: threading.Event, seed: int
    ) -> None:
        self._server, self._log, self._caller, self._is_stopped = server, log, caller, is_stopped
        self._chance, self._number = random.Random(seed), count(1)

    def run(self) -> None:
        asyncio.run(self._all())

    async def _all(self) -> None:
        await asyncio.gather(*(self._one_after_another() for _ in range(AT_ONCE)))

    async def _one_after_another(self) -> None:
        while not self._is_stopped.is_set():
            name = f"player-{next(self._number)}"
            entered = await asyncio.to_thread(self._enter, name)
            if entered is not None:
                await self._play(name, *entered)

    def _enter(self, name: str) -> tuple[str, str] | None:
        """The assignment and the token of a new worker; None where the claim was refused."""
        token = self._caller.post(f"projects/{PROJECT}/links/", {"worker": name}).json()["token"]
        claimed = self._caller.post("work/claim/", headers={"Authorization": f"Bearer {token}"})
        return (claimed.json()["assignment"], token) if claimed.is_success and claimed.content else None

    async def _play(self, name: str, assignment: str, token: str) -> None:
        address = f"{self._server.url.replace('http', 'ws', 1)}/ws/work/{assignment}/"
        acked = 0

        def on_ack() -> None:
            nonlocal acked
            for seq, held in list(page.acked.items())[acked:]:
                acked += 1
                self._log.note("message", worker=name, seq=seq, type=held.kind, id=held.body.get("id"))

        page = Page(address, token, random.Random(self._chance.random()), on_ack)
        work = asyncio.create_task(page.work(COMMANDS))
        await self._ended(work)

    async def _ended(self, work: "asyncio.Task[None]") -> None:
        """Wait for the session, but not for ever: a clock a day ahead ends some that no page has opened yet."""
        left_s = PATIENCE_S
        while left_s > 0 and not work.done():
            await asyncio.wait({work}, timeout=1)
            left_s = min(left_s - 1, LAST_S) if self._is_stopped.is_set() else left_s - 1
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
