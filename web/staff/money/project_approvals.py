"""The answers of a project that wait for a decision, and those that were decided on."""

from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Annotation, Approval, Project
from annotation.pay import approvals, budget, hourly_rate
from annotation.pay.approvals import MOST_AT_ONCE, WORDS
from lib.statistics.answer_times import FastLimits, fast_limits
from web.staff.decorators import chosen, staff_only
from web.staff.grid.columns import NUMBER, WIDE, Column, Order, by
from web.staff.grid.filters import Filter, choice, text
from web.staff.grid.listing import Listing, Shown
from web.staff.grid.page import drawn, respond
from web.staff.money.listed_rows import packed
from workforce.models import LedgerEntry, Worker

Decision = Approval.Decision
NEWEST = 1000
"""The number of a project's newest answers whose times define which answers were too fast."""
WAITING, DECIDED = "waiting", "decided"
ORDERS: dict[str, dict[str, Order]] = {
    WAITING: {"handed_in": by("submitted_at", "id", is_descending=False, prefix=("project_id",))},
    DECIDED: {"handed_in": by("number", prefix=("project_id",))},
}
LIST = "staff/money/approvals_project.html"


class Row(NamedTuple):
    """One answer in the list.

    Attributes:
        base: The base pay that is owed; None if unknown.
        bonus: The bonus that is owed, or that the tool expects; None if unknown.
        seconds: The time on the task; `is_fast` is set if it is suspiciously short.
        approval: The decision, on the tab of decided work.
    """

    annotation: Annotation
    worker: str
    base: Decimal | None
    bonus: Decimal | None
    seconds: float
    is_fast: bool
    approval: Approval | None


def _columns(tab: str) -> list[Column[Row]]:
    decided: list[Column[Row]] = [
        Column("decision", "Decision", lambda row: row.approval.decision if row.approval else "", WIDE),
        Column("reason", "Reason", lambda row: row.approval.reason if row.approval else "", WIDE, is_usual=False),
        Column("by", "Decided by", lambda row: row.approval.by if row.approval else "", is_usual=False),
        Column("at", "Decided at", lambda row: row.approval.at if row.approval else None, is_usual=False),
    ]
    return [
        Column("work", "Work", lambda row: row.annotation.task.key, is_fixed=True),
        Column("handed_in", "Handed in", lambda row: row.annotation.submitted_at),
        Column("worker", "Worker", lambda row: row.worker),
        Column("time", "Time, s", lambda row: row.seconds, NUMBER),
        Column("is_fast", "Very fast", lambda row: row.is_fast, is_usual=False),
        Column("score", "Score", lambda row: row.annotation.score, NUMBER, is_usual=False),
        Column("base", "Base", lambda row: row.base, NUMBER),
        Column("bonus", "Bonus expected" if tab == WAITING else "Bonus", lambda row: row.bonus, NUMBER),
        *(decided if tab == DECIDED else []),
        Column("annotation", "Answer", lambda row: row.annotation.public_id, is_usual=False),
    ]


