"""One reference of a project: making it of a task, its answers, correcting and retiring it."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Annotation, Project, ScoreChange, Task
from annotation.quality import pauses
from annotation.references import reference_health, references
from annotation.tool_registry import Json, tool_named
from annotation.tools.parse.readout import AnsweredQuestion, answered_questions, step_of
from audit.models import AuditEvent
from jobs.models import Job
from lib.faults import Conflict, CrosswalkError, Fault, Invalid, NotFound
from lib.logical_form.spans import tokenise
from lib.strict_json import parse_json
from web.staff.decorators import paged, staff_actor, staff_only
from web.staff.projects import tool_texts

MOST_GATES = 50


# Out of a task -------------------------------------------------------------------------------------------------


@staff_only
def new_reference(request: HttpRequest, slug: str, task: int) -> HttpResponse:
    """Show a settled task, and make a reference of it."""
    project = roles.project_for(request.user, slug, Role.REVIEWER)
    found = project.tasks.select_related("consensus", "project").filter(pk=task).first()
    if found is None:
        raise NotFound
    if not references.may_promote(found):
        raise Conflict("Only a task with a settled answer can become a reference, and only once.")
    if request.method == "POST":
        return _promoted(request, project, found)
    return _promote_page(request, project, found)


def _promoted(request: HttpRequest, project: Project, task: Task) -> HttpResponse:
    reason, tolerance = request.POST.get("reason", ""), request.POST.get("tolerance_s", "").strip()
    try:
        if request.POST.get("confirm") != "yes":
            raise Invalid.at("#/confirm", "Please look at the task, and say that the answer is right.")
        made = references.promote(
            task=task,
            confirmed=_parsed(request.POST.get("confirmed", "")),
            tolerance_s=_seconds(tolerance),
            reason=reason,
            by=staff_actor(request),
            at=timezone.now(),
        )
    except Invalid as error:
        fault = error.faults[0] if error.faults else Fault("#", error.detail)
        ctx = {"error": fault.detail, "reason": reason, "tolerance": tolerance}
        return _promote_page(request, project, task, status=error.status, **ctx)
    messages.success(request, f"✓ {made.key} is a reference now. {task.key} stays in the rankings.")
    return redirect("staff-reference", project.slug, made.pk)


def _promote_page(
    request: HttpRequest,
    project: Project,
    task: Task,
    *,
    error: str = "",
    reason: str = "",
    tolerance: str = "",
    status: int = 200,
) -> HttpResponse:
    truth = tool_named(project.tool).truth_of(task.consensus.answer)
    ctx = {
        "section": "projects",
        "project": project,
        "task": task,
        "has_classes": reference_health.has_classes(project),
        "tool": tool_texts.page_of(project),
        "picture": tool_texts.picture(request, task),
        "truth": truth,
        "confirmed": json.dumps(truth),
        "annotations": Annotation.objects.current().filter(task=task).select_related("worker").order_by("pk")[:100],
        "error": error,
        "reason": reason,
        "tolerance": tolerance,
    }
    return render(request, "staff/projects/references_new.html", ctx, status=status)


# One reference -------------------------------------------------------------------------------------------------


class AnswerRow(NamedTuple):
    """One answer to a reference. `off_s` is the distance to the nearest right moment; a positive value is too late."""

    annotation: Annotation
    off_s: float | None
    changes: list[ScoreChange]
    said: Sequence[AnsweredQuestion] = ()
    """The answers to the single questions, if the reference is asked in parts."""


@staff_only
@require_safe
def reference(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = roles.project_for(request.user, slug)
    return _page(request, project, reference_in(project, pk))


def reference_in(project: Project, pk: int) -> Task:
    """The project's reference with this id; 404 if there is none. 1 query."""
    rows = Task.objects.references().select_related("truth", "promoted_from", "project", "part_of")
    found = rows.filter(project=project, pk=pk).first()
    if found is None:
        raise NotFound
    return found


