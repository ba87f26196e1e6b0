"""Wake-ups and the look of each second: neither holds up a message."""

import asyncio
import threading
from typing import Any

import pytest
import redis

from interaction import bell, timekeeping
from interaction.wakeups import Key
from tests.interaction.sockets import play
from tests.interaction.test_sockets import POSE, Place


class SlowRedis:
    """What is published, and stands still over the first until it is let go."""

    def __init__(self) -> None:
        self.published: list[set[str]] = []
        self.speaks, self.may_go_on = threading.Event(), threading.Event()

    def publish(self, channel: str, text: str) -> None:
        assert channel == bell.CHANNEL
        _, *keys = text.split()
        self.published.append(set(keys))
        self.speaks.set()
        assert self.may_go_on.wait(20)


def test_what_is_rung_while_other_processes_are_told_is_told_together(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = SlowRedis()
    monkeypatch.setattr(redis.Redis, "from_url", lambda *args, **kwargs: slow)
    crier = bell.Crier()
    first: Key = ("session", 1)
    crier.say([first])
    assert slow.speaks.wait(20)
    for pk in (2, 3, 2):
        crier.say([("session", pk), ("process", 7)])
    slow.may_go_on.set()
    crier.close()
    assert slow.published == [{"session:1"}, {"session:2", "session:3", "process:7"}]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("sockets")
def test_a_slow_look_holds_up_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place()
    looks, may_end = threading.Event(), threading.Event()

    def slow_tick(**kwargs: Any) -> None:
        looks.set()
        may_end.wait(20)

    monkeypatch.setattr(timekeeping, "tick", slow_tick)

    async def story() -> None:
        worker, _ = await place.worker()
        assert await asyncio.to_thread(looks.wait, 20)
        await worker.send("pose", **POSE)
        assert (await worker.frame_of("ack"))["cseq"] == 1
        assert not may_end.is_set()
        may_end.set()
        await worker.close()

    try:
        play(story)
    finally:
        may_end.set()
