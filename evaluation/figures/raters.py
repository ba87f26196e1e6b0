"""How often the ranked outcome is right, and whether rates may be corrected by it."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict

from django.db.models import Count, Q

from annotation.models import Annotation, Method, Project
from annotation.quality.accuracy import Confusion, raters_of
from evaluation.figures.kept import kept_figure
from lib.statistics.intervals import wilson
from lib.statistics.suites.corrected_rate import (
    RankedOutcome,
    majority_observed,
    majority_of_independent,
    p_of_equal_shares,
)
from lib.statistics.suites.paired import holm

CHANCE = 0.5
RULE = "balanced_accuracy_low"
"""The name of the verdict's rule: the lower end of the interval of balanced accuracy must be above chance."""
UNEQUAL_BELOW = 0.01
"""Raters err differently somewhere if an adjusted p value is below this."""
LEAST_OBSERVED = 20
"""From this number of references of each class on that have as many answers as an outcome rests on, their majorities
are looked at; with fewer, answers are taken as independent."""
MANY_ANSWERS = 20_000
"""From this number of answers to references on, what was counted of each reference is kept until the sums change."""

SINGLE, OBSERVED, INDEPENDENT = "single", "majority_observed", "majority_independent"


class ReferenceCount(TypedDict):
    """How many answers to one reference were right, and of which agent and category it is."""

    truth: bool
    agent: str
    category: str
    right: int
    n: int


class Verdict(NamedTuple):
    """Whether the raters are good enough to rank agents; `ok` is None where they met no reference of one class."""

    ok: bool | None
    value: float | None
    sentence: str

    def as_json(self) -> dict[str, Any]:
        return {"ok": self.ok, "rule": RULE, "value": self.value, "bound": CHANCE, "sentence": self.sentence}


class Raters(NamedTuple):
    """The accuracy of the ranked outcome.

    Attributes:
        n: Answers to references, of all workers.
        outcome: None where a class has no reference, or where nobody ranks.
        withheld: Why rates are not corrected; "" where they are.
        p_equal: Adjusted p values of the tests that raters err alike, by what was compared.
    """

    n: int
    sensitivity: float | None
    specificity: float | None
    method: str
    redundancy: int
    outcome: RankedOutcome | None
    verdict: Verdict
    withheld: str
    p_equal: dict[str, float]

    def as_json(self) -> dict[str, Any] | None:
        if not self.n:
            return None
        return {
            "n": self.n,
            "sensitivity": self.sensitivity,
            "specificity": self.specificity,
            "n_success": None if self.outcome is None else round(self.outcome.n_success, 1),
            "n_failure": None if self.outcome is None else round(self.outcome.n_failure, 1),
            "method": self.method,
            "redundancy": self.redundancy,
        }


def raters_of_outcome(project: Project | None) -> Raters:
    """How often the outcome that this project gives a continuation is right. 2 queries.

    With a redundancy above one this is the accuracy of the majority: as it was observed where enough references have
    several answers, else as it follows from single answers that err independently.
    """
    if project is None:
        return _unknown(Confusion(), 1)
    confusion = raters_of(project)
    if not confusion.accuracy.n:
        return _unknown(confusion, project.redundancy)
    counted = _counted(project, confusion)
    method, positive, negative = _ranked(project.redundancy, confusion, counted)
    if positive is None or negative is None:
        return _unknown(confusion, project.redundancy, positive, negative, method)
    outcome = RankedOutcome(positive[0], negative[0], positive[1], negative[1])
    p_equal = _tests(counted)
    return Raters(
        n=confusion.accuracy.n,
        sensitivity=outcome.sensitivity,
        specificity=outcome.specificity,
        method=method,
        redundancy=project.redundancy,
        outcome=outcome,
        verdict=_verdict(outcome),
        withheld=_withheld(project, outcome, p_equal),
        p_equal=p_equal,
    )


Share = tuple[float, float] | None


