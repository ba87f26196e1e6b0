"""What is wrong with a form, each fault with its place and the reason in words."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from annotation.logical_form.grammar import GRAMMAR
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
    fits,
)

MOST_DEPTH = 40
"""Deeper forms are refused unread: nobody says such a thing."""
MOST_FIXED = 200
"""Characters of a value that is no words of the command."""


class Fault(NamedTuple):
    """One fault: a JSON pointer to its place, and a sentence."""

    path: str
    reason: str


def faults_of(form: Any, *, words: int | None = None) -> list[Fault]:
    """Everything that is wrong with a whole form; nothing if it is valid.

    Args:
        words: How many words the command has; None: spans are not held against it.
    """
    return list(_check(Of("ROOT"), form, "", words, 0))


def _check(kind: Type, value: Any, path: str, words: int | None, depth: int) -> Iterator[Fault]:
    if depth > MOST_DEPTH:
        yield Fault(path, f"The form is nested more than {MOST_DEPTH} deep.")
        return
    match kind:
        case Span():
            yield from _check_span(value, path, words)
        case Flag():
            if value != kind.value or type(value) is not type(kind.value):
                yield Fault(path, f"Here stands {kind.value!r} or nothing, not {_short(value)}.")
        case Word(options):
            if not isinstance(value, str) or value not in {option.value for option in options}:
                yield Fault(path, f"{_short(value)} is not one of {_list(option.value for option in options)}.")
        case Fixed():
            yield from _check_fixed(kind, value, path)
        case Box(key, of):
            yield from _check_object({key: of}, (key,), value, path, words, depth)
        case Some():
            yield from _check_list(kind, value, path, words, depth)
        case OneOf():
            yield from _check_one_of(kind, value, path, words, depth)
        case Of(name):
            yield from _check_node(name, value, path, words, depth)
        case Template():
            raise AssertionError("a template is looked past")


def _check_span(value: Any, path: str, words: int | None) -> Iterator[Fault]:
    shape = "A span is [0, [first, last]], or [0, [[first, last], …]] for words that lie apart"
    if not isinstance(value, list) or len(value) != 2 or type(value[0]) is not int or not isinstance(value[1], list):
        yield Fault(path, f"{shape}, not {_short(value)}.")
        return
    sentence, inner = value
    if sentence != 0:
        yield Fault(path, "Spans name words of the command itself, which is sentence 0.")
    runs = inner if inner and all(isinstance(run, list) for run in inner) else [inner]
    after = -2
    for run in runs:
        if len(run) != 2 or any(type(place) is not int for place in run):
            yield Fault(path, f"{shape}, not {_short(value)}.")
            return
        first, last = run
        if not 0 <= first <= last:
            yield Fault(path, f"The words {first} to {last} are no range.")
        elif first <= after + 1:
            yield Fault(path, "Words that lie apart are named in order, with others between them.")
        elif words is not None and last >= words:
            yield Fault(path, f"The command has no word {last}; its last is {words - 1}.")
        after = last


def _check_fixed(kind: Fixed, value: Any, path: str) -> Iterator[Fault]:
    if not isinstance(value, dict) or set(value) != {"fixed_value"} or not isinstance(value["fixed_value"], str):
        yield Fault(path, f'Here stands {{"fixed_value": TEXT}}, not {_short(value)}.')
        return
    text = value["fixed_value"]
    if kind.others:
        if not text.strip() or len(text) > MOST_FIXED:
            yield Fault(f"{path}/fixed_value", f"A fixed value has 1 to {MOST_FIXED} characters.")
    elif text not in {option.value for option in kind.options}:
        known = _list(option.value for option in kind.options)
        yield Fault(f"{path}/fixed_value", f"{_short(text)} is not one of {known}.")


def _check_list(kind: Some, value: Any, path: str, words: int | None, depth: int) -> Iterator[Fault]:
    if not isinstance(value, list):
        yield Fault(path, f"Here stands a list, not {_short(value)}.")
        return
    if not kind.least <= len(value) <= kind.most:
        yield Fault(path, f"The list has {len(value)} members; it may have {kind.least} to {kind.most}.")
        return
    for index, item in enumerate(value):
        yield from _check(kind.of, item, f"{path}/{index}", words, depth + 1)


def _check_one_of(kind: OneOf, value: Any, path: str, words: int | None, depth: int) -> Iterator[Fault]:
    shapes = [shape for shape in kind.shapes if not isinstance(shape.of, Template)]
    found = next((shape for shape in shapes if fits(shape, value)), None)
    if found is None:
        yield Fault(path, f"{_short(value)} is none of the things that may stand here: {_list(map(_kind, shapes))}.")
        return
    yield from _check(found.of, value, path, words, depth)


def _kind(shape: Any) -> str:
    match shape.of:
        case Span():
            return "a span"
        case Word(options):
            return " | ".join(option.value for option in options)
        case Fixed():
            return '{"fixed_value": …}'
        case Box(key=key):
            return f'{{"{key}": …}}'
        case Of(name=name):
            return f"{{{', '.join(shape.marks)}: …}}" if shape.marks else f"a {name}"
        case _:
            return "a list"


def _check_node(name: str, value: Any, path: str, words: int | None, depth: int) -> Iterator[Fault]:
    node = GRAMMAR[name]
    match node:
        case OneOf():
            yield from _check_one_of(node, value, path, words, depth)
        case Clauses():
            yield from _check_clauses(node, value, path, words, depth)
        case Tagged():
            yield from _check_tagged(node, value, path, words, depth)
        case Node():
            keys = {key.name: key.of for key in node.keys}
            needed = tuple(key.name for key in node.keys if key.required)
            yield from _check_object(keys, needed, value, path, words, depth)
            if not isinstance(value, dict):
                return
            if not value and not node.bare and not needed:
                yield Fault(path, f"An empty object says nothing of {node.noun}: leave it out.")
            yield from _check_needs(node.keys, value, path)
            if node.rule and (reason := node.rule(value)):
                yield Fault(path, reason)


def _check_tagged(node: Tagged, value: Any, path: str, words: int | None, depth: int) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield Fault(path, f"Here stands an object, not {_short(value)}.")
        return
    if node.tag not in value:
        yield Fault(path, f"{node.tag} is missing.")
        return
    variant = node.variant(value[node.tag])
    if variant is None:
        known = _list(one.option.value for one in node.variants)
        yield Fault(f"{path}/{node.tag}", f"{_short(value[node.tag])} is not one of {known}.")
        return
    keys = node.keys_of(variant)
    kinds: dict[str, Type] = {key.name: key.of for key in keys}
    kinds[node.tag] = Word(tuple(one.option for one in node.variants))
    needed = tuple(key.name for key in keys if key.required)
    yield from _check_object(kinds, needed, value, path, words, depth, whose=f" of {variant.option.value}")
    yield from _check_needs(keys, value, path)


def _check_clauses(node: Clauses, value: Any, path: str, words: int | None, depth: int) -> Iterator[Fault]:
    if not isinstance(value, dict) or len(value) != 1 or not set(value) <= set(node.operators):
        yield Fault(path, f"Here stands one of {_list(node.operators)} with a list, not {_short(value)}.")
        return
    ((operator, clauses),) = value.items()
    kind = Some(node.clause, ("clause", "clauses"), most=node.most)
    yield from _check_list(kind, clauses, f"{path}/{operator}", words, depth)


def _check_needs(keys: tuple[Key, ...], value: dict[str, Any], path: str) -> Iterator[Fault]:
    for key in keys:
        if key.needs and key.name in value and value.get(key.needs[0]) != key.needs[1]:
            yield Fault(f"{path}/{key.name}", f"{key.name} stands only where {key.needs[0]} is {key.needs[1]}.")


def _check_object(
    keys: dict[str, Type],
    needed: tuple[str, ...],
    value: Any,
    path: str,
    words: int | None,
    depth: int,
    *,
    whose: str = "",
) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield Fault(path, f"Here stands an object, not {_short(value)}.")
        return
    for name in needed:
        if name not in value:
            yield Fault(path, f"{name} is missing.")
    for name, part in value.items():
        if name not in keys:
            yield Fault(f"{path}/{_escaped(name)}", f"{_short(name)} is no key{whose}; there is {_list(keys)}.")
        else:
            yield from _check(keys[name], part, f"{path}/{name}", words, depth + 1)


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _list(names: Any) -> str:
    return ", ".join(names) or "nothing"
