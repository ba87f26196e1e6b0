"""Approvals: work that waits for a decision, by project; decided work, and changing decisions."""

from collections.abc import Collection, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.contrib import messages
from django.core.paginator import Page
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Annotation, Approval, Project
from annotation.pay import approvals, budget, hourly_rate
from annotation.pay.approvals import MOST_AT_ONCE, WORDS, Decided
from lib.faults import CrosswalkError, Invalid
from lib.statistics.answer_times import FastLimits, fast_limits
from web.staff.decorators import chosen, paged, staff_actor, staff_only
from web.staff.money.listed_rows import packed, unpacked
from workforce.models import LedgerEntry, Worker

Decision = Approval.Decision
NEWEST = 1000
"""The number of a project's newest answers whose times define which answers were too fast."""
LONGEST = 128
"""The longest search text, in characters."""
ACTS = {
    "approve": Decision.APPROVED,
    "reject": Decision.REJECTED,
    "reject_softly": Decision.SOFTLY_REJECTED,
}
OVERTURNS = {"pay_and_count": Decision.APPROVED, "pay": Decision.SOFTLY_REJECTED}


class Waiting(NamedTuple):
    """A project, with the number of answers that wait in it, and the time of the oldest."""

    project: Project
    n: int
    oldest: datetime | None


class Row(NamedTuple):
    """One answer in the list.

    Attributes:
        base: The base pay that is owed; None if unknown.
        bonus: The bonus that is owed, or that the tool expects; None if unknown.
        seconds: The time on the task; `is_fast` is set if it is suspiciously short.
        approval: The decision, on the tab of decided work.
    """

    annotation: Annotation
    base: Decimal | None
    bonus: Decimal | None
    seconds: float
    is_fast: bool
    approval: Approval | None


@staff_only
@require_safe
def approval_list(request: HttpRequest) -> HttpResponse:
    """The account's projects, those with the most waiting work first."""
    undecided = Annotation.objects.undecided()
    # The first in the index, for the smallest of a million dates takes three times as long as counting them.
    first = undecided.filter(project=OuterRef("pk")).order_by("submitted_at").values("submitted_at")[:1]
    page = paged(request, roles.projects_for(request.user).order_by("title", "pk"))
    shown = [project.pk for project in page]
    oldest = dict(Project.objects.filter(pk__in=shown).annotate(first=Subquery(first)).values_list("pk", "first"))
    counts = dict(undecided.filter(project__in=shown).order_by().values_list("project_id").annotate(Count("pk")))
    rows = [Waiting(project, counts.get(project.pk, 0), oldest[project.pk]) for project in page]
    ctx = {
        "section": "approvals",
        "page": page,
        "rows": sorted(rows, key=lambda row: -row.n),
        "waiting": sum(row.n for row in rows),
    }
    return render(request, "staff/money/approvals.html", ctx)


@staff_only
@require_safe
def project_approvals(request: HttpRequest, slug: str) -> HttpResponse:
    """The waiting work of a project, oldest first; or its decided work, newest first."""
    return _project_page(request, roles.project_for(request.user, slug))


