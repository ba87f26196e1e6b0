"""Logical forms for tests: short names for what the parser yields, and random valid forms of the grammar."""

import random
from collections import Counter
from typing import Any

from lib.logical_form.grammar.grammar import GRAMMAR
from lib.logical_form.grammar.types import (
    Box,
    Clauses,
    Fixed,
    Flag,
    Key,
    Node,
    Of,
    OneOf,
    Shape,
    Some,
    Span,
    Tagged,
    Template,
    Type,
    Word,
)
from lib.logical_form.spans import span_of

Form = dict[str, Any]
ME: Form = {"special_reference": {"fixed_value": "SPEAKER"}}
YOU: Form = {"special_reference": {"fixed_value": "AGENT"}}
LOOKED_AT: Form = {"special_reference": {"fixed_value": "SPEAKER_LOOK"}}
THERE: Form = {"contains_coreference": "yes"}
IT: Form = {"filters": {"contains_coreference": "yes"}}
NEVER: Form = {"condition_type": "NEVER"}


def span(first: int, last: int | None = None) -> list[Any]:
    return [0, [first, first if last is None else last]]


def what(*, selector: Form | None = None, that: bool = False, **told: int | tuple[int, int]) -> Form:
    """Filters of a thing: `name=3` says that word 3 is its name."""
    clauses = [
        {"pred_text": f"has_{key}", "obj_text": span(*at) if isinstance(at, tuple) else span(at)}
        for key, at in told.items()
    ]
    found: Form = {"where_clause": {"AND": clauses}} if clauses else {}
    if selector:
        found["selector"] = selector
    return {**found, "contains_coreference": "yes"} if that else found


def thing(**told: Any) -> Form:
    return {"filters": what(**told)}


def several(at: int, last: int | None = None, *, same: str = "DISALLOWED") -> Form:
    return {"return_quantity": "RANDOM", "ordinal": span(at, last), "same": same}


def most(attribute: Any, polarity: str = "MAX") -> Form:
    ranking = {"polarity": polarity, "quantity": {"attribute": attribute}}
    return {"return_quantity": {"argval": ranking}, "ordinal": {"fixed_value": "FIRST"}}


def nearest(whom: Form) -> Form:
    return most({"linear_extent": {"source": {"reference_object": whom}}}, "MIN")


def at(direction: str, of: Form | None = None, **more: Any) -> Form:
    return {"relative_direction": direction, **({"reference_object": of} if of else {}), **more}


def where(of: Form) -> Form:
    return {"reference_object": of}


def times(first: int) -> Form:
    done = {"filters": {"output": {"attribute": "RUN_COUNT"}, "special": {"fixed_value": "THIS"}}}
    compared = {"comparison_type": "EQUAL", "input_left": done, "input_right": {"value": span(first)}}
    return {"condition_type": "COMPARATOR", "condition": compared}


def build(filters: Form, **more: Any) -> Form:
    return {"action_type": "BUILD", "schematic": {"filters": filters}, **more}


def turn(kind: str, **facing: Any) -> Form:
    return {"action_type": "DANCE", "dance_type": {kind: facing}}


def dance(first: int, last: int | None = None, **more: Any) -> Form:
    tag = {"pred_text": "has_tag", "obj_text": span(first, last)}
    return {"action_type": "DANCE", "dance_type": {"filters": {"where_clause": {"AND": [tag]}}}, **more}


def action(kind: str, reference: Form | None = None, **more: Any) -> Form:
    return {"action_type": kind, **({"reference_object": reference} if reference else {}), **more}


def go(**place: Any) -> Form:
    return {"action_type": "MOVE", "location": place}


DEEP = frozenset({"FILTERS", "LOCATION", "REFERENCE_OBJECT", "WHERE", "EVENT", "CLAUSE", "CONDITION", "FACING"})


class TooDeep(Exception):
    """Nothing shallow enough can stand here."""


