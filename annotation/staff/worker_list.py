"""The list of workers: by any column of their records, filtered, 100,000 of them as quick as ten."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation import quality, records, roles
from annotation.models import Enrolment, GateAction, Project, Record
from annotation.reference_stock import has_classes
from annotation.roles import Account, Role
from common.keyset import Part, counted, window
from common.plots import IntervalPlot, Measured, interval_plot
from common.staff import ROWS, chosen, staff_only
from workforce.models import Worker

MOST_COUNTED = 10_000
"""Where counting stops: the exact number of more workers changes nothing for anyone."""
NEWEST, NAME = "newest", "name"
ASCENDING, DESCENDING = "asc", "desc"


class Column(NamedTuple):
    """A column by which records are sorted.

    Attributes:
        label: Its head in the table.
        field: Of the record.
        order: Which way is usually asked for: who answered most, but who is least accurate.
        can_lack: Whether a record may have no value; these come last.
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
"""The sortable columns in their order on the page, by their word in the address."""


class Filters(NamedTuple):
    """What the list is narrowed to. `below` is a balanced accuracy in 0..1, of at least `least` references."""

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
    """A worker of the list with their record, if they have one, and a plot of one row where the accuracy is known."""

    worker: Worker
    record: Record | None
    plot: IntervalPlot | None
    is_paused: bool


class Head(NamedTuple):
    """A head of the table: which way the list is sorted by it now, and which way a click sorts it."""

    word: str
    label: str
    sorted: str
    next_order: str


@staff_only
@require_safe
def worker_list(request: HttpRequest) -> HttpResponse:
    user = request.user
    filters = _filters(request)
    # Records over all projects tell of projects that the account may not see.
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
    return render(request, "staff/workers.html", ctx)


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
    """Of the project that is chosen; else over all, or of each project that the account may see."""
    if filters.project or roles.may_everywhere(user, Role.VIEWER):
        return rows.filter(project=filters.project)
    return rows.filter(project__in=roles.projects_for(user))


def _narrowed(user: Account, rows: QuerySet[Worker], filters: Filters) -> QuerySet[Worker] | None:
    """The rows that pass what is asked of workers themselves; None where nothing is."""
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
    """Enrolments in which a pause stands, in the project that is chosen or those that the account may see."""
    standing = GateAction.objects.pauses().standing().values("enrolment")
    where = Q(project=filters.project) if filters.project else Q(project__in=roles.projects_for(user))
    return Enrolment.objects.filter(where, pk__in=standing)


# In which order ------------------------------------------------------------------------------------------------


def _parts_of_records(rows: QuerySet[Record], sort: str, *, is_descending: bool) -> Sequence[Part[Record]]:
    """Those with a value, then those without. The project comes first in every index, so it is named in the order."""
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
    # The order of names would tell something of them.
    keys = ("platform", "external_id") if roles.sees_identity(user) else ("pseudonym",)
    return Part(rows, keys, is_descending=False)


# As rows -------------------------------------------------------------------------------------------------------


def _rows(user: Account, workers: list[Worker], filters: Filters, *, by_record: bool) -> list[WorkerRow]:
    """The page's rows. 2 queries, 3 where records over all must not be shown."""
    found = _records_of(workers, filters.project) if by_record else _made_up(user, workers)
    paused = set(_paused(user, filters).filter(worker__in=workers).values_list("worker", flat=True))
    return [_row(user, worker, found.get(worker.pk), is_paused=worker.pk in paused) for worker in workers]


def _records_of(workers: Iterable[Worker], project: Project | None) -> dict[int, Record]:
    return {record.worker_id: record for record in Record.objects.filter(worker__in=list(workers), project=project)}


def _made_up(user: Account, workers: list[Worker]) -> dict[int, Record]:
    """What the account may know over all of its projects; only what adds up."""
    theirs = roles.projects_for(user)
    confusions = quality.confusions(workers, among=theirs)
    own = Enrolment.objects.filter(worker__in=workers, project__in=theirs)
    found: dict[int, Record] = {}
    for worker, submitted in own.values_list("worker", "submitted"):
        record = found.setdefault(worker, Record(worker_id=worker))
        record.submitted += submitted
    for worker, confusion in confusions.items():
        known = found.setdefault(worker, Record(worker_id=worker))
        for name, value in records.facts_of(confusion).items():
            setattr(known, name, value)
    return found


def _row(user: Account, worker: Worker, record: Record | None, *, is_paused: bool) -> WorkerRow:
    if record is None or record.balanced_accuracy is None:
        return WorkerRow(worker, record, None, is_paused)
    measured = Measured(roles.name_of(user, worker), record.balanced_accuracy, record.low, record.high)
    return WorkerRow(worker, record, interval_plot([measured]), is_paused)
