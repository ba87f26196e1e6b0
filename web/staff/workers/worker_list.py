"""The list of workers, sorted by any column of their records, with filters. 100,000 workers cost as much as ten."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.access.roles import Account, Role
from annotation.models import Enrolment, GateAction, Project, Record
from annotation.quality import accuracy, worker_records
from annotation.references.reference_health import has_classes
from lib.plots.intervals import IntervalPlot, Measured, interval_plot
from web.http.keyset_pages import Part, counted, window
from web.staff.decorators import ROWS, chosen, staff_only
from workforce.models import Worker

MOST_COUNTED = 10_000
"""Counting stops at this number: the exact number of more workers changes nothing for anyone."""
NEWEST, NAME = "newest", "name"
ASCENDING, DESCENDING = "asc", "desc"


class Column(NamedTuple):
    """A column by which records are sorted.

    Attributes:
        label: Its head in the table.
        field: The field of the record.
        order: The usual direction: most answers first, but lowest accuracy first.
        can_lack: Whether a record may have no value; such records come last.
    """

    label: str
    field: str
    order: str
    can_lack: bool = True


COLUMNS = {
    "answers": Column("Answers", "submitted", DESCENDING, can_lack=False),
    "references": Column("References", "references", DESCENDING, can_lack=False),
    "accuracy": Column("Accuracy", "balanced_accuracy", ASCENDING),
    "low": Column("95 %", "low", ASCENDING),
    "agreement": Column("Agreement", "agreement", ASCENDING),
    "time": Column("Time", "median_s", ASCENDING),
    "speed": Column("Speed z", "speed_z", ASCENDING),
    "moment": Column("Moment", "moment_error_s", DESCENDING),
    "reports": Column("Reports", "reported", DESCENDING, can_lack=False),
    "drift": Column("Drift", "drift", DESCENDING),
    "last": Column("Last answer", "last_at", DESCENDING),
}
"""The sortable columns in their order on the page, by their names in the address."""


class Filters(NamedTuple):
    """The filters of the list. `below` is a balanced accuracy in 0..1, over at least `least` references."""

    project: Project | None
    search: str
    status: str
    paused: bool
    below: float | None
    least: int

    @property
    def are_any(self) -> bool:
        return bool(self.project or self.search or self.status or self.paused or self.below is not None)


class WorkerRow(NamedTuple):
    """A worker in the list with the record, if there is one, and a small plot if the accuracy is known."""

    worker: Worker
    record: Record | None
    plot: IntervalPlot | None
    is_paused: bool


class Head(NamedTuple):
    """A head of the table: the present direction of sorting by it, and the direction after a click."""

    word: str
    label: str
    sorted: str
    next_order: str


@staff_only
@require_safe
def worker_list(request: HttpRequest) -> HttpResponse:
    user = request.user
    filters = _filters(request)
    # Records over all projects contain data of projects that the account may not see.
    by_record = filters.project is not None or roles.may_everywhere(user, Role.VIEWER)
    sort = chosen(request, "sort", [NEWEST, NAME, *(COLUMNS if by_record else ())]) or NEWEST
    order = chosen(request, "order", [ASCENDING, DESCENDING]) or (COLUMNS[sort].order if sort in COLUMNS else "")
    workers: list[Worker]
    if sort in COLUMNS or (sort == NEWEST and filters.project):
        kept = _records(user, filters)
        found = window(request, _parts_of_records(kept, sort, is_descending=order == DESCENDING), size=ROWS)
        workers = [record.worker for record in found.rows]
        following, preceding, total = found.following, found.preceding, counted(kept, most=MOST_COUNTED)
    else:
        people = _workers(user, filters)
        page = window(request, [_part_of_workers(user, people, sort)], size=ROWS)
        workers = page.rows
        following, preceding, total = page.following, page.preceding, counted(people, most=MOST_COUNTED)
    ctx = {
        "section": "workers",
        "rows": _rows(user, workers, filters, by_record=by_record),
        "following": following,
        "preceding": preceding,
        "total": total,
        "heads": [_head(word, column, sort, order) for word, column in COLUMNS.items()],
        "by_record": by_record,
        "filters": filters,
        "below": request.GET.get("below", "") if filters.below is not None else "",
        "least": filters.least if filters.least > 1 else "",
        "statuses": Worker.Status.choices,
        "sort": sort,
        "order": order,
        "projects": roles.projects_for(user).order_by("title")[:200],
        "has_no_classes": filters.project is not None and not has_classes(filters.project),
        "may_search_names": roles.may_somewhere(user, Role.ADMIN),
    }
    return render(request, "staff/workers/workers.html", ctx)


def _filters(request: HttpRequest) -> Filters:
    return Filters(
        project=roles.projects_for(request.user).filter(slug=request.GET.get("project", "")).first(),
        search=request.GET.get("q", "").strip(),
        status=chosen(request, "status", Worker.Status.values),
        paused=request.GET.get("paused") == "1",
        below=_percent(request.GET.get("below", "")),
        least=_whole(request.GET.get("least", "")),
    )


def _percent(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value / 100 if 0 <= value <= 100 else None


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 1


def _head(word: str, column: Column, sort: str, order: str) -> Head:
    is_here = word == sort
    opposite = ASCENDING if order == DESCENDING else DESCENDING
    return Head(word, column.label, order if is_here else "", opposite if is_here else column.order)


# Which ---------------------------------------------------------------------------------------------------------


def _records(user: Account, filters: Filters) -> QuerySet[Record]:
    rows = Record.objects.filter(project=filters.project).select_related("worker")
    if filters.below is not None:
        rows = rows.filter(balanced_accuracy__lt=filters.below, references__gte=filters.least)
    narrowed = _narrowed(user, Worker.objects.all(), filters)
    return rows if narrowed is None else rows.filter(worker__in=narrowed.values("pk"))


def _workers(user: Account, filters: Filters) -> QuerySet[Worker]:
    rows = roles.workers_for(user)
    if filters.project:
        rows = rows.filter(pk__in=filters.project.enrolments.values("worker"))
    if filters.below is not None:
        known = Record.objects.filter(balanced_accuracy__lt=filters.below, references__gte=filters.least)
        rows = rows.filter(pk__in=_seen_by(user, known, filters).values("worker"))
    narrowed = _narrowed(user, rows, filters)
    return rows if narrowed is None else narrowed


def _seen_by(user: Account, rows: QuerySet[Record], filters: Filters) -> QuerySet[Record]:
    """The records of the chosen project; without one, records over all projects, or of each project of the account."""
    if filters.project or roles.may_everywhere(user, Role.VIEWER):
        return rows.filter(project=filters.project)
    return rows.filter(project__in=roles.projects_for(user))


def _narrowed(user: Account, rows: QuerySet[Worker], filters: Filters) -> QuerySet[Worker] | None:
    """The workers that match the filters on workers themselves; None if there is no such filter."""
    if not (filters.status or filters.paused or filters.search):
        return None
    if filters.status:
        rows = rows.filter(status=filters.status)
    if filters.paused:
        rows = rows.filter(pk__in=_paused(user, filters).values("worker"))
    if filters.search:
        rows = rows.filter(roles.found_by(user, filters.search))
    return rows


def _paused(user: Account, filters: Filters) -> QuerySet[Enrolment]:
    """Enrolments with a pause in force, in the chosen project or in the projects of the account."""
    standing = GateAction.objects.pauses().current().values("enrolment")
    where = Q(project=filters.project) if filters.project else Q(project__in=roles.projects_for(user))
    return Enrolment.objects.filter(where, pk__in=standing)


# In which order ------------------------------------------------------------------------------------------------


def _parts_of_records(rows: QuerySet[Record], sort: str, *, is_descending: bool) -> Sequence[Part[Record]]:
    """Records with a value, then those without. Every index begins with the project, so the order names it first."""
    prefix = ("project_id",)
    if sort == NEWEST:
        return [Part(rows, ("id",), is_descending=True, prefix=prefix)]
    column = COLUMNS[sort]
    if not column.can_lack:
        return [Part(rows, (column.field, "id"), is_descending, prefix)]
    known = rows.filter(**{f"{column.field}__isnull": False})
    lacking = rows.filter(**{f"{column.field}__isnull": True})
    return [
        Part(known, (column.field, "id"), is_descending, prefix),
        Part(lacking, ("id",), is_descending, (*prefix, column.field)),
    ]


def _part_of_workers(user: Account, rows: QuerySet[Worker], sort: str) -> Part[Worker]:
    if sort == NEWEST:
        return Part(rows, ("id",), is_descending=True)
    # An order by names would reveal something about the names.
    keys = ("platform", "external_id") if roles.sees_identity(user) else ("pseudonym",)
    return Part(rows, keys, is_descending=False)


# As rows -------------------------------------------------------------------------------------------------------


def _rows(user: Account, workers: list[Worker], filters: Filters, *, by_record: bool) -> list[WorkerRow]:
    """The rows of the page. 2 queries, or 3 if records over all projects must not be shown."""
    found = _records_of(workers, filters.project) if by_record else _made_up(user, workers)
    paused = set(_paused(user, filters).filter(worker__in=workers).values_list("worker", flat=True))
    return [_row(user, worker, found.get(worker.pk), is_paused=worker.pk in paused) for worker in workers]


def _records_of(workers: Iterable[Worker], project: Project | None) -> dict[int, Record]:
    return {record.worker_id: record for record in Record.objects.filter(worker__in=list(workers), project=project)}


def _made_up(user: Account, workers: list[Worker]) -> dict[int, Record]:
    """A record over all projects of the account. It has only the numbers that can be added up."""
    theirs = roles.projects_for(user)
    confusions = accuracy.confusions(workers, among=theirs)
    own = Enrolment.objects.filter(worker__in=workers, project__in=theirs)
    found: dict[int, Record] = {}
    for worker, submitted in own.values_list("worker", "submitted"):
        record = found.setdefault(worker, Record(worker_id=worker))
        record.submitted += submitted
    for worker, confusion in confusions.items():
        known = found.setdefault(worker, Record(worker_id=worker))
        for name, value in worker_records.confusion_columns(confusion).items():
            setattr(known, name, value)
    return found


def _row(user: Account, worker: Worker, record: Record | None, *, is_paused: bool) -> WorkerRow:
    if record is None or record.balanced_accuracy is None:
        return WorkerRow(worker, record, None, is_paused)
    measured = Measured(roles.name_of(user, worker), record.balanced_accuracy, record.low, record.high)
    return WorkerRow(worker, record, interval_plot([measured]), is_paused)
