"""The findings of reviewers: which category was given to which task or answer, by whom."""

from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.models import Category, Finding
from web.staff.decorators import staff_only
from web.staff.grid.columns import NEWEST, WIDE, Column
from web.staff.grid.filters import choice, text
from web.staff.grid.listing import Listing, Shown
from web.staff.grid.page import respond


class Row(NamedTuple):
    """A finding, with the name of the worker whose answer it is about, as the account may see it; "" for the task."""

    finding: Finding
    worker: str


COLUMNS: tuple[Column[Row], ...] = (
    Column("task", "Task", lambda row: row.finding.task.key, is_fixed=True),
    Column("taxonomy", "Taxonomy", lambda row: row.finding.category.get_taxonomy_display(), is_usual=False),
    Column("category", "Category", lambda row: row.finding.category.label),
    Column("worker", "Of", lambda row: row.worker),
    Column("note", "Note", lambda row: row.finding.note, WIDE),
    Column("by", "By", lambda row: row.finding.by.get_username()),
    Column("newest", "At", lambda row: row.finding.at),
    Column("project", "Project", lambda row: row.finding.task.project.slug),
)


@staff_only
@require_safe
def finding_list(request: HttpRequest) -> HttpResponseBase:
    """List the findings, the newest first. Each links to its task."""
    categories = Category.objects.order_by("taxonomy", "position", "pk")
    projects = roles.projects_for(request.user).order_by("title", "pk").values_list("slug", "title")
    filters = (
        text(request, "Part of the key"),
        choice(
            request,
            "category",
            "Category",
            "Every category",
            ((one.pk, f"{one.get_taxonomy_display()}: {one.label}") for one in categories),
        ),
        choice(request, "project", "Project", "Every project", projects),
    )
    listing = Listing(
        name="findings",
        what="finding",
        rows=_narrowed(request, **{one.name: one.value for one in filters}),
        columns=COLUMNS,
        made=lambda found: [Row(one, _name(request, one)) for one in found],
        orders={"newest": NEWEST},
        filters=filters,
        cells="staff/review/_finding_cells.html",
        names_workers=True,
    )

    def more(grid: Shown) -> dict[str, Any]:
        return {"section": "review"}

    return respond(request, listing, "staff/review/findings.html", more)


def _narrowed(request: HttpRequest, *, q: str, category: str, project: str) -> QuerySet[Finding]:
    rows = Finding.objects.filter(task__project__in=roles.projects_for(request.user))
    if category:
        rows = rows.filter(category=int(category))
    if project:
        rows = rows.filter(task__project__slug=project)
    if q:
        rows = rows.filter(task__key__contains=q)
    return rows.select_related("category", "task__project", "annotation__worker", "by")


def _name(request: HttpRequest, finding: Finding) -> str:
    return roles.name_of(request.user, finding.annotation.worker) if finding.annotation else ""
