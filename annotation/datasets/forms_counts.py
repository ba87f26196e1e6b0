"""Counts over many forms: types, actions, keys, words of each slot, and how right the agent and the marks are. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotation.tools.parse.agreement import kind_of, without_pointers
from lib.canonical_json import canonical
from lib.logical_form import Form
from lib.logical_form.grammar.grammar import GRAMMAR
from lib.logical_form.grammar.types import Node, Tagged
from lib.logical_form.spans import is_span, tokenise, words_of


class Known(NamedTuple):
    """A command whose form is known; `agrees` is True if the agent's parse means the same, None without a parse."""

    text: str
    form: Form
    agrees: bool | None = None
    marked: bool | None = None


class Share(NamedTuple):
    """`part` of `n`."""

    part: int
    n: int


@dataclass
class Tally:
    """Counts over known commands; types, actions and keys count the commands that have them."""

    n: int = 0
    types: Counter[str] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    keys: Counter[str] = field(default_factory=Counter)
    words: dict[str, Counter[str]] = field(default_factory=dict)
    agent: dict[str, Share] = field(default_factory=dict)
    marked_wrong: int = 0
    marked_right: int = 0
    unmarked_wrong: int = 0
    unmarked_right: int = 0

    @property
    def precision(self) -> Share:
        """The share of wrong parses among those that were marked as wrong."""
        return Share(self.marked_wrong, self.marked_wrong + self.marked_right)

    @property
    def recall(self) -> Share:
        """The share of marked parses among those that are wrong."""
        return Share(self.marked_wrong, self.marked_wrong + self.unmarked_wrong)

    def add(self, known: Known) -> None:
        self.n += 1
        kind = str(known.form.get("dialogue_type"))
        self.types[kind] += 1
        tokens = tokenise(known.text)
        nodes = list(_nodes(known.form))
        self.actions.update({str(node["action_type"]) for node in nodes if "action_type" in node})
        self.keys.update({name for node in nodes for name in node})
        for node in nodes:
            slot, words = node.get("pred_text"), node.get("obj_text")
            if isinstance(slot, str) and is_span(words):
                self.words.setdefault(slot, Counter())[words_of(words, tokens).casefold()] += 1
        if known.agrees is None:
            return
        before = self.agent.get(kind, Share(0, 0))
        self.agent[kind] = Share(before.part + known.agrees, before.n + 1)
        if known.marked is None:
            return
        if known.marked:
            self.marked_right += known.agrees
            self.marked_wrong += not known.agrees
        else:
            self.unmarked_right += known.agrees
            self.unmarked_wrong += not known.agrees


def tally(rows: Iterable[Known]) -> Tally:
    found = Tally()
    for row in rows:
        found.add(row)
    return found


def values_of(tag: str) -> list[str]:
    """Every value of a tag of the grammar: `dialogue_type`, `action_type`."""
    return [
        variant.option.value
        for node in GRAMMAR.values()
        if isinstance(node, Tagged) and node.tag == tag
        for variant in node.variants
    ]


def all_keys() -> set[str]:
    """Every key that the grammar names."""
    found: set[str] = set()
    for node in GRAMMAR.values():
        if isinstance(node, Node):
            found |= {key.name for key in node.keys}
        elif isinstance(node, Tagged):
            found |= {node.tag} | {key.name for variant in node.variants for key in node.keys_of(variant)}
    return found


def _nodes(form: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(form, dict):
        yield form
        for value in form.values():
            yield from _nodes(value)
    elif isinstance(form, list):
        for value in form:
            yield from _nodes(value)


# Disagreements -------------------------------------------------------------------------------------------------


class StepAnswer(NamedTuple):
    """One worker's answer to one step of a command."""

    command: int
    step: str
    worker: int
    answer: dict[str, Any]


def disputes(answers: Iterable[StepAnswer]) -> dict[str, Share]:
    """By kind of step: the steps that several workers answered, and how many of these got different answers.

    If a worker answered a step more than once, the first answer in this order counts, so pass the newest first. The
    words that a part stands for are ignored, as in the score of a reference.
    """
    asked: dict[tuple[int, str], dict[int, str]] = {}
    for said in answers:
        told = asked.setdefault((said.command, said.step), {})
        told.setdefault(
            said.worker, canonical([kind_of(said.answer), without_pointers(said.answer.get("answers", {}))])
        )
    found: dict[str, Share] = {}
    for (_, step), told in asked.items():
        if len(told) < 2:
            continue
        kind = kind_of_step(step)
        before = found.get(kind, Share(0, 0))
        found[kind] = Share(before.part + (len(set(told.values())) > 1), before.n + 1)
    return found


_PARTS = {"": "which it is", "parts": "what is told", "more": "what else is told", "words": "its words"}


def kind_of_step(key: str) -> str:
    """The kind of question of a step, without the number of the part that it is about.

    >>> kind_of_step("/event_sequence/0/schematic/filters#parts"), kind_of_step("#confirm"), kind_of_step("#")
    ('schematic › filters: what is told', 'the last look at the whole', 'the whole command: which it is')
    """
    path, _, part = key.partition("#")
    if part == "confirm":
        return "the last look at the whole"
    names = [name for name in path.split("/")[1:] if not name.isdigit()]
    where = " › ".join(names[-2:]) or "the whole command"
    return f"{where}: {'details' if re.fullmatch(r'details[0-9]+', part) else _PARTS.get(part, part)}"
