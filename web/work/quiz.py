"""The quiz before the work: its pages, its questions, and its result.

The worker sees each page of Markdown, then one page with all plain questions, then each task on a page of its own,
shown by its tool. Answers are stored in the open attempt. When the last one is there, the attempt is handed in. Only
tasks need JavaScript.
"""

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.views.decorators.http import require_http_methods

from annotation.models import Enrolment
from annotation.tools.quiz_questions import hold_of
from common.markdown import render_markdown
from lib.faults import Forbidden, Invalid
from web.work.visitors import token_of, worker_page
from workforce.consent import has_agreed
from workforce.models import Attempt, Qualification
from workforce.qualifications import State, hand_in, save_answers, start_attempt, state_of, whole_minute
from workforce.questions import SINGLE, TASK, TEXT, Question, check_answers, shown

QUESTIONS, RESULT = "questions", "result"


class Step(NamedTuple):
    """The questions of one page: all plain questions, or one task."""

    name: str
    questions: list[Question]


class Choice(NamedTuple):
    """An option of a question. The form sends its index, because browsers may change line ends in a text."""

    value: str
    text: str
    is_chosen: bool


class Asked(NamedTuple):
    """A question in the form, with the typed answer and the error about it."""

    number: int
    ask: str
    kind: str
    name: str
    choices: list[Choice]
    text: str
    error: str


@require_http_methods(["GET", "HEAD", "POST"])
@worker_page
def quiz(request: HttpRequest, enrolment: Enrolment) -> HttpResponse:
    """The page that `?at=` names, or the first page that this worker has not finished."""
    needed, page = enrolment.project.qualification, enrolment.project.consent_page
    if needed is None or (page and not has_agreed(enrolment.worker, page)):
        return redirect("work", enrolment.project.slug)
    now = timezone.now()
    state = state_of(worker=enrolment.worker, qualification=needed, at=now)
    if state.grant is not None:
        return _passed(request, enrolment, state)
    if request.method == "POST":
        return _answered(request, enrolment, needed, state, at=now)
    at = request.GET.get("at", "") or _next_place(needed, state)
    number = _page_number(at)
    if number is not None and number <= len(needed.pages):
        return _reading(request, enrolment, needed, number)
    if at == RESULT:
        return _result(request, enrolment, needed, state, at=now)
    try:
        attempt = start_attempt(worker=enrolment.worker, qualification=needed, at=now)
    except Forbidden:
        return _result(request, enrolment, needed, state, at=now)
    steps = steps_of(attempt)
    step = next((step for step in steps if step.name == at), steps[0])
    return _step(request, enrolment, needed, attempt, step, typed=attempt.answers or {})


def steps_of(attempt: Attempt) -> list[Step]:
    """The question pages of an attempt, in order; at least one."""
    plain = [question for question in attempt.questions if question["kind"] != TASK]
    tasks = [question for question in attempt.questions if question["kind"] == TASK]
    first = [Step(QUESTIONS, plain)] if plain else []
    return first + [Step(f"task-{question['id']}", [question]) for question in tasks]


def _next_place(quiz: Qualification, state: State) -> str:
    if state.open is not None and state.open.answers:
        step = _unanswered(state.open)
        return step.name if step else QUESTIONS
    if state.open is None and state.last is not None:
        return RESULT
    return "page-1" if quiz.pages else QUESTIONS


def _unanswered(attempt: Attempt) -> Step | None:
    """The first step with a question that is not answered."""
    known = attempt.answers or {}
    steps = steps_of(attempt)
    return next((step for step in steps if any(question["id"] not in known for question in step.questions)), None)


def _page_number(at: str) -> int | None:
    """1 for `page-1`; None if the text names no page."""
    number = at.removeprefix("page-")
    return int(number) if at.startswith("page-") and number in map(str, range(1, 101)) else None


def _address(enrolment: Enrolment, at: str = "") -> str:
    address = reverse("work-qualification", args=[enrolment.project.slug])
    return f"{address}?at={at}" if at else address


# Pages ---------------------------------------------------------------------------------------------------------


def _reading(request: HttpRequest, enrolment: Enrolment, quiz: Qualification, number: int) -> HttpResponse:
    last = number == len(quiz.pages)
    ctx = {
        "project_title": enrolment.project.title,
        "title": quiz.title,
        "page": render_markdown(quiz.pages[number - 1]),
        "number": number,
        "count": len(quiz.pages),
        "previous": _address(enrolment, f"page-{number - 1}") if number > 1 else "",
        "next": _address(enrolment, QUESTIONS if last else f"page-{number + 1}"),
        "is_last": last,
    }
    return render(request, "work/quiz_page.html", ctx)


