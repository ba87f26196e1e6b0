"""The page of a live session as a program: one simulated worker commands an agent and judges what it did."""

import asyncio
import json
import random
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from demo.loop.known import Truths

Frame = dict[str, Any]
ENDED = 4410
WRONG = "nlu_error"


@dataclass(frozen=True)
class Rates:
    """How often a worker errs about what the agent understood.

    Attributes:
        found: The share of misunderstood commands that the worker marks.
        false: The share of understood commands that the worker marks all the same.
    """

    found: float = 316 / 707
    false: float = 26 / 683
    """As in a real batch of 1,390 commands (facebookresearch/fairo)."""


class SessionLost(ConnectionError):
    """The server ended the session before the worker did."""


@dataclass
class SessionPage:
    """One session of one worker. A lost connection is made again, and what was not acknowledged is sent again."""

    address: str
    token: str
    truths: Truths
    rates: Rates
    chance: random.Random
    events: list[Frame] = field(default_factory=list)
    is_over: bool = False
    resume: str = field(default_factory=lambda: str(uuid.uuid4()))
    _answered: set[int] = field(default_factory=set)
    _outbox: list[Frame] = field(default_factory=list)
    _cseq: int = 0
    _socket: ClientConnection | None = None
    _moved: asyncio.Event = field(default_factory=asyncio.Event)

    async def work(self, commands: Sequence[str]) -> None:
        """The whole session: commands, judgements, ratings, the end."""
        line = asyncio.create_task(self._stay_connected())
        try:
            self._send("start")
            for number, text in enumerate(commands, start=1):
                # A session that an earlier page left has commands of its own.
                name = f"{self.resume[:8]}-{number}"
                self._send("command", id=name, text=text)
                await self._judge(name, text)
            self._send("reflect", usability=5, performance=3, feedback="")
            await self._until(lambda: bool(self._said("may_finish")))
            self._send("finish")
            await self._until(lambda: self.is_over)
        finally:
            line.cancel()
            await asyncio.gather(line, return_exceptions=True)

    # Judging ----------------------------------------------------------------------------------------------------------

    async def _judge(self, name: str, text: str) -> None:
        """Answer the questions about a command until it has an outcome."""

        def open_questions() -> list[Frame]:
            # The agent's own questions, which of two things is meant, come before the questions about its work.
            asked = [one for one in self._said("question") if one["body"]["command"] == name]
            return [one for one in (*self._said("ask"), *asked) if one["seq"] not in self._answered]

        def is_judged() -> bool:
            return any(one["body"]["command"] == name for one in self._said("outcome"))

        is_marked: bool | None = None
        while True:
            await self._until(lambda: is_judged() or bool(open_questions()))
            if is_judged() or self.is_over:
                return
            question = open_questions()[-1]
            self._answered.update(one["seq"] for one in open_questions())
            if question["type"] == "ask":
                self._send("choose", question=question["body"]["question"], choice=0)
                continue
            if is_marked is None:
                rate = self.rates.false if self._was_understood(name, text) else self.rates.found
                is_marked = self.chance.random() < rate
            asked = question["body"]
            self._send("mark", command=name, node=asked["node"], choice=_choice(asked, is_marked=is_marked))

    def _was_understood(self, name: str, text: str) -> bool:
        """Whether what the agent said that it understood is what the worker meant."""
        last = max((one["seq"] for one in self._said("command") if one["body"]["id"] == name), default=0)
        said = [one["body"]["text"] for one in self._said("say") if one["seq"] > last]
        return bool(said) and said[0].removeprefix("I understood: ") == self.truths.sentence_of(text)

    # The connection ---------------------------------------------------------------------------------------------------

    def _said(self, kind: str) -> list[Frame]:
        return [one for one in self.events if one["type"] == kind]

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            if self.is_over:
                return
            self._moved.clear()
            await self._moved.wait()

    def _send(self, kind: str, **body: Any) -> None:
        self._cseq += 1
        self._outbox.append({"t": "send", "cseq": self._cseq, "type": kind, "body": body})
        if self._socket is not None:
            asyncio.get_running_loop().create_task(self._put(self._socket, self._outbox[-1]))

    async def _stay_connected(self) -> None:
        while not self.is_over:
            with suppress(OSError, TimeoutError, InvalidHandshake, ConnectionClosed):
                async with connect(self.address, compression=None, max_size=None, close_timeout=1) as socket:
                    await self._converse(socket)
            self._socket = None
            await asyncio.sleep(self.chance.uniform(0.1, 0.5))

    async def _converse(self, socket: ClientConnection) -> None:
        have = self.events[-1]["seq"] if self.events else 0
        await socket.send(json.dumps({"t": "hello", "token": self.token, "resume": self.resume, "have": have}))
        try:
            async for text in socket:
                await self._take(socket, json.loads(text))
        finally:
            self._socket = None
            self.is_over = self.is_over or socket.close_code == ENDED
            self._moved.set()

    async def _take(self, socket: ClientConnection, frame: Frame) -> None:
        match frame["t"]:
            case "welcome":
                if not frame["same"]:
                    self._number_after(frame["last_cseq"])
                await self._send_again(socket, above=frame["last_cseq"])
            case "ack":
                self._forget(frame["cseq"])
            case "event":
                self.events.append(frame)
                self.is_over = self.is_over or frame["type"] == "closed"
            case "error" if frame["code"] in {"gap", "rate"}:
                self._socket = None
                await asyncio.sleep(1.0 if frame["code"] == "rate" else 0.05)
                await self._send_again(socket, above=frame["last_cseq"] or 0)
            case "error":
                raise SessionLost(f"{frame['code']}: {frame['detail']}")
        self._moved.set()

    def _number_after(self, last_cseq: int) -> None:
        """Number what waits to be sent after the last message of an earlier page."""
        for number, one in enumerate(self._outbox, last_cseq + 1):
            one["cseq"] = number
        self._cseq = last_cseq + len(self._outbox)

    async def _send_again(self, socket: ClientConnection, *, above: int) -> None:
        self._forget(above)
        # Messages that are written meanwhile are appended, and sent too.
        for one in self._outbox:
            await self._put(socket, one)
        self._socket = socket

    def _forget(self, cseq: int) -> None:
        self._outbox = [one for one in self._outbox if one["cseq"] > cseq]

    async def _put(self, socket: ClientConnection, frame: Frame) -> None:
        with suppress(ConnectionClosed):
            await socket.send(json.dumps(frame))


def _choice(question: Frame, *, is_marked: bool) -> int:
    """The choice that leads to the judgement: a misunderstood command, or one that was done.

    In the shipped trees the first choice of a question is “yes”, and the second “no”.
    """
    return int(is_marked) if question["node"] in {"done", "understood", "guessed"} else 0
