"""Even times: what takes shorter waits for what takes longer."""

import random

import pytest

from lib.even_times import ENOUGH, FIRST_S, KEYS, MOST_S, EvenTimes


class Clock:
    """Time that passes when somebody sleeps or works."""

    def __init__(self) -> None:
        self.at = 0.0
        self.times = EvenTimes(lambda: self.at, self.work)

    def work(self, seconds: float) -> None:
        self.at += seconds

    def answer(self, key: str, own_s: float) -> float:
        """How long an answer takes whose own work takes so long."""
        begun = self.at
        self.work(own_s)
        self.times.hold_back(key, since=begun)
        return self.at - begun


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_two_kinds_of_work_cannot_be_told_by_their_times(clock: Clock) -> None:
    chance = random.Random(7)
    took: dict[float, list[float]] = {0.006: [], 0.004: []}
    for turn in range(3000):
        mean = 0.006 if chance.random() < 0.85 else 0.004
        seconds = clock.answer("p", chance.gauss(mean, 0.0005))
        if turn > 300:
            took[mean].append(seconds)
    longer, shorter = took.values()
    pairs = [(a > b) + (a == b) / 2 for a in longer for b in shorter]
    assert 0.5 <= sum(pairs) / len(pairs) < 0.55


def test_few_known_times_are_held_back_for_a_fixed_one(clock: Clock) -> None:
    assert [clock.answer("p", 0.001 * n) for n in range(3)] == pytest.approx([FIRST_S] * 3)


def test_a_new_key_goes_by_all_and_soon_by_its_own(clock: Clock) -> None:
    for _ in range(ENOUGH):
        clock.answer("slow", 0.05)
    assert clock.answer("quick", 0.001) == pytest.approx(0.05)
    for _ in range(ENOUGH):
        clock.answer("quick", 0.001)
    assert clock.answer("quick", 0.0005) == pytest.approx(0.001)


def test_nothing_waits_long_and_little_is_kept(clock: Clock) -> None:
    for number in range(KEYS + 5):
        clock.answer(str(number), 3.0)
    assert clock.answer("0", 0.0) == pytest.approx(MOST_S)
    assert len(clock.times._of) == KEYS
