"""One task under review: all answers side by side, and the reviewer's decision."""

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

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Annotation, Category, Finding, Task
from annotation.review import adjudication, findings
from annotation.review.side_by_side import Shown, SideBySide, as_json, side_by_side
from annotation.tool_registry import tool_named
from lib.faults import CrosswalkError, Invalid, NotFound
from lib.strict_json import parse_json
from web.http.problems import problem_of
from web.staff.addresses import task_page
from web.staff.decorators import staff_only
from web.staff.review import command, scene
from web.staff.review.queue import filters_of, next_page, onwards

Problem = dict[str, Any]
DRAWN_HERE = {"parse": command, "voxels": scene}
"""The tools whose review page the server draws, with its form. An island draws the page of other tools."""


def task_for(request: HttpRequest, pk: int, role: Role = Role.VIEWER) -> Task:
    """The task, if the account has at least this role in its project. 1 query.

    Raises:
        NotFound: there is no such task, or the account has no role in its project.
        Forbidden: the account may see the task, but its role is too low.
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
    """The page; after a refused form, with what was typed."""
    tool = tool_named(task.project.tool)
    seen = side_by_side(task)
    is_drawn = tool.name in DRAWN_HERE
    plain = "plain" in request.GET or (problem is not None and not is_drawn)
    names = ["staff/review/task.html"] if plain else [f"staff/review/task_{tool.name}.html", "staff/review/task.html"]
    template = select_template(names)
    has_island = not is_drawn and template.template.name != "staff/review/task.html"
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
    """An answer that the reviewer can start from: the consensus, or the first counting answer."""
    said = [row.annotation.answer for row in seen.answers if row.is_current]
    return _bare(seen.task, said[0]) if said else None


def _bare(task: Task, answer: dict[str, Any]) -> dict[str, Any]:
    """An answer as the worker submitted it, without the fields that the tool computed."""
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
    """The answer in the form: typed as JSON, or picked from the workers' answers, or read by the tool's own page."""
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
    # The reviewer decides on the proposal that the page showed. A newer one was not looked at.
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
"""The acts of the form. Each returns the sentence for the reviewer."""


@staff_only
@require_POST
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """Do the act of the form, then go on to the next item of the queue.

    A script gets JSON: the next address, or the problem. A form gets the next page, or its own page with what was
    typed.
    """
    wants_json = request.headers.get("Accept", "") == "application/json"
    try:
        task = task_for(request, pk, Role.REVIEWER)
        filters = filters_of(request)
        act = ACTS.get(request.POST.get("act", ""))
        if act is None:
            raise Invalid.at("#/act", "Choose what to do.")
        # The next page is found first, because the decision removes this task from the queue.
        after = onwards(filters, next_page(request.user, filters, after=task_page(pk)))
        said = act(request, task, request.POST.get("reason", ""), _user(request))
    except CrosswalkError as error:
        problem = problem_of(error)
        if problem is None or (error.status in {403, 404} and not wants_json):
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
    """Add the task or an answer to a category, or remove it. Returns the present categories."""
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
        # Back to the page with the form. An island has its own form, so its page without scripts is shown instead.
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
