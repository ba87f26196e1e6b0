"""An agent's latency by step of a command, and the outcomes of its commands: numbers and plots."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import NamedTuple

from django.db.models import Count, QuerySet

from interaction.models import LiveCommand
from interaction.session.commands import latencies
from lib.plots.charts import bar_plot
from lib.plots.intervals import Measured, interval_plot
from lib.statistics.intervals import wilson
from lib.trees.tree import KNOWN_OUTCOMES, OK
from web.staff.figure_files import Figure

STEPS = {
    "received": "From the worker's command until the agent has it",
    "thinking": "From there until it acts, or gives up",
    "acting": "From its first act until it is done, or has failed",
}
EDGES_S = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0)
"""The edges of the bars, in seconds. The last bar counts everything longer."""


class Latency(NamedTuple):
    """The duration of one step in seconds: number of commands, median, and 95th percentile."""

    step: str
    words: str
    n: int
    median: float | None
    p95: float | None


def quantile(ordered: Sequence[float], share: float) -> float:
    """The quantile by nearest rank: the smallest value that at least this share of the values does not exceed.

    Args:
        ordered: Ascending, not empty.
        share: In (0, 1].

    >>> quantile([1.0, 2.0, 3.0, 4.0], 0.5), quantile([1.0, 2.0, 3.0, 4.0], 0.95)
    (2.0, 4.0)
    """
    return ordered[max(ceil(share * len(ordered)) - 1, 0)]


Times = Mapping[str, Sequence[float]]
"""The durations of each step in seconds, ascending."""


def seconds_of(given: QuerySet[LiveCommand], *, newest: int) -> Times:
    """The durations of the newest finished commands. 1 query."""
    fields = ("command__at", "received_at", "thinking_at", "acting_at", "over_at")
    rows = given.filter(over_at__isnull=False).select_related("command").order_by("-command__at").only(*fields)
    found: dict[str, list[float]] = {step: [] for step in STEPS}
    for live in rows[:newest]:
        for step, seconds in latencies(live).items():
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
    """The number of commands by duration of a step."""
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


def outcomes(given: QuerySet[LiveCommand]) -> Figure:
    """The share of each outcome among the judged commands, with its Wilson interval. 1 query."""
    rows = given.filter(judged_at__isnull=False).order_by().values_list("command__outcome").annotate(n=Count("pk"))
    counts = dict(rows)
    total = sum(counts.values())
    # Success first, then the errors, the most frequent first.
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
