"""How many errors a project collects for its money and its workers' time, by arm, instructions or pay (paper 004,
figure 9), with intervals of the differences.

All numbers come from the sums of sessions (`session_sums`). Errors in rejected work do not count, since its data is
dropped; its cost does.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from annotation.models import Project
from annotation.offer.experiments import arm_names
from interaction.reports.session_sums import Facts
from lib.statistics.bootstrap import Estimate, rate, ratio, resample
from lib.trees.tree import KNOWN_OUTCOMES, OK

MOST_GROUPS = 40
GROUPINGS: Mapping[str, str] = {
    "arm": "Arm of the experiment",
    "instructions": "Version of the instructions",
    "pay": "Pay",
    "agent": "Agent and parser",
    "day": "Day",
    "week": "Week",
}
SPANS = frozenset({"day", "week"})
"""Groupings by time, of which the latest groups are shown."""
_COUNTS = ("sessions", "commands", "marked", "nlu_known", "nlu_true", "misread", "cost", "hours")
SESSIONS, COMMANDS, MARKED, NLU_KNOWN, NLU_TRUE, MISREAD, COST, HOURS = range(len(_COUNTS))


class Group(NamedTuple):
    """Sessions with one thing in common, compared with those of the first group.

    Attributes:
        words: The thing in common.
        true: Marked misunderstandings that proved to be some; None: no true form is known.
        per_money, per_hour: Marked errors for a unit of money, and for an hour of a worker's time.
        times_per_money, times_per_hour: The same as a ratio to the first group.
        precision, recall: Of marking misunderstandings.
    """

    words: str
    workers: int
    sessions: int
    commands: int
    marked: int
    true: int | None
    cost: Decimal
    hours: float
    per_money: Estimate
    per_hour: Estimate
    times_per_money: Estimate
    times_per_hour: Estimate
    precision: Estimate
    recall: Estimate


# Grouping ----------------------------------------------------------------------------------------------------------


def outcomes_in(found: Sequence[Facts]) -> dict[str, str]:
    """The errors that may be counted, each with its meaning: the known ones, and those of the trees that were asked."""
    seen = {name for facts in found for name in facts.by_outcome} - {"", OK}
    words = {name: means for name, means in KNOWN_OUTCOMES.items() if name != OK}
    return {**words, **{name: name for name in sorted(seen - set(words))}}


def grouped(found: Sequence[Facts], *, by: str, project: Project) -> dict[str, list[Facts]]:
    """Groups of sessions in the order in which they are shown; the others are compared with the first.

    Args:
        by: One of `GROUPINGS`.
    """
    key = _KEYS[by]
    groups: dict[Any, list[Facts]] = defaultdict(list)
    for facts in found:
        groups[key(facts)].append(facts)
    ordered = list(groups)
    if by == "arm":
        arms = arm_names(project)
        ordered.sort(key=lambda name: (name not in arms, arms.index(name) if name in arms else 0, name == ""))
    elif by == "instructions":
        ordered.sort()
    kept = ordered[-MOST_GROUPS:] if by in SPANS else ordered[:MOST_GROUPS]
    return {_WORDS[by](name): groups[name] for name in kept}


def _week(at: datetime) -> datetime:
    return at - timedelta(days=at.weekday())


_KEYS: Mapping[str, Callable[[Facts], Any]] = {
    "arm": lambda facts: facts.arm,
    "instructions": lambda facts: facts.instructions,
    "pay": lambda facts: facts.pay,
    "agent": lambda facts: facts.agent,
    "day": lambda facts: facts.at.date(),
    "week": lambda facts: _week(facts.at).date(),
}
_WORDS: Mapping[str, Callable[[Any], str]] = {
    "arm": lambda arm: arm or "no arm",
    "instructions": lambda number: f"version {number}" if number else "not known",
    "pay": str,
    "agent": str,
    "day": str,
    "week": lambda monday: f"week of {monday}",
}


# Comparing ---------------------------------------------------------------------------------------------------------


def _measures(facts: Facts, outcome: str) -> list[float]:
    """The numbers that a session adds to each of `_COUNTS`; no errors where its data is dropped."""
    errors = [facts.marked(outcome), facts.nlu_known, facts.nlu_true, facts.misread]
    return [1, facts.commands, *([0] * len(errors) if facts.is_dropped else errors), float(facts.cost), facts.hours]


def compare(groups: Mapping[str, Sequence[Facts]], *, outcome: str) -> list[Group]:
    """Each group in numbers, compared with the first. Equal sessions give equal intervals.

    Args:
        outcome: Which errors are counted, or `ANY`.
    """
    workers = sorted({facts.worker for group in groups.values() for facts in group})
    if not workers:
        return []
    place = {worker: number for number, worker in enumerate(workers)}
    parts = np.zeros((len(workers), len(groups), len(_COUNTS)))
    for number, group in enumerate(groups.values()):
        for facts in group:
            parts[place[facts.worker], number] += _measures(facts, outcome)
    drawn = resample(parts)
    is_known = any(facts.nlu_known or facts.misread for group in groups.values() for facts in group)
    compared = []
    for number, (words, group) in enumerate(groups.items()):
        sums = drawn.sums[number]
        compared.append(
            Group(
                words=words,
                workers=int(drawn.clusters[number]),
                sessions=len(group),
                commands=int(sums[COMMANDS]),
                marked=int(sums[MARKED]),
                true=int(sums[NLU_TRUE]) if is_known else None,
                cost=sum((facts.cost for facts in group), Decimal(0)),
                hours=float(sums[HOURS]),
                per_money=rate(drawn, number, of=MARKED, by=COST),
                per_hour=rate(drawn, number, of=MARKED, by=HOURS),
                times_per_money=ratio(drawn, number, 0, of=MARKED, by=COST),
                times_per_hour=ratio(drawn, number, 0, of=MARKED, by=HOURS),
                precision=rate(drawn, number, of=NLU_TRUE, by=NLU_KNOWN),
                recall=rate(drawn, number, of=NLU_TRUE, by=MISREAD),
            )
        )
    return compared


def in_words(times: Estimate, *, what: str) -> str:
    """A ratio to the first group, as a sentence.

    >>> in_words(Estimate(1.42, 1.1, 1.84), what="errors per dollar")
    '1.4 times as many errors per dollar, between 1.1 and 1.8'
    >>> in_words(Estimate(1.2, 0.8, 1.7), what="errors an hour")
    'no clear difference: 1.2 times as many errors an hour, between 0.8 and 1.7'
    >>> in_words(Estimate(3.0), what="errors an hour")
    '3.0 times as many errors an hour, of too few workers to say how sure that is'
    """
    if times.value is None:
        return f"{what} cannot be compared yet"
    said = f"{times.value:.1f} times as many {what}"
    if times.low is None:
        return f"{said}, of too few workers to say how sure that is"
    if times.high is None:
        return f"{said}, {times.low:.1f} at least"
    unclear = "no clear difference: " if times.low <= 1 <= times.high else ""
    return f"{unclear}{said}, between {times.low:.1f} and {times.high:.1f}"
