"""The list of workers, sorted by any column of their records, with filters. 100,000 workers cost as much as ten."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.access.roles import Account, Role
from annotation.models import Enrolment, GateAction, Project, Record
from annotation.quality import accuracy, worker_records
from annotation.references.reference_health import has_classes
from lib.plots.intervals import IntervalPlot, Measured, interval_plot
from web.staff.decorators import staff_only
from web.staff.grid.columns import NUMBER, WIDE, Column, Order, by
from web.staff.grid.filters import Filter, choice, flag, number, text
from web.staff.grid.listing import Listing, Shown, order_asked
from web.staff.grid.page import respond
from workforce.models import Worker

NEWEST, NAME = "newest", "name"
PROJECT = ("project_id",)
"""Every index of records begins with the project."""


ORDERS: dict[str, Order] = {
    "answers": by("submitted", "id", prefix=PROJECT),
    "references": by("references", "id", prefix=PROJECT),
    "accuracy": by("balanced_accuracy", "id", is_descending=False, prefix=PROJECT, can_lack=True),
    "low": by("low", "id", is_descending=False, prefix=PROJECT, can_lack=True),
    "agreement": by("agreement", "id", is_descending=False, prefix=PROJECT, can_lack=True),
    "time": by("median_s", "id", is_descending=False, prefix=PROJECT, can_lack=True),
    "speed": by("speed_z", "id", is_descending=False, prefix=PROJECT, can_lack=True),
    "moment": by("moment_error_s", "id", prefix=PROJECT, can_lack=True),
    "reports": by("reported", "id", prefix=PROJECT),
    "drift": by("drift", "id", prefix=PROJECT, can_lack=True),
    "last": by("last_at", "id", prefix=PROJECT, can_lack=True),
}
"""The orders by what records say, the usual direction first: most answers, but lowest accuracy."""


class Filters(NamedTuple):
    """The filters of the list. `below` is a balanced accuracy in 0..1, over at least `least` references."""

    project: Project | None
    search: str
    status: str
    paused: bool
    below: float | None
    least: int


class WorkerRow(NamedTuple):
    """A worker in the list with the record, if there is one, and a small plot if the accuracy is known."""

    worker: Worker
    record: Record | None
    plot: IntervalPlot | None
    is_paused: bool


@staff_only
@require_safe
def worker_list(request: HttpRequest) -> HttpResponseBase:
    user = request.user
    drawn = _drawn(request)
    filters = _filters(request, drawn)
    # Records over all projects contain data of projects that the account may not see.
    by_record = filters.project is not None or roles.may_everywhere(user, Role.VIEWER)
    orders = {NEWEST: by("id"), "worker": _by_name(user), **(ORDERS if by_record else {})}
    # The word of an address of old.
    orders[NAME] = orders["worker"]
    sort = order_asked(request, orders).word
    is_of_records = sort in ORDERS or (sort == NEWEST and filters.project is not None)
    if sort == NEWEST and is_of_records:
        orders[NEWEST] = by("id", prefix=PROJECT)

    def made(found: list[Any]) -> list[WorkerRow]:
        workers = [one.worker for one in found] if is_of_records else found
        return _rows(user, workers, filters, by_record=by_record)

    listing: Listing[Any, WorkerRow] = Listing(
        name="workers",
        what="worker",
        rows=_records(user, filters) if is_of_records else _workers(user, filters),
        columns=_columns(user),
        made=made,
        orders=orders,
        filters=drawn,
        cells="staff/workers/_worker_cells.html",
        names_workers=True,
    )

    def more(grid: Shown) -> dict[str, Any]:
        return {
            "section": "workers",
            "project": filters.project,
            "by_record": by_record,
            "has_no_classes": filters.project is not None and not has_classes(filters.project),
        }

    return respond(request, listing, "staff/workers/workers.html", more)


def _columns(user: Account) -> list[Column[WorkerRow]]:
    def of(field: str) -> Callable[[WorkerRow], object]:
        return lambda row: getattr(row.record, field, None)

    def name(row: WorkerRow) -> str:
        return row.worker.identity if roles.knows(user, row.worker) else roles.pseudonym_of(row.worker)

    return [
        Column("worker", "Worker", name, is_fixed=True),
        Column("status", "Status", lambda row: "paused" if row.is_paused else row.worker.status),
        Column("answers", "Answers", lambda row: row.record.submitted if row.record else 0, NUMBER),
        Column("references", "Refs", lambda row: row.record.references if row.record else 0, NUMBER),
        Column("accuracy", "Accuracy", of("balanced_accuracy"), NUMBER),
        Column("low", "95 %", of("low"), NUMBER),
        Column("high", "95 %, upper end", of("high"), NUMBER, is_usual=False),
        Column("plot", "0 to 100 %", lambda row: None),
        Column("agreement", "Agreement", of("agreement"), NUMBER, is_usual=False),
        Column("time", "Time", of("median_s"), NUMBER),
        Column("speed", "Speed z", of("speed_z"), NUMBER),
        Column("moment", "Moment", of("moment_error_s"), NUMBER, is_usual=False),
        Column("reports", "Reports", lambda row: row.record.reported if row.record else 0, NUMBER, is_usual=False),
        Column("drift", "Drift", of("drift"), NUMBER),
        Column("last", "Last answer", of("last_at"), NUMBER),
        Column("why", "Blocked because", lambda row: row.worker.blocked_reason, WIDE, is_usual=False),
    ]


def _drawn(request: HttpRequest) -> tuple[Filter, ...]:
    """The filters as the page draws them."""
    user = request.user
    projects = roles.projects_for(user).order_by("title")[:200].values_list("slug", "title")
    named = roles.may_somewhere(user, Role.ADMIN)
    return (
        choice(request, "project", "Project", "Every project", projects),
        text(request, "Name or pseudonym" if named else "Pseudonym"),
        choice(request, "status", "Status", "Every status", Worker.Status.choices),
        flag(request, "paused", "paused"),
        number(request, "below", "accuracy below %", most=100),
        number(request, "least", "on references ≥", least=1),
    )


def _filters(request: HttpRequest, drawn: Sequence[Filter]) -> Filters:
    asked = {one.name: one.value for one in drawn}
    return Filters(
        project=roles.projects_for(request.user).filter(slug=request.GET.get("project", "")).first(),
        search=asked["q"],
        status=asked["status"],
        paused=bool(asked["paused"]),
        below=float(asked["below"]) / 100 if asked["below"] else None,
        least=int(float(asked["least"] or 1)),
    )


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


def _by_name(user: Account) -> Order:
    # An order by names would reveal something about the names.
    keys = ("platform", "external_id") if roles.sees_identity(user) else ("pseudonym",)
    return by(*keys, is_descending=False)


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
