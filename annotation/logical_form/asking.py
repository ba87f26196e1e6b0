"""What a walk asks with: where it stands in words, and which options a node offers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.logical_form import Form
from annotation.logical_form.grammar import GRAMMAR
from annotation.logical_form.types import Clauses, Key, Node, Of, OneOf, Option, Tagged, Type

POINTERS = ("text_span", "condition_span")
"""Keys that only show which words a part stands for."""
MORE = Option("more", "something else")
CLAUSES = Option(
    "clauses", "a comparison, one thing or another, or something it is not", "*red or blue*, *taller than* 5"
)
OTHER = Option("other", "something else, which I write down")


@dataclass(frozen=True)
class Where:
    """Where a walk stands, in words.

    Attributes:
        trail: What leads there, from the outside in: “what to do”, “thing to do 2”, “where to build it”.
        role: What the part is for: “where to build it”.
        item: Which of several it belongs to: “thing to do 2”.
    """

    trail: tuple[str, ...] = ()
    role: str = ""
    item: str = ""

    def into(self, label: str, role: str | None = "") -> "Where":
        """One part further in. No role of its own (None): the part is the same thing, said in another way."""
        return self if role is None else replace(self, trail=(*self.trail, label), role=role or label)

    def numbered(self, one: str, index: int, count: int) -> "Where":
        """One of several."""
        if count == 1:
            return self
        item = f"{one} {index + 1}"
        return Where((*self.trail, item), "", item)

    def asks(self, question: str) -> str:
        """The question with what it is about before it: “Where to build it: which words say it?”"""
        about = ", ".join(filter(None, (self.item, self.role)))
        return f"{capital(about)}: {question[:1].lower()}{question[1:]}" if about else question


def tag_question(kind: Type) -> str:
    """The question that a tag brings along, also where the tagged node is one of several shapes."""
    if isinstance(kind, Of):
        node = GRAMMAR[kind.name]
        return node.ask if isinstance(node, Tagged) else tag_question(node) if isinstance(node, OneOf) else ""
    if isinstance(kind, OneOf):
        return next(filter(None, (tag_question(shape.of) for shape in kind.shapes if isinstance(shape.of, Of))), "")
    return ""


def is_pick(kind: Of) -> bool:
    """Whether a node begins with one pick among several."""
    return isinstance(GRAMMAR[kind.name], Tagged | OneOf)


def clauses_of(key: Key) -> Clauses | None:
    """The clauses that stand under a key, if that is what stands there."""
    node = GRAMMAR[key.of.name] if isinstance(key.of, Of) else None
    return node if isinstance(node, Clauses) else None


def only_part(keys: Sequence[Key]) -> Key | None:
    """The one key of a node that has nothing beside it but the words it stands for, if it is a node of its own."""
    others = [key for key in keys if key.name not in POINTERS]
    if len(others) != 1 or len(keys) == 1 or not others[0].required or not isinstance(others[0].of, Of):
        return None
    return others[0] if isinstance(GRAMMAR[others[0].of.name], Node) else None


def options_of(keys: Sequence[Key]) -> tuple[tuple[Option, ...], tuple[Option, ...]]:
    """What may be told, the usual and the rare; properties of a thing stand for its clauses."""
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


def said_of(keys: Sequence[Key], true: Form) -> list[str]:
    """What somebody who knows the object says is told of it."""
    said: list[str] = []
    for key in keys:
        if key.name not in true:
            continue
        if clauses_of(key) is None:
            said.append(key.name)
            continue
        simple, others = simple_clauses(true[key.name])
        said += [name for name, _ in simple]
        said += [CLAUSES.value] if others else []
    return said


def simple_clauses(where: Form | None) -> tuple[list[tuple[str, Any]], list[Form]]:
    """The clauses that are properties with words of the command, each property once; and the other clauses."""
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
    """The text with a capital first."""
    return text[:1].upper() + text[1:]
