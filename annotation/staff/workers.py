"""Workers: whom to trust and why, what they did and are owed; blocking and unblocking, always with a reason."""

from typing import NamedTuple

from django.contrib import messages
from django.db.models import Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation import quality
from annotation.models import Annotation, Project
from annotation.staff.projects import accuracies_of
from audit.models import AuditEvent
from common.errors import Invalid, NotFound
from common.plots import IntervalPlot, Measured, interval_plot
from common.staff import chosen, paged, staff_actor, staff_only
from common.statistics import BalancedAccuracy, wilson
from workforce import standing
from workforce.models import Worker

SORTS = {"newest": ("-created_at", "-pk"), "answers": ("-submitted", "-pk"), "name": ("platform", "external_id")}
MOST_ENTRIES = 20
"""Ledger entries and standing events on a worker's page."""


class WorkerRow(NamedTuple):
    """A worker of the list, with a plot of one row where the accuracy is known."""

    worker: Worker
    accuracy: BalancedAccuracy | None
    plot: IntervalPlot | None


def worker_with(pk: int) -> Worker:
    """The worker; 404 if there is none. 1 query."""
    found = Worker.objects.filter(pk=pk).first()
    if found is None:
        raise NotFound
    return found


@staff_only
@require_safe
def worker_list(request: HttpRequest) -> HttpResponse:
    search = request.GET.get("q", "").strip()
    status = chosen(request, "status", Worker.Status.values)
    sort = chosen(request, "sort", list(SORTS)) or "newest"
    project = Project.objects.filter(slug=request.GET.get("project", "")).first()
    page = paged(request, _workers(search=search, status=status, project=project).order_by(*SORTS[sort]))
    accuracies = accuracies_of(page, project=project)
    ctx = {
        "section": "workers",
        "page": page,
        "rows": [_row(worker, accuracies.get(worker.pk)) for worker in page],
        "q": search,
        "status": status,
        "statuses": Worker.Status.choices,
        "sort": sort,
        "sorts": list(SORTS),
        "project": project,
    }
    return render(request, "staff/workers.html", ctx)


def _workers(*, search: str, status: str, project: Project | None) -> QuerySet[Worker]:
    counted = Q(enrolments__project=project) if project else None
    rows = Worker.objects.annotate(submitted=Coalesce(Sum("enrolments__submitted", filter=counted), 0))
    if project:
        rows = rows.filter(pk__in=project.enrolments.values("worker"))
    if status:
        rows = rows.filter(status=status)
    if search:
        platform, colon, name = search.partition(":")
        here = Q(external_id__icontains=search) | Q(pseudonym=search)
        rows = rows.filter(here | Q(platform=platform, external_id__icontains=name) if colon else here)
    return rows


def _row(worker: Worker, accuracy: BalancedAccuracy | None) -> WorkerRow:
    if accuracy is None or accuracy.value is None:
        return WorkerRow(worker, accuracy, None)
    measured = Measured(worker.identity, accuracy.value, accuracy.low, accuracy.high)
    return WorkerRow(worker, accuracy, interval_plot([measured]))


@staff_only
@require_safe
def worker(request: HttpRequest, pk: int) -> HttpResponse:
    return _worker_page(request, worker_with(pk))


def _worker_page(request: HttpRequest, found: Worker, *, error: str = "", status: int = 200) -> HttpResponse:
    confusion = quality.confusion_of(found)
    history = Annotation.objects.filter(worker=found).select_related("project", "task").order_by("-pk")
    entries = found.ledger.order_by("-at", "-pk")
    ctx = {
        "section": "workers",
        "worker": found,
        "enrolments": found.enrolments.select_related("project").order_by("-pk")[:MOST_ENTRIES],
        "confusion": confusion,
        "accuracy": confusion.accuracy,
        "plot": interval_plot(_measured(confusion)) if confusion.accuracy.n else None,
        "page": paged(request, history),
        "totals": entries.order_by("currency").values_list("currency").annotate(total=Sum("amount")),
        "entries": entries[:MOST_ENTRIES],
        "most": MOST_ENTRIES,
        "events": AuditEvent.objects.filter(subject_kind="worker", subject=str(found.pk)).order_by("-pk")[
            :MOST_ENTRIES
        ],
        "error": error,
    }
    return render(request, "staff/worker.html", ctx, status=status)


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
    found = worker_with(pk)
    reason = request.POST.get("reason", "").strip()
    try:
        standing.block(worker=found, reason=reason, by=staff_actor(request), at=timezone.now())
    except Invalid as error:
        return _worker_page(request, found, error=error.faults[0].detail, status=error.status)
    messages.success(request, f"{found.identity} is blocked now. What they hold may still be handed in.")
    return redirect("staff-worker", pk)


@staff_only
@require_POST
def unblock(request: HttpRequest, pk: int) -> HttpResponse:
    found = worker_with(pk)
    standing.unblock(worker=found, by=staff_actor(request), at=timezone.now())
    messages.success(request, f"{found.identity} may work again.")
    return redirect("staff-worker", pk)
