"""Sockets that send at a steady pace and time each acknowledgement, with little code between the two clocks."""

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
class TimedSocket:
    """One socket: its unacknowledged messages, and the times of the others."""

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
        """Send a pose, or a block every fourth time."""
        self.cseq += 1
        text = (PLACE if self.cseq % 4 == 0 else POSE) % (self.cseq, self.cseq % 16)
        self.waiting[self.cseq] = perf_counter()
        await self.socket.send(text)


async def open_socket(url: str, hello: str = "") -> TimedSocket:
    """Open a socket and, with a hello, wait for the welcome."""
    socket = await connect(url, compression=None, ping_interval=None, max_size=None)
    sender = TimedSocket(socket)
    if hello:
        await socket.send(hello)
        while json.loads(await socket.recv())["t"] != "welcome":
            pass
    sender.reading = asyncio.create_task(sender.read())
    return sender


async def open_all(addresses: Sequence[tuple[str, str]]) -> list[TimedSocket]:
    """Open a socket for each URL and hello, some at the same time."""
    gate = asyncio.Semaphore(SOCKETS_AT_ONCE)

    async def one(url: str, hello: str) -> TimedSocket:
        async with gate:
            return await open_socket(url, hello)

    return list(await asyncio.gather(*(one(*address) for address in addresses)))


async def send_paced(senders: Sequence[TimedSocket], *, every_s: float, for_s: float) -> list[float]:
    """Let every socket send once `every_s`, each at its own moment. Returns the seconds of each acknowledgement."""
    chance = random.Random(1)

    async def one(sender: TimedSocket) -> None:
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