def _project_page(
    request: HttpRequest,
    project: Project,
    *,
    error: str = "",
    typed: str = "",
    which: str = "ticked",
    picked: Collection[str] = (),
    kept: Sequence[int] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page of a project.

    Args:
        which: The choice in a refused form: ticked, shown or waiting.
        picked: The ids of the answers that were ticked in it.
        kept: The answers that waited when the refused form's page was loaded. The form still decides on these.
    """
    tab = chosen(request, "tab", ["decided"]) or "waiting"
    decision = chosen(request, "decision", Decision.values)
    search = _search(request.GET.get("q", ""))
    waiting = _waiting(request, project, search=search)
    page: Page[Annotation]
    if tab == "waiting":
        page = paged(request, waiting.select_related("task", "worker"))
    else:
        page = paged(request, _decided(request, project, decision=decision, search=search))
    listed = kept
    if listed is None:
        listed = list(waiting.values_list("pk", flat=True)[:MOST_AT_ONCE]) if tab == "waiting" else []
    ctx = {
        "section": "approvals",
        "project": project,
        "tab": tab,
        "page": page,
        "rows": _rows(project, list(page)),
        "waiting": page.paginator.count if tab == "waiting" else waiting.count(),
        "listed_rows": packed(listed),
        "n_listed": len(listed),
        "is_kept": kept is not None,
        "most_reason": approvals.MOST_REASON,
        "decisions": list(WORDS.items()),
        "decision": decision,
        "q": search,
        "hourly": hourly_rate.hourly_rate_of(project),
        "may_decide": roles.may_in(request.user, project, Role.REVIEWER),
        "error": error,
        "typed": typed,
        "which": which,
        "picked": picked,
    }
    return render(request, "staff/money/approvals_project.html", ctx, status=status)


def _search(text: str) -> str:
    found = text.strip()
    return "" if len(found) > LONGEST or "\0" in found else found


def _waiting(request: HttpRequest, project: Project, *, search: str) -> QuerySet[Annotation]:
    rows = Annotation.objects.undecided().filter(project=project).order_by("submitted_at", "pk")
    return _of_workers(request, rows, search)


def _decided(request: HttpRequest, project: Project, *, decision: str, search: str) -> QuerySet[Annotation]:
    rows = Annotation.objects.current().filter(project=project, is_decided=True)
    rows = rows.select_related("task", "worker", "approval")
    if decision:
        rows = rows.filter(approval__decision=decision)
    return _of_workers(request, rows.order_by("-approval__at", "-pk"), search)


def _of_workers(request: HttpRequest, rows: QuerySet[Annotation], search: str) -> QuerySet[Annotation]:
    if not search:
        return rows
    found = Worker.objects.filter(roles.found_by(request.user, search))
    return rows.filter(worker__in=found.values("pk"))


def _rows(project: Project, shown: Sequence[Annotation]) -> list[Row]:
    """The rows of the list. 3 queries, and those of the tool."""
    bonuses = budget.expected_bonuses(project, shown)
    owed = dict(budget.base_entries(shown).values_list("reason", "amount"))
    fixed = _fixed_bonuses(shown)
    limits = _limits(project) if shown else None
    return [
        Row(
            one,
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


# Deciding --------------------------------------------------------------------------------------------------------


@staff_only
@require_POST
def decide(request: HttpRequest, slug: str) -> HttpResponse:
    """Approve, reject or softly reject the chosen answers."""
    project = roles.project_for(request.user, slug, Role.REVIEWER)
    act = request.POST.get("act", "")
    try:
        found = _chosen(request, project)
        done = _decide(found, act, reason=request.POST.get("reason", ""), by=staff_actor(request))
        others = _others(request, project, done) if request.POST.get("which") == "waiting" else ""
    except CrosswalkError as error:
        return _refused(request, project, error)
    messages.success(request, _said(done, ACTS[act]) + others)
    return redirect(_back(request, project))


def _decide(found: QuerySet[Annotation], act: str, *, reason: str, by: str) -> Decided:
    at = timezone.now()
    if act == "approve":
        return approvals.approve(annotations=found, by=by, at=at)
    if act in {"reject", "reject_softly"}:
        return approvals.reject(annotations=found, reason=reason, is_soft=act == "reject_softly", by=by, at=at)
    raise Invalid("Work can be approved, rejected or rejected softly.")


@staff_only
@require_POST
def overturn(request: HttpRequest, slug: str) -> HttpResponse:
    """Change decisions in favour of the workers."""
    project = roles.project_for(request.user, slug, Role.REVIEWER)
    act = request.POST.get("act", "")
    try:
        if act not in OVERTURNS:
            raise Invalid("A rejection can become paid, or paid and counted.")
        done = approvals.overturn(
            annotations=_chosen(request, project),
            decision=OVERTURNS[act],
            reason=request.POST.get("reason", ""),
            by=staff_actor(request),
            at=timezone.now(),
        )
    except CrosswalkError as error:
        return _refused(request, project, error)
    messages.success(request, _said(done, OVERTURNS[act]))
    return redirect(_back(request, project))


def _chosen(request: HttpRequest, project: Project) -> QuerySet[Annotation]:
    """The answers that the form names.

    Those ticked, all on its page, or all that waited when it was loaded and still wait.

    Raises:
        Invalid: the form names no answer.
    """
    which = request.POST.get("which", "ticked")
    if which == "waiting":
        return Annotation.objects.undecided().filter(project=project, pk__in=_listed(request))
    named = [one for one in request.POST.getlist("shown" if which == "shown" else "annotation") if "\0" not in one]
    found = Annotation.objects.filter(project=project, public_id__in=named[: MOST_AT_ONCE + 1])
    if not found.exists():
        raise Invalid("Nothing is chosen. Tick some work first, or choose all on this page.")
    return found


def _listed(request: HttpRequest) -> list[int]:
    """The answers that waited when the page was loaded, from the form's hidden field.

    Raises:
        Invalid: the field is missing or broken.
    """
    ids = unpacked(request.POST.get("seen", ""), most=MOST_AT_ONCE)
    if not ids:
        raise Invalid("Load the page again: the form does not say what waited.")
    return ids


def _others(request: HttpRequest, project: Project, done: Decided) -> str:
    """The number of answers that were decided meanwhile, and of those that wait but were not listed. 1 query."""
    n = len(_listed(request)) - done.decided - done.unchanged
    before = f" {n} had been decided on meanwhile, and {'stays' if n == 1 else 'stay'} so." if n else ""
    left = _waiting(request, project, search=_search(request.GET.get("q", ""))).count()
    words = "waits, and was" if left == 1 else "wait, and were"
    return before + (f" {left} more {words} not among these." if left else "")


def _refused(request: HttpRequest, project: Project, error: CrosswalkError) -> HttpResponse:
    """The page again with the reason of the refusal, the typed text and the chosen answers."""
    sentence = error.faults[0].detail if error.faults else error.detail
    try:
        kept = _listed(request)
    except Invalid:
        kept = None
    return _project_page(
        request,
        project,
        error=sentence,
        typed=request.POST.get("reason", ""),
        which=request.POST.get("which", ""),
        picked=request.POST.getlist("annotation"),
        kept=kept,
        status=error.status,
    )


def _said(done: Decided, decision: Decision) -> str:
    again = f" {done.unchanged} had been decided so before, or better." if done.unchanged else ""
    return f"✓ {done.decided} {WORDS[decision]}.{again}"


def _back(request: HttpRequest, project: Project) -> str:
    kept: dict[str, Any] = {name: value for name in ("tab", "q") if (value := _search(request.GET.get(name, "")))}
    return reverse("staff-project-approvals", args=[project.slug], query=kept)
