"""The tasks of a project, with acts on many of them at once."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Category, Consensus, Project, Task
from annotation.references import references
from annotation.references.reference_health import has_classes
from annotation.review import adjudication, findings
from annotation.tool_registry import tool_named
from lib.faults import Conflict
from web.staff.decorators import staff_actor, staff_only
from web.staff.grid.columns import NUMBER, WIDE, Column, by
from web.staff.grid.filters import choice, text
from web.staff.grid.listing import Act, Given, Listing, Shown
from web.staff.grid.page import respond
from web.staff.projects.projects import answers_on

KINDS = {"ordinary": "Tasks only", "reference": "References only"}
ORDERS = {"newest": by("id", prefix=("project_id",)), "task": by("key", is_descending=False, prefix=("project_id",))}


class Row(NamedTuple):
    """A task with its consensus, even a provisional one, and the number of its counting answers."""

    task: Task
    consensus: Consensus | None
    answers: int


COLUMNS: tuple[Column[Row], ...] = (
    Column("task", "Task", lambda row: row.task.key, is_fixed=True),
    Column("status", "Status", lambda row: row.task.status),
    Column("answers", "Answers", lambda row: row.answers, NUMBER),
    Column("wanted", "Wanted", lambda row: row.task.wanted, NUMBER, is_usual=False),
    Column("consensus", "Consensus", lambda row: row.consensus.answer if row.consensus else None, WIDE),
    Column("method", "Method", lambda row: row.consensus.method if row.consensus else "", is_usual=False),
    Column("sure", "Sure", lambda row: row.consensus.confidence if row.consensus else None, NUMBER),
    Column("priority", "Priority", lambda row: row.task.priority, NUMBER),
    Column("reference", "Reference", lambda row: row.task.is_reference, is_usual=False),
    Column("newest", "Made", lambda row: row.task.created_at),
    Column("closed", "Closed", lambda row: row.task.closed_at, is_usual=False),
    Column("payload", "Payload", lambda row: row.task.payload, WIDE, is_usual=False),
)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def task_list(request: HttpRequest, slug: str) -> HttpResponseBase:
    project = roles.project_for(request.user, slug)
    may_review = roles.may_in(request.user, project, Role.REVIEWER)
    if request.method == "POST":
        roles.check_in(request.user, project, Role.REVIEWER)
    filters = (
        text(request, "Part of the key"),
        choice(request, "status", "Status", "Every status", Task.Status.choices),
        choice(request, "kind", "Kind", "Tasks and references", KINDS.items()),
    )
    listing = Listing(
        name="tasks",
        what="task",
        rows=_narrowed(project, {one.name: one.value for one in filters}),
        columns=COLUMNS,
        made=_rows,
        orders=ORDERS,
        filters=filters,
        cells="staff/projects/_task_cells.html",
        acts=_acts(request) if may_review else (),
    )

    def more(grid: Shown) -> dict[str, Any]:
        return {
            "section": "projects",
            "project": project,
            "has_classes": has_classes(project),
            "may_review": may_review,
        }

    return respond(request, listing, "staff/projects/tasks.html", more)


def _narrowed(project: Project, asked: Mapping[str, str]) -> "QuerySet[Task]":
    rows = project.tasks.posted().select_related("consensus", "project")
    if asked["status"]:
        rows = rows.filter(status=asked["status"])
    if asked["kind"]:
        rows = rows.filter(is_reference__in=[asked["kind"] == "reference"])
    return rows.filter(key__contains=asked["q"]) if asked["q"] else rows


def _rows(tasks: list[Task]) -> list[Row]:
    """The rows of the page. 1 query."""
    answers = answers_on(tasks)
    return [Row(task, getattr(task, "consensus", None), answers.get(task.pk, 0)) for task in tasks]


def _acts(request: HttpRequest) -> list[Act[Task]]:
    """The acts of a reviewer on many tasks at once; each is the act on a single task, with its own audit event."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101 - staff_only has seen to it
    by_name = staff_actor(request)
    categories = Category.objects.filter(retired_at=None, taxonomy=Category.Taxonomy.AGENT_FAILURE)
    known = {str(one.pk): one for one in categories.order_by("position", "pk")}

    def close(task: Task, given: Given) -> bool:
        adjudication.close(task=task, reason=given.reason, by=user, at=timezone.now())
        return task.status != Task.Status.UNJUDGEABLE

    def reopen(task: Task, given: Given) -> bool:
        adjudication.reopen(task=task, reason=given.reason, by=user, at=timezone.now())
        return task.status == Task.Status.UNJUDGEABLE

    def ask_again(task: Task, given: Given) -> None:
        adjudication.ask_for_more(task=task, reason=given.reason, by=user, at=timezone.now())

    def tag(task: Task, given: Given) -> None:
        findings.tag(
            task=task, category=known[given.option], annotation=None, note=given.reason, by=user, at=timezone.now()
        )

    def make_reference(task: Task, given: Given) -> None:
        seen = getattr(task, "consensus", None)
        truth = tool_named(task.project.tool).truth_of(seen.answer) if seen else None
        if truth is None:
            raise Conflict("Only a task with a settled answer can become a reference, and only once.")
        references.promote(
            task=task, confirmed=truth, tolerance_s=None, reason=given.reason, by=by_name, at=timezone.now()
        )

    return [
        Act("close", "Close as not judgeable", "closed as not judgeable", close, needs_reason=True, is_final=True),
        Act("reopen", "Reopen", "reopened", reopen),
        Act("ask", "Ask one more", "ask one more worker", ask_again),
        Act(
            "reference",
            "Make references",
            "made references",
            make_reference,
            needs_reason=True,
            is_final=True,
            most=200,
        ),
        Act("tag", "Tag", "tagged", tag, options=[(pk, one.label) for pk, one in known.items()]),
    ]
