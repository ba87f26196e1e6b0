"""Simulated workers of the marker tool, of several kinds.

They try gates and consensus before anyone is paid (`manage.py simulate`), and serve the demo and the tests. The module
needs nothing but Python. Every random number comes from a seed: the same seed gives the same crowd, and the same
answers to the same tasks in the same order.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol


class Behaviour(Protocol):
    """How a simulated worker answers a task, given the truth."""

    def says(self, task: str, truth: bool, *, met: int, chance: random.Random) -> bool:
        """True if the worker calls the task a success.

        Args:
            task: The task's key.
            met: The number of tasks that the worker has answered before.
            chance: The worker's random numbers.
        """


@dataclass(frozen=True)
class Honest:
    """Right for a share of the true successes and for a share of the true failures, independently for each task."""

    sensitivity: float
    specificity: float

    def says(self, task: str, truth: bool, *, met: int, chance: random.Random) -> bool:
        return chance.random() < (self.sensitivity if truth else 1 - self.specificity)


@dataclass(frozen=True)
class Always:
    """The same answer to every task."""

    answer: bool

    def says(self, task: str, truth: bool, *, met: int, chance: random.Random) -> bool:
        return self.answer


@dataclass(frozen=True)
class Drifter:
    """Honest for the first tasks, careless after that."""

    before: Honest
    after: Honest
    turns_at: int

    def says(self, task: str, truth: bool, *, met: int, chance: random.Random) -> bool:
        now = self.before if met < self.turns_at else self.after
        return now.says(task, truth, met=met, chance=chance)


@dataclass(frozen=True)
class Colluding:
    """Copies from a friend: all workers of the same `pair` give the same answer to the same task, right or wrong."""

    pair: str
    accuracy: float

    def says(self, task: str, truth: bool, *, met: int, chance: random.Random) -> bool:
        # The answer depends on the task, not on the worker who comes first: the pair need not meet to agree.
        return truth == (random.Random(f"{self.pair}:{task}").random() < self.accuracy)


CARELESS = Honest(0.7, 0.7)
SPAMMER = Honest(0.5, 0.5)
"""Answers at random."""
ALWAYS_SUCCESS = Always(True)

KINDS = ("honest", "careless", "spammer", "always_success", "colluding", "drifter")
USUAL: Mapping[str, float] = {
    "honest": 0.5,
    "careless": 0.15,
    "spammer": 0.1,
    "always_success": 0.05,
    "colluding": 0.1,
    "drifter": 0.1,
}
"""The default shares of the kinds."""
PAIR = 2


@dataclass(frozen=True)
class Manner:
    """A worker's habits apart from being right.

    Attributes:
        scatter_s: Standard deviation of the marked moments.
        lag_s: Average delay of the marked moments.
        seconds: The time for a task, least and most.
    """

    scatter_s: float
    lag_s: float
    seconds: tuple[float, float]


_MANNERS = {
    "honest": Manner(0.15, 0.05, (12.0, 40.0)),
    "careless": Manner(0.6, 0.2, (4.0, 20.0)),
    "spammer": Manner(1.5, 0.0, (2.0, 5.0)),
    "always_success": Manner(1.5, 0.0, (1.5, 3.0)),
    "colluding": Manner(0.2, 0.1, (3.0, 10.0)),
    "drifter": Manner(0.3, 0.1, (6.0, 30.0)),
}


class Member:
    """One simulated worker with a count of its tasks and its own random numbers."""

    def __init__(self, name: str, kind: str, behaviour: Behaviour, *, seed: str) -> None:
        self.name = name
        self.kind = kind
        self.behaviour = behaviour
        self.manner = _MANNERS[kind]
        self.met = 0
        # The seed makes a crowd repeatable; nothing secret depends on it.
        self.chance = random.Random(f"{seed}:{name}")

    def says(self, task: str, truth: bool) -> bool:
        """True if the worker calls this task a success. Each call counts as another task."""
        said = self.behaviour.says(task, truth, met=self.met, chance=self.chance)
        self.met += 1
        return said

    def marks_at(self, moment_s: float) -> float:
        """The moment that the worker marks for an event at `moment_s`."""
        return moment_s + self.chance.gauss(self.manner.lag_s, self.manner.scatter_s)

    def takes_s(self) -> float:
        """How many seconds the worker takes for the next task."""
        return self.chance.uniform(*self.manner.seconds)


def make_crowd(size: int, *, seed: int | str, shares: Mapping[str, float] = USUAL) -> list[Member]:
    """A crowd of this size and these kinds, in random order.

    Honest workers differ: each is right for .85 to .97 of either class. Colluding workers come in pairs; the last one
    of an odd number copies from a friend outside the crowd.

    Args:
        shares: The share of each kind. Whole workers approximate them, the first kinds first.

    Raises:
        ValueError: A kind is unknown, or the shares are negative or add up to 0.
    """
    luck = random.Random(f"crowd:{seed}")
    members: list[Member] = []
    for kind, number in _numbers(size, shares).items():
        for index in range(number):
            behaviour = _behaviour(kind, index, luck, seed=seed)
            members.append(Member(f"{kind.replace('_', '-')}-{index + 1}", kind, behaviour, seed=str(seed)))
    luck.shuffle(members)
    return members


def _numbers(size: int, shares: Mapping[str, float]) -> dict[str, int]:
    """The number of workers of each kind: rounded down, then one more for the kinds that lost most by rounding."""
    unknown, total = sorted(set(shares) - set(KINDS)), sum(shares.values())
    if unknown:
        raise ValueError(f"there is no kind {unknown[0]!r}; there are {', '.join(KINDS)}")
    if total <= 0 or min(shares.values()) < 0:
        raise ValueError("the shares of a crowd are not negative and come to more than 0")
    exact = {kind: size * share / total for kind, share in shares.items()}
    numbers = {kind: int(value) for kind, value in exact.items()}
    short = sorted(exact, key=lambda kind: (numbers[kind] - exact[kind], KINDS.index(kind)))
    for kind in short[: size - sum(numbers.values())]:
        numbers[kind] += 1
    return numbers


def _behaviour(kind: str, index: int, luck: random.Random, *, seed: int | str) -> Behaviour:
    match kind:
        case "honest":
            return Honest(round(luck.uniform(0.85, 0.97), 3), round(luck.uniform(0.85, 0.97), 3))
        case "careless":
            return CARELESS
        case "spammer":
            return SPAMMER
        case "always_success":
            return ALWAYS_SUCCESS
        case "colluding":
            return Colluding(pair=f"{seed}:{index // PAIR}", accuracy=0.6)
        case _:
            return Drifter(Honest(0.92, 0.92), Honest(0.55, 0.55), turns_at=20)


def truth_of(task: str, *, seed: int | str, successes: float) -> bool:
    """The simulated truth of a task: a success for a share of the tasks, always the same for one task."""
    return random.Random(f"truth:{seed}:{task}").random() < successes


def turn_order(members: list[Member], answers: int, *, seed: int | str) -> Iterator[Member]:
    """The worker of each turn: everybody `answers` times, in rounds, each round in random order."""
    luck = random.Random(f"turns:{seed}")
    for _ in range(answers):
        yield from luck.sample(members, len(members))
