"""Wake-ups and the check of each second: neither holds up a message."""

import asyncio
import threading
from typing import Any

import pytest
import redis

from interaction import wakeups
from interaction.session import ticks
from interaction.wakeups import Key
from tests.support.sockets import POSE, Place, play


class SlowRedis:
    """Keeps what is published, and waits with the first message until it may go on."""

    def __init__(self) -> None:
        self.published: list[set[str]] = []
        self.speaks, self.may_go_on = threading.Event(), threading.Event()

    def publish(self, channel: str, text: str) -> None:
        assert channel == wakeups.CHANNEL
        _, *keys = text.split()
        self.published.append(set(keys))
        self.speaks.set()
        assert self.may_go_on.wait(20)


def test_wake_ups_that_come_while_one_is_published_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = SlowRedis()
    monkeypatch.setattr(redis.Redis, "from_url", lambda *args, **kwargs: slow)
    publisher = wakeups.RedisPublisher()
    first: Key = ("session", 1)
    publisher.publish([first])
    assert slow.speaks.wait(20)
    for pk in (2, 3, 2):
        publisher.publish([("session", pk), ("process", 7)])
    slow.may_go_on.set()
    publisher.close()
    assert slow.published == [{"session:1"}, {"session:2", "session:3", "process:7"}]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("sockets")
def test_a_slow_tick_holds_up_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place()
    ticked, may_end = threading.Event(), threading.Event()

    def slow_tick(**kwargs: Any) -> None:
        ticked.set()
        may_end.wait(20)

    monkeypatch.setattr(ticks, "tick", slow_tick)

    async def story() -> None:
        worker, _ = await place.worker()
        assert await asyncio.to_thread(ticked.wait, 20)
        await worker.send("pose", **POSE)
        assert (await worker.frame_of("ack"))["cseq"] == 1
        assert not may_end.is_set()
        may_end.set()
        await worker.close()

    try:
        play(story)
    finally:
        may_end.set()
