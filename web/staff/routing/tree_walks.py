"""Trying a tree: a walk through its questions with chosen facts. The server stores nothing.

The page carries the walk.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from django.http import QueryDict

from lib.logical_form import Form
from lib.logical_form.english import outline
from lib.logical_form.spans import tokenise
from lib.trees import engine
from lib.trees.engine import Facts, FoundObject, Outcome, Question, Turn
from lib.trees.tree import KNOWN_OUTCOMES, Tree

_COMMAND = "destroy the red cube then dig a hole next to the house"
_CUBE: Form = {
    "action_type": "DESTROY",
    "reference_object": {
        "text_span": [0, [1, 3]],
        "filters": {
            "where_clause": {
                "AND": [
                    {"pred_text": "has_colour", "obj_text": [0, [2, 2]]},
                    {"pred_text": "has_name", "obj_text": [0, [3, 3]]},
                ]
            }
        },
    },
}
_HOLE: Form = {
    "action_type": "DIG",
    "schematic": {"filters": {"where_clause": {"AND": [{"pred_text": "has_name", "obj_text": [0, [7, 7]]}]}}},
    "location": {
        "relative_direction": "NEAR",
        "reference_object": {
            "text_span": [0, [10, 11]],
            "filters": {"where_clause": {"AND": [{"pred_text": "has_name", "obj_text": [0, [11, 11]]}]}},
        },
    },
}
_FOUND: FoundObject = {"phrase": "the red cube", "voxels": [[1, 2, 3]]}
_MISSED: FoundObject = {"phrase": "the house", "voxels": []}

PARSES: Mapping[str, tuple[str, Form | None]] = MappingProxyType(
    {
        "one": ("one action", {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [_CUBE]}),
        "two": ("two actions", {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [_CUBE, _HOLE]}),
        "none": ("it did not tell", None),
    }
)
OBJECTS: Mapping[str, tuple[str, list[FoundObject]]] = MappingProxyType(
    {
        "found": ("one, and found it", [_FOUND]),
        "missing": ("one, and found nothing", [_MISSED]),
        "some": ("two, and found one", [_FOUND, _MISSED]),
        "none": ("none", []),
    }
)
ENDS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "done": ("it was done", "done", ""),
        "silent": ("it fell silent", "failed", "silent"),
        "agent_lost": ("it went away", "failed", "agent_lost"),
        "no_agent": ("none came", "failed", "no_agent"),
        "cannot": ("it said that it cannot", "failed", "cannot"),
        "stopped": ("the worker stopped it", "failed", "stopped"),
    }
)


class Asked(NamedTuple):
    """An answered question, in words."""

    node: str
    ask: str
    answer: str
    text: str


class Walk(NamedTuple):
    """The present step of a walk, with all data that the page shows."""

    step: Question | Outcome
    picked: Mapping[str, str]
    facts: Facts
    asked: list[Asked]
    refusal: str = ""

    @property
    def path(self) -> tuple[Turn, ...]:
        return self.step.path

    @property
    def stored(self) -> str:
        """The path as text, for a hidden field of the page."""
        return json.dumps(self.path, ensure_ascii=False, separators=(",", ":"))

    @property
    def question(self) -> Question | None:
        return self.step if isinstance(self.step, Question) else None

    @property
    def worded(self) -> int | None:
        """The index of the open question's first answer that takes words, from 0."""
        choices = self.step.node.choices if isinstance(self.step, Question) else ()
        return next((number for number, choice in enumerate(choices) if choice.has_text), None)

    @property
    def outcome(self) -> str:
        return self.step.outcome if isinstance(self.step, Outcome) else ""

    @property
    def meaning(self) -> str:
        return KNOWN_OUTCOMES.get(self.outcome, "an outcome of this tree’s own")

    @property
    def parse_in_words(self) -> str:
        form = self.facts["parse"]
        return (
            outline.sentence(dict(form), tokenise(_COMMAND))
            if form
            else "The assistant did not say what it understood."
        )

    @property
    def menus(self) -> list[tuple[str, str, list[tuple[str, str]], str]]:
        """The menus of facts: the field, its label, its values with their words, and the chosen value."""
        kinds: list[tuple[str, str, Mapping[str, Any]]] = [
            ("parse", "It understood", PARSES),
            ("objects", "Things it looked for", OBJECTS),
            ("ended", "How it ended", ENDS),
        ]
        return [
            (name, label, [(key, value[0]) for key, value in of.items()], self.picked[name])
            for name, label, of in kinds
        ]


def walk_of(tree: Tree, given: QueryDict) -> Walk:
    """The walk in a form or an address, after its act.

    `act` is `answer:N` (N from 0), `back`, or `try`, which begins anew, as no act does. Any other act changes nothing.
    A path that this tree and these facts do not allow begins anew too, because one of them has changed.
    """
    picked = {
        "parse": _one_of(given.get("parse"), PARSES),
        "objects": _one_of(given.get("objects"), OBJECTS),
        "ended": _one_of(given.get("ended"), ENDS),
    }
    _, status, reason = ENDS[picked["ended"]]
    facts = Facts(parse=PARSES[picked["parse"]][1], objects=OBJECTS[picked["objects"]][1], status=status, reason=reason)
    act, _, number = given.get("act", "").partition(":")
    refusal, path = "", [] if act in {"", "try"} else _path(given.get("walk", ""))
    try:
        step = engine.now(tree, facts, path)
    except engine.Refused:
        step, act, refusal = engine.begin(tree, facts), "", "This is another walk now, so it begins anew."
    try:
        if act == "back" and step.path:
            step = engine.now(tree, facts, step.path[:-1])
        elif act == "answer" and isinstance(step, Question):
            choice = int(number) if number.isascii() and number.isdigit() and len(number) < 3 else -1
            step = engine.answer(tree, facts, step.path, step.node.name, choice, _words(step, choice, given))
    except engine.Refused as refused:
        refusal = refused.sentence
    return Walk(step, picked, facts, _asked(tree, step.path), refusal)


def _one_of(value: str | None, among: Mapping[str, Any]) -> str:
    return value if value is not None and value in among else next(iter(among))


def _words(question: Question, choice: int, given: QueryDict) -> str | None:
    """The typed words, for answers that take words. They are kept for all answers of the question."""
    choices = question.node.choices
    return given.get("words") if 0 <= choice < len(choices) and choices[choice].has_text else None


def _path(text: str) -> list[Turn]:
    """The path in a text; empty if the text holds none."""
    try:
        found = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return []
    is_path = isinstance(found, list) and all(
        isinstance(turn, dict)
        and isinstance(turn.get("node"), str)
        and type(turn.get("choice")) is int
        and isinstance(turn.get("text", ""), str)
        and turn.keys() <= {"node", "choice", "text"}
        for turn in found
    )
    return found if is_path else []


def _asked(tree: Tree, path: tuple[Turn, ...]) -> list[Asked]:
    found = []
    for turn in path:
        node = tree.nodes[turn["node"]]
        found.append(Asked(node.name, node.ask, node.choices[turn["choice"]].label, turn.get("text", "")))
    return found
