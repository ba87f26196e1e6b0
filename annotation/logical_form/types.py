"""The kinds of value that the grammar is made of. Each knows its JSON shape and how a worker is asked for it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Json = Any


@dataclass(frozen=True)
class Option:
    """One of several values: what the form says, what a worker reads, and words of a command that mean it."""

    value: str
    label: str
    example: str = ""


@dataclass(frozen=True)
class Span:
    """Words of the command: `[0, [first, last]]`, or `[0, [[first, last], …]]` where they lie apart; inclusive."""


@dataclass(frozen=True)
class Flag:
    """Said or not said; the one JSON value that says it."""

    value: Json = "yes"


@dataclass(frozen=True)
class Word:
    """One of a closed list of plain strings."""

    options: tuple[Option, ...]

    @cached_property
    def values(self) -> frozenset[str]:
        """What the form may say."""
        return frozenset(option.value for option in self.options)


@dataclass(frozen=True)
class Fixed:
    """`{"fixed_value": …}`: a value that is no words of the command; `others`: any other short text may stand there."""

    options: tuple[Option, ...]
    others: bool = False

    @cached_property
    def values(self) -> frozenset[str]:
        """What the form may say."""
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
    """A list of `least` to `most`; `noun` is what one of them is called, in the singular and in the plural."""

    of: "Type"
    noun: tuple[str, str]
    least: int = 1
    most: int = 12


@dataclass(frozen=True)
class Shape:
    """One way of several in which a value may be given: `value` names it in an answer, `label` to a worker.

    Attributes:
        marks: Keys of an object by one of which this shape is known; none where the JSON kind says it.
    """

    value: str
    label: str
    of: "Type"
    marks: tuple[str, ...] = ()
    example: str = ""


@dataclass(frozen=True)
class OneOf:
    """One of several shapes, told apart by their JSON kind or by their marks."""

    shapes: tuple[Shape, ...]

    @cached_property
    def proper(self) -> tuple[Shape, ...]:
        """The shapes that decide what is valid."""
        return tuple(shape for shape in self.shapes if not isinstance(shape.of, Template))


@dataclass(frozen=True)
class Template:
    """A usual way to say something that the grammar could say otherwise too: this JSON, with a value put in at `at`.

    It only makes asking shorter: what is valid, the other shapes decide.

    Attributes:
        at: The keys that lead to the value; none where nothing is put in.
        ask: The question for that value.
    """

    value: Json
    at: tuple[str, ...] = ()
    of: "Type | None" = None
    ask: str = ""

    def filled(self, value: Json) -> Json:
        return self.value if self.of is None else _put(self.value, self.at, value)

    def taken_out(self, value: Json) -> tuple[bool, Json]:
        """Whether `value` is this template filled in, and with what."""
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
        label: What it tells, as one of several things that may be said: “how big it is”.
        ask: The question for its value; empty: made of the label.
        role: What the part is for, in questions about it; empty: the label. None: its parts are the node's own, said in
            another way, and need no name.
        example: Words of a command that say it, between asterisks.
        rare: Offered behind “something else”, so that the usual ones stay few.
        needs: Another key and the one value of it with which alone this key may stand.
        brings: A key that must stand beside this one, and is asked for with it.
        old: Spellings that are read from older data and upgraded, as JSON Schema.
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
    """An object of the grammar; keys that are not listed are refused.

    Attributes:
        noun: What it is called in questions: “the place”.
        bare: Whether it may be empty.
        tells: The question which of its keys are said; empty: a general one.
        rule: What else must hold, given the object: a sentence where it does not.
        rule_schema: The same as JSON Schema, to stand beside the rest.
        old: Keys that are read from older data and upgraded, as JSON Schema.
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
        """What may stand under each key."""
        return {key.name: key.of for key in self.keys}

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """The names of the keys that must be there."""
        return tuple(key.name for key in self.keys if key.required)

    def key(self, name: str) -> Key:
        return next(key for key in self.keys if key.name == name)


@dataclass(frozen=True)
class Variant:
    """One value of a tag, and the keys that come with it."""

    option: Option
    keys: tuple[Key, ...] = ()
    old: Mapping[str, Json] = field(default_factory=dict)
    closed: bool = False
    """Whether the keys that all variants share are not allowed here."""


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
        """What stands beside each value of the tag, as a node that has the tag as one of its keys."""
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
    """What must be true of a thing: `{"AND": […]}`, `{"OR": […]}` or `{"NOT": […]}` of properties and comparisons.

    Asked for by what is told: `usual` and `rare` properties with words of the command, anything else clause by clause.
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
    """Whether a value means to be of this shape, right or wrong in detail."""
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
