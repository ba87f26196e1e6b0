"""Parts of a tree in English: the condition of a question, and the target of an answer."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from lib.canonical_json import canonical
from lib.trees.tree import Choice, Show, When

_LONGEST = 60
"""The most characters of a value that are shown."""
_KNOWN: Mapping[tuple[str, str, str], str] = MappingProxyType(
    {
        ("parse", "exists", "true"): "the assistant told what it understood",
        ("parse", "exists", "false"): "the assistant did not tell what it understood",
        ("objects", "exists", "true"): "it looked for something",
        ("objects", "exists", "false"): "it looked for nothing",
        ("objects.*.voxels", "exists", "true"): "it found something",
        ("objects.*.voxels", "exists", "false"): "it found nothing",
        ("objects.*.voxels", "eq", "[]"): "it looked for something and did not find it",
        ("objects.*.voxels", "ne", "[]"): "there is nothing that it did not find",
        ("reason", "exists", "true"): "it failed, and a reason is known",
        ("reason", "exists", "false"): "no reason for a failure is known",
    }
)
SHOWN: Mapping[Show | None, str] = MappingProxyType(
    {
        None: "nothing beside it",
        "parse": "what the assistant understood, in words",
        "object": "what it took the words for, flashing in the world",
    }
)


def condition(when: When) -> str:
    """The condition of a question, as words after "only if".

    >>> condition(When("parse", "exists", True))
    'the assistant told what it understood'
    >>> condition(When("status", "in", ["done", "failed"]))
    'status is "done" or "failed"'
    """
    known = _KNOWN.get((when.path, when.op, canonical(when.value)))
    if known:
        return known
    match when.op:
        case "eq":
            return f"{when.path} is {_value(when.value)}"
        case "ne":
            return f"{when.path} is not {_value(when.value)}"
        case "in":
            return f"{when.path} is {' or '.join(map(_value, when.value)) or 'one of nothing, so never'}"
        case "exists":
            return f"{when.path} is {'there' if when.value else 'not there'}"


def leads_to(choice: Choice) -> str:
    """The target of an answer, in words.

    >>> leads_to(Choice("Other", outcome="other_error", has_text=True))
    'other_error, in the worker’s own words'
    """
    if choice.next is not None:
        return f"the question {choice.next}"
    return f"{choice.outcome or 'nowhere'}{', in the worker’s own words' if choice.has_text else ''}"


def _value(value: Any) -> str:
    text = canonical(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
