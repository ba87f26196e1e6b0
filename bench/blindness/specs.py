"""The seeded projects: their sizes, tools and rates, and the strategies that are played in each."""

import math
import random
from typing import NamedTuple

SIZES = (20, 20, 40, 20, 80, 40, 20, 160, 80, 20, 40, 20, 40, 80, 20, 40, 20, 400, 40, 160)
"""The numbers of tasks, one a project in turn."""
TOOLS = ("experts",) * 14 + ("voxels",) * 3 + ("steps",) * 2 + ("marker",)
"""The kinds of work, most of them the cheapest: whole commands of the tool parse. `steps` asks for a command in
steps. Videos are the dearest, so they come last and in the smallest projects."""
RATES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
SCARCE = 0.2
"""The share of projects whose references do not suffice for their rate."""
STRATEGIES_EACH = 2
"""The number of strategies that are played in each project, by other workers each."""


class Spec(NamedTuple):
    """A project to make.

    Attributes:
        kind: One of `TOOLS`.
        rate: The project's reference rate.
        is_numbered: Contents carry numbers in the order of posting, as recordings of one day do; else random numbers.
        is_scarce: There are fewer references than `rate` times the tasks.
        strategies: Names of `strategies.STRATEGIES`.
    """

    number: int
    seed: int
    kind: str
    tasks: int
    references: int
    rate: float
    redundancy: int
    is_numbered: bool
    is_scarce: bool
    strategies: tuple[str, ...]


def drawn_specs(count: int, *, seed: int, strategies: tuple[str, ...]) -> list[Spec]:
    """`count` projects; the same for the same seed. All strategies are played about equally often."""
    return [_spec(number, seed, strategies) for number in range(count)]


def _spec(number: int, seed: int, strategies: tuple[str, ...]) -> Spec:
    draw = random.Random(f"{seed}/{number}")
    kind = draw.choice(TOOLS)
    tasks = SIZES[number % len(SIZES)] if kind in ("experts", "voxels") else SIZES[0]
    rate = draw.choice(RATES)
    is_scarce = draw.random() < SCARCE
    stock = rate * tasks * (draw.uniform(0.4, 0.9) if is_scarce else draw.uniform(1.0, 1.4))
    first = number * STRATEGIES_EACH
    return Spec(
        number=number,
        seed=seed,
        kind=kind,
        tasks=tasks,
        references=max(2, math.ceil(stock)),
        rate=rate,
        redundancy=draw.choice((1, 2, 2, 3, 5)),
        is_numbered=draw.random() < 0.5,
        is_scarce=is_scarce,
        strategies=tuple(
            dict.fromkeys(strategies[(first + turn) % len(strategies)] for turn in range(STRATEGIES_EACH))
        ),
    )
