"""Plans of a run, before it is launched: the difference between two agents that it shows, for which money and hours."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from annotation.models import Annotation
from evaluation.figures.counts import SuiteCounts, read_counts
from evaluation.figures.rank_intervals import Asked
from evaluation.figures.raters import raters_of_outcome
from lib.faults import Invalid
from lib.statistics.suites.plan import (
    MOST_CONTINUATIONS,
    Noise,
    continuations_for,
    measured_noise,
    power_of,
    visible_difference,
)

POWER = 0.8
CONTINUATIONS = 10
CURRENCY = "USD"
"""Of a plan that names none, and has no project."""
MEASURED, ASSUMED = "measured", "assumed"
ASSUMED_BETWEEN = 0.04
"""The variance between scenarios of the true difference of two agents, where a suite has no data: agents whose log-odds
vary by 0.7 from scenario to scenario, at rates near one half."""
ASSUMED_WITHIN = 0.36
"""The sum of both agents' variances of one continuation, where a suite has no data."""
MOST_AGENTS = 40
"""Variances are measured on so many agents, those with the most judged continuations."""
RECENT_ANSWERS = 500


class Wish(NamedTuple):
    """The question to a plan. Two of `continuations`, `difference` and `power` give the third.

    `budget` buys as many continuations as it can, in place of `continuations`; it is in the currency of the price. If
    none is named, that is the project's.
    """

    agents: int
    scenarios: int | None = None
    continuations: int | None = None
    rater_accuracy: float | None = None
    difference: float | None = None
    power: float | None = None
    price: Decimal | None = None
    budget: Decimal | None = None
    currency: str | None = None
    seconds_per_rating: float | None = None


class Plan(NamedTuple):
    """A plan.

    `continuations`, ratings and cost are None where no number of continuations shows the difference, or where the money
    does not buy one; then `difference` is None as well.
    """

    agents: int
    scenarios: int
    continuations: int | None
    rater_accuracy: float
    difference: float | None
    power: float | None
    ratings: int | None
    cost: Decimal | None
    currency: str
    hours: float | None
    noise: str
    sentence: str | None

    def as_json(self) -> dict[str, Any]:
        cost = None if self.cost is None else {"amount": f"{self.cost:.2f}", "currency": self.currency}
        named = {name: value for name, value in self._asdict().items() if name not in {"cost", "currency"}}
        return {**named, "cost": cost}


def plan_run(asked: Asked, wish: Wish) -> Plan:
    """The plan for this wish, with the noise that earlier runs of the suite have shown. 7 queries at most.

    Raises:
        Invalid: the suite has fewer than two scenarios, and the wish names no number; or there is a budget without a
            price above 0, in another currency than the price, or beside a number of continuations or a difference.
    """
    return plans_of(asked, [wish])[0]


def plans_of(asked: Asked, wishes: Sequence[Wish]) -> list[Plan]:
    """The plans for several wishes, as `plan_run` makes one. 7 queries at most, however many wishes there are."""
    counts = read_counts(**asked._asdict())
    raters = raters_of_outcome(asked.project)
    own = (raters.outcome.youden + 1) / 2 if raters.outcome and raters.outcome.youden > 0 else None
    known = asked.suite.scenarios.exclude(current=None).count()
    seconds = _seconds(asked)
    return [_plan(asked, wish, counts, known, own, seconds) for wish in wishes]


