"""English phrases for every part of a form. Parts without a phrase here are written with the labels of the grammar."""

from collections.abc import Callable, Sequence
from typing import Any

from lib.logical_form import Form
from lib.logical_form.english import vocabulary
from lib.logical_form.grammar.grammar import GRAMMAR
from lib.logical_form.grammar.types import (
    Box,
    Clauses,
    Fixed,
    Flag,
    Json,
    Key,
    Node,
    Of,
    OneOf,
    Option,
    Some,
    Span,
    Tagged,
    Template,
    Type,
    Word,
    fits,
)
from lib.logical_form.spans import is_span, pieces_of


def dictionary(value: Any) -> Form:
    """The value if it is an object, otherwise an empty object: parts of a form may be missing."""
    return value if isinstance(value, dict) else {}


def plain(name: str) -> str:
    """A name that the grammar does not know, in lower case and without underscores."""
    return name.replace("_", " ").lower()


def label_of(options: Sequence[Option], value: Any) -> str:
    """The label of the option with this value."""
    return next((option.label for option in options if option.value == value), plain(str(value)))


def both(parts: Sequence[str], word: str = "and") -> str:
    """“a, b and c”."""
    return f" {word} ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else "".join(parts)


class Phrases:
    """Writes the parts of one command's form in English.

    Args:
        tokens: The words of the command. Spans beyond them are written as “…”.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = list(tokens)
        self.nodes: dict[str, Callable[[Form], str]] = {}
        """The function that writes each node, by the node's name."""

    # Any value, by the grammar -----------------------------------------------------------------------------------

    def value(self, kind: Type, value: Any) -> str:
        """The phrase for a value of this type; a node without a function in `nodes` is written key by key."""
        match kind:
            case Span():
                return self.quoted(value)
            case Flag():
                return "yes"
            case Word(options):
                return label_of(options, value)
            case Fixed(options):
                return self.fixed(value, options)
            case Box(key, of):
                return self.value(of, dictionary(value).get(key))
            case Some(of):
                items = value if isinstance(value, list) else []
                return both([self.value(of, item) for item in items])
            case Template(inside):
                return "" if inside is None else plain(str(inside))
            case OneOf(shapes):
                shape = next((one for one in shapes if not isinstance(one.of, Template) and fits(one, value)), None)
                return self.value(shape.of, value) if shape else self.unknown(value)
            case Of(name):
                return self.node(name, value)

    def node(self, name: str, value: Any) -> str:
        """The phrase for a node of the grammar."""
        node = GRAMMAR[name]
        match node:
            case OneOf():
                return self.value(node, value)
            case Clauses():
                members: Json = next(iter(dictionary(value).values()), [])
                return self.value(Some(node.clause, ("", "")), members)
        if not isinstance(value, dict):
            return self.unknown(value)
        if name in self.nodes:
            return self.nodes[name](value)
        phrases = self.rest(name, value, ())
        return "; ".join(phrases) or node.noun

    def rest(self, name: str, value: Form, expressed: Sequence[str]) -> list[str]:
        """Phrases for the keys that are not in `expressed`: “how high it is: “5””."""
        node = GRAMMAR[name]
        keys: tuple[Key, ...] = ()
        if isinstance(node, Node):
            keys = node.keys
        elif isinstance(node, Tagged) and (variant := node.variant(value.get(node.tag))):
            keys = node.keys_of(variant)
            expressed = (*expressed, node.tag)
        known = {key.name: key for key in keys}
        found = []
        for one, part in value.items():
            if one in expressed or (one in vocabulary.POINTERS and len(value) > 1):
                continue
            key = known.get(one)
            found.append(f"{key.label}: {self.value(key.of, part)}" if key else f"{plain(one)}: {self.unknown(part)}")
        return found

    def unknown(self, value: Any) -> str:
        """The phrase for a value of unknown type."""
        if is_span(value):
            return self.quoted(value)
        if isinstance(value, dict):
            return ", ".join(f"{plain(str(name))}: {self.unknown(part)}" for name, part in value.items())
        if isinstance(value, list):
            return both([self.unknown(part) for part in value])
        return plain(str(value))

    def quoted(self, span: Any) -> str:
        """Words of the command, in quotation marks."""
        if not is_span(span):
            return f"‘{span}’" if isinstance(span, str) else "…"
        runs = [" ".join(self.tokens[first : last + 1]) or "…" for first, last in pieces_of(span)]
        return f"“{' … '.join(runs)}”"

    def fixed(self, value: Any, known: Sequence[Option] = ()) -> str:
        """The phrase for a value that is not words of the command."""
        text = str(dictionary(value).get("fixed_value", value if isinstance(value, str) else "…"))
        return next((option.label for option in known if option.value == text), f"‘{text}’")

    def words_or(self, value: Any, known: Sequence[Option] = ()) -> str:
        return self.quoted(value) if is_span(value) else self.fixed(value, known)


def type_of(name: str, key: str) -> Type:
    """The type of a key of a plain node."""
    node = GRAMMAR[name]
    assert isinstance(node, Node)  # noqa: S101 - callers name plain nodes only
    return node.key(key).of
