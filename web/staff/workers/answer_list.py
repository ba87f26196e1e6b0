"""The answers of one worker, in every project that the account may see."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.models import Annotation, Project
from annotation.quality.accuracy import HALF
from web.staff.decorators import staff_only
from web.staff.grid.columns import NUMBER, WIDE, Column, by
from web.staff.grid.filters import choice, text
from web.staff.grid.listing import Listing, Shown
from web.staff.grid.page import respond
from workforce.models import Worker

KINDS = {"task": "no references", "reference": "references only"}
RIGHT: Mapping[str, tuple[str, dict[str, float]]] = {
    "right": ("right", {"score__gte": HALF}),
    "wrong": ("wrong", {"score__lt": HALF}),
}
COLUMNS: tuple[Column[Annotation], ...] = (
    Column("task", "Task", lambda row: row.task.key, is_fixed=True),
    Column("newest", "Handed in", lambda row: row.submitted_at),
    Column("answer", "Answer", lambda row: row.answer, WIDE),
    Column("score", "Against the truth", lambda row: row.score, NUMBER),
    Column("time", "Time spent", lambda row: _seconds(row), NUMBER),
    Column("project", "Project", lambda row: row.project.slug),
    Column("replaced", "Replaced", lambda row: row.superseded_by_id is not None, is_usual=False),
)


def _seconds(row: Annotation) -> float:
    """The time at work, or since the claim where the tool measures none."""
    return row.active_s if row.active_s is not None else (row.submitted_at - row.claimed_at).total_seconds()


@staff_only
@require_safe
def answer_list(request: HttpRequest, pk: int) -> HttpResponseBase:
    found = roles.worker_for(request.user, pk)
    theirs = roles.projects_for(request.user)
    projects = theirs.filter(enrolments__worker=found).order_by("title", "pk").values_list("slug", "title")
    filters = (
        text(request, "Part of the key"),
        choice(request, "project", "Project", "Every project", projects),
        choice(request, "kind", "Kind", "Tasks and references", KINDS.items()),
        choice(request, "right", "Right", "Right or wrong", ((word, words) for word, (words, _) in RIGHT.items())),
    )
    listing = Listing(
        name="answers",
        what="answer",
        rows=_narrowed(found, theirs, **{one.name: one.value for one in filters}),
        columns=COLUMNS,
        made=lambda rows: rows,
        orders={"newest": by("id", prefix=("worker_id",))},
        filters=filters,
        cells="staff/workers/_answer_cells.html",
    )

    def more(grid: Shown) -> dict[str, Any]:
        return {"section": "workers", "worker": found}

    return respond(request, listing, "staff/workers/answer_list.html", more)


def _narrowed(
    worker: Worker, theirs: QuerySet[Project], *, q: str, project: str, kind: str, right: str
) -> QuerySet[Annotation]:
    rows = Annotation.objects.filter(worker=worker, project__in=theirs).select_related("project", "task")
    if q:
        rows = rows.filter(task__key__contains=q)
    if project:
        rows = rows.filter(project__slug=project)
    if kind:
        rows = rows.filter(task__is_reference=kind == "reference")
    return rows.filter(**RIGHT[right][1]) if right else rows
