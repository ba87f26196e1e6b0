"""A crowd of programs that stand in for people: what each kind says, given what is true.

For trying gates and consensus before anyone is paid (`manage.py simulate`), for the demo's history and for tests.
Needs nothing but Python. Every draw comes from a seed: the same seed gives the same crowd, which says the same of the
same tasks in the same order.
"""

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol


class Behaviour(Protocol):
    """How a simulated worker answers a task that is a success or not."""

    def says(self, task: str, truth: bool, *, met: int, chance: random.Random) -> bool:
        """Whether they call it a success.

        Args:
            task: What tells this task from others.
            met: How many tasks they have answered before.
            chance: Where their luck comes from.
        """


@dataclass(frozen=True)
class Honest:
    """Right in a share of the true successes and in a share of the true failures; each time anew."""

    sensitivity: float
    specificity: float

    def says(self, task: str, truth: bool, *, met: int, chance: random.Random) -> bool:
        return chance.random() < (self.sensitivity if truth else 1 - self.specificity)


@dataclass(frozen=True)
class Always:
    """One answer for everything."""

    answer: bool

    def says(self, task: str, truth: bool, *, met: int, chance: random.Random) -> bool:
        return self.answer


@dataclass(frozen=True)
class Drifter:
    """Honest for the first tasks, careless ever after."""

    before: Honest
    after: Honest
    turns_at: int

    def says(self, task: str, truth: bool, *, met: int, chance: random.Random) -> bool:
        now = self.before if met < self.turns_at else self.after
        return now.says(task, truth, met=met, chance=chance)


@dataclass(frozen=True)
class Colluding:
    """Copies from a friend: all of the same `pair` say the same of the same task, right or wrong."""

    pair: str
    accuracy: float

    def says(self, task: str, truth: bool, *, met: int, chance: random.Random) -> bool:
        # From the task and not from who comes first, so that they need not meet to agree.
        return truth == (random.Random(f"{self.pair}:{task}").random() < self.accuracy)


CARELESS = Honest(0.7, 0.7)
SPAMMER = Honest(0.5, 0.5)
"""A coin for everything."""
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
"""The shares of a crowd that names none."""
PAIR = 2


@dataclass(frozen=True)
class Manner:
    """How a worker is beside right and wrong.

    Attributes:
        scatter_s: Standard deviation of their moments around the true one.
        lag_s: How late they mark on average.
        seconds: How long they take for a task, from and to.
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
    """One simulated worker with a memory: how much they have done, and a luck of their own."""

    def __init__(self, name: str, kind: str, behaviour: Behaviour, *, seed: str) -> None:
        self.name = name
        self.kind = kind
        self.behaviour = behaviour
        self.manner = _MANNERS[kind]
        self.met = 0
        # Drawn from a seed, so that a crowd can be had again; nothing secret hangs on it.
        self.chance = random.Random(f"{seed}:{name}")

    def says(self, task: str, truth: bool) -> bool:
        """Whether they call the task a success; the next one is another task."""
        said = self.behaviour.says(task, truth, met=self.met, chance=self.chance)
        self.met += 1
        return said

    def marks_at(self, moment_s: float) -> float:
        """Where they see a moment that lies at `moment_s`."""
        return moment_s + self.chance.gauss(self.manner.lag_s, self.manner.scatter_s)

    def takes_s(self) -> float:
        """How long they take for the next task."""
        return self.chance.uniform(*self.manner.seconds)


def crowd(size: int, *, seed: int | str, shares: Mapping[str, float] = USUAL) -> list[Member]:
    """So many workers of these kinds, in an order that tells nothing.

    Honest ones differ: each is right in between .85 and .97 of either class. Colluding ones come in pairs; where one is
    left over, they copy from a friend who is not there.

    Args:
        shares: Of each kind; they are held as nearly as whole workers can, the first kinds first.

    Raises:
        ValueError: a kind that is none, or shares that come to nothing.
    """
    luck = random.Random(f"crowd:{seed}")
    members: list[Member] = []
    for kind, number in _numbers(size, shares).items():
        for index in range(number):
            behaviour = _one_of(kind, index, luck, seed=seed)
            members.append(Member(f"{kind.replace('_', '-')}-{index + 1}", kind, behaviour, seed=str(seed)))
    luck.shuffle(members)
    return members


def _numbers(size: int, shares: Mapping[str, float]) -> dict[str, int]:
    """How many of each kind: rounded down, and what is left over to those who lost most by it."""
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


def _one_of(kind: str, index: int, luck: random.Random, *, seed: int | str) -> Behaviour:
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
    """What is true of a task of which nobody knows: a success in a share of the tasks, always the same for one."""
    return random.Random(f"truth:{seed}:{task}").random() < successes


def in_turns(members: list[Member], answers: int, *, seed: int | str) -> Iterator[Member]:
    """Who answers next: everybody `answers` times, in rounds, each round in an order of its own."""
    luck = random.Random(f"turns:{seed}")
    for _ in range(answers):
        yield from luck.sample(members, len(members))


def kinds_in(members: list[Member]) -> dict[str, int]:
    """How many there are of each kind."""
    return dict(Counter(member.kind for member in members))
