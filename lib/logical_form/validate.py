"""Find the faults of a form, each with its place and a sentence."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from lib.canonical_json import escaped
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
    Some,
    Span,
    Tagged,
    Template,
    Type,
    Word,
    fits,
)

MOST_DEPTH = 40
"""The deepest nesting of a form; deeper parts are not read, since no command needs them."""
MOST_FIXED = 200
"""The most characters of a fixed value, which is not words of the command."""


_ROOT = Of("ROOT")


class Fault(NamedTuple):
    """One fault: a JSON pointer to its place, and a sentence."""

    path: str
    reason: str


def faults_of(form: Any, *, words: int | None = None) -> list[Fault]:
    """All faults of a whole form; empty if it is valid.

    Args:
        words: Number of words of the command; with None the ends of spans are not checked.
    """
    checker = _Checker(words)
    checker.check(_ROOT, form, "", 0)
    return checker.found


class _Checker:
    """Collects the faults of one form."""

    def __init__(self, words: int | None) -> None:
        self.words = words
        self.found: list[Fault] = []

    def fault(self, path: str, reason: str) -> None:
        self.found.append(Fault(path, reason))

    def check(self, kind: Type, value: Any, path: str, depth: int) -> None:
        if depth > MOST_DEPTH:
            self.fault(path, f"The form is nested more than {MOST_DEPTH} deep.")
            return
        match kind:
            case Span():
                self._check_span(value, path)
            case Flag():
                if value != kind.value or type(value) is not type(kind.value):
                    self.fault(path, f"Here stands {kind.value!r} or nothing, not {_short(value)}.")
            case Word(options):
                if not isinstance(value, str) or value not in kind.values:
                    self.fault(path, f"{_short(value)} is not one of {_list(option.value for option in options)}.")
            case Fixed():
                self._check_fixed(kind, value, path)
            case Box(key, of):
                self._check_object({key: of}, (key,), value, path, depth)
            case Some():
                self._check_list(kind, value, path, depth)
            case OneOf():
                self._check_one_of(kind, value, path, depth)
            case Of(name):
                self._check_node(name, value, path, depth)
            case Template():
                raise AssertionError("a template is looked past")

    def _check_span(self, value: Any, path: str) -> None:
        shape = "A span is [0, [first, last]], or [0, [[first, last], …]] for words that lie apart"
        if (
            not isinstance(value, list)
            or len(value) != 2
            or type(value[0]) is not int
            or not isinstance(value[1], list)
        ):
            self.fault(path, f"{shape}, not {_short(value)}.")
            return
        sentence, inner = value
        if sentence != 0:
            self.fault(path, "Spans name words of the command itself, which is sentence 0.")
        runs = inner if inner and all(isinstance(run, list) for run in inner) else [inner]
        after = -2
        for run in runs:
            if len(run) != 2 or any(type(place) is not int for place in run):
                self.fault(path, f"{shape}, not {_short(value)}.")
                return
            first, last = run
            if not 0 <= first <= last:
                self.fault(path, f"The words {first} to {last} are no range.")
            elif first <= after + 1:
                self.fault(path, "Words that lie apart are named in order, with others between them.")
            elif self.words is not None and last >= self.words:
                self.fault(path, f"The command has no word {last}; its last is {self.words - 1}.")
            after = last

    def _check_fixed(self, kind: Fixed, value: Any, path: str) -> None:
        if not isinstance(value, dict) or set(value) != {"fixed_value"} or not isinstance(value["fixed_value"], str):
            self.fault(path, f'Here stands {{"fixed_value": TEXT}}, not {_short(value)}.')
            return
        text = value["fixed_value"]
        if kind.others:
            if not text.strip() or len(text) > MOST_FIXED:
                self.fault(f"{path}/fixed_value", f"A fixed value has 1 to {MOST_FIXED} characters.")
        elif text not in kind.values:
            known = _list(option.value for option in kind.options)
            self.fault(f"{path}/fixed_value", f"{_short(text)} is not one of {known}.")

    def _check_list(self, kind: Some, value: Any, path: str, depth: int) -> None:
        if not isinstance(value, list):
            self.fault(path, f"Here stands a list, not {_short(value)}.")
            return
        if not kind.least <= len(value) <= kind.most:
            self.fault(path, f"The list has {len(value)} members; it may have {kind.least} to {kind.most}.")
            return
        for index, item in enumerate(value):
            self.check(kind.of, item, f"{path}/{index}", depth + 1)

    def _check_one_of(self, kind: OneOf, value: Any, path: str, depth: int) -> None:
        found = next((shape for shape in kind.proper if fits(shape, value)), None)
        if found is None:
            self.fault(
                path,
                f"{_short(value)} is none of the things that may stand here: {_list(map(_kind, kind.proper))}.",
            )
            return
        self.check(found.of, value, path, depth)

    def _check_node(self, name: str, value: Any, path: str, depth: int) -> None:
        node = GRAMMAR[name]
        match node:
            case OneOf():
                self._check_one_of(node, value, path, depth)
            case Clauses():
                self._check_clauses(node, value, path, depth)
            case Tagged():
                self._check_tagged(node, value, path, depth)
            case Node():
                self._check_object(node.kinds, node.needed, value, path, depth)
                if not isinstance(value, dict):
                    return
                if not value and not node.bare and not node.needed:
                    self.fault(path, f"An empty object says nothing of {node.noun}: leave it out.")
                self._check_needs(node.keys, value, path)
                if node.rule and (reason := node.rule(value)):
                    self.fault(path, reason)

    def _check_tagged(self, node: Tagged, value: Any, path: str, depth: int) -> None:
        if not isinstance(value, dict):
            self.fault(path, f"Here stands an object, not {_short(value)}.")
            return
        if node.tag not in value:
            self.fault(path, f"{node.tag} is missing.")
            return
        tag = value[node.tag]
        variant = node.by_value.get(tag) if isinstance(tag, str) else None
        if variant is None:
            self.fault(f"{path}/{node.tag}", f"{_short(tag)} is not one of {_list(node.by_value)}.")
            return
        self._check_object(variant.kinds, variant.needed, value, path, depth, whose=f" of {tag}")
        self._check_needs(variant.keys, value, path)

    def _check_clauses(self, node: Clauses, value: Any, path: str, depth: int) -> None:
        if not isinstance(value, dict) or len(value) != 1 or not set(value) <= set(node.operators):
            self.fault(path, f"Here stands one of {_list(node.operators)} with a list, not {_short(value)}.")
            return
        ((operator, clauses),) = value.items()
        kind = Some(node.clause, ("clause", "clauses"), most=node.most)
        self._check_list(kind, clauses, f"{path}/{operator}", depth)

    def _check_needs(self, keys: tuple[Key, ...], value: dict[str, Any], path: str) -> None:
        for key in keys:
            if key.needs and key.name in value and value.get(key.needs[0]) != key.needs[1]:
                self.fault(f"{path}/{key.name}", f"{key.name} stands only where {key.needs[0]} is {key.needs[1]}.")

    def _check_object(
        self,
        keys: Mapping[str, Type],
        needed: tuple[str, ...],
        value: Any,
        path: str,
        depth: int,
        *,
        whose: str = "",
    ) -> None:
        if not isinstance(value, dict):
            self.fault(path, f"Here stands an object, not {_short(value)}.")
            return
        for name in needed:
            if name not in value:
                self.fault(path, f"{name} is missing.")
        for name, part in value.items():
            if name not in keys:
                self.fault(f"{path}/{escaped(name)}", f"{_short(name)} is no key{whose}; there is {_list(keys)}.")
            else:
                self.check(keys[name], part, f"{path}/{name}", depth + 1)


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


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _list(names: Any) -> str:
    return ", ".join(names) or "nothing"
