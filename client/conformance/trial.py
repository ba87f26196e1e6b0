"""What the checks are made of: a session to try something in, a worker that answers questions, and what is lawful."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise

from client.conformance.log import Log
from client.conformance.server import Gateway

RANK = {"received": 0, "thinking": 1, "acting": 2, "done": 3, "failed": 3}
ENDED = ("done", "failed")


class Failed(Exception):
    """A check found something wrong; its text says what."""


class Skipped(Exception):
    """A check could not be tried with this agent; its text says why."""


@dataclass(frozen=True)
class Options:
    """What the worker of the checks says, and how patient it is.

    Attributes:
        commands: Given one after another in most checks.
        long: A command that takes the agent a second or more, to be stopped.
        ask: A command at which the agent asks back; None if it never does.
        connect_s: How long to wait for the agent to connect, and to connect again.
        patience_s: How long a command may take.
        stop_s: How long a stop may take.
        settle_s: How long to look for what should not come.
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
    """One run of the checks: the gateway, the options, and every session that there was."""

    gateway: Gateway
    options: Options
    logs: list[Log] = field(default_factory=list)

    @asynccontextmanager
    async def session(self, *, answers: bool = True) -> AsyncIterator[Log]:
        """A session of its own. With `answers`, the first choice is taken whenever the agent asks."""
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
        """The worker says something; the command's id."""
        command = uuid.uuid4().hex
        await log.append("worker", "command", {"id": command, "text": text})
        return command

    async def obeyed(self, log: Log, command: str) -> None:
        """Wait for a command's end, and see that it went as it should.

        Raises:
            Failed: it did not end in time, or not lawfully.
        """
        has_ended = await log.until(lambda: set(log.states_of(command)) & set(ENDED), self.options.patience_s)
        check_order(log.states_of(command), has_ended=has_ended, patience_s=self.options.patience_s)
        await self.check_quiet(log, command)

    async def check_quiet(self, log: Log, command: str) -> None:
        """See that nothing more is said about a command that has ended.

        Raises:
            Failed: another status came.
        """
        said = log.states_of(command)
        if await log.until(lambda: len(log.states_of(command)) > len(said), self.options.settle_s):
            raise Failed(f"after its end a command got another status: {', '.join(log.states_of(command))}")


def check_order(states: Sequence[str], *, has_ended: bool, patience_s: float) -> None:
    """See that statuses are received, thinking, acting, then one of done and failed, each once.

    Thinking and acting may be left out of a command that fails, acting of one that needs no act.

    Raises:
        Failed: they are not.
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
