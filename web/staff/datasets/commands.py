"""The commands of a parse project: their results in words, and the answers of workers."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Consensus, Project, Task
from annotation.references import references
from annotation.review.commands import command_of
from annotation.tools.parse.readout import Reading, agent_reading, reading
from annotation.tools.parse.settings import given_to
from annotation.tools.parse.steps import checked
from common.serializers import read
from lib.faults import CrosswalkError, Malformed, NotFound
from lib.logical_form.normal import same
from lib.logical_form.spans import tokenise
from lib.strict_json import parse_json
from web.api.parse import CheckBody
from web.http.problems import problem_of
from web.staff.datasets.forms import project_with_forms
from web.staff.decorators import staff_only
from web.staff.grid.columns import NUMBER, WIDE, Column, by
from web.staff.grid.filters import choice, text
from web.staff.grid.listing import Listing, Shown
from web.staff.grid.page import respond
from web.staff.review.queue import filters_of

ORDINARY, REFERENCE = "command", "reference"
KINDS = ((ORDINARY, "commands only"), (REFERENCE, "references only"))
UNSURE, MARKED, UNMARKED = "unsure", "marked", "unmarked"
SHOWN = (
    (UNSURE, "waits for an expert"),
    (MARKED, "marked as wrong by a worker"),
    (UNMARKED, "marked as right by a worker"),
)


class CommandRow(NamedTuple):
    """A command in the list. `agent_is_same` is None if there is no form, or the agent's parse is unknown."""

    task: Task
    text: str
    reading: Reading
    agent_is_same: bool | None
    agent_is_valid: bool
    marked: bool | None
    found: Consensus | None


COLUMNS: tuple[Column[CommandRow], ...] = (
    Column("command", "Command", lambda row: row.task.key, WIDE, is_fixed=True),
    Column("text", "Text", lambda row: row.text, WIDE, is_usual=False),
    Column("words", "What it asks for", lambda row: row.reading.words, WIDE),
    Column("status", "Status", lambda row: row.task.status),
    Column("sure", "Sure", lambda row: row.found.confidence if row.found else None, NUMBER),
    Column("answers", "Answers", lambda row: row.found.annotations if row.found else 0, NUMBER),
    Column("parse", "Agent's parse", lambda row: row.agent_is_same),
    Column("newest", "Posted", lambda row: row.task.created_at),
)


@staff_only
@require_safe
def command_list(request: HttpRequest, slug: str) -> HttpResponseBase:
    project = project_with_forms(request, slug)
    filters = (
        text(request, "Part of the key"),
        choice(request, "status", "Status", "Every status", Task.Status.choices),
        choice(request, "kind", "Kind", "Commands and references", KINDS),
        choice(request, "only", "Only", "All of these", SHOWN),
    )
    listing = Listing(
        name="commands",
        what="command",
        rows=_narrowed(project, {one.name: one.value for one in filters}),
        columns=COLUMNS,
        made=lambda found: [_row(task) for task in found],
        orders={
            "newest": by("id", prefix=("project_id",)),
            "command": by("key", is_descending=False, prefix=("project_id",)),
        },
        filters=filters,
        cells="staff/datasets/_command_cells.html",
    )

    def more(grid: Shown) -> dict[str, Any]:
        return {"section": "projects", "project": project}

    return respond(request, listing, "staff/datasets/commands.html", more)


def _narrowed(project: Project, asked: Mapping[str, str]) -> "QuerySet[Task]":
    rows = Task.objects.posted().filter(project=project).select_related("consensus", "truth")
    if asked["status"]:
        rows = rows.filter(status=asked["status"])
    if asked["kind"]:
        rows = rows.filter(is_reference=asked["kind"] == REFERENCE)
    if asked["only"] == UNSURE:
        rows = rows.filter(consensus__needs_review=True, consensus__accepted_at=None)
    elif asked["only"]:
        rows = rows.filter(payload__marked=asked["only"] == MARKED)
    return rows.filter(key__contains=asked["q"]) if asked["q"] else rows


def _row(task: Task) -> CommandRow:
    truth, found = getattr(task, "truth", None), getattr(task, "consensus", None)
    form = truth.answers[0].get("form") if truth and truth.answers else found.answer.get("form") if found else None
    agent, faults = agent_reading(task.payload)
    return CommandRow(
        task=task,
        text=task.payload["text"],
        reading=reading(form, tokenise(task.payload["text"])),
        agent_is_same=same(form, agent.form) if form and agent.words else None,
        agent_is_valid=not faults,
        marked=task.payload.get("marked"),
        found=found,
    )


@staff_only
@require_safe
def command(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One command: its result, the agent's parse, and each worker's answers step by step."""
    project = project_with_forms(request, slug)
    rows = Task.objects.posted().filter(project=project).select_related("project", "consensus", "truth")
    task = rows.filter(pk=pk).first()
    if task is None:
        raise NotFound
    may_review = roles.may_in(request.user, project, Role.REVIEWER)
    ctx = {
        "section": "projects",
        "project": project,
        "task": task,
        "command": command_of(task),
        "given_to": given_to(project),
        "may_promote": may_review and references.may_promote(task),
        "promoted": task.promotions.first(),
        "tail": filters_of(request).tail,
    }
    return render(request, "staff/datasets/command.html", ctx)


@staff_only
@require_POST
def check_form(request: HttpRequest) -> HttpResponse:
    """The faults of a form that a reviewer is typing, and the form in words, as `POST /work/parse/check/` has them."""
    try:
        body = read(CheckBody, _body(request))
    except CrosswalkError as error:
        problem = problem_of(error)
        if problem is None:
            raise
        return JsonResponse(problem, status=problem["status"], content_type="application/problem+json")
    return JsonResponse(checked(text=body["text"], form=body["form"]))


def _body(request: HttpRequest) -> object:
    try:
        return parse_json(request.body)
    except ValueError as error:
        raise Malformed(f"The body is not JSON: {error}.") from None
