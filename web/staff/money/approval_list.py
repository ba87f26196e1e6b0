"""The projects of an account, with the answers that wait for a decision in each."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.models import Annotation, Project
from web.http.keyset_pages import Part
from web.staff.decorators import staff_only
from web.staff.grid.columns import NEWEST, NUMBER, WIDE, Column, Order, by
from web.staff.grid.filters import choice, flag, text
from web.staff.grid.listing import Listing, Shown
from web.staff.grid.page import respond


class Waiting(NamedTuple):
    """A project, with the number of answers that wait in it, and the time of the oldest."""

    project: Project
    n: int
    oldest: datetime | None


COLUMNS: tuple[Column[Waiting], ...] = (
    Column("project", "Project", lambda row: row.project.slug, WIDE, is_fixed=True),
    Column("title", "Title", lambda row: row.project.title, is_usual=False),
    Column("status", "Status", lambda row: row.project.status),
    Column("waiting", "Waiting", lambda row: row.n, NUMBER),
    Column("oldest", "Oldest", lambda row: row.oldest),
    Column("approve_after_s", "Approved by itself", lambda row: row.project.approve_after_s),
    Column("spent", "Spent", lambda row: row.project.spent, NUMBER),
    Column("budget", "Budget", lambda row: row.project.budget, NUMBER, is_usual=False),
    Column("currency", "Currency", lambda row: row.project.currency, is_usual=False),
    Column("newest", "Made", lambda row: row.project.created_at, is_usual=False),
)


def _most_waiting(rows: "QuerySet[Project]", falls: bool) -> Sequence[Part[Project]]:
    """The projects by the number of answers that wait; it is counted for each project that the account may see."""
    waiting = Annotation.objects.undecided().filter(project=OuterRef("pk")).order_by()
    counted = waiting.values("project").annotate(n=Count("pk")).values("n")
    return [Part(rows.annotate(waiting=Coalesce(Subquery(counted), 0)), ("waiting", "id"), falls)]


@staff_only
@require_safe
def approval_list(request: HttpRequest) -> HttpResponseBase:
    """The account's projects; those with waiting work alone if it asks so."""
    filters = (
        text(request, "Title"),
        choice(request, "status", "Status", "Every status", Project.Status.choices),
        flag(request, "waits", "something waits"),
    )
    asked = {one.name: one.value for one in filters}
    rows = roles.projects_for(request.user)
    if asked["q"]:
        rows = rows.filter(Q(slug__icontains=asked["q"]) | Q(title__icontains=asked["q"]))
    if asked["status"]:
        rows = rows.filter(status=asked["status"])
    if asked["waits"]:
        rows = rows.filter(Exists(Annotation.objects.undecided().filter(project=OuterRef("pk"))))
    listing = Listing(
        name="approvals",
        what="project",
        rows=rows,
        columns=COLUMNS,
        made=_rows,
        orders={"waiting": Order(_most_waiting), "project": by("slug", is_descending=False), "newest": NEWEST},
        filters=filters,
        cells="staff/money/_waiting_cells.html",
    )

    def more(grid: Shown) -> dict[str, Any]:
        return {"section": "approvals", "waiting": sum(one.row.n for one in grid.rows)}

    return respond(request, listing, "staff/money/approvals.html", more)


def _rows(projects: list[Project]) -> list[Waiting]:
    """The rows of the page. 2 queries; 1 where the order has counted already."""
    undecided = Annotation.objects.undecided()
    # The first in the index, for the smallest of a million dates takes three times as long as counting them.
    first = undecided.filter(project=OuterRef("pk")).order_by("submitted_at").values("submitted_at")[:1]
    shown = [project.pk for project in projects]
    oldest = dict(Project.objects.filter(pk__in=shown).annotate(first=Subquery(first)).values_list("pk", "first"))
    counts = {project.pk: project.waiting for project in projects if hasattr(project, "waiting")}
    if not counts:
        waiting = undecided.filter(project__in=shown).order_by()
        counts = dict(waiting.values_list("project_id").annotate(Count("pk")))
    return [Waiting(project, counts.get(project.pk, 0), oldest[project.pk]) for project in projects]
