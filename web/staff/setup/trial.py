"""“Try it”: the worker's page on one task of a project, for staff. Nothing is stored.

It is the page that shows a task as a question of a quiz: it holds the whole task and claims nothing, and its answer is
checked here as a worker's would be, and then dropped.
"""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access.roles import Role, project_for
from annotation.models import Project, Task
from annotation.tool_registry import Json, OwnTasks, Tool, tool_named
from annotation.tools.parse import steps as parse_steps
from annotation.tools.practice import PRACTICE, is_right, practice_of, shown_practice
from common.markdown import render_markdown
from common.serializers import read
from lib.faults import CrosswalkError, Invalid, NotFound
from web.api.parse import NextBody, usable
from web.http.problems import problem_of
from web.staff.decorators import staff_only
from web.staff.setup.steps import after, steps_of

ANSWER = "q-answer"
ASK = "You are trying this task. Nothing is kept."


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def trial(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what one can try; a posted answer is checked, and what a worker's would have come to is told."""
    project = project_for(request.user, slug, Role.ADMIN)
    ctx: dict[str, Any] = {
        "section": "projects",
        "project": project,
        "steps": steps_of(project, "try"),
        "next": after(project, "try"),
        "task": _task(project),
        "is_live_tool": isinstance(tool_named(project.tool), OwnTasks),
        "quiz": project.qualification,
    }
    if request.method == "POST":
        ctx |= _judged(project, request.POST.get("task", ""), request.POST.get(ANSWER, ""))
    return render(request, "staff/setup/trial.html", ctx, status=422 if ctx.get("error") else 200)


def _task(project: Project, *, after_pk: int = 0) -> Task | None:
    """A task to try: the first behind this one, or the first of all."""
    tasks = project.tasks.posted().filter(status=Task.Status.OPEN).order_by("pk")
    return tasks.filter(pk__gt=after_pk).first() or tasks.first()


@staff_only
@require_http_methods(["GET", "HEAD"])
def trial_task(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The worker's page on this task."""
    project = project_for(request.user, slug, Role.ADMIN)
    task = project.tasks.posted().filter(pk=pk).first()
    if task is None:
        raise NotFound
    tool = tool_named(project.tool)
    payload = tool.present(_bare(task), hold=f"task:{task.pk}")
    return _page_of_tool(request, project, task=str(task.pk), payload=payload, ask=ASK)


@staff_only
@require_http_methods(["GET", "HEAD"])
def trial_practice(request: HttpRequest, slug: str) -> HttpResponse:
    """The worker's page on the practice task, as it is saved."""
    project = project_for(request.user, slug, Role.ADMIN)
    practice = practice_of(project)
    if practice is None:
        raise NotFound("this project has no practice task")
    payload = shown_practice(practice, project, enrolment=0)
    return _page_of_tool(request, project, task=PRACTICE, payload=payload, ask=practice.ask)


def _page_of_tool(request: HttpRequest, project: Project, *, task: str, payload: Json, ask: str) -> HttpResponse:
    ctx = {
        "project": project,
        "task": task,
        "ask": ask,
        "tool": project.tool,
        "title": project.title,
        "key": f"try-{task}-{timezone.now().timestamp():.0f}",
        "payload": json.dumps(payload),
        "pages": [render_markdown(text) for text in project.instructions],
    }
    return render(request, "staff/setup/trial_task.html", ctx)


def _bare(task: Task) -> Task:
    """A task with this payload, which is in no project, so that a tool shows the whole of it."""
    return Task(payload=task.payload)


def _judged(project: Project, pk: str, text: str) -> Json:
    """The result that a worker's answer would have had."""
    if pk == PRACTICE:
        return _practised(project, text)
    task = project.tasks.posted().filter(pk=int(pk) if pk.isascii() and pk.isdigit() else 0).first()
    if task is None:
        return {"error": "This task is not there any more. Try another."}
    tool = tool_named(project.tool)
    try:
        answer = tool.check(task.payload, read(tool.answer, _parsed(text)))
    except Invalid as error:
        return {"error": error.reasons}
    return {
        "tried": task,
        "answer": json.dumps(answer, indent=2, ensure_ascii=False),
        "score": _score(tool, task, answer),
        "task": _task(project, after_pk=task.pk),
    }


def _practised(project: Project, text: str) -> Json:
    """The result of an answer to the practice task."""
    practice = practice_of(project)
    if practice is None:
        return {"error": "The practice is not there any more."}
    try:
        answer = _parsed(text)
        is_right_answer = is_right(practice, answer)
    except Invalid as error:
        return {"error": error.reasons}
    why = "" if is_right_answer else practice.why
    return {"is_practice": True, "is_right": is_right_answer, "why": why, "answer": json.dumps(answer, indent=2)}


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise Invalid.at("#", "The page sent no answer.") from None


def _score(tool: Tool, task: Task, answer: Json) -> float | None:
    """The score of the answer, where the task is a reference."""
    truth = getattr(task, "truth", None)
    if truth is None:
        return None
    scores = [tool.score(answer, right, truth.tolerance_s) for right in truth.answers]
    return max((score for score in scores if score is not None), default=None)


@staff_only
@require_POST
def next_step(request: HttpRequest, slug: str) -> HttpResponse:
    """The next questions about a command, as `POST /work/parse/next/` gives them to a worker."""
    project_for(request.user, slug, Role.ADMIN)
    try:
        body = read(NextBody, _parsed(request.body.decode(errors="replace")))
        return JsonResponse(parse_steps.shown_next(body, usable(body["text"], body["record"])))
    except CrosswalkError as error:
        return JsonResponse(problem_of(error), status=error.status)