def _page(
    request: HttpRequest,
    project: Project,
    found: Task,
    *,
    faults: tuple[Fault, ...] = (),
    typed: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    figures = reference_health.with_figures(project).filter(pk=found.pk)
    answers = Annotation.objects.current().filter(**{"task__part_of" if found.is_whole else "task": found})
    answers = answers.select_related("worker", "task").order_by("-pk")
    page = paged(request, answers.prefetch_related("score_changes"))
    events = AuditEvent.objects.filter(subject_kind="reference", subject=str(found.pk)).order_by("-pk")
    pending = Job.objects.unfinished().filter(kind=references.RESCORE, subject__in=[str(event.pk) for event in events])
    ctx = {
        "section": "projects",
        "project": project,
        "task": found,
        "standing": next(iter(reference_health.figures_of(figures)), None),
        "has_classes": reference_health.has_classes(project),
        "tool": tool_texts.page_of(project),
        "picture": tool_texts.picture(request, found),
        "answers": [_answer(found, annotation) for annotation in page],
        "page": page,
        "events": events,
        "rescoring": pending.first(),
        "gate_actions": pauses.resting_on(found)[:MOST_GATES],
        "may_review": roles.may_in(request.user, project, Role.REVIEWER),
        "faults": faults,
        "typed": typed or {},
        "right": "\n".join(
            json.dumps(_as_posted(project, answer), ensure_ascii=False) for answer in found.truth.answers
        ),
    }
    return render(request, "staff/projects/reference.html", ctx, status=status)


def _answer(found: Task, annotation: Annotation) -> AnswerRow:
    marked = annotation.answer.get("time_s")
    moments = [one["time_s"] for one in found.truth.answers if one.get("time_s") is not None]
    offsets = [marked - moment for moment in moments] if marked is not None else []
    said: Sequence[AnsweredQuestion] = ()
    if "step" in (payload := annotation.task.payload):
        said = answered_questions(step_of(payload), annotation.answer, tokenise(payload["text"]))
    return AnswerRow(annotation, min(offsets, key=abs, default=None), list(annotation.score_changes.all()), said)


def _as_posted(project: Project, answer: Json) -> Json:
    """A right answer in the form in which it is posted, without the fields that the tool computes."""
    whole = tool_named(project.tool).truth_of(answer)
    return whole or {name: value for name, value in answer.items() if value is not None}


@staff_only
@require_POST
def correct(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = roles.project_for(request.user, slug, Role.REVIEWER)
    found = reference_in(project, pk)
    typed = {name: request.POST.get(name, "") for name in ("answers", "tolerance_s", "reason")}
    try:
        references.correct(
            reference=found,
            answers=[_parsed(line) for line in typed["answers"].splitlines() if line.strip()],
            tolerance_s=_seconds(typed["tolerance_s"].strip()),
            reason=typed["reason"],
            by=staff_actor(request),
            at=timezone.now(),
        )
    except Invalid as error:
        return _page(request, project, found, faults=_faults(error), typed=typed, status=error.status)
    messages.success(request, "✓ Corrected. What was answered is judged anew.")
    return redirect("staff-reference", slug, pk)


@staff_only
@require_POST
def retire(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = roles.project_for(request.user, slug, Role.REVIEWER)
    found = reference_in(project, pk)
    try:
        references.retire(
            reference=found, reason=request.POST.get("reason", ""), by=staff_actor(request), at=timezone.now()
        )
    except Invalid as error:
        return _page(request, project, found, faults=_faults(error), status=error.status)
    messages.success(request, "✓ Retired. It is served no more, and counts nowhere.")
    return redirect("staff-reference", slug, pk)


def _faults(error: CrosswalkError) -> tuple[Fault, ...]:
    return error.faults or (Fault("#", error.detail),)


def _parsed(text: str) -> Json:
    """A right answer that was typed as JSON.

    Raises:
        Invalid: the text is no JSON object.
    """
    try:
        value: Any = parse_json(text)
    except ValueError as error:
        raise Invalid.at("#/answers", f"A right answer is JSON, one a line: {error}.") from None
    if not isinstance(value, dict):
        raise Invalid.at("#/answers", "A right answer is a JSON object.")
    return value


def _seconds(text: str) -> float | None:
    """A tolerance that was typed; None if the field is empty.

    Raises:
        Invalid: the text is no number of seconds.
    """
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 3600:
        raise Invalid.at("#/tolerance_s", "A tolerance is a number of seconds from 0 to 3600.")
    return value
