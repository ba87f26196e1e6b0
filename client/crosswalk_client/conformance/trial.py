"""Helpers of the checks: a session, a worker that gives commands and answers questions, and the order of statuses."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise

from crosswalk_client.conformance.log import Log
from crosswalk_client.conformance.server import Gateway

RANK = {"received": 0, "thinking": 1, "acting": 2, "done": 3, "failed": 3}
ENDED = ("done", "failed")


class Failed(Exception):
    """A check found a fault; the message names it."""


class Skipped(Exception):
    """A check is not possible with this agent; the message says why."""


@dataclass(frozen=True)
class Options:
    """The commands of the worker, and the durations in seconds.

    Attributes:
        commands: Commands for most checks, given one after another.
        long: A command that takes the agent a second or more; the worker stops it.
        ask: A command at which the agent asks a question; None if it never asks.
        connect_s: The longest wait for a connection and for a reconnect.
        patience_s: The longest duration of a command.
        stop_s: The longest duration of a stop.
        settle_s: The wait for a message that should not come.
    """

    commands: Sequence[str] = ("build a small red cube", "hello there", "colourless green ideas sleep")
    long: str = "build a big house"
    ask: str | None = None
    connect_s: float = 60.0
    patience_s: float = 60.0
    stop_s: float = 5.0
    settle_s: float = 0.5


@dataclass
class Trial:
    """One run of the checks: the gateway, the options and all sessions."""

    gateway: Gateway
    options: Options
    logs: list[Log] = field(default_factory=list)

    @asynccontextmanager
    async def session(self, *, answers: bool = True) -> AsyncIterator[Log]:
        """Open a new session. With `answers`, the worker takes the first choice of each question."""
        log = self.gateway.open()
        self.logs.append(log)
        worker = asyncio.create_task(self._answer(log)) if answers else None
        try:
            yield log
        finally:
            if worker is not None:
                worker.cancel()
            if not log.is_over:
                self.gateway.close(log)

    async def _answer(self, log: Log) -> None:
        answered = 0
        while True:
            asked = log.sent("ask")
            for event in asked[answered:]:
                await log.append("worker", "choose", {"question": event.body["question"], "choice": 0})
            answered = len(asked)
            await log.until(lambda: len(log.sent("ask")) > answered, 3600)  # noqa: B023

    async def command(self, log: Log, text: str) -> str:
        """Let the worker give a command, and return the command's id."""
        command = uuid.uuid4().hex
        await log.append("worker", "command", {"id": command, "text": text})
        return command

    async def obeyed(self, log: Log, command: str) -> None:
        """Wait for the end of a command and check its statuses.

        Raises:
            Failed: the command did not end in time, or a status broke the protocol.
        """
        has_ended = await log.until(lambda: set(log.states_of(command)) & set(ENDED), self.options.patience_s)
        check_order(log.states_of(command), has_ended=has_ended, patience_s=self.options.patience_s)
        await self.check_quiet(log, command)

    async def check_quiet(self, log: Log, command: str) -> None:
        """Check that no status follows the end of a command.

        Raises:
            Failed: another status came.
        """
        before = log.states_of(command)
        if await log.until(lambda: len(log.states_of(command)) > len(before), self.options.settle_s):
            raise Failed(f"after its end a command got another status: {', '.join(log.states_of(command))}")


def check_order(states: Sequence[str], *, has_ended: bool, patience_s: float) -> None:
    """Check that the statuses are received, thinking, acting, then done or failed, each once.

    A command that fails may lack thinking and acting; one that needs no action may lack acting.

    Raises:
        Failed: the statuses are others, or in another order.
    """
    came = ", ".join(states) or "none"
    if not states:
        raise Failed(f"no status came within {patience_s:g} s of a command")
    if states[0] != "received":
        raise Failed(f"the first status of a command should be received; the statuses were: {came}")
    ranks = [RANK[state] for state in states]
    if any(later <= earlier for earlier, later in pairwise(ranks)):
        raise Failed(f"each status comes once, and in order; the statuses were: {came}")
    if not has_ended:
        raise Failed(f"a command did not end within {patience_s:g} s; the statuses were: {came}")
    if states[-1] == "done" and "thinking" not in states:
        raise Failed(f"thinking comes before done; the statuses were: {came}")
