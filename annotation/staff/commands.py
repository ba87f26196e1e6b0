"""The commands of a parse project: what each has come to, in words, and who answered what on the way there."""

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe
from rest_framework.exceptions import ValidationError

from annotation import references, roles
from annotation.api.parse import CheckBody
from annotation.logical_form.normal import same
from annotation.logical_form.spans import tokenise
from annotation.models import Task
from annotation.review.commands import command_of
from annotation.roles import Role
from annotation.staff.forms import project_with_forms
from annotation.staff.review import filters_of
from annotation.tools.parse.checking import checked
from annotation.tools.parse.modes import given_to
from annotation.tools.parse.saying import Reading, of_agent, reading
from common.api import read
from common.errors import CrosswalkError, Malformed, NotFound, problem_of
from common.keyset import Part, counted, window
from common.staff import ROWS, chosen, staff_only
from common.strict_json import parse_json

MOST_COUNTED = 10_000
"""Where counting stops: the exact number of more commands changes nothing for anyone."""
ORDINARY, REFERENCE = "command", "reference"
KINDS = ((ORDINARY, "commands only"), (REFERENCE, "references only"))
UNSURE, MARKED, UNMARKED = "unsure", "marked", "unmarked"
SHOWN = (
    (UNSURE, "waits for an expert"),
    (MARKED, "marked as wrong by a worker"),
    (UNMARKED, "marked as right by a worker"),
)


class CommandRow(NamedTuple):
    """A command of the list. `agent_is_same` is None where there is no form, or the agent's parse is not known."""

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
    return render(request, "staff/commands.html", ctx)


def _row(task: Task) -> CommandRow:
    truth, found = getattr(task, "truth", None), getattr(task, "consensus", None)
    form = truth.answers[0].get("form") if truth and truth.answers else found.answer.get("form") if found else None
    agent, faults = of_agent(task.payload)
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
    """One command: what it has come to, the agent's parse, every way to a form step by step."""
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
    return render(request, "staff/command.html", ctx)


@staff_only
@require_POST
def check_form(request: HttpRequest) -> HttpResponse:
    """What is wrong with a form that a reviewer is writing, and how it reads: what `POST /work/parse/check/` says."""
    try:
        body = read(CheckBody, _body(request))
    except (CrosswalkError, ValidationError) as error:
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
