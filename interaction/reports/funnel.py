"""The funnel of paper 004, Table 1: from all commands down to those that were misunderstood and marked so.

The rows are counted from the commands on each request, so they are never stale. The first row counts commands, the
second distinct texts, all others commands again. Commands of rejected sessions are in no row.
"""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Final, NamedTuple

from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import TruncDate

from commands.models import Command
from interaction.models import Session
from lib.trees.tree import CAPABILITY_ERROR, NLU_ERROR, OK

# By the few dropped sessions: a join would look each command up in three tables.
DROPPED: Final = Q(assignment__in=Session.objects.filter(assignment__annotation__is_dropped=True).values("assignment"))
"""Commands of sessions that were rejected, softly or not."""
_ERASED: Final = Q(fault="", plain_text="")
"""Commands whose words were taken out."""
VALID: Final = Q(fault="") & ~Q(plain_text="") & ~Q(outcome=CAPABILITY_ERROR)
"""Commands with valid words that ask for something that the agent is able to do."""
_NLU: Final = Q(outcome=NLU_ERROR)
_COMPARED: Final = {"json": "is_misread", "normal": "means_other"}
"""The column that says whether a command was misunderstood, by how posted forms are compared with posted parses."""
COMPARISONS: Final = tuple(_COMPARED)
_COUNTS: Final = {
    "all_commands": Count("pk"),
    "valid_commands": Count("plain_text", filter=VALID, distinct=True),
    "marked_agent_errors": Count("pk", filter=~Q(outcome__in=["", OK])),
    "marked_nlu_errors": Count("pk", filter=_NLU),
    # `is_misread` is set wherever `truth` is, and is the smaller column to read.
    "marked_nlu_errors_annotated": Count("pk", filter=_NLU & Q(is_misread__isnull=False)),
    "marked_true_nlu_errors": Count("pk", filter=_NLU & Q(is_misread=True)),
    "known_nlu_errors": Count("pk", filter=Q(is_misread=True)),
}

_MOST_FIRST: Final = F("all_commands").desc()


class Funnel(NamedTuple):
    """The rows of the table.

    Attributes:
        valid_commands: Distinct texts among the valid commands, without case and punctuation.
        known_nlu_errors: Commands whose parse differs from the true form, marked or not.
    """

    all_commands: int = 0
    valid_commands: int = 0
    marked_agent_errors: int = 0
    marked_nlu_errors: int = 0
    marked_nlu_errors_annotated: int = 0
    marked_true_nlu_errors: int = 0
    known_nlu_errors: int = 0

    @property
    def precision(self) -> float | None:
        """The share of misunderstood commands among the marked ones whose true form is known; None where there are
        none.
        """
        return _share(self.marked_true_nlu_errors, self.marked_nlu_errors_annotated)

    @property
    def recall(self) -> float | None:
        """The share of marked commands among those known to be misunderstood; None where there are none."""
        return _share(self.marked_true_nlu_errors, self.known_nlu_errors)

    def as_json(self) -> dict[str, int | float | None]:
        return {**self._asdict(), "precision": self.precision, "recall": self.recall}


