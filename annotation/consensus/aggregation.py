"""Merging the answers to one task into one answer, and deciding when the task is done. Pure, and the same for every
tool."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from annotation.tool_registry import Merged, YesNo
from lib.statistics.intervals import Z95, wilson
from lib.statistics.posterior import LEAST, Posterior, Rater, likelihood_ratios, ratio_variances, sigmoid, unknown_rater

Json = dict[str, Any]

REVIEW_BELOW = 2 / 3
"""A settled consensus with less confidence asks for review, where the project sets no confidence of its own."""
HALF_A_VOTE = 0.5
"""The share of a vote that the answer of a worker of reduced weight has."""
_ROUNDING = 1e-9
MOVED = 1e-7
"""A probability or confidence that differs by less counts as unchanged."""


class Merges(Protocol):
    """The part of every tool that aggregation needs."""

    def merge(self, answers: Sequence[Json], weights: Sequence[float] | None = None) -> Merged: ...


class Vote(NamedTuple):
    """One worker's answer to the task; `share` is 1 for a whole vote and less for a reduced one."""

    worker: int
    answer: Json
    share: float = 1.0


class Aggregate(NamedTuple):
    """The merged answer of one task.

    `confidence` lies in 0..1. `probability` is the chance of yes with its 95 % interval, None where the tool has no yes
    and no. `is_tie`: neither side wins, so the answer is the tool's empty one. `is_bare`: the raters' records support
    an answer that no rater gave, so the answer has no details.
    """

    answer: Json
    confidence: float
    probability: float | None = None
    low: float | None = None
    high: float | None = None
    is_tie: bool = False
    is_bare: bool = False


def aggregate(
    tool: Merges, votes: Sequence[Vote], *, raters: Mapping[int, Rater] | None, prior: float = 0.5
) -> Aggregate:
    """The merged answer of one task; see `aggregate_all`."""
    return aggregate_all(tool, [votes], raters=raters, prior=prior)[0]


def aggregate_all(
    tool: Merges,
    tasks: Sequence[Sequence[Vote]],
    *,
    raters: Mapping[int, Rater] | None,
    prior: float = 0.5,
) -> list[Aggregate]:
    """The merged answer of each task.

    Without raters the majority wins. With raters the side wins that is likelier given their error rates, and the tool
    merges the answers of that side. Where answers are no yes or no, the tool merges all of them, each weighted by the
    log-odds of its rater's accuracy.

    Args:
        tasks: The counting answers to each task, one a worker, at least one.
        raters: By worker; for a tool without yes and no, sensitivity and specificity are both the accuracy. A worker
            who is missing counts as `unknown_rater()`. None: all workers are alike.
        prior: Share of yes among such tasks.
    """
    if not isinstance(tool, YesNo):
        return [_without_verdict(tool, votes, raters) for votes in tasks]
    verdicts = [[tool.verdict(vote.answer) for vote in votes] for votes in tasks]
    posteriors: Sequence[Posterior | None] = [None] * len(tasks)
    if raters is not None:
        posteriors = posteriors_of(tasks, verdicts, raters, prior)
    return [
        _aggregate(tool, votes, said, raters=raters, posterior=posterior)
        for votes, said, posterior in zip(tasks, verdicts, posteriors, strict=True)
    ]


def _aggregate(
    tool: YesNo,
    votes: Sequence[Vote],
    verdicts: Sequence[bool | None],
    *,
    raters: Mapping[int, Rater] | None,
    posterior: Posterior | None,
) -> Aggregate:
    known = [verdict for verdict in verdicts if verdict is not None]
    if len(known) < len(verdicts):
        return _without_verdict(tool, votes, raters)
    if posterior is None:
        return _by_majority(tool, votes, known)
    if is_tied(posterior.value):
        return Aggregate(tool.bare(None), 0.5, *posterior, is_tie=True)
    winner = posterior.value > 0.5
    side = [vote for vote, said in zip(votes, known, strict=True) if said == winner]
    answer = _merge(tool, side).answer if side else tool.bare(winner)
    return Aggregate(answer, max(posterior.value, 1 - posterior.value), *posterior, is_bare=not side)


