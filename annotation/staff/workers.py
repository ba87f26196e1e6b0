"""One worker: whether to trust them and why, what they did and are owed; blocking and unblocking, with a reason."""

from typing import NamedTuple

from django.contrib import messages
from django.db.models import Q, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation import quality, roles
from annotation.models import Annotation, GateAction, Project, Record
from annotation.reference_stock import right_of
from annotation.roles import Role
from annotation.staff.figures import figures_of_worker
from audit.models import AuditEvent
from common.errors import Conflict, Invalid
from common.figures import file_asked
from common.plots import Measured, interval_plot
from common.staff import paged, staff_actor, staff_only
from common.statistics import wilson
from workforce import standing
from workforce.models import Worker

MOST_ENTRIES = 20
"""Ledger entries and standing events on a worker's page."""


@staff_only
@require_safe
def worker(request: HttpRequest, pk: int) -> HttpResponse:
    return _worker_page(request, roles.worker_for(request.user, pk))


def _worker_page(request: HttpRequest, found: Worker, *, error: str = "", status: int = 200) -> HttpResponse:
    """What the account may see of the worker: all of it with a role everywhere, else what belongs to its projects."""
    theirs = roles.projects_for(request.user)
    confusion = quality.confusion_of(found, among=theirs)
    enrolments = found.enrolments.filter(project__in=theirs)
    history = Annotation.objects.filter(worker=found, project__in=theirs).select_related("project", "task")
    latest = enrolments.select_related("project").order_by("-submitted", "-pk").first()
    figures = figures_of_worker(found, latest.project if latest else None)
    if (file := file_asked(request, figures)) is not None:
        return file
    # The ledger is one for all projects, so it is for those who may see all of them.
    sees_ledger = roles.may_everywhere(request.user, Role.VIEWER)
    entries = (found.ledger.all() if sees_ledger else found.ledger.none()).order_by("-at", "-pk")
    events = AuditEvent.objects.filter(subject_kind="worker", subject=str(found.pk))
    if not sees_ledger:
        events = events.filter(Q(project="") | Q(project__in=theirs.values("slug")))
    ctx = {
        "section": "workers",
        "worker": found,
        "may_act": roles.may_act_on(request.user, found, Role.ADMIN),
        "enrolments": enrolments.select_related("project").order_by("-pk")[:MOST_ENTRIES],
        "records": _records(found, theirs),
        "confusion": confusion,
        "accuracy": confusion.accuracy,
        "right": right_of([found], theirs).get(found.pk),
        "plot": interval_plot(_measured(confusion)) if confusion.accuracy.n else None,
        "figures": [(name, make()) for name, make in figures.items()] if latest else [],
        "page": paged(request, history.order_by("-pk")),
        "sees_ledger": sees_ledger,
        "totals": entries.order_by("currency").values_list("currency").annotate(total=Sum("amount")),
        "entries": entries[:MOST_ENTRIES],
        "most": MOST_ENTRIES,
        "events": events.order_by("-pk")[:MOST_ENTRIES],
        "error": error,
    }
    return render(request, "staff/worker.html", ctx, status=status)


class RecordRow(NamedTuple):
    """A worker's record in one project; `paused_by` is the pause that stands there."""

    record: Record
    paused_by: GateAction | None


def _records(worker: Worker, projects: QuerySet[Project]) -> list[RecordRow]:
    """The worker's records in these projects, the last worked in first. 2 queries."""
    pauses = GateAction.objects.pauses().standing().filter(enrolment__worker=worker).select_related("enrolment")
    by_project = {pause.enrolment.project_id: pause for pause in pauses}
    rows = Record.objects.filter(worker=worker, project__in=projects, last_at__isnull=False)
    latest = rows.select_related("project").order_by("-last_at", "-pk")[:MOST_ENTRIES]
    return [RecordRow(row, by_project.get(row.project_id or 0)) for row in latest]


def _measured(confusion: quality.Confusion) -> list[Measured]:
    """Balanced accuracy, and what it is the mean of."""
    accuracy = confusion.accuracy
    return [
        Measured("Balanced", accuracy.value, accuracy.low, accuracy.high, n=accuracy.n),
        _recall("On successes", confusion.success_success, confusion.success_failure),
        _recall("On failures", confusion.failure_failure, confusion.failure_success),
    ]


def _recall(label: str, right: int, wrong: int) -> Measured:
    n = right + wrong
    if not n:
        return Measured(label, None, n=0)
    low, high = wilson(right, n)
    return Measured(label, right / n, low, high, n=n)


@staff_only
@require_POST
def block(request: HttpRequest, pk: int) -> HttpResponse:
    found = roles.worker_for(request.user, pk, Role.ADMIN)
    reason = request.POST.get("reason", "").strip()
    try:
        standing.block(
            worker=found,
            reason=reason,
            by=staff_actor(request),
            at=timezone.now(),
            weighting=_weighting(request) if "weighting" in request.POST else None,
        )
    except Invalid as error:
        return _worker_page(request, found, error=error.faults[0].detail, status=error.status)
    name = roles.name_of(request.user, found)
    messages.success(request, f"{name} is blocked now. What they hold may still be handed in.")
    return redirect("staff-worker", pk)


def _weighting(request: HttpRequest) -> Worker.Weighting:
    """What is to become of the worker's answers.

    Raises:
        Invalid: it is none of the choices.
    """
    try:
        return Worker.Weighting(request.POST.get("weighting", ""))
    except ValueError:
        raise Invalid.at("#/weighting", "Answers can count in full, by half, or not at all.") from None


@staff_only
@require_POST
def weigh(request: HttpRequest, pk: int) -> HttpResponse:
    """Choose anew what becomes of the answers of a blocked worker."""
    found = roles.worker_for(request.user, pk, Role.ADMIN)
    weighting = _weighting(request)
    if found.status != Worker.Status.BLOCKED:
        raise Conflict("The answers of somebody who may work count in full. Block them first.")
    standing.set_weighting(worker=found, weighting=weighting, by=staff_actor(request), at=timezone.now())
    messages.success(request, "Saved. Every consensus that this changes follows in the background.")
    return redirect("staff-worker", pk)


@staff_only
@require_POST
def unblock(request: HttpRequest, pk: int) -> HttpResponse:
    found = roles.worker_for(request.user, pk, Role.ADMIN)
    standing.unblock(worker=found, by=staff_actor(request), at=timezone.now())
    messages.success(request, f"{roles.name_of(request.user, found)} may work again.")
    return redirect("staff-worker", pk)
