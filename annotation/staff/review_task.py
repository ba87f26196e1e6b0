"""One task under review: everything that was said about it side by side, and what a reviewer does about it."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import select_template
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from rest_framework.exceptions import ValidationError

from annotation import roles
from annotation.models import Annotation, Category, Finding, Task
from annotation.review import adjudication, findings
from annotation.review.side_by_side import Shown, SideBySide, as_json, side_by_side
from annotation.review.sources import task_page
from annotation.roles import Role
from annotation.staff import review_parse, review_voxels
from annotation.staff.review import filters_of, next_page, onwards
from annotation.tools import tool_named
from common.errors import CrosswalkError, Invalid, NotFound, problem_of
from common.staff import staff_only
from common.strict_json import parse_json

Problem = dict[str, Any]
DRAWN_HERE = {"parse": review_parse, "voxels": review_voxels}
"""Tools whose page under review comes from the server, form and all, and no island draws it."""


def task_for(request: HttpRequest, pk: int, role: Role = Role.VIEWER) -> Task:
    """The task, for somebody who may do what this role may in its project. 1 query.

    Raises:
        NotFound: there is none, or the account has no role in its project.
        Forbidden: it may look, but not do that.
    """
    visible = Task.objects.filter(project__in=roles.projects_for(request.user))
    found = visible.select_related("project", "consensus", "truth").filter(pk=pk).first()
    if found is None:
        raise NotFound
    roles.check_in(request.user, found.project, role)
    return found


@staff_only
@require_safe
def review_task(request: HttpRequest, pk: int) -> HttpResponse:
    return _page(request, task_for(request, pk))


def _page(request: HttpRequest, task: Task, *, problem: Problem | None = None) -> HttpResponse:
    """The page; after a refusal with what was typed."""
    tool = tool_named(task.project.tool)
    seen = side_by_side(task)
    is_drawn = tool.name in DRAWN_HERE
    plain = "plain" in request.GET or (problem is not None and not is_drawn)
    names = ["review/task.html"] if plain else [f"review/task_{tool.name}.html", "review/task.html"]
    template = select_template(names)
    has_island = not is_drawn and template.template.name != "review/task.html"
    tail = filters_of(request).tail
    ctx = {
        "section": "review",
        "task": task,
        "seen": seen,
        "tail": tail,
        "may_decide": roles.may_in(request.user, task.project, Role.REVIEWER),
        "is_own_proposal": seen.proposed is not None and seen.proposed.by_id == request.user.pk,
        "example": _example(seen),
        "island": _island(request, seen, tail) if has_island else None,
        "problem": problem,
        "typed": request.POST,
        "next": f"{reverse('staff-review-next')}{_and(tail)}after={task_page(task.pk)}",
        **(DRAWN_HERE[tool.name].context_of(request, seen) if is_drawn and not plain else {}),
    }
    return render(request, template.template.name, ctx, status=problem["status"] if problem else 200)


def _and(tail: str) -> str:
    return f"{tail}&" if tail else "?"


def _example(seen: SideBySide) -> dict[str, Any] | None:
    """An answer in the tool's form, to begin from: the consensus, else the first that stands."""
    said = [row.annotation.answer for row in seen.answers if row.is_standing]
    return _bare(seen.task, said[0]) if said else None


def _bare(task: Task, answer: dict[str, Any]) -> dict[str, Any]:
    """A kept answer as it was handed in, without what the tool's check added."""
    fields = tool_named(task.project.tool).answer().fields
    return {name: value for name, value in answer.items() if name in fields}


def _island(request: HttpRequest, seen: SideBySide, tail: str) -> dict[str, Any]:
    task = seen.task
    shown = Shown(
        name=lambda worker: roles.name_of(request.user, worker),
        page=lambda worker: reverse("staff-worker", args=[worker.pk]),
        me=request.user.pk,
    )
    return {
        "task": {
            "key": task.key,
            "status": task.status,
            "wanted": task.wanted,
            "is_reference": task.is_reference,
            "project": task.project.title,
        },
        "payload": tool_named(task.project.tool).present(task, hold=f"task:{task.pk}"),
        "may_decide": roles.may_in(request.user, task.project, Role.REVIEWER),
        "two_persons": task.project.two_person_review,
        "decide": reverse("staff-review-decide", args=[task.pk]) + tail,
        "tags": reverse("staff-review-tags", args=[task.pk]),
        "next": f"{reverse('staff-review-next')}{_and(tail)}after={task_page(task.pk)}",
        "queue": reverse("staff-review") + tail,
        **as_json(seen, shown),
    }


def _adjudicate(request: HttpRequest, task: Task, reason: str, by: User) -> str:
    made = adjudication.adjudicate(task=task, answer=_answer(request, task), reason=reason, by=by, at=timezone.now())
    if made.status == made.Status.PROPOSED:
        return f"✓ Proposed for {task.key}. It counts once a second reviewer confirms it."
    return f"✓ {task.key} is decided."


def _answer(request: HttpRequest, task: Task) -> Any:
    """What was typed as JSON, or the answer of a worker that was picked; or what the tool's own form says."""
    drawn = DRAWN_HERE.get(task.project.tool)
    if drawn is not None and "answer" not in request.POST:
        return drawn.answer_of(request, task)
    picked = request.POST.get("pick", "")
    if picked:
        found = Annotation.objects.filter(task=task, public_id=picked).first()
        if found is None:
            raise Invalid.at("#/answer", "This answer is not there.")
        return _bare(task, found.answer)
    try:
        return parse_json(request.POST.get("answer", "").encode())
    except ValueError as error:
        raise Invalid.at("#/answer", f"The answer is not JSON: {error}.") from None