def posteriors_of(
    tasks: Sequence[Sequence[Vote]],
    verdicts: Sequence[Sequence[bool | None]],
    raters: Mapping[int, Rater],
    prior: float,
) -> list[Posterior]:
    """`posterior.posterior_of` for many tasks at once: the same numbers, without its cost for each task."""
    unknown = unknown_rater()
    ids = {worker: place for place, worker in enumerate({vote.worker for votes in tasks for vote in votes})}
    known = [raters.get(worker, unknown) for worker in ids]
    rates = [[getattr(rater, name) for rater in known] for name in ("sensitivity", "specificity")]
    counts = [[getattr(rater, name) for rater in known] for name in ("successes", "failures")]
    sensitivity, specificity, successes, failures = (np.array(column, dtype=np.float64) for column in (*rates, *counts))
    ratios = likelihood_ratios(sensitivity, specificity)
    variances = ratio_variances(sensitivity, specificity, successes, failures)
    place = np.repeat(np.arange(len(tasks)), [len(votes) for votes in tasks])
    who = np.array([ids[vote.worker] for votes in tasks for vote in votes], dtype=np.int64)
    said = np.array([bool(verdict) for ones in verdicts for verdict in ones], dtype=np.int64)
    share = np.array([vote.share for votes in tasks for vote in votes], dtype=np.float64)
    odds = np.bincount(place, share * ratios[who, said], minlength=len(tasks)) + math.log(prior / (1 - prior))
    half = Z95 * np.sqrt(np.bincount(place, share**2 * variances[who, said], minlength=len(tasks)))
    columns = (sigmoid(np.asarray(odds + shift, dtype=np.float64)).tolist() for shift in (0.0, -half, half))
    return [Posterior(*row) for row in zip(*columns, strict=True)]


def _by_majority(tool: YesNo, votes: Sequence[Vote], verdicts: Sequence[bool]) -> Aggregate:
    merged = _merge(tool, votes)
    total = math.fsum(vote.share for vote in votes)
    yes = math.fsum(vote.share for vote, verdict in zip(votes, verdicts, strict=True) if verdict)
    interval = wilson(min(yes, total), total)
    is_tie = tool.verdict(merged.answer) is None
    return Aggregate(merged.answer, merged.confidence, yes / total, interval.low, interval.high, is_tie=is_tie)


def _without_verdict(tool: Merges, votes: Sequence[Vote], raters: Mapping[int, Rater] | None) -> Aggregate:
    merged = tool.merge([vote.answer for vote in votes], weights_of(votes, raters))
    return Aggregate(merged.answer, merged.confidence)


def weights_of(votes: Sequence[Vote], raters: Mapping[int, Rater] | None) -> list[float] | None:
    """The weight of each answer where answers are no yes or no; None: all weigh the same.

    With raters each answer weighs the log-odds of its rater's accuracy; None too if that would leave no answer any
    weight.
    """
    if raters is None:
        shares = [vote.share for vote in votes]
        return None if len(set(shares)) == 1 else shares
    unknown = unknown_rater()
    weights = [vote.share * log_odds(raters.get(vote.worker, unknown).sensitivity) for vote in votes]
    return weights if any(weights) else None


def _merge(tool: Merges, votes: Sequence[Vote]) -> Merged:
    return tool.merge([vote.answer for vote in votes], weights_of(votes, None))


def log_odds(accuracy: float) -> float:
    """The weight of an answer by its rater's accuracy. It is at least 0, so that no answer counts against itself."""
    return max(0.0, math.log(max(accuracy, LEAST) / max(1 - accuracy, LEAST)))


def is_tied(probability: float) -> bool:
    return abs(probability - 0.5) <= _ROUNDING


class Rule(NamedTuple):
    """The condition under which a task is done. `confidence` None: at its redundancy, whatever the confidence."""

    redundancy: int
    confidence: float | None = None
    least: int = 2
    most: int | None = None


class Completion(NamedTuple):
    """The state that a task should have: done or not, and the number of annotations that it wants by now."""

    is_done: bool
    wanted: int


def completion_of(rule: Rule, *, n: int, confidence: float) -> Completion:
    """The state of a task that has `n` counting annotations and this confidence.

    It depends on the present alone: a dropped answer or a better fit opens a task again just as another answer closes
    it.

    >>> completion_of(Rule(3), n=3, confidence=0.67)
    Completion(is_done=True, wanted=3)
    >>> rule = Rule(3, confidence=0.9, least=2, most=5)
    >>> completion_of(rule, n=2, confidence=0.95), completion_of(rule, n=3, confidence=0.67)
    (Completion(is_done=True, wanted=3), Completion(is_done=False, wanted=4))
    >>> completion_of(rule, n=5, confidence=0.6)
    Completion(is_done=True, wanted=5)
    """
    if rule.confidence is None:
        return Completion(n >= rule.redundancy, rule.redundancy)
    most = max(rule.redundancy, rule.most or 0)
    is_sure = n >= min(rule.least, most) and confidence >= rule.confidence - _ROUNDING
    is_done = is_sure or n >= most
    return Completion(is_done, max(rule.redundancy, n if is_done else n + 1))


def needs_review(found: Aggregate, wanted: float | None) -> bool:
    """True if a person should see a settled consensus: a tie, an answer that no rater gave, or too little confidence.

    Args:
        wanted: The project's confidence; None: `REVIEW_BELOW`.
    """
    bound = REVIEW_BELOW if wanted is None else wanted
    return found.is_tie or found.is_bare or found.confidence < bound - _ROUNDING
