"""Nothing is lost, nothing comes twice, whatever happens to the connection."""

import asyncio
import random

import pytest

from crosswalk_client.conformance.log import Log
from crosswalk_client.conformance.server import Gateway, Mishap
from crosswalk_client.frames import Event, Json
from crosswalk_client.session import Session
from tests.support.sockets import gateway_of, serving

MESSAGES, CUTS = 150, 20


def unlucky(gateway: Gateway, seed: int) -> list[Mishap]:
    """Let mishaps befall messages at random places; the list of those that did."""
    chance, befallen = random.Random(seed), list[Mishap]()

    def befall(log: Log, frame: Json) -> Mishap:
        if len(befallen) >= CUTS or chance.random() > 0.2:
            return None
        mishap: Mishap = chance.choice(["cut unread", "cut unanswered", "cut unanswered", "rate"])
        befallen.append(mishap)
        return mishap

    gateway.mishap = befall
    return befallen


@pytest.mark.parametrize("seed", range(3))
def test_every_message_arrives_once_and_in_order_over_many_cuts(seed: int) -> None:
    async def talk(session: Session) -> None:
        for number in range(MESSAGES):
            await session.say(str(number))
        await session.flush()

    async def run() -> None:
        gateway = gateway_of()
        befallen = unlucky(gateway, seed)
        async with serving(gateway, talk, limit=8):
            logs = [gateway.open(), gateway.open()]
            for log in logs:
                assert await log.until(lambda: len(log.sent("say")) >= MESSAGES, 60)  # noqa: B023
        assert len(befallen) == CUTS
        for log in logs:
            assert [event.body["text"] for event in log.sent("say")] == [str(number) for number in range(MESSAGES)]
            assert log.number_faults == []

    asyncio.run(run())


@pytest.mark.parametrize("seed", range(3))
def test_every_event_is_heard_once_and_in_order_over_many_cuts(seed: int) -> None:
    heard: list[Event] = []

    async def listen(session: Session) -> None:
        async for event in session.events():
            heard.append(event)

    async def run() -> None:
        gateway, chance = gateway_of(), random.Random(seed)
        async with serving(gateway, listen) as client:
            log = gateway.open()
            for number in range(MESSAGES):
                await log.append("worker", "pose", {"x": number, "y": 1, "z": 1, "pitch": 0, "yaw": 0})
                if chance.random() < 0.2:
                    connections = len(gateway.hellos)
                    await asyncio.sleep(0)
                    gateway.cut()
                    assert await gateway.until(lambda: len(gateway.hellos) > connections, 10)  # noqa: B023
            await log.append("server", "closed", {"reason": "enough"})
            await asyncio.wait_for(ended(heard), 10)
        assert len(gateway.hellos) > 15
        assert {hello["resume"] for hello, _ in gateway.hellos} == {client.resume}, "the process keeps its name"
        assert [event.seq for event in heard] == list(range(1, MESSAGES + 2))

    asyncio.run(run())


async def ended(heard: list[Event]) -> None:
    while not heard or heard[-1].type != "closed":
        await asyncio.sleep(0.01)
