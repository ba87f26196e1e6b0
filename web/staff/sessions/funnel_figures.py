"""The plots of the funnel: its rows, precision and recall by day, version and worker, and the excluded commands."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from interaction.reports.funnel import PAPER, Funnel, LeftOut, SaidAgain
from lib.command_text import FAULTS
from lib.plots.charts import Point, line_plot, row_plot
from lib.plots.intervals import Measured, interval_plot
from lib.statistics.intervals import wilson
from web.staff.figure_files import Figure, Value

MOST_ROWS = 20
"""The number of rows in a plot by version or worker. Its file has all."""
MOST_STRIPES = 10
LAST = 0.9
"""The place of the last day on the axis. The labels of the horizontal lines are to the right of it."""
ROWS: Mapping[str, tuple[str, str]] = {
    "all_commands": ("All commands", "given in live sessions, or posted"),
    "valid_commands": (
        "Valid, each wording once",
        "commands of something that the agent can do; those that say the same count once",
    ),
    "marked_agent_errors": ("Marked as gone wrong", "judged, and not found right"),
    "marked_nlu_errors": ("Marked as misunderstood", "of these, those with the outcome nlu_error"),
    "marked_nlu_errors_annotated": ("… with a known true form", "of these, those that came with one or got one"),
    "marked_true_nlu_errors": ("… and really misunderstood", "of these, those whose parse is another"),
    "known_nlu_errors": (
        "All known to be misunderstood",
        "marked or not: commands whose parse is another than the true form",
    ),
}
"""For each row of the funnel a short name, and a sentence about what it counts."""
PRECISION, RECALL = "precision", "recall"
ABOUT: Mapping[str, str] = {
    PRECISION: "Of the commands marked as misunderstood whose true form is known, how many really were",
    RECALL: "Of all commands known to be misunderstood, how many were marked so",
}


class Rate(NamedTuple):
    """A rate with its Wilson interval; None if there is nothing to count."""

    part: int
    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None


def rate_of(funnel: Funnel, rate: str) -> Rate:
    """Precision or recall of a count."""
    whole = funnel.marked_nlu_errors_annotated if rate == PRECISION else funnel.known_nlu_errors
    part = funnel.marked_true_nlu_errors
    return Rate(part, whole, part / whole, *wilson(part, whole)) if whole else Rate(part, whole)


def whole(funnel: Funnel) -> Figure:
    """The rows of the funnel as shares of all commands, with the paper's shares."""
    counts, rows = [], []
    for name, (label, _) in ROWS.items():
        n, share, papers = getattr(funnel, name), _share(funnel, name), _share(PAPER, name)
        counts.append((label, n, f"{n:,} ({share * 100:.1f} %)"))
        rows.append([label, n, share, getattr(PAPER, name), papers])
    return Figure(
        "From all commands to errors that are known",
        "Shares of all commands. The short lines below the bars are where the paper's rows end.",
        row_plot(counts, marks=[_share(PAPER, name) for name in ROWS]),
        ["row", "commands", "share", "paper_commands", "paper_share"],
        rows if funnel.all_commands else [],
    )


def _share(funnel: Funnel, name: str) -> float:
    count: int = getattr(funnel, name)
    return count / funnel.all_commands if funnel.all_commands else 0.0


# Rates -------------------------------------------------------------------------------------------------------------


def over_days(days: Sequence[tuple[date, Funnel]], *, rate: str, newest: int) -> Figure:
    """A rate for each day."""
    known = [(day, found) for day, funnel in days if (found := rate_of(funnel, rate)).value is not None]
    first, last = (known[0][0], known[-1][0]) if known else (date.min, date.min)
    length = max((last - first).days, 1)
    points = [
        Point(LAST * (day - first).days / length, found.value, found.low, found.high)
        for day, found in known
        if found.value is not None
    ]
    edges = [(0.0, first.isoformat())] + ([(LAST, last.isoformat())] if last > first else [])
    return Figure(
        f"{rate.capitalize()} by day",
        f"{ABOUT[rate]}; by the day (UTC) on which they were given, with 95 % Wilson intervals. The newest {newest} "
        "days with commands are looked at.",
        line_plot(points, bounds=(0, 1), edges=edges, levels=[(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")]),
        ["day", *_COLUMNS],
        [[day.isoformat(), *_cells(funnel, rate)] for day, funnel in days] if known else [],
    )


def by_name(groups: Sequence[tuple[str, Funnel]], *, rate: str, by: str) -> Figure:
    """A rate for each group, in their order."""
    measured = [
        Measured(name, found.value, found.low, found.high, n=found.n)
        for name, funnel in groups
        if (found := rate_of(funnel, rate)).n
    ]
    more = f" The {MOST_ROWS} with the most commands are drawn." if len(measured) > MOST_ROWS else ""
    return Figure(
        f"{rate.capitalize()} by {by}",
        f"{ABOUT[rate]}; with 95 % Wilson intervals, n is how many.{more}",
        interval_plot(measured[:MOST_ROWS]),
        [by, *_COLUMNS],
        [[name, *_cells(funnel, rate)] for name, funnel in groups] if measured else [],
    )


_COLUMNS = (*Funnel._fields, "rate", "low", "high")


def _cells(funnel: Funnel, rate: str) -> list[Value]:
    found = rate_of(funnel, rate)
    return [*funnel, found.value, found.low, found.high]


# Words -------------------------------------------------------------------------------------------------------------


def reasons(found: LeftOut) -> list[tuple[str, str, int]]:
    """The reasons why commands are excluded, with a code, a sentence and a count; only reasons that occur."""
    told = [(code, FAULTS.get(code, code), n) for code, n in found.faults.items()]
    told.append(("erased", "The words were erased, with whoever gave them.", found.erased))
    told.append(("beyond", "The worker said that the agent cannot do such things.", found.beyond))
    told.append(("repeated", "The same words were given before.", found.repeated))
    told.append(("rejected", "Their session was rejected: they are in no row at all.", found.rejected))
    return [reason for reason in told if reason[2]]


def left_out(found: LeftOut) -> Figure:
    """The plot of the commands between the first row and the second, by reason."""
    told = reasons(found)
    return Figure(
        "Why commands are not among the valid ones",
        "From all commands to those that are valid, each wording once. A command is counted for the first reason that "
        "applies.",
        row_plot([(sentence, n, f"{n:,}") for _, sentence, n in told]),
        ["reason", "meaning", "commands"],
        [list(reason) for reason in told],
    )


def repeated(found: Sequence[SaidAgain]) -> Figure:
    """The plot of the most frequent command texts."""
    rows: list[list[Value]] = [
        [one.text, one.times, one.workers, one.ok, one.nlu_errors, one.other_errors, one.unjudged] for one in found
    ]
    return Figure(
        "What is said most often",
        "Commands without case and marks, by how often they were given.",
        row_plot([(_short(one.text), one.times, f"{one.times:,}") for one in found[:MOST_STRIPES]]),
        ["command", "times", "workers", "ok", "nlu_error", "other_errors", "not_judged"],
        rows,
    )


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"
