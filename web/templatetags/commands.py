"""Filters that write answers of any tool in words."""

from typing import Any

from django import template
from django.template import Context

from annotation.models import Task
from annotation.tool_registry import Json
from annotation.tools.parse.readout import answer_in_words, answered_questions, step_of
from annotation.tools.voxels import readout as of_voxels
from lib.logical_form.spans import Piece, tokenise

register = template.Library()
_OF_PARSE = frozenset({"form", "answers", "unknown"})


@register.filter
def has_words(answer: Any) -> bool:
    """Whether an answer, consensus or truth belongs to a tool that can write its answers in words."""
    return isinstance(answer, dict) and (of_voxels.is_of_voxels(answer) or not _OF_PARSE.isdisjoint(answer))


@register.simple_tag(takes_context=True)
def in_words(context: Context, answer: Json) -> str:
    """The answer in one line. The words of a command come from `of`, `task` or `annotation`.

    The one that the page has.
    """
    if of_voxels.is_of_voxels(answer):
        return of_voxels.answer_in_words(answer)
    task = context.get("of") or context.get("task")
    if not isinstance(task, Task):
        task = getattr(context.get("annotation"), "task", None)
    payload = task.payload if task is not None else {}
    text = payload.get("text", "")
    if "step" in payload:
        return "; ".join(one.text for one in answered_questions(step_of(payload), answer, tokenise(text)))
    return answer_in_words(answer, text)


@register.filter
def numbers_of(words: list[Piece]) -> str:
    """The numbers of words in spans, for a script: `1 2 5`."""
    return " ".join(str(place) for first, last in words for place in range(first, last + 1))
