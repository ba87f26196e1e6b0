"""The plots of efficiency by group (paper 004, figure 9), and of commands and scores (figure 8)."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import takewhile

from interaction.reports.efficiency import Group
from interaction.reports.session_sums import Facts
from lib.plots.charts import Point, bar_plot, line_plot
from lib.statistics.bootstrap import Estimate
from web.staff.figure_files import Figure, Value

TARGET_COMMANDS = 5
TARGET_SCORE = 6.5
"""The score that the paper's authors aimed at; a red line in their figure 8."""
MOST_COMMANDS = 16
"""The last bar counts sessions with this many commands or more."""
BAR_OF_SCORE = 0.5
_NARROW = 48
"""The number of characters that fit below a plot, divided among its labels."""
_WORDS = 6
_LEVELS = 5

ESTIMATES = ("per_money", "times_per_money", "per_hour", "times_per_hour", "recall", "precision")
COLUMNS = (
    "group",
    "workers",
    "sessions",
    "commands",
    "errors_marked",
    "true_errors",
    "cost",
    "currency",
    "hours",
    *(f"{name}{end}" for name in ESTIMATES for end in ("", "_low", "_high")),
)


def efficiency(groups: Sequence[Group], *, currency: str, what: str, is_in_time: bool) -> Figure:
    """Each group's errors for its money, relative to the first group. The file has all columns of the table.

    Args:
        is_in_time: The groups follow each other in time, so a line joins them.
    """
    known = [(number, group.times_per_money) for number, group in enumerate(groups)]
    points = [
        Point((number + 0.5) / len(groups), times.value, times.low, _end(times))
        for number, times in known
        if times.value is not None
    ]
    top = max((point.high or point.value for point in points), default=1.0)
    first = groups[0].words if groups else ""
    plot = line_plot(
        points,
        bounds=(0, top * 1.1),
        edges=_names([group.words for group in groups]),
        levels=_levels(top),
    )
    return Figure(
        f"{what} per {currency}, as a ratio",
        f"To those of “{first}”, which is 1; lines are 95 % intervals. In the CSV stand all numbers of the table.",
        plot if is_in_time else plot._replace(segments=()),
        COLUMNS,
        [_row(group, currency) for group in groups] if points else [],
    )


def _names(words: Sequence[str]) -> list[tuple[float, str]]:
    """The labels below the groups, without their common beginning, shortened to the room that there is.

    >>> _names(["pages/long", "pages/short"])
    [(0.25, 'long'), (0.75, 'short')]
    """
    every = "".join(one[0] for one in takewhile(lambda one: len(set(one)) == 1, zip(*words, strict=False)))
    # Only whole words are removed, so that `day-1` and `day-2` stay as they are.
    shared = max(every.rfind("/"), every.rfind(" ")) + 1 if len(words) > 1 else 0
    named = [((number + 0.5) / len(words), name[shared:]) for number, name in enumerate(words)]
    shown = named[:: -(-len(named) // _WORDS)] if named else []
    room = _NARROW // max(len(shown), 1)
    return [(at, name if len(name) <= room else f"{name[: room - 1]}…") for at, name in shown]


def _levels(top: float) -> list[tuple[float, str]]:
    """Horizontal lines at 0, at 1, and at some values up to the top, far enough apart for their labels.

    >>> _levels(2.4), [value for value, _ in _levels(31)]
    ([(0.0, '0'), (1.0, 'as many'), (2.0, '2 times')], [1.0, 7.0, 14.0, 21.0, 28.0])
    """
    step = -(-int(top) // _LEVELS) or 1
    times = [n for n in range(step, int(top) + 1, step) if n > 1 + top / (_LEVELS + 1)]
    zero = [(0.0, "0")] if top <= _LEVELS else []
    return [*zero, (1.0, "as many"), *((float(n), f"{n} times") for n in times)]


def _end(times: Estimate) -> float | None:
    """The upper end of an interval's line. An unbounded interval is drawn up to three times its value."""
    return times.value * 3 if times.high is None and times.low is not None and times.value else times.high


def _row(group: Group, currency: str) -> list[Value]:
    counts: list[Value] = [group.words, group.workers, group.sessions, group.commands, group.marked, group.true]
    estimates: list[Value] = [end for name in ESTIMATES for end in getattr(group, name)]
    return [*counts, _plain(group.cost), currency, round(group.hours, 4), *estimates]


def _plain(amount: Decimal) -> str:
    return f"{amount:.4f}"


def commands(found: Sequence[Facts], *, words: str) -> Figure:
    """The number of sessions by number of commands."""
    counts = [0] * (MOST_COMMANDS + 1)
    for facts in found:
        counts[min(facts.commands, MOST_COMMANDS)] += 1
    names = [*(str(number) for number in range(MOST_COMMANDS)), f"{MOST_COMMANDS}+"]
    reached = sum(facts.commands >= TARGET_COMMANDS for facts in found)
    return Figure(
        f"Commands of a session: {words}",
        _reached(reached, len(found), f"{TARGET_COMMANDS} commands or more"),
        bar_plot(
            [(f"{name} commands", n) for name, n in zip(names, counts, strict=True)],
            edges=[((number + 0.5) / len(counts), names[number]) for number in range(0, len(counts), 4)],
            marks=[(TARGET_COMMANDS / len(counts), f"target {TARGET_COMMANDS}")],
        ),
        ["commands", "sessions"],
        [list(row) for row in zip(names, counts, strict=True)] if found else [],
    )


def scores(found: Sequence[Facts], *, words: str) -> Figure:
    """The number of sessions by final score of the stoplight. Sessions without a stoplight are left out."""
    known = [facts.score for facts in found if facts.score is not None]
    bars = round(10 / BAR_OF_SCORE)
    counts = [0] * bars
    for score in known:
        counts[min(int(score / BAR_OF_SCORE), bars - 1)] += 1
    starts = [number * BAR_OF_SCORE for number in range(bars)]
    reached = sum(score >= TARGET_SCORE for score in known)
    return Figure(
        f"Score of a session: {words}",
        _reached(reached, len(known), f"{TARGET_SCORE} points or more"),
        bar_plot(
            [(f"{start:g} to {start + BAR_OF_SCORE:g}", n) for start, n in zip(starts, counts, strict=True)],
            edges=[(place / 10, str(place)) for place in (0, 2, 4, 6, 8, 10)],
            marks=[(TARGET_SCORE / 10, f"target {TARGET_SCORE}")],
        ),
        ["from", "to", "sessions"],
        [[start, start + BAR_OF_SCORE, n] for start, n in zip(starts, counts, strict=True)] if known else [],
    )


def _reached(reached: int, n: int, target: str) -> str:
    share = f" ({reached / n:.0%})".replace("%", " %") if n else ""
    return f"{n:,} session{'' if n == 1 else 's'}, of which {reached:,}{share} had {target}."