def _second(request: HttpRequest, task: Task, reason: str, by: User, *, agrees: bool) -> str:
    proposed, _ = adjudication.in_force(task)
    # The proposal that the page showed: a newer one has not been looked at.
    if proposed is None or str(proposed.pk) != request.POST.get("proposal", ""):
        raise adjudication.NothingProposed
    if agrees:
        adjudication.confirm(adjudication=proposed, by=by, reason=reason, at=timezone.now())
        return f"✓ Confirmed: {task.key} is decided."
    adjudication.refuse(adjudication=proposed, by=by, reason=reason, at=timezone.now())
    return f"✓ Refused: {task.key} waits for another decision."


def _confirm(request: HttpRequest, task: Task, reason: str, by: User) -> str:
    return _second(request, task, reason, by, agrees=True)


def _refuse(request: HttpRequest, task: Task, reason: str, by: User) -> str:
    return _second(request, task, reason, by, agrees=False)


def _take_back(request: HttpRequest, task: Task, reason: str, by: User) -> str:
    adjudication.take_back(task=task, by=by, reason=reason, at=timezone.now())
    return f"✓ Taken back: the answers of the workers decide {task.key} again."


def _close(request: HttpRequest, task: Task, reason: str, by: User) -> str:
    adjudication.close(task=task, reason=reason, by=by, at=timezone.now())
    return f"✓ {task.key} is closed as not judgeable: counted apart, given to nobody."


def _reopen(request: HttpRequest, task: Task, reason: str, by: User) -> str:
    adjudication.reopen(task=task, by=by, reason=reason, at=timezone.now())
    return f"✓ {task.key} is open again: the answers that there are count as before."


def _more(request: HttpRequest, task: Task, reason: str, by: User) -> str:
    adjudication.ask_for_more(task=task, by=by, reason=reason, at=timezone.now())
    return f"✓ One more person is asked about {task.key}."


def _dismiss(request: HttpRequest, task: Task, reason: str, by: User) -> str:
    adjudication.dismiss(task=task, reason=reason, by=by, at=timezone.now())
    return f"✓ {task.key} stays as it is."


ACTS: dict[str, Callable[[HttpRequest, Task, str, User], str]] = {
    "adjudicate": _adjudicate,
    "confirm": _confirm,
    "refuse": _refuse,
    "take_back": _take_back,
    "unjudgeable": _close,
    "reopen": _reopen,
    "more": _more,
    "dismiss": _dismiss,
}
"""What the form may ask for; each answers with what to tell the reviewer."""


@staff_only
@require_POST
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """Do what the form says, then on to the next thing of the queue.

    A script gets JSON: where to go next, or the problem. A form gets the next page, or its own with what was typed.
    """
    wants_json = request.headers.get("Accept", "") == "application/json"
    try:
        task = task_for(request, pk, Role.REVIEWER)
        filters = filters_of(request)
        act = ACTS.get(request.POST.get("act", ""))
        if act is None:
            raise Invalid.at("#/act", "Choose what to do.")
        # Where it stands in the queue is known only before it is decided.
        after = onwards(filters, next_page(request.user, filters, after=task_page(pk)))
        said = act(request, task, request.POST.get("reason", ""), _user(request))
    except (CrosswalkError, ValidationError) as error:
        problem = problem_of(error)
        if problem is None or (isinstance(error, CrosswalkError) and error.status in {403, 404} and not wants_json):
            raise
        if wants_json:
            return JsonResponse(problem, status=problem["status"], content_type="application/problem+json")
        return _page(request, task_for(request, pk), problem=problem)
    messages.success(request, said)
    return JsonResponse({"next": after}) if wants_json else redirect(after)


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - staff_only has seen to it
    return request.user


@staff_only
@require_POST
def tag(request: HttpRequest, pk: int) -> HttpResponse:
    """Put the task or an answer into a category, or take it out again; answers what is tagged now."""
    wants_json = request.headers.get("Accept", "") == "application/json"
    try:
        task = task_for(request, pk, Role.REVIEWER)
        if "remove" in request.POST:
            found = _finding(task, request.POST["remove"])
            findings.untag(finding=found, by=_user(request), at=timezone.now())
        else:
            findings.tag(
                task=task,
                category=_category(request.POST.get("category", "")),
                annotation=_annotation(task, request.POST.get("annotation", "")),
                note=request.POST.get("note", ""),
                by=_user(request),
                at=timezone.now(),
            )
    except CrosswalkError as error:
        problem = problem_of(error)
        if not wants_json or problem is None:
            raise
        return JsonResponse(problem, status=problem["status"], content_type="application/problem+json")
    if not wants_json:
        # The page that has the form: an island tags by itself, and is left for its page without scripts.
        return redirect(task_page(pk) if task.project.tool in DRAWN_HERE else f"{task_page(pk)}?plain")
    seen = side_by_side(task)
    island = as_json(seen, Shown(name=lambda worker: "", page=lambda worker: "", me=None))
    return JsonResponse(
        {
            "findings": island["findings"],
            "answers": {answer["id"]: answer["findings"] for answer in island["answers"]},
        }
    )


def _finding(task: Task, pk: str) -> Finding:
    rows = Finding.objects.filter(task=task).select_related("task__project", "category", "annotation")
    found = rows.filter(pk=int(pk)).first() if pk.isdecimal() else None
    if found is None:
        raise NotFound
    return found


def _category(pk: str) -> Category:
    found = Category.objects.filter(pk=int(pk)).first() if pk.isdecimal() else None
    if found is None:
        raise Invalid.at("#/category", "Choose a category.")
    return found


def _annotation(task: Task, public_id: str) -> Annotation | None:
    if not public_id:
        return None
    found = Annotation.objects.filter(task=task, public_id=public_id).first()
    if found is None:
        raise Invalid.at("#/annotation", "This answer is not there.")
    return found