PAPER: Final = Funnel(22_685, 18_163, 7_461, 2_559, 2_403, 2_138, 4_944)
"""The numbers that the paper reports for its 22 iterations."""


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def narrowed(
    rows: QuerySet[Command],
    *,
    project: str = "",
    agent: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[Command]:
    """The commands of a project, of an agent, given from `since` on and before `until`; dropped ones are included."""
    if project:
        rows = rows.filter(project__slug=project)
    if agent:
        rows = rows.filter(agent__slug=agent)
    if since:
        rows = rows.filter(at__gte=since)
    return rows.filter(at__lt=until) if until else rows


def funnel_of(rows: QuerySet[Command], *, compare: str = COMPARISONS[0]) -> Funnel:
    """The funnel of these commands. 1 query.

    Args:
        compare: One of `COMPARISONS`: posted forms differ as JSON, as in the paper, or in their normal forms.
    """
    column = _COMPARED[compare]
    misread = {
        "marked_true_nlu_errors": Count("pk", filter=_NLU & Q(**{column: True})),
        "known_nlu_errors": Count("pk", filter=Q(**{column: True})),
    }
    return Funnel(**_kept(rows).aggregate(**{**_COUNTS, **misread}))


def _kept(rows: QuerySet[Command]) -> QuerySet[Command]:
    return rows.filter(~DROPPED)


def by_day(rows: QuerySet[Command], *, newest: int) -> list[tuple[date, Funnel]]:
    """The newest days (UTC) on which commands were given, oldest first. 1 query."""
    days = _kept(rows).annotate(day=TruncDate("at")).values("day").annotate(**_COUNTS).order_by("-day")[:newest]
    return [(row.pop("day"), Funnel(**row)) for row in map(dict[str, Any], days)][::-1]


class Version(NamedTuple):
    """An agent and a version of its parser; "" where one is not known."""

    agent: str
    parser: str

    def __str__(self) -> str:
        return " ".join(filter(None, [self.agent or "agent not known", self.parser]))


def by_version(rows: QuerySet[Command], *, most: int) -> list[tuple[Version, Funnel]]:
    """The versions with the most commands, most first. 1 query."""
    groups = _kept(rows).values("agent__slug", "form_version").annotate(**_COUNTS)
    found = groups.order_by(_MOST_FIRST, "agent__slug", "form_version")[:most]
    return [
        (Version(row.pop("agent__slug") or "", row.pop("form_version")), Funnel(**row))
        for row in map(dict[str, Any], found)
    ]


def by_worker(rows: QuerySet[Command], *, most: int) -> list[tuple[int, Funnel]]:
    """The workers with the most commands, most first, by primary key; commands of unknown workers are left out. 1
    query.

    A page that shows workers decides which name its reader may see.
    """
    groups = (
        _kept(rows).filter(worker__isnull=False).values("worker").annotate(**_COUNTS).order_by(_MOST_FIRST, "worker")
    )
    return [(row.pop("worker"), Funnel(**row)) for row in map(dict[str, Any], groups[:most])]


class SaidAgain(NamedTuple):
    """A text that was given as a command more than once."""

    text: str
    times: int
    workers: int
    ok: int
    nlu_errors: int
    other_errors: int

    @property
    def unjudged(self) -> int:
        return self.times - self.ok - self.nlu_errors - self.other_errors


def said_again(rows: QuerySet[Command], *, newest: int, most: int) -> list[SaidAgain]:
    """The most frequent texts among the newest commands. 1 query."""
    recent = Command.objects.filter(pk__in=_kept(rows).order_by("-at", "-pk").values("pk")[:newest])
    groups = (
        recent.exclude(plain_text="")
        .values("plain_text")
        .annotate(
            times=Count("pk"),
            workers=Count("worker", distinct=True),
            ok=Count("pk", filter=Q(outcome=OK)),
            nlu_errors=Count("pk", filter=_NLU),
            other_errors=Count("pk", filter=~Q(outcome__in=["", OK, NLU_ERROR])),
        )
    )
    found = groups.filter(times__gt=1).order_by("-times", "plain_text")[:most]
    return [SaidAgain(row.pop("plain_text"), **row) for row in map(dict[str, Any], found)]


class LeftOut(NamedTuple):
    """Why the second row is less than the first: numbers of commands, each under the first reason that applies, and the
    number of commands that are missing from all rows.

    Attributes:
        faults: By the code of the fault, the most frequent first.
        erased: Their words were taken out.
        beyond: The worker marked that the agent cannot do such things.
        repeated: The same words were given before.
        rejected: Their session was rejected: they are in no row, and in none of the other numbers.
    """

    faults: Mapping[str, int]
    erased: int = 0
    beyond: int = 0
    repeated: int = 0
    rejected: int = 0


def left_out(rows: QuerySet[Command], funnel: Funnel) -> LeftOut:
    """1 query."""
    groups = rows.values("fault").annotate(
        n=Count("pk", filter=~DROPPED),
        erased=Count("pk", filter=_ERASED & ~DROPPED),
        valid=Count("pk", filter=VALID & ~DROPPED),
        rejected=Count("pk", filter=DROPPED),
    )
    faults: dict[str, int] = {}
    erased, beyond, valid, rejected = 0, 0, 0, 0
    for row in groups.order_by("-n", "fault"):
        rejected += row["rejected"]
        if row["fault"] and row["n"]:
            faults[row["fault"]] = row["n"]
        elif not row["fault"]:
            erased, valid = row["erased"], row["valid"]
            beyond = row["n"] - erased - valid
    return LeftOut(faults, erased, beyond, valid - funnel.valid_commands, rejected)