def _ranked(redundancy: int, confusion: Confusion, counted: Sequence[ReferenceCount]) -> tuple[str, Share, Share]:
    """How the accuracy was found, and for true successes and true failures the share of right outcomes with its n."""
    single = (
        (confusion.success_success, confusion.success_success + confusion.success_failure),
        (confusion.failure_failure, confusion.failure_failure + confusion.failure_success),
    )
    if redundancy == 1:
        positive, negative = ((right / n, float(n)) if n else None for right, n in single)
        return SINGLE, positive, negative
    observed = [
        majority_observed([one["right"] for one in mine], [one["n"] for one in mine], redundancy)
        for mine in ([one for one in counted if one["truth"]], [one for one in counted if not one["truth"]])
    ]
    if all(one is not None and one[1] >= LEAST_OBSERVED for one in observed):
        return OBSERVED, observed[0], observed[1]
    positive, negative = (majority_of_independent(right, n, redundancy) for right, n in single)
    return INDEPENDENT, positive, negative


def _unknown(
    confusion: Confusion, redundancy: int, positive: Share = None, negative: Share = None, method: str = SINGLE
) -> Raters:
    accuracy = confusion.accuracy
    missing = "No rater met a reference" if not accuracy.n else "The raters met references of one outcome only"
    return Raters(
        n=accuracy.n,
        sensitivity=positive[0] if positive else None,
        specificity=negative[0] if negative else None,
        method=method,
        redundancy=redundancy,
        outcome=None,
        verdict=Verdict(None, None, f"{missing}, so nobody knows whether they are good enough to rank agents."),
        withheld=f"{missing}, so their errors are not known.",
        p_equal={},
    )


def _verdict(outcome: RankedOutcome) -> Verdict:
    value = (outcome.sensitivity + outcome.specificity) / 2
    low_positive = wilson(outcome.sensitivity * outcome.n_success, outcome.n_success).low
    low_negative = wilson(outcome.specificity * outcome.n_failure, outcome.n_failure).low
    low = value - 0.5 * ((outcome.sensitivity - low_positive) ** 2 + (outcome.specificity - low_negative) ** 2) ** 0.5
    low = max(low, 0.0)
    if low > CHANCE:
        return Verdict(True, low, f"These raters are better than chance: at least {low:.0%} balanced accuracy.")
    if value <= CHANCE:
        return Verdict(
            False,
            low,
            f"These raters are too weak to rank: their balanced accuracy is {value:.0%}, no better than chance.",
        )
    return Verdict(
        False,
        low,
        f"These raters are too weak to rank: with {value:.0%} balanced accuracy on so few references, chance is not "
        "ruled out.",
    )


def _withheld(project: Project, outcome: RankedOutcome, p_equal: dict[str, float]) -> str:
    if outcome.youden <= 0:
        return "Sensitivity and specificity add up to 1 or less, so the outcomes say nothing of the truth."
    if project.consensus_method != Method.MAJORITY:
        return "The outcomes are weighted by rater, so the accuracy of single answers is not that of the outcomes."
    unequal = [what for what, p in p_equal.items() if p < UNEQUAL_BELOW]
    if unequal:
        return f"The raters' {' and '.join(unequal)}, so one correction for all would be wrong."
    return ""


def _tests(counted: Sequence[ReferenceCount]) -> dict[str, float]:
    """By what is compared: the adjusted p value of its being equal everywhere."""
    found = {}
    for truth, what in ((True, "sensitivity"), (False, "specificity")):
        mine = [one for one in counted if one["truth"] == truth]
        for by, groups in (("category", [one["category"] for one in mine]), ("agent", [one["agent"] for one in mine])):
            p = p_of_equal_shares(groups, [one["right"] for one in mine], [one["n"] for one in mine])
            if p is not None:
                found[f"{what} differs by {by}"] = p
    return dict(zip(found, holm(list(found.values())), strict=True))


def _counted(project: Project, confusion: Confusion) -> list[ReferenceCount]:
    if confusion.accuracy.n < MANY_ANSWERS:
        return _count(project)
    names = ["references", project.pk, project.redundancy, *confusion]
    counted: list[ReferenceCount] = kept_figure(names, lambda: _count(project))
    return counted


def _count(project: Project) -> list[ReferenceCount]:
    """The answers to each reference that has a class. 1 query."""
    scored = Annotation.objects.scored().on_references().filter(project=project, task__truth_class__isnull=False)
    shown = "task__shown__episode"
    rows = (
        scored.order_by()
        .values_list("task_id", "task__truth_class", f"{shown}__agent__slug", f"{shown}__revision__category")
        .annotate(said=Count("pk", filter=Q(answer__outcome="success")), n=Count("pk"))
    )
    return [
        ReferenceCount(truth=truth, agent=agent or "", category=category or "", right=said if truth else n - said, n=n)
        for _, truth, agent, category, said, n in rows
    ]