class Curious(random.Random):
    """Chooses by chance among what it has chosen least often, so that a few forms go everywhere."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.times: Counter[tuple[int, int]] = Counter()

    def choice(self, seq: Any) -> Any:
        place = id(seq[0])
        chosen = min(range(len(seq)), key=lambda index: (self.times[place, index], self.random()))
        self.times[place, chosen] += 1
        return seq[chosen]


def random_form(*, seed: int = 0, words: int, depth: int, purpose: str = "", rng: random.Random | None = None) -> Any:
    """A valid form whose things and places are nested at most `depth` deep; `purpose`: only of this dialogue_type."""
    rng = rng or random.Random(seed)
    root = GRAMMAR["ROOT"]
    assert isinstance(root, Tagged)
    while True:
        variant = root.variant(purpose) or rng.choice(root.variants)
        try:
            members = _members(root.keys_of(variant), rng, words, depth)
        except TooDeep:
            continue
        return {root.tag: variant.option.value, **members}


def options_of(kind: Type) -> list[str]:
    """The labels of all picks that a type offers; a single one is no pick."""
    match kind:
        case Word(options) if len(options) == 1:
            return []
        case Fixed(options, others) if len(options) == 1 and not others:
            return []
        case Word(options) | Fixed(options):
            return [option.label for option in options]
        case OneOf(shapes):
            return [label for shape in shapes for label in _own_label(shape) + options_of(shape.of)]
        case Box(of=of) | Some(of=of):
            return options_of(of)
        case _:
            return []


def _own_label(shape: Shape) -> list[str]:
    """The label by which a shape itself is picked: where its own picks stand in its place, there is none."""
    picks = isinstance(shape.of, Word | OneOf) or (isinstance(shape.of, Fixed) and shape.of.options)
    is_pick = picks or (isinstance(shape.of, Of) and isinstance(GRAMMAR[shape.of.name], Tagged | OneOf))
    return [] if is_pick else [shape.label]


def parts_of_the_grammar() -> tuple[set[str], set[str]]:
    """The names of all keys that somebody may choose or must give, and the labels of all options."""
    keys: set[str] = set()
    labels: set[str] = set()
    for node in GRAMMAR.values():
        members: tuple[Key, ...] = ()
        match node:
            case OneOf():
                labels |= set(options_of(node))
            case Clauses():
                labels |= {option.label for option in node.properties}
                labels |= set(options_of(node.clause))
            case Node():
                members = node.keys
            case Tagged():
                labels |= {variant.option.label for variant in node.variants}
                members = tuple(key for variant in node.variants for key in node.keys_of(variant))
        keys |= {key.name for key in members}
        labels |= {label for key in members for label in options_of(key.of)}
    return keys, labels


def _value(kind: Type, rng: random.Random, words: int, depth: int) -> Any:
    match kind:
        case Span():
            return _span(rng, words)
        case Flag(value):
            return value
        case Word(options):
            return rng.choice(options).value
        case Fixed(options, others):
            known = [option.value for option in options]
            return {"fixed_value": rng.choice([*known, "of my own"] if others else known)}
        case Box(key, of):
            return {key: _value(of, rng, words, depth)}
        case Some(of, _, least, _):
            return [_value(of, rng, words, depth) for _ in range(rng.randint(least, least + 2))]
        case OneOf(shapes):
            shape = rng.choice(shapes)
            return _value(shape.of, rng, words, depth)
        case Of(name):
            return _node(name, rng, words, depth - (name in DEEP))
        case Template(of=of):
            return kind.filled(_value(of, rng, words, depth) if of else None)


def _span(rng: random.Random, words: int) -> Any:
    pieces = []
    for _ in range(rng.choice([1, 1, 1, 2])):
        first = rng.randrange(words)
        pieces.append((first, min(words - 1, first + rng.randrange(4))))
    return span_of(pieces)


def _node(name: str, rng: random.Random, words: int, depth: int) -> Any:
    if depth < 0:
        raise TooDeep
    node = GRAMMAR[name]
    match node:
        case OneOf():
            return _value(node, rng, words, depth)
        case Clauses():
            kind = Some(node.clause, ("", ""))
            return {rng.choice(node.operators): _value(kind, rng, words, depth)}
        case Tagged():
            variant = rng.choice(node.variants)
            found = _members(node.keys_of(variant), rng, words, depth)
            return {node.tag: variant.option.value, **found}
        case Node():
            for _ in range(20):
                found = _members(node.keys, rng, words, depth)
                if found and not (node.rule and node.rule(found)):
                    return found
            raise TooDeep


def _members(keys: tuple[Key, ...], rng: random.Random, words: int, depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in keys:
        if key.required or rng.random() < 0.4:
            try:
                found[key.name] = _value(key.of, rng, words, depth)
            except TooDeep:
                if key.required:
                    raise
    for key in keys:
        if key.name in found and key.brings and key.brings not in found:
            del found[key.name]
    brought = {key.brings for key in keys if key.brings and key.name in found}
    for key in keys:
        if any(key.name == other.brings for other in keys) and key.name not in brought:
            found.pop(key.name, None)
        if key.needs and key.name in found:
            found[key.needs[0]] = key.needs[1]
    return found
