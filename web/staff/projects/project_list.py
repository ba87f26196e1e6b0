"""The list of projects with their progress."""

from django.db.models import Q
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.models import Project
from web.staff.decorators import staff_only
from web.staff.grid.columns import NEWEST, NUMBER, WIDE, Column, by
from web.staff.grid.filters import choice, text
from web.staff.grid.listing import Listing
from web.staff.grid.page import respond
from web.staff.projects.projects import Standing, standings

COLUMNS: tuple[Column[Standing], ...] = (
    Column("project", "Project", lambda row: row.project.slug, WIDE, is_fixed=True),
    Column("title", "Title", lambda row: row.project.title, is_usual=False),
    Column("status", "Status", lambda row: row.project.status),
    Column("finished", "Finished tasks", lambda row: row.counts.closed),
    Column("tasks", "Tasks", lambda row: row.counts.tasks, NUMBER, is_usual=False),
    Column("unjudgeable", "Not judgeable", lambda row: row.counts.unjudgeable, NUMBER),
    Column("references", "References", lambda row: row.counts.references, NUMBER),
    Column("answers", "Answers", lambda row: row.project.annotation_count, NUMBER),
    Column("hour", "Last hour", lambda row: row.last_hour, NUMBER, is_usual=False),
    Column("spent", "Spent", lambda row: row.project.spent, NUMBER),
    Column("budget", "Budget", lambda row: row.project.budget, NUMBER, is_usual=False),
    Column("currency", "Currency", lambda row: row.project.currency, is_usual=False),
    Column("tool", "Tool", lambda row: row.project.tool),
    Column("newest", "Made", lambda row: row.project.created_at),
)


@staff_only
@require_safe
def project_list(request: HttpRequest) -> HttpResponseBase:
    search = text(request, "Title")
    status = choice(request, "status", "Status", "Every status", Project.Status.choices)
    rows = roles.projects_for(request.user).filter(archived_at=None)
    if search:
        rows = rows.filter(Q(slug__icontains=search.value) | Q(title__icontains=search.value))
    if status:
        rows = rows.filter(status=status.value)
    listing = Listing(
        name="projects",
        what="project",
        rows=rows,
        columns=COLUMNS,
        made=lambda found: standings(found, at=timezone.now()),
        orders={"newest": NEWEST, "project": by("slug", is_descending=False)},
        filters=[search, status],
        cells="staff/projects/_project_cells.html",
    )
    return respond(request, listing, "staff/projects/projects.html", lambda grid: {"section": "projects"})
