"""Sockets that send at a steady pace and time each acknowledgement; as little as can be between the two clocks."""

import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

POSE = '{"t":"send","cseq":%d,"type":"pose","body":{"x":%d,"y":4,"z":9,"pitch":0,"yaw":90}}'
PLACE = '{"t":"send","cseq":%d,"type":"place","body":{"at":[%d,9,9],"block":60}}'
SOCKETS_AT_ONCE = 50


@dataclass
class Sender:
    """One socket: what it has sent and not yet had acknowledged, and how long the others took."""

    socket: ClientConnection
    cseq: int = 0
    waiting: dict[int, float] = field(default_factory=dict)
    took_s: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    reading: "asyncio.Task[None] | None" = None

    async def read(self) -> None:
        try:
            async for text in self.socket:
                assert isinstance(text, str)
                if text.startswith(('{"t":"ack"', '{"t": "ack"')):
                    now = perf_counter()
                    self.took_s.append(now - self.waiting.pop(json.loads(text)["cseq"]))
                elif text.startswith('{"t":"error"'):
                    self.refused.append(text)
        except ConnectionClosed as closed:
            self.refused.append(str(closed))

    async def send(self) -> None:
        """A block now and then, and poses between."""
        self.cseq += 1
        text = (PLACE if self.cseq % 4 == 0 else POSE) % (self.cseq, self.cseq % 16)
        self.waiting[self.cseq] = perf_counter()
        await self.socket.send(text)


async def opened(url: str, hello: str = "") -> Sender:
    """A socket that was welcomed, if it has said hello."""
    socket = await connect(url, compression=None, ping_interval=None, max_size=None)
    sender = Sender(socket)
    if hello:
        await socket.send(hello)
        while json.loads(await socket.recv())["t"] != "welcome":
            pass
    sender.reading = asyncio.create_task(sender.read())
    return sender


async def all_opened(addresses: Sequence[tuple[str, str]]) -> list[Sender]:
    """A socket for each URL and hello, some at a time."""
    gate = asyncio.Semaphore(SOCKETS_AT_ONCE)

    async def one(url: str, hello: str) -> Sender:
        async with gate:
            return await opened(url, hello)

    return list(await asyncio.gather(*(one(*address) for address in addresses)))


async def paced(senders: Sequence[Sender], *, every_s: float, for_s: float) -> list[float]:
    """Have all send once `every_s`, each at a moment of its own; how long the acknowledgements took, in seconds."""
    chance = random.Random(1)

    async def one(sender: Sender) -> None:
        at = perf_counter() + chance.random() * every_s
        for _ in range(int(for_s / every_s)):
            await asyncio.sleep(max(0.0, at - perf_counter()))
            await sender.send()
            at += every_s

    await asyncio.gather(*(one(sender) for sender in senders))
    async with asyncio.timeout(30):
        while any(sender.waiting for sender in senders):
            await asyncio.sleep(0.05)
    took = [each for sender in senders for each in sender.took_s]
    for sender in senders:
        sender.took_s.clear()
    return took