def _step(
    request: HttpRequest,
    enrolment: Enrolment,
    quiz: Qualification,
    attempt: Attempt,
    step: Step,
    *,
    typed: Mapping[str, Any],
    errors: Mapping[str, str] | None = None,
) -> HttpResponse:
    steps, errors = steps_of(attempt), errors or {}
    order = [question["id"] for one in steps for question in one.questions]
    place = [one.name for one in steps].index(step.name)
    ctx: dict[str, Any] = {
        "project_title": enrolment.project.title,
        "title": quiz.title,
        "pages": [render_markdown(text) for text in quiz.pages],
        "step": step.name,
        "action": _address(enrolment),
        "back": _address(enrolment, steps[place - 1].name) if place else "",
        "is_last": place == len(steps) - 1,
        "count": len(order),
        "errors": errors,
    }
    if step.name == QUESTIONS:
        numbered = {name: number for number, name in enumerate(order, start=1)}
        ctx["questions"] = [
            _asked(question, numbered[question["id"]], typed.get(question["id"]), errors.get(question["id"], ""))
            for question in step.questions
        ]
        return render(request, "work/quiz.html", ctx, status=422 if errors else 200)
    [task] = step.questions
    hold = hold_of(attempt, task)
    ctx |= {
        "tool": task["tool"],
        # For islands that call the API while the worker answers: a command is asked step by step.
        "token": token_of(request, enrolment.project.slug),
        "ask": task["ask"],
        "number": order.index(task["id"]) + 1,
        "error": errors.get(task["id"], ""),
        # The name under which the island stores drafts of this question. It must not show how many attempts there are.
        "key": salted_hmac("crosswalk.quiz", hold).hexdigest()[:16],
        "payload": json.dumps(shown(task, hold=hold)["payload"]),
        "answer": json.dumps(typed.get(task["id"])),
    }
    return render(request, "work/quiz_tool.html", ctx, status=422 if errors else 200)


def _asked(question: Question, number: int, typed: Any, error: str) -> Asked:
    chosen = typed if isinstance(typed, list) else [typed]
    return Asked(
        number=number,
        ask=question["ask"],
        kind=question["kind"],
        name=f"q-{question['id']}",
        choices=[
            Choice(str(place), option, option in chosen) for place, option in enumerate(question.get("options", []))
        ],
        text=typed if question["kind"] == TEXT and isinstance(typed, str) else "",
        error=error,
    )


def _passed(request: HttpRequest, enrolment: Enrolment, state: State) -> HttpResponse:
    last = state.last
    score = f"You got {last.score:.0%} of the questions right. " if last and last.passed and last.score else ""
    ctx = {
        "title": "✓ You passed",
        "text": f"{score}Nothing more is needed: you can start.",
        "action": {"url": reverse("work", args=[enrolment.project.slug]), "label": "Start"},
    }
    return render(request, "work/message.html", ctx)


def _result(
    request: HttpRequest, enrolment: Enrolment, quiz: Qualification, state: State, *, at: datetime
) -> HttpResponse:
    """The page of the result.

    After a failure it shows the score, the needed score, and when the worker may try again.
    """
    ctx = {
        "project_title": enrolment.project.title,
        "title": quiz.title,
        "last": state.last,
        "needed": quiz.pass_mark,
        "attempts_left": state.attempts_left,
        "again_at": whole_minute(state.again_at) if state.again_at else None,
        "wait": wait_in_words(state.again_at - at) if state.again_at else "",
        "again": _address(enrolment, QUESTIONS),
        "read": _address(enrolment, "page-1") if quiz.pages else "",
    }
    return render(request, "work/quiz_result.html", ctx)


_UNITS = (("second", 1), ("minute", 60), ("hour", 3600))


def wait_in_words(wait: timedelta) -> str:
    """The waiting time in words, rounded up, so that a worker who returns then is not too early.

    >>> wait_in_words(timedelta(seconds=1)), wait_in_words(timedelta(seconds=119)), wait_in_words(timedelta(hours=30))
    ('1 second', '2 minutes', '30 hours')
    """
    seconds = max(1, math.ceil(wait.total_seconds()))
    unit, size = next(((unit, size) for unit, size in _UNITS if seconds < 100 * size), _UNITS[-1])
    number = -(-seconds // size)
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


# Answers -------------------------------------------------------------------------------------------------------


def _answered(
    request: HttpRequest, enrolment: Enrolment, quiz: Qualification, state: State, *, at: datetime
) -> HttpResponse:
    attempt = state.open
    if attempt is None:
        # The attempt was handed in already, by a double click or another tab. The page shows its result.
        return redirect(_address(enrolment))
    steps = steps_of(attempt)
    step = next((step for step in steps if step.name == request.POST.get("step")), steps[0])
    typed = typed_answers(step.questions, request.POST)
    try:
        check_answers(step.questions, typed)
    except Invalid as error:
        errors = {fault.pointer.split("/")[2]: fault.detail for fault in error.faults}
        return _step(request, enrolment, quiz, attempt, step, typed=typed, errors=errors)
    save_answers(attempt=attempt, answers=typed)
    missing = _unanswered(attempt)
    if missing is not None:
        return redirect(_address(enrolment, missing.name))
    # If the rules have changed since the attempt began, they may refuse it now; the page then shows the reason.
    with suppress(Forbidden):
        hand_in(worker=enrolment.worker, qualification=quiz, answers=attempt.answers or {}, at=at)
    return redirect(_address(enrolment))


def typed_answers(questions: Sequence[Question], form: QueryDict) -> dict[str, Any]:
    """The answers in a form, by the ids of the questions.

    Options become their texts, tasks the JSON of their answer.
    """
    return {question["id"]: _typed(question, form.getlist(f"q-{question['id']}")) for question in questions}


def _typed(question: Question, values: list[str]) -> Any:
    value = values[0] if values else ""
    match question["kind"]:
        case "text":
            return value
        case "task":
            try:
                return json.loads(value) if value else None
            except ValueError:
                return None
        case _:
            places = {str(place): option for place, option in enumerate(question["options"])}
            chosen = [places[value] for value in values if value in places]
            return (chosen[0] if chosen else None) if question["kind"] == SINGLE else chosen
