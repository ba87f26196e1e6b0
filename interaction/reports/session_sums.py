"""One row of sums for each live session: commands by outcome, money, hours.

Only sessions that were started and have ended are read. A session's cost is the amount that the ledger owes its worker:
base or partial pay, and the bonus, or the expected bonus before a decision.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Concat

from annotation.models import Project
from annotation.pay.budget import BASE, BONUS
from common.data.values import money
from interaction.models import LiveCommand, Session
from interaction.session.bonus import BONUS_OF_LOST, PART
from lib.trees.tree import NLU_ERROR, OK
from workforce.models import LedgerEntry

MOST_SESSIONS = 5000
"""How many sessions are read, the newest ones; these make intervals narrow enough for any decision."""
ANY: Final = "any"
"""The outcome that stands for every error."""


class Facts(NamedTuple):
    """One session in numbers.

    Attributes:
        arm: "" for none.
        pay: In words.
        by_outcome: Commands of each outcome; "" for those not judged.
        nlu_known, nlu_true: Marked misunderstandings whose true form is known, and those of them that were
            misunderstood.
        misread: Commands known to be misunderstood, marked or not.
        is_undecided: Handed in, and neither approved nor rejected yet: its bonus is the expected one.
    """

    worker: int
    arm: str
    instructions: int
    pay: str
    agent: str
    at: datetime
    by_outcome: Mapping[str, int]
    nlu_known: int
    nlu_true: int
    misread: int
    score: float | None
    cost: Decimal
    hours: float
    is_dropped: bool
    is_undecided: bool

    @property
    def commands(self) -> int:
        return sum(self.by_outcome.values())

    def marked(self, outcome: str) -> int:
        """Commands that were marked with this outcome, or with any error."""
        if outcome == ANY:
            return sum(n for name, n in self.by_outcome.items() if name not in {"", OK})
        return self.by_outcome.get(outcome, 0)


def facts_of(project: Project, *, since: datetime | None = None, until: datetime | None = None) -> list[Facts]:
    """The newest sessions of a project that began within a time, oldest first. 2 queries."""
    rows = Session.objects.filter(project=project, started_at__isnull=False, ended_at__isnull=False)
    if since is not None:
        rows = rows.filter(created_at__gte=since)
    if until is not None:
        rows = rows.filter(created_at__lt=until)
    newest = rows.order_by("-created_at", "-pk")
    judged = _judged(newest.values("pk")[:MOST_SESSIONS])
    found = newest.annotate(
        worker=F("assignment__worker"),
        number=F("assignment__instruction_version__number"),
        slug=F("agent__slug"),
        is_dropped=F("assignment__annotation__is_dropped"),
        approval=F("assignment__annotation__approval"),
        owed=_owed(),
    ).values(
        "pk",
        "worker",
        "arm",
        "number",
        "base_pay",
        "stoplight",
        "slug",
        "created_at",
        "started_at",
        "ended_at",
        "worker_seen_at",
        "reason",
        "score",
        "bonus",
        "bonus_expected",
        "is_dropped",
        "approval",
        "owed",
    )[:MOST_SESSIONS]
    return [_facts(row, judged.get(row["pk"], []), project.currency) for row in reversed(list(found))]


def _owed() -> Subquery:
    """The sum of the ledger entries for a session, without rejected ones."""
    reasons = [
        Concat(Value(BASE), OuterRef("assignment__annotation__public_id")),
        Concat(Value(BONUS), OuterRef("assignment__annotation__public_id")),
        Concat(Value(PART), OuterRef("public_id")),
        Concat(Value(BONUS_OF_LOST), OuterRef("public_id")),
    ]
    theirs = LedgerEntry.objects.filter(worker=OuterRef("assignment__worker"), reason__in=reasons)
    paid = theirs.exclude(state=LedgerEntry.State.REJECTED).order_by().values("worker")
    return Subquery(paid.annotate(total=Sum("amount")).values("total"))


def _judged(sessions: QuerySet[Session, Any]) -> dict[int, list[dict[str, Any]]]:
    """The commands of each session, counted by outcome. 1 query."""
    known, wrong = Q(command__is_misread__isnull=False), Q(command__is_misread=True)
    rows = (
        LiveCommand.objects.filter(session__in=sessions)
        .order_by()
        .values("session", outcome=F("command__outcome"))
        .annotate(
            n=Count("pk"),
            known=Count("pk", filter=known),
            wrong=Count("pk", filter=wrong),
            parser=Max("command__form_version"),
        )
    )
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        found[row["session"]].append({**row})
    return found


def _facts(row: Mapping[str, Any], judged: Sequence[Mapping[str, Any]], currency: str) -> Facts:
    marked = next((one for one in judged if one["outcome"] == NLU_ERROR), {"known": 0, "wrong": 0})
    is_undecided = row["reason"] == Session.Reason.FINISHED and row["approval"] is None and row["bonus"] is None
    parser = max((one["parser"] for one in judged), default="")
    return Facts(
        worker=row["worker"],
        arm=row["arm"],
        instructions=row["number"] or 0,
        pay=pay_in_words(row["base_pay"], row["stoplight"], currency),
        agent=" ".join(filter(None, [row["slug"], parser])),
        at=row["created_at"],
        by_outcome={one["outcome"]: one["n"] for one in judged},
        nlu_known=marked["known"],
        nlu_true=marked["wrong"],
        misread=sum(one["wrong"] for one in judged),
        score=None if row["stoplight"] is None else row["score"],
        cost=(row["owed"] or Decimal(0)) + (row["bonus_expected"] if is_undecided else Decimal(0)),
        hours=_hours(row),
        is_dropped=bool(row["is_dropped"]),
        is_undecided=is_undecided,
    )


def _hours(row: Mapping[str, Any]) -> float:
    """The hours of the worker, from the start of the clock; a worker who left is counted to their last sign of life."""
    end: datetime = row["ended_at"]
    if row["reason"] != Session.Reason.FINISHED and row["worker_seen_at"] is not None:
        end = min(end, row["worker_seen_at"])
    took: timedelta = end - row["started_at"]
    return max(took.total_seconds(), 0.0) / 3600


def pay_in_words(base: Decimal | None, stoplight: Mapping[str, Any] | None, currency: str) -> str:
    """The pay of a session in words.

    >>> pay_in_words(Decimal("0.5"), {"per_point": "0.30", "most": "3.00"}, "USD")
    '0.50 USD, 0.30 a point up to 3.00'
    >>> pay_in_words(None, None, "USD")
    'nothing'
    """
    per_point, most = (Decimal((stoplight or {}).get(name, 0)) for name in ("per_point", "most"))
    fixed = f"{money(base, currency)['amount']} {currency}" if base else ""
    more = f"{money(per_point, currency)['amount']} a point up to {money(most, currency)['amount']}"
    return ", ".join(filter(None, [fixed, more if per_point and most else ""])) or "nothing"
