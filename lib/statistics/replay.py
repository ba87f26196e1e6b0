"""Counterfactual replay: what a campaign's own answers would have brought under another policy of buying them.

The archive holds the answers that the campaign bought. A replay buys some of them again, in the order of a policy and
within the same budget, trains after each iteration, and so shows accuracy over money, policy beside policy. It can only
buy what was asked: a policy that would have asked for other commands cannot be judged so.
"""

import random
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeVar

Model = TypeVar("Model")
Policy = Literal["in_order", "errors", "random", "unsure"]
POLICIES: tuple[Policy, ...] = ("in_order", "errors", "random", "unsure")
"""As they came; those alone that a worker marked as misunderstood; at random; those first of which the present model is
least sure."""


class Bought(NamedTuple):
    """One answer of the archive.

    Attributes:
        item: Identifies what was annotated; the caller finds the example by it.
        cost: What the annotation cost, in any currency.
        is_marked: Whether a worker marked the agent's own understanding as wrong.
    """

    item: str
    cost: float
    is_marked: bool


class Step(NamedTuple):
    """The state after one iteration of a replay.

    Attributes:
        spent: On annotations, from the beginning.
        items: How many annotations that bought.
        left: How many answers the policy could still have bought.
        value: What `tested` says of the model that learnt from them.
    """

    iteration: int
    spent: float
    items: int
    left: int
    value: float


def replayed(
    iterations: Sequence[Sequence[Bought]],
    *,
    policy: Policy,
    budget: float,
    start: Model,
    learnt: Callable[[Sequence[str]], Model],
    tested: Callable[[Model], float],
    sureness: Callable[[Model, str], float],
    seed: int = 0,
) -> list[Step]:
    """Replay a campaign under a policy.

    Args:
        iterations: What the campaign bought in each iteration. What a policy leaves may be bought in a later one.
        budget: For each iteration; what is left of it goes to the next.
        start: The model before the first iteration.
        learnt: The model that learns from these items, beside what every model learns from.
        tested: How good a model is.
        sureness: How sure a model is of an item; asked only by the policy `unsure`.

    Raises:
        ValueError: a cost or the budget is negative.
    """
    if budget < 0 or any(one.cost < 0 for each in iterations for one in each):
        raise ValueError("costs and budgets are not negative")
    draw = random.Random(seed)  # noqa: S311 - a simulation
    model, pool, bought, spent = start, list[Bought](), list[str](), 0.0
    steps = []
    for number, new in enumerate(iterations, start=1):
        pool += new
        wanted = _ordered(pool, policy, draw, lambda item, model=model: sureness(model, item))  # type: ignore[misc]
        taken = set()
        for one in wanted:
            if spent + one.cost <= budget * number + 1e-9:
                spent += one.cost
                taken.add(one.item)
                bought.append(one.item)
        pool = [one for one in pool if one.item not in taken]
        left = len(wanted) - len(taken)
        model = learnt(bought)
        steps.append(Step(number, spent, len(bought), left, tested(model)))
    return steps


def _ordered(
    pool: Sequence[Bought], policy: Policy, draw: random.Random, sureness: Callable[[str], float]
) -> list[Bought]:
    match policy:
        case "in_order":
            return list(pool)
        case "errors":
            return [one for one in pool if one.is_marked]
        case "random":
            return draw.sample(pool, len(pool))
        case "unsure":
            return sorted(pool, key=lambda one: sureness(one.item))
