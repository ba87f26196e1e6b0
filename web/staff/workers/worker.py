"""One worker: quality, answers and pay; blocking and unblocking with a reason."""

from typing import NamedTuple

from django.contrib import messages
from django.db.models import Count, Q, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Annotation, Enrolment, GateAction, Project, Record
from annotation.quality import accuracy as quality
from annotation.references.reference_health import right_answers_of
from annotation.work.enrolments import revoke_links
from audit.models import AuditEvent
from lib.faults import Conflict, Invalid, NotFound
from lib.plots.intervals import Measured, interval_plot
from lib.statistics.intervals import wilson
from web.staff.decorators import staff_actor, staff_only
from web.staff.figure_files import file_asked
from web.staff.projects.figures import figures_of_worker
from workforce import blocking
from workforce.models import Worker

MOST_ENTRIES = 20
"""The number of answers, ledger entries and blocking events on a worker's page."""


@staff_only
@require_safe
def worker(request: HttpRequest, pk: int) -> HttpResponse:
    return _worker_page(request, roles.worker_for(request.user, pk))


def _worker_page(request: HttpRequest, found: Worker, *, error: str = "", status: int = 200) -> HttpResponse:
    """The page of the worker.

    An account with a role everywhere sees all of it, others only the data of their projects.
    """
    theirs = roles.projects_for(request.user)
    confusion = quality.confusion_of(found, among=theirs)
    enrolments = found.enrolments.filter(project__in=theirs)
    answers = Annotation.objects.filter(worker=found, project__in=theirs).select_related("project", "task")
    latest = enrolments.select_related("project").order_by("-submitted", "-pk").first()
    figures = figures_of_worker(found, latest.project if latest else None)
    if (file := file_asked(request, figures)) is not None:
        return file
    # The ledger spans all projects, so only accounts that may see all projects see it.
    sees_ledger = roles.may_everywhere(request.user, Role.VIEWER)
    entries = (found.ledger.all() if sees_ledger else found.ledger.none()).order_by("-at", "-pk")
    events = AuditEvent.objects.filter(subject_kind="worker", subject=str(found.pk))
    if not sees_ledger:
        events = events.filter(Q(project="") | Q(project__in=theirs.values("slug")))
    ctx = {
        "section": "workers",
        "worker": found,
        "may_act": roles.may_act_on(request.user, found, Role.ADMIN),
        "enrolments": _with_links(enrolments)[:MOST_ENTRIES],
        "records": _records(found, theirs),
        "confusion": confusion,
        "accuracy": confusion.accuracy,
        "right": right_answers_of([found], theirs).get(found.pk),
        "plot": interval_plot(_measured(confusion)) if confusion.accuracy.n else None,
        "figures": [(name, make()) for name, make in figures.items()] if latest else [],
        "answers": answers.order_by("-pk")[:MOST_ENTRIES],
        "sees_ledger": sees_ledger,
        "totals": entries.order_by("currency").values_list("currency").annotate(total=Sum("amount")),
        "entries": entries[:MOST_ENTRIES],
        "most": MOST_ENTRIES,
        "events": events.order_by("-pk")[:MOST_ENTRIES],
        "error": error,
    }
    return render(request, "staff/workers/worker.html", ctx, status=status)


def _with_links(enrolments: QuerySet[Enrolment]) -> QuerySet[Enrolment]:
    """The enrolments with their projects, the newest first, each with its number of `links` that work."""
    links = Count("tokens", filter=Q(tokens__expires_at__gt=timezone.now()))
    return enrolments.select_related("project").annotate(links=links).order_by("-pk")


class RecordRow(NamedTuple):
    """A worker's record in one project; `paused_by` is the pause that is in force there."""

    record: Record
    paused_by: GateAction | None


def _records(worker: Worker, projects: QuerySet[Project]) -> list[RecordRow]:
    """The worker's records in these projects, the most recent first. 2 queries."""
    pauses = GateAction.objects.pauses().current().filter(enrolment__worker=worker).select_related("enrolment")
    by_project = {pause.enrolment.project_id: pause for pause in pauses}
    rows = Record.objects.filter(worker=worker, project__in=projects, last_at__isnull=False)
    latest = rows.select_related("project").order_by("-last_at", "-pk")[:MOST_ENTRIES]
    return [RecordRow(row, by_project.get(row.project_id or 0)) for row in latest]


def _measured(confusion: quality.Confusion) -> list[Measured]:
    """Balanced accuracy, and the two rates of which it is the mean."""
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
        blocking.block(
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
    """The chosen weighting of the worker's answers.

    Raises:
        Invalid: the form names no such weighting.
    """
    try:
        return Worker.Weighting(request.POST.get("weighting", ""))
    except ValueError:
        raise Invalid.at("#/weighting", "Answers can count in full, by half, or not at all.") from None


@staff_only
@require_POST
def weigh(request: HttpRequest, pk: int) -> HttpResponse:
    """Change the weighting of a blocked worker's answers."""
    found = roles.worker_for(request.user, pk, Role.ADMIN)
    weighting = _weighting(request)
    if found.status != Worker.Status.BLOCKED:
        raise Conflict("The answers of somebody who may work count in full. Block them first.")
    blocking.set_weighting(worker=found, weighting=weighting, by=staff_actor(request), at=timezone.now())
    messages.success(request, "Saved. Every consensus that this changes follows in the background.")
    return redirect("staff-worker", pk)


@staff_only
@require_POST
def unblock(request: HttpRequest, pk: int) -> HttpResponse:
    found = roles.worker_for(request.user, pk, Role.ADMIN)
    blocking.unblock(worker=found, by=staff_actor(request), at=timezone.now())
    messages.success(request, f"{roles.name_of(request.user, found)} may work again.")
    return redirect("staff-worker", pk)


@staff_only
@require_POST
def end_links(request: HttpRequest, pk: int, slug: str) -> HttpResponse:
    """Revoke the worker's links to one project."""
    found = roles.worker_for(request.user, pk)
    project = roles.project_for(request.user, slug, Role.ADMIN)
    enrolment = Enrolment.objects.select_related("project").filter(worker=found, project=project).first()
    if enrolment is None:
        raise NotFound
    ended = revoke_links(enrolment=enrolment, by=staff_actor(request), at=timezone.now())
    name = roles.name_of(request.user, found)
    said = f"{name}'s links to {project.title} no longer work, and what they held there is free again."
    messages.success(request, said if ended else f"{name} had no link to {project.title} that worked.")
    return redirect("staff-worker", pk)