@staff_only
@require_safe
def project_approvals(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The waiting work of a project, oldest first; or its decided work, newest first."""
    return project_page(request, roles.project_for(request.user, slug))


def project_page(
    request: HttpRequest,
    project: Project,
    *,
    error: str = "",
    typed: str = "",
    which: str = "ticked",
    picked: Collection[str] = (),
    kept: Sequence[int] | None = None,
    status: int = 200,
) -> HttpResponseBase:
    """The page of a project.

    Args:
        which: The choice in a refused form: ticked, shown or waiting.
        picked: The ids of the answers that were ticked in it.
        kept: The answers that waited when the refused form's page was loaded. The form still decides on these.
    """
    tab = chosen(request, "tab", [DECIDED]) or WAITING
    search = text(request, "Worker")
    decision = choice(request, "decision", "Decision", "Every decision", WORDS.items())
    filters: list[Filter] = [search] if tab == WAITING else [search, decision]
    waiting = waiting_in(request, project, search=search.value)
    may_decide = roles.may_in(request.user, project, Role.REVIEWER)
    rows = waiting if tab == WAITING else _decided(request, project, decision=decision.value, search=search.value)
    listing = Listing(
        name="answers",
        what="answer",
        rows=rows.select_related("task", "worker"),
        columns=_columns(tab),
        made=lambda found: _rows(request, project, found),
        orders=ORDERS[tab],
        filters=filters,
        cells="staff/money/_approval_cells.html",
        pick=(lambda row: row.annotation.public_id) if may_decide else None,
        pick_name="annotation",
        form="decide-form",
        page=reverse("staff-project-approvals", args=[project.slug]),
        names_workers=True,
    )

    def more(grid: Shown) -> dict[str, Any]:
        listed = kept
        if listed is None:
            oldest = waiting.order_by("submitted_at", "pk").values_list("pk", flat=True)
            listed = list(oldest[:MOST_AT_ONCE]) if tab == WAITING else []
        return {
            "section": "approvals",
            "project": project,
            "tab": tab,
            "waiting": waiting.count(),
            "listed_rows": packed(listed),
            "n_listed": len(listed),
            "is_kept": kept is not None,
            "most_reason": approvals.MOST_REASON,
            "q": search.value,
            "hourly": hourly_rate.hourly_rate_of(project),
            "may_decide": may_decide,
            "error": error,
            "typed": typed,
            "which": which,
            "picked": picked,
        }

    if error:
        return drawn(request, listing, LIST, more, status=status)
    return respond(request, listing, LIST, more)


def search_in(request: HttpRequest) -> str:
    """The worker whom the address searches for."""
    return text(request, "Worker").value


def waiting_in(request: HttpRequest, project: Project, *, search: str) -> QuerySet[Annotation]:
    """The answers that wait in the project, of the workers whom the account finds by the search."""
    return _of_workers(request, Annotation.objects.undecided().filter(project=project), search)


def _decided(request: HttpRequest, project: Project, *, decision: str, search: str) -> QuerySet[Annotation]:
    rows = Annotation.objects.current().filter(project=project, is_decided=True).select_related("approval")
    if decision:
        rows = rows.filter(approval__decision=decision)
    return _of_workers(request, rows, search)


def _of_workers(request: HttpRequest, rows: QuerySet[Annotation], search: str) -> QuerySet[Annotation]:
    if not search:
        return rows
    found = Worker.objects.filter(roles.found_by(request.user, search))
    return rows.filter(worker__in=found.values("pk"))


def _rows(request: HttpRequest, project: Project, shown: Sequence[Annotation]) -> list[Row]:
    """The rows of the list. 3 queries, and those of the tool."""
    bonuses = budget.expected_bonuses(project, shown)
    owed = dict(budget.base_entries(shown).values_list("reason", "amount"))
    fixed = _fixed_bonuses(shown)
    limits = _limits(project) if shown else None
    return [
        Row(
            one,
            roles.name_of(request.user, one.worker),
            owed.get(f"{budget.BASE}{one.pay_id}"),
            fixed.get(one.public_id, bonuses.get(one.pk)),
            (seconds := hourly_rate.seconds_of(one, most=project.lease_s)),
            limits is not None and seconds < max(limits.third_of_median_s, limits.low_log_s or 0.0),
            one.approval if one.is_decided else None,
        )
        for one in shown
    ]


def _fixed_bonuses(shown: Sequence[Annotation]) -> dict[str, Decimal]:
    """The bonuses that a decision has fixed, by the public id of the annotation. 1 query."""
    reasons = {f"{budget.BONUS}{one.public_id}": one.public_id for one in shown if one.is_decided}
    workers = {one.worker_id for one in shown}
    rows = LedgerEntry.objects.filter(worker__in=workers, reason__in=list(reasons)).values_list("reason", "amount")
    return {reasons[reason]: amount for reason, amount in rows}


def _limits(project: Project) -> FastLimits | None:
    newest = Annotation.objects.current().filter(project=project).order_by("-number")
    moments = newest.only("active_s", "claimed_at", "submitted_at")[:NEWEST]
    return fast_limits([hourly_rate.seconds_of(one, most=project.lease_s) for one in moments])
