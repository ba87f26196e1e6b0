"""The types of which the grammar consists. Each type defines its JSON shape and the question for a worker."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Json = Any


@dataclass(frozen=True)
class Option:
    """One of several values: the value in the form, the label for a worker, and example words of a command."""

    value: str
    label: str
    example: str = ""


@dataclass(frozen=True)
class Span:
    """Words of the command: `[0, [first, last]]`, or `[0, [[first, last], …]]` for several runs; ends inclusive."""


@dataclass(frozen=True)
class Flag:
    """A key that is present with this one JSON value, or absent."""

    value: Json = "yes"


@dataclass(frozen=True)
class Word:
    """One of a closed list of plain strings."""

    options: tuple[Option, ...]

    @cached_property
    def values(self) -> frozenset[str]:
        """The values that are valid in a form."""
        return frozenset(option.value for option in self.options)


@dataclass(frozen=True)
class Fixed:
    """`{"fixed_value": …}`: a value that is not words of the command; with `others` any short text is valid."""

    options: tuple[Option, ...]
    others: bool = False

    @cached_property
    def values(self) -> frozenset[str]:
        """The values that are valid in a form."""
        return frozenset(option.value for option in self.options)


@dataclass(frozen=True)
class Box:
    """An object with this one key."""

    key: str
    of: "Type"


@dataclass(frozen=True)
class Of:
    """A node of the grammar, by name."""

    name: str


@dataclass(frozen=True)
class Some:
    """A list of `least` to `most` members; `noun` names a member, in the singular and in the plural."""

    of: "Type"
    noun: tuple[str, str]
    least: int = 1
    most: int = 12


@dataclass(frozen=True)
class Shape:
    """One of several shapes of a value: `value` names it in an answer, `label` names it for a worker.

    Attributes:
        marks: Keys of an object; an object with one of them has this shape. Empty where the JSON type decides.
    """

    value: str
    label: str
    of: "Type"
    marks: tuple[str, ...] = ()
    example: str = ""


@dataclass(frozen=True)
class OneOf:
    """One of several shapes, distinguished by their JSON type or by their marks."""

    shapes: tuple[Shape, ...]

    @cached_property
    def proper(self) -> tuple[Shape, ...]:
        """The shapes that decide whether a value is valid: all but the templates."""
        return tuple(shape for shape in self.shapes if not isinstance(shape.of, Template))


@dataclass(frozen=True)
class Template:
    """A shortcut for a common form: this JSON with one value inserted at `at`.

    A template only shortens the questions; the other shapes decide whether a value is valid.

    Attributes:
        at: The keys that lead to the inserted value; empty where no value is inserted.
        ask: The question for the inserted value.
    """

    value: Json
    at: tuple[str, ...] = ()
    of: "Type | None" = None
    ask: str = ""

    def filled(self, value: Json) -> Json:
        return self.value if self.of is None else _put(self.value, self.at, value)

    def taken_out(self, value: Json) -> tuple[bool, Json]:
        """Whether `value` is this template with a value inserted, and the inserted value."""
        inside = value
        for key in self.at:
            if not isinstance(inside, dict) or key not in inside:
                return False, None
            inside = inside[key]
        return self.filled(inside) == value, inside


def _put(value: Json, at: tuple[str, ...], inside: Json) -> Json:
    return {**value, at[0]: _put(value.get(at[0], {}), at[1:], inside)} if at else inside


Type = Span | Flag | Word | Fixed | Box | Of | Some | OneOf | Template


@dataclass(frozen=True)
class Key:
    """A key of a node.

    Attributes:
        label: The meaning of the key, as one entry of a list of choices: “how big it is”.
        ask: The question for its value; if empty, the question is made from the label.
        role: The purpose of the part, for questions about it; if empty, the label. None means that the part describes
            the same thing as the node, so questions about it need no name.
        example: Words of a command that express it, between asterisks.
        rare: Whether the key is offered only after “something else”, so that the list of usual keys stays short.
        needs: Another key and its value; this key is valid only beside that value.
        brings: A key that must be present together with this one, and is asked for with it.
        old: Spellings of older data that `upgrade` reads, as JSON Schema.
    """

    name: str
    of: Type
    label: str
    ask: str = ""
    role: str | None = ""
    example: str = ""
    required: bool = False
    rare: bool = False
    needs: tuple[str, str] | None = None
    brings: str = ""
    old: tuple[Json, ...] = ()


@dataclass(frozen=True)
class Node:
    """An object of the grammar; keys that are not listed are not valid.

    Attributes:
        noun: The name of the node in questions: “the place”.
        bare: Whether the object may be empty.
        tells: The question which keys the command mentions; if empty, a general question.
        rule: A further check of the object; it returns a sentence for an object that breaks it.
        rule_schema: The same rule as JSON Schema, merged into the schema of the node.
        old: Keys of older data that `upgrade` reads, as JSON Schema.
    """

    name: str
    noun: str
    keys: tuple[Key, ...] = ()
    bare: bool = False
    tells: str = ""
    rule: Callable[[Mapping[str, Json]], str | None] | None = None
    rule_schema: Mapping[str, Json] = field(default_factory=dict)
    old: Mapping[str, Json] = field(default_factory=dict)

    @cached_property
    def kinds(self) -> "Mapping[str, Type]":
        """The type of each key."""
        return {key.name: key.of for key in self.keys}

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """The names of the required keys."""
        return tuple(key.name for key in self.keys if key.required)

    def key(self, name: str) -> Key:
        return next(key for key in self.keys if key.name == name)


@dataclass(frozen=True)
class Variant:
    """One value of a tag, and the keys that are valid with it."""

    option: Option
    keys: tuple[Key, ...] = ()
    old: Mapping[str, Json] = field(default_factory=dict)
    closed: bool = False
    """Whether the shared keys of all variants are not valid here."""


@dataclass(frozen=True)
class Tagged:
    """An object whose tag decides which keys it has."""

    name: str
    noun: str
    tag: str
    ask: str
    variants: tuple[Variant, ...]
    shared: tuple[Key, ...] = ()
    tells: str = ""
    old: Mapping[str, Json] = field(default_factory=dict)

    @cached_property
    def by_value(self) -> "Mapping[str, Node]":
        """A node for each value of the tag, with the tag as one of its keys."""
        found = {}
        for variant in self.variants:
            tag = Key(self.tag, Word((variant.option,)), self.ask, required=True)
            found[variant.option.value] = Node(self.name, self.noun, (tag, *self.keys_of(variant)))
        return found

    def variant(self, value: object) -> Variant | None:
        return next((one for one in self.variants if one.option.value == value), None)

    def keys_of(self, variant: Variant) -> tuple[Key, ...]:
        return variant.keys if variant.closed else variant.keys + self.shared


@dataclass(frozen=True)
class Clauses:
    """Conditions on a thing: `{"AND": […]}`, `{"OR": […]}` or `{"NOT": […]}` of properties and comparisons.

    Workers choose among the `usual` and `rare` properties and name the words for each; other clauses are asked for one
    by one.
    """

    name: str
    noun: str
    usual: tuple[Option, ...]
    rare: tuple[Option, ...]
    clause: OneOf
    operators: tuple[str, ...] = ("AND", "OR", "NOT")
    most: int = 12

    @property
    def properties(self) -> tuple[Option, ...]:
        return self.usual + self.rare


AnyNode = Node | Tagged | Clauses | OneOf
Grammar = Mapping[str, AnyNode]


def fits(shape: Shape, value: Json) -> bool:
    """Whether a value is meant to have this shape; its details may still be wrong."""
    match shape.of:
        case Span() | Some():
            return isinstance(value, list)
        case Word():
            return isinstance(value, str)
        case Flag():
            return bool(value == shape.of.value)
        case Fixed():
            return isinstance(value, dict) and "fixed_value" in value
        case Box(key=key):
            return isinstance(value, dict) and key in value
        case Template():
            return shape.of.taken_out(value)[0]
        case Of() | OneOf():
            return isinstance(value, dict) and (not shape.marks or any(mark in value for mark in shape.marks))
