"""A command or one of its steps under review: the context of the page, and reading the reviewer's form."""

import json
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.urls import reverse

from annotation.models import Annotation, Task
from annotation.review.commands import Command, command_of, form_named
from annotation.review.side_by_side import GivenAnswer, SideBySide
from annotation.tool_registry import Json
from annotation.tools.parse.readout import answered_questions, label_of, reading, step_of
from annotation.tools.parse.settings import MANY_WORKERS, ONE_WORKER, given_to
from lib.faults import Invalid
from lib.logical_form.asking.questions import Question, Step
from lib.logical_form.asking.walk import walk
from lib.logical_form.spans import joined, tokenise
from lib.logical_form.upgrade import upgraded
from lib.strict_json import parse_json

EDITED, FORM, FROM, PICK = "edited", "form", "from", "pick"
"""Form fields.

The form in the editor, the form as JSON without scripts, the choice of a form to begin with, and the picked answer.
"""
OWN, NO_COMMAND = "own", "not_a_command"
"""Values of `pick` that are not a worker's answer: the reviewer's own answer, and "this is not a command"."""


class Choice(NamedTuple):
    """One option of a question, or one word of the command."""

    value: str
    label: str
    is_chosen: bool


class Field(NamedTuple):
    """One question of a step, as fields of the form."""

    question: Question
    name: str
    choices: list[Choice]
    text: str


class StepAnswer(NamedTuple):
    """One worker's answer to a step; `seen` is its row in the table of answers."""

    seen: GivenAnswer
    said: list[Any]


def context_of(request: HttpRequest, seen: SideBySide) -> dict[str, Any]:
    """The part of the page's context that only commands have."""
    task = seen.task
    ctx = {"given_to": given_to(task.project)}
    return ctx | (_of_step(request, seen) if task.part_of_id else _of_command(request, task))


def answer_of(request: HttpRequest, task: Task) -> Json:
    """The answer in the reviewer's form.

    Raises:
        Invalid: nothing is chosen, or the form is no JSON.
    """
    return _answer_to_step(request, task) if task.part_of_id else {"form": _posted_form(request)}


# The whole command ---------------------------------------------------------------------------------------------


def _of_command(request: HttpRequest, task: Task) -> dict[str, Any]:
    found = command_of(task)
    typed = request.POST.get(EDITED) or request.POST.get(FORM)
    form = _begun_with(request, found)
    is_shared = given_to(task.project) == MANY_WORKERS
    return {
        "command": found,
        "begin": request.GET.get(FROM, ""),
        "form_text": typed or (json.dumps(form, indent=1, ensure_ascii=False) if form else ""),
        "editor": {
            "text": found.text,
            "tokens": found.tokens,
            "form": _read(typed) if typed else form,
            "schema_url": reverse("logical-form-schema") + "?spellings=current",
            "check_url": reverse("staff-parse-check"),
            "input": EDITED,
        },
        "may_ask_more": not task.is_reference and not is_shared,
    }


def _begun_with(request: HttpRequest, found: Command) -> Json:
    """The form that the editor begins with: the chosen one, or the consensus, or the agent's parse.

    {} if there is none.
    """
    named = request.GET.get(FROM, "")
    if named == "agent":
        return found.agent.form
    form = form_named(found.task, named) if named else None
    begun: Json = upgraded(form or found.result.form or found.agent.form)[0]
    return begun


def _read(text: str | None) -> Any:
    try:
        return parse_json(text or "")
    except ValueError:
        return {}


def _posted_form(request: HttpRequest) -> Any:
    text = request.POST.get(EDITED) or request.POST.get(FORM, "")
    if not text.strip():
        raise Invalid.at("#/answer/form", "Write the form, or begin with one of those above.")
    try:
        return parse_json(text)
    except ValueError as error:
        raise Invalid.at("#/answer/form", f"The form is not JSON: {error}.") from None


# One step ------------------------------------------------------------------------------------------------------


def _of_step(request: HttpRequest, seen: SideBySide) -> dict[str, Any]:
    task = seen.task
    tokens, step = tokenise(task.payload["text"]), step_of(task.payload)
    picked = request.POST.get(PICK, "")
    consensus = seen.consensus.answer if seen.consensus else {}
    return {
        "command": {"tokens": tokens, "context": task.payload.get("context", [])},
        "whole": task.part_of,
        "label": label_of(task.payload),
        "step": step,
        "reading": reading(walk(task.payload["record"]).form, tokens),
        "answers": [StepAnswer(row, answered_questions(step, row.annotation.answer, tokens)) for row in seen.answers],
        "come_to": answered_questions(step, consensus, tokens) if consensus else [],
        "truths": [answered_questions(step, truth, tokens) for truth in seen.truth.answers] if seen.truth else [],
        "fields": [_field(request, one, tokens, consensus) for one in step.questions] if step else [],
        "picked": picked,
        "may_answer": given_to(task.project) != ONE_WORKER and not task.is_reference and step is not None,
    }


def _field(request: HttpRequest, question: Question, tokens: list[str], consensus: Json) -> Field:
    name = f"own-{question.id}"
    known = consensus.get("answers", {}).get(question.id)
    chosen = request.POST.getlist(name) if request.method == "POST" else _as_values(question, known)
    options = [(option.value, option.label) for option in question.options]
    if question.kind == "yes_no":
        options = [("yes", "Yes"), ("no", "No")]
    elif question.kind == "spans":
        options = [(str(place), token) for place, token in enumerate(tokens)]
    text = (chosen or [""])[0] if question.kind == "text" else ""
    return Field(question, name, [Choice(value, label, value in chosen) for value, label in options], text)


def _as_values(question: Question, known: Any) -> list[str]:
    """The answer as values of the form's fields."""
    if known is None:
        return []
    match question.kind:
        case "yes_no":
            return ["yes" if known else "no"]
        case "spans":
            return [str(place) for first, last in known for place in range(first, last + 1)]
        case "choices":
            return [str(one) for one in known]
        case _:
            return [str(known)]


def _answer_to_step(request: HttpRequest, task: Task) -> Json:
    picked = request.POST.get(PICK, "")
    if picked == NO_COMMAND:
        return {"answers": {}, "not_a_command": True}
    if picked == OWN:
        step = step_of(task.payload)
        return {"answers": _own(request, step) if step else {}}
    given = Annotation.objects.filter(task=task, public_id=picked).first() if picked else None
    if given is None:
        raise Invalid.at("#/answer", "Choose an answer, or give your own.")
    return {name: value for name, value in given.answer.items() if name != "step"}


def _own(request: HttpRequest, step: Step) -> Json:
    found: Json = {}
    for question in step.questions:
        values = request.POST.getlist(f"own-{question.id}")
        value = _value(question, [one for one in values if one])
        if value not in (None, []):
            found[question.id] = value
    return found


def _value(question: Question, values: list[str]) -> Any:
    match question.kind:
        case "spans":
            return [list(run) for run in joined([int(one), int(one)] for one in values if one.isdecimal())]
        case "choices":
            return values
        case "yes_no":
            return {"yes": True, "no": False}.get(values[0]) if values else None
        case _:
            return values[0] if values else None
