"""How often something may happen is counted exactly, in one process and over several."""

import secrets
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from django.conf import settings

from common import rates
from common.rates import Counters, Rate

FIVE = Rate(5, 10.0)
REDIS_URL = settings.REDIS_URL


class Clock:
    """The time of the counters. Redis has a clock of its own, so there the kept times are moved instead."""

    def __init__(self, redis_url: str) -> None:
        self.redis_url, self.now = redis_url, 1000.0

    def counters(self) -> Counters:
        return Counters(redis_url=self.redis_url)

    def advance(self, by: float) -> None:
        self.now += by
        if self.redis_url:
            server = redis.Redis.from_url(self.redis_url)
            for name in server.scan_iter(f"{rates._PREFIX}*"):
                kept: Any = server.get(name)
                server.set(name, float(kept) - by)


@pytest.fixture(params=["", pytest.param(REDIS_URL, marks=pytest.mark.skipif(not REDIS_URL, reason="no Redis"))])
def clock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    found = Clock(request.param)
    if found.redis_url:
        monkeypatch.setattr(rates, "_PREFIX", f"crosswalk.rates.{secrets.token_hex(4)}:")
        yield found
        server = redis.Redis.from_url(found.redis_url)
        server.delete(*server.scan_iter(f"{rates._PREFIX}*"))
    else:
        monkeypatch.setattr("common.rates.time.monotonic", lambda: found.now)
        yield found


def test_a_key_may_do_all_at_once_and_then_waits_for_each(clock: Clock) -> None:
    counters = clock.counters()

    def taken(key: str = "a") -> int:
        return counters.wait_s(FIVE, key, is_taken=True)

    assert [taken() for _ in range(7)] == [0, 0, 0, 0, 0, 2, 2]
    assert counters.wait_s(FIVE, "a", is_taken=False) == 2
    assert taken("b") == 0
    clock.advance(2.1)
    assert counters.wait_s(FIVE, "a", is_taken=False) == 0
    assert [taken(), taken()] == [0, 2]
    clock.advance(100)
    assert [taken() for _ in range(6)] == [0, 0, 0, 0, 0, 2]


def test_threads_that_take_at_once_are_all_counted(clock: Clock) -> None:
    counters, waits = clock.counters(), []

    def take() -> None:
        waits.append(counters.wait_s(Rate(30, 3600.0), "a", is_taken=True))

    threads = [threading.Thread(target=take) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert waits.count(0) == 30


def test_no_number_of_other_keys_pushes_a_counter_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "_PRUNE_ABOVE", 10)
    counters = Counters(redis_url="")
    assert [counters.wait_s(FIVE, "a", is_taken=True) for _ in range(5)] == [0] * 5
    for number in range(500):
        counters.wait_s(FIVE, f"other-{number}", is_taken=True)
    assert counters.wait_s(FIVE, "a", is_taken=True) > 0


def test_while_redis_is_away_each_process_counts_by_itself() -> None:
    counters = Counters(redis_url="redis://127.0.0.1:1/0")
    assert [counters.wait_s(FIVE, "a", is_taken=True) for _ in range(6)] == [0, 0, 0, 0, 0, 2]
