"""How long an agent takes for each step of a command, and how its commands were judged: numbers and plots."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import NamedTuple

from django.db.models import Count, QuerySet

from common.charts import bar_plot
from common.figures import Figure
from common.plots import Measured, interval_plot
from common.statistics import wilson
from interaction.commands import latencies
from interaction.models import Command
from routing.trees.tree import KNOWN_OUTCOMES, OK

STEPS = {
    "received": "From the worker's command until the agent has it",
    "thinking": "From there until it acts, or gives up",
    "acting": "From its first act until it is done, or has failed",
}
EDGES_S = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0)
"""Where a bar ends and the next begins; the last bar is of all that took longer."""


class Latency(NamedTuple):
    """Seconds that one step took: of how many commands, half of them at most, 19 of 20 at most."""

    step: str
    words: str
    n: int
    median: float | None
    p95: float | None


def quantile(ordered: Sequence[float], share: float) -> float:
    """The smallest of the values that at least this share of them does not exceed (the nearest rank).

    Args:
        ordered: From the least to the most, not empty.
        share: In (0, 1].

    >>> quantile([1.0, 2.0, 3.0, 4.0], 0.5), quantile([1.0, 2.0, 3.0, 4.0], 0.95)
    (2.0, 4.0)
    """
    return ordered[max(ceil(share * len(ordered)) - 1, 0)]


Times = Mapping[str, Sequence[float]]
"""The seconds that each step took, shortest first."""


def seconds_of(given: QuerySet[Command], *, newest: int) -> Times:
    """The times of the newest commands that are over. 1 query."""
    fields = ("sent_at", "received_at", "thinking_at", "acting_at", "over_at")
    rows = given.filter(over_at__isnull=False).order_by("-sent_at").only(*fields)
    found: dict[str, list[float]] = {step: [] for step in STEPS}
    for command in rows[:newest]:
        for step, seconds in latencies(command).items():
            if seconds is not None:
                found[step].append(seconds)
    return {step: sorted(times) for step, times in found.items()}


def latencies_of(times: Times) -> list[Latency]:
    return [
        Latency(
            step,
            STEPS[step],
            len(taken),
            quantile(taken, 0.5) if taken else None,
            quantile(taken, 0.95) if taken else None,
        )
        for step, taken in times.items()
    ]


def latency(times: Times, step: str) -> Figure:
    """How many commands took how long for a step."""
    taken = times[step]
    ends = [*EDGES_S[1:], None]
    counts = [0] * len(ends)
    for seconds in taken:
        counts[sum(seconds >= edge for edge in EDGES_S[1:])] += 1
    rows = list(zip(EDGES_S, ends, counts, strict=True))
    edges = [(number / len(ends), f"{edge:g}") for number, edge in enumerate(EDGES_S) if number % 2 == 0]
    return Figure(
        f"{step.capitalize()}: how long it takes",
        f"{STEPS[step]}: {len(taken):,} commands, by seconds; the bars are not equally wide in time.",
        bar_plot([(_between(low, high), n) for low, high, n in rows], edges=edges),
        ["from_s", "to_s", "commands"],
        [list(row) for row in rows] if taken else [],
    )


def _between(low: float, high: float | None) -> str:
    return f"{low:g} to {high:g} s" if high is not None else f"{low:g} s and more"


def outcomes(given: QuerySet[Command]) -> Figure:
    """The share of each outcome among the judged commands, with its Wilson interval. 1 query."""
    rows = given.exclude(outcome="").order_by().values_list("outcome").annotate(n=Count("pk"))
    counts = dict(rows)
    total = sum(counts.values())
    # What went well first, then the errors, the most frequent first.
    ordered = sorted(counts, key=lambda outcome: (outcome != OK, -counts[outcome], outcome))
    measured, table = [], []
    for outcome in ordered:
        n = counts[outcome]
        low, high = wilson(n, total)
        measured.append(Measured(outcome, n / total, low, high, n=n))
        table.append([outcome, n, n / total, low, high])
    means = "; ".join(f"{name}: {KNOWN_OUTCOMES[name]}" for name in ordered if name in KNOWN_OUTCOMES)
    return Figure(
        "What workers said of its commands",
        f"{total:,} judged commands; shares with 95 % Wilson intervals, n is how many. {means}.",
        interval_plot(measured),
        ["outcome", "commands", "share", "low", "high"],
        table,
    )
