"""The commands of a parse project: their results in words, and the answers of workers."""

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Task
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
from web.http.keyset_pages import Part, counted, window
from web.http.problems import problem_of
from web.staff.datasets.forms import project_with_forms
from web.staff.decorators import ROWS, chosen, staff_only
from web.staff.review.queue import filters_of

MOST_COUNTED = 10_000
"""Counting stops at this number: the exact number of more commands changes nothing for anyone."""
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


@staff_only
@require_safe
def command_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_with_forms(request, slug)
    status = chosen(request, "status", Task.Status.values)
    kind = chosen(request, "kind", [value for value, _ in KINDS])
    only = chosen(request, "only", [value for value, _ in SHOWN])
    search = request.GET.get("q", "").strip()
    rows = Task.objects.posted().filter(project=project).select_related("consensus", "truth")
    if status:
        rows = rows.filter(status=status)
    if kind:
        rows = rows.filter(is_reference=kind == REFERENCE)
    if only == UNSURE:
        rows = rows.filter(consensus__needs_review=True, consensus__accepted_at=None)
    elif only:
        rows = rows.filter(payload__marked=only == MARKED)
    if search:
        rows = rows.filter(key__contains=search)
    page = window(request, [Part(rows, ("id",), is_descending=True)], size=ROWS)
    ctx = {
        "section": "projects",
        "project": project,
        "rows": [_row(task) for task in page.rows],
        "following": page.following,
        "preceding": page.preceding,
        "total": counted(rows, most=MOST_COUNTED),
        "status": status,
        "statuses": Task.Status.choices,
        "kind": kind,
        "kinds": KINDS,
        "only": only,
        "shown": SHOWN,
        "q": search,
        "is_narrowed": bool(status or kind or only or search),
    }
    return render(request, "staff/datasets/commands.html", ctx)


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
