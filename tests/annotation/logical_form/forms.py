"""Random valid forms of the grammar, to a number of words and a depth."""

import random
from typing import Any

from annotation.logical_form.grammar import GRAMMAR
from annotation.logical_form.spans import span_of
from annotation.logical_form.types import (
    Box,
    Clauses,
    Fixed,
    Flag,
    Key,
    Node,
    Of,
    OneOf,
    Some,
    Span,
    Tagged,
    Template,
    Type,
    Word,
)

DEEP = frozenset({"FILTERS", "LOCATION", "REFERENCE_OBJECT", "WHERE", "EVENT", "CLAUSE", "CONDITION", "FACING"})


class TooDeep(Exception):
    """Nothing shallow enough can stand here."""


def random_form(*, seed: int, words: int, depth: int) -> Any:
    """A valid form whose things and places are nested at most `depth` deep."""
    rng = random.Random(seed)
    while True:
        try:
            return _value(Of("ROOT"), rng, words, depth)
        except TooDeep:
            continue


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
            shape = rng.choice([one for one in shapes if not isinstance(one.of, Template)])
            return _value(shape.of, rng, words, depth)
        case Of(name):
            return _node(name, rng, words, depth - (name in DEEP))
        case Template():
            raise AssertionError("left out above")


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
