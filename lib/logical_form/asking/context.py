"""The place of a walk over the grammar in words, and the options that a node offers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lib.logical_form import Form
from lib.logical_form.grammar.grammar import GRAMMAR
from lib.logical_form.grammar.types import Clauses, Key, Node, Of, OneOf, Option, Tagged, Type

POINTERS = ("text_span", "condition_span")
"""Keys whose value is only the span of the part itself."""
NAME = "has_name"
"""The property that says what a thing is."""
MORE = Option("more", "something else")
CLAUSES = Option(
    "clauses", "a comparison, one thing or another, or something it is not", "*red or blue*, *taller than* 5"
)
OTHER = Option("other", "something else, which I write down")


@dataclass(frozen=True)
class Where:
    """The place of a walk, in words.

    Attributes:
        trail: Labels of the parts that contain the place, outermost first: “what to do”, “thing to do 2”, “where to
            build it”.
        role: The purpose of the part: “where to build it”.
        item: The list item that contains it: “thing to do 2”.
    """

    trail: tuple[str, ...] = ()
    role: str = ""
    item: str = ""

    def into(self, label: str, role: str | None = "") -> "Where":
        """The place one part deeper; with the role None the part describes the same thing, so the place stays."""
        return self if role is None else replace(self, trail=(*self.trail, label), role=role or label)

    def numbered(self, one: str, index: int, count: int) -> "Where":
        """The place of one of `count` list items."""
        if count == 1:
            return self
        item = f"{one} {index + 1}"
        return Where((*self.trail, item), "", item)

    @property
    def about(self) -> str:
        """The part that a question is about, in one short phrase; "" for the whole command."""
        return self.role or self.item

    def names(self, label: str, name: str = "") -> str:
        """A value as a part of the command: “what to build” for its name, “what to build: its colour” for others."""
        if not self.about or label == self.about:
            return label
        return self.about if name == NAME else f"{self.about}: {label}"


def tag_question(kind: Type) -> str:
    """The question of a tagged node, also where that node is one of several shapes; "" without one."""
    if isinstance(kind, Of):
        node = GRAMMAR[kind.name]
        return node.ask if isinstance(node, Tagged) else tag_question(node) if isinstance(node, OneOf) else ""
    if isinstance(kind, OneOf):
        return next(filter(None, (tag_question(shape.of) for shape in kind.shapes if isinstance(shape.of, Of))), "")
    return ""


def is_pick(kind: Of) -> bool:
    """Whether the first question about a node is a choice among several values."""
    return isinstance(GRAMMAR[kind.name], Tagged | OneOf)


def clauses_of(key: Key) -> Clauses | None:
    """The clauses under a key; None where the key has another type."""
    node = GRAMMAR[key.of.name] if isinstance(key.of, Of) else None
    return node if isinstance(node, Clauses) else None


def only_part(keys: Sequence[Key]) -> Key | None:
    """The only key of a node besides its own span, if it is required and a node itself; otherwise None."""
    others = [key for key in keys if key.name not in POINTERS]
    if len(others) != 1 or len(keys) == 1 or not others[0].required or not isinstance(others[0].of, Of):
        return None
    return others[0] if isinstance(GRAMMAR[others[0].of.name], Node) else None


def options_of(keys: Sequence[Key]) -> tuple[tuple[Option, ...], tuple[Option, ...]]:
    """The options of these keys, usual and rare ones; the properties of a thing replace its clauses."""
    usual: list[Option] = []
    rare: list[Option] = []
    for key in keys:
        node = clauses_of(key)
        if node is not None:
            usual += node.usual
            rare += (*node.rare, CLAUSES)
        else:
            (rare if key.rare else usual).append(Option(key.name, key.label, key.example))
    return tuple(usual), tuple(rare)


def mentioned_of(keys: Sequence[Key], true: Form) -> list[str]:
    """The options of `options_of` that are true of a known object."""
    mentioned: list[str] = []
    for key in keys:
        if key.name not in true:
            continue
        if clauses_of(key) is None:
            mentioned.append(key.name)
            continue
        simple, others = simple_clauses(true[key.name])
        mentioned += [name for name, _ in simple]
        mentioned += [CLAUSES.value] if others else []
    return mentioned


def simple_clauses(where: Form | None) -> tuple[list[tuple[str, Any]], list[Form]]:
    """The clauses that are properties with a span, each property once; and all other clauses."""
    if not where:
        return [], []
    if "AND" not in where:
        return [], [where]
    simple: dict[str, Any] = {}
    others = []
    for clause in where["AND"]:
        name = clause.get("pred_text")
        if set(clause) == {"pred_text", "obj_text"} and isinstance(clause["obj_text"], list) and name not in simple:
            simple[name] = clause["obj_text"]
        else:
            others.append(clause)
    return list(simple.items()), others


def capital(text: str) -> str:
    """The text with its first letter as a capital."""
    return text[:1].upper() + text[1:]