def _plan(
    asked: Asked, wish: Wish, counts: SuiteCounts, known: int, own: float | None, usual_seconds: float | None
) -> Plan:
    scenarios = wish.scenarios or known
    if scenarios < 2:
        raise Invalid.at("#/scenarios", "The suite has fewer than two scenarios; name how many it will have.")
    accuracy = wish.rater_accuracy or own or 1.0
    noise, source = _noise(counts, own or 1.0, accuracy)
    power = wish.power or POWER
    price, currency = _price(asked, wish)
    ratings_of_one = wish.agents * scenarios * (asked.project.redundancy if asked.project else 1)
    found: int | None = _affordable(wish, price, ratings_of_one) or wish.continuations or CONTINUATIONS
    difference, sentence = wish.difference, None
    if wish.budget is not None and found is not None and price is not None and wish.budget < price * ratings_of_one:
        found = None
        sentence = (
            f"The money does not buy one continuation of each scenario: that takes {ratings_of_one:,} ratings, "
            f"{price * ratings_of_one:.2f} {currency}."
        )
    elif difference is None and found is not None:
        difference = visible_difference(noise, scenarios=scenarios, continuations=found, power=power)
    elif difference is not None and wish.continuations is None:
        found = continuations_for(difference, noise, scenarios=scenarios, power=power)
        if found is None:
            least = visible_difference(noise, scenarios=scenarios, continuations=10**6, power=power)
            sentence = (
                f"Not with this suite: with {scenarios} scenarios, however many continuations show differences from "
                f"{least:.3f} on. More scenarios would show smaller ones."
            )
    reached = None
    if found and difference is not None:
        reached = power_of(difference, noise, scenarios=scenarios, continuations=found)
    ratings = ratings_of_one * found if found else None
    seconds = wish.seconds_per_rating or usual_seconds
    return Plan(
        agents=wish.agents,
        scenarios=scenarios,
        continuations=found,
        rater_accuracy=accuracy,
        difference=difference,
        power=reached,
        ratings=ratings,
        cost=price * ratings if price is not None and ratings is not None else None,
        currency=currency,
        hours=seconds * ratings / 3600 if seconds and ratings is not None else None,
        noise=source,
        sentence=sentence,
    )


def _affordable(wish: Wish, price: Decimal | None, ratings_of_one: int) -> int | None:
    """The number of continuations that the budget buys, at most as many as a plan may have; None without a budget."""
    if wish.budget is None:
        return None
    if wish.continuations is not None or wish.difference is not None:
        raise Invalid.at("#/budget", "Name either a budget, or what it should buy: continuations or a difference.")
    if not price:
        raise Invalid.at("#/price", "A budget needs the price of one rating, above 0.")
    return min(int(wish.budget / (price * ratings_of_one)), MOST_CONTINUATIONS)


def _noise(counts: SuiteCounts, own: float, accuracy: float) -> tuple[Noise, str]:
    """The noise with raters of this accuracy, from data that raters of accuracy `own` judged."""
    found = counts.by_scenario()
    chosen = np.argsort(-found.n.sum(axis=1), kind="stable")[:MOST_AGENTS]
    measured = measured_noise(found.successes[chosen], found.n[chosen])
    youden, error = 2 * accuracy - 1, 2 * accuracy * (1 - accuracy)
    if measured is None:
        return Noise(ASSUMED_BETWEEN, error + youden**2 * ASSUMED_WITHIN, youden), ASSUMED
    before = 2 * own - 1
    # An outcome varies by the raters' errors, and by what they leave of the continuations' own variance.
    true_within = max(measured.within - 2 * own * (1 - own), 0.0) / before**2
    return Noise(measured.between / before**2, error + youden**2 * true_within, youden), MEASURED


def _price(asked: Asked, wish: Wish) -> tuple[Decimal | None, str]:
    project = asked.project
    usual = project.currency if project else CURRENCY
    currency = wish.currency or usual
    if wish.price is not None or project is None:
        return wish.price, currency
    if wish.budget is not None and currency != usual:
        raise Invalid.at("#/budget", f"A rating costs {usual} in this project. Name its price in {currency}.")
    return project.base_pay, usual


def _seconds(asked: Asked) -> float | None:
    """The median of what recent answers of the project took, in seconds. 1 query."""
    if asked.project is None:
        return None
    recent = Annotation.objects.current().filter(project=asked.project).order_by("-number")
    spent = [
        active_s if active_s is not None else (submitted_at - claimed_at).total_seconds()
        for active_s, claimed_at, submitted_at in recent.values_list("active_s", "claimed_at", "submitted_at")[
            :RECENT_ANSWERS
        ]
    ]
    return float(np.median(spent)) if spent else None
