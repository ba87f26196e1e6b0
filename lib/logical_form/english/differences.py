"""The differences between two forms, as English sentences."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from lib.canonical_json import canonical
from lib.logical_form import Form
from lib.logical_form.asking.context import Where, capital
from lib.logical_form.english.actions import Commands
from lib.logical_form.grammar.grammar import GRAMMAR
from lib.logical_form.grammar.types import Box, Clauses, Flag, Key, Node, Of, OneOf, Some, Tagged, Template, Type, fits
from lib.logical_form.normal import normal

_UNITS = frozenset({"ARGVAL", "COMPARATOR", "CONDITION", "LINEAR_EXTENT", "NEW_TRIPLE", "PROPER_CONDITION", "TRIPLE"})
"""Nodes that are compared as a whole, whichever of their parts differs."""
_NOTHING: Any = object()


class Difference(NamedTuple):
    """One difference: a JSON pointer to the part in the normal form of the first, and a sentence."""

    path: str
    reason: str


def differences(a: Form, b: Form, tokens: Sequence[str]) -> list[Difference]:
    """The differences of `b` from `a`, each with both phrases for the part. Empty if and only if the two are `same`.

    Args:
        tokens: The words of the command to which both forms belong.
    """
    return list(_Comparison(tokens).value(Of("ROOT"), normal(a), normal(b), "", Where()))


class _Comparison:
    def __init__(self, tokens: Sequence[str]) -> None:
        self.say = Commands(tokens)

    def value(self, kind: Type, a: Any, b: Any, path: str, where: Where, key: str = "") -> Iterator[Difference]:
        """The differences of two values at the same place; one of them may be missing."""
        if a is not _NOTHING and b is not _NOTHING and canonical(a) == canonical(b):
            return
        match kind:
            case Box(name, of) if _both(dict, a, b) and name in a and name in b:
                yield from self.value(of, a[name], b[name], f"{path}/{name}", where, key)
            case OneOf() if (shape := _shape_of_both(kind, a, b)) is not None:
                yield from self.value(shape, a, b, path, where, key)
            case Some(of, (one, _)) if _both(list, a, b):
                count = max(len(a), len(b))
                for index, (mine, other) in enumerate(zip_longest(a, b, fillvalue=_NOTHING)):
                    here = where.numbered(one, index, count)
                    yield from self.value(of, mine, other, f"{path}/{index}", here)
            case Of(name) if _both(dict, a, b) and name not in _UNITS:
                yield from self.node(name, kind, a, b, path, where, key)
            case _:
                yield self.difference(kind, a, b, path, where, key)

    def node(self, name: str, kind: Type, a: Form, b: Form, path: str, where: Where, key: str) -> Iterator[Difference]:
        node = GRAMMAR[name]
        match node:
            case OneOf():
                yield from self.value(node, a, b, path, where, key)
            case Clauses():
                yield from self.clauses(node, a, b, path, where)
            case Node():
                yield from self.members(node.keys, a, b, path, where)
            case Tagged():
                variant = node.variant(a.get(node.tag))
                if variant is None or a.get(node.tag) != b.get(node.tag):
                    yield self.difference(kind, a, b, path, where, key)
                else:
                    yield from self.members(node.keys_of(variant), a, b, path, where)

    def members(self, keys: Sequence[Key], a: Form, b: Form, path: str, where: Where) -> Iterator[Difference]:
        """The differences key by key, in the order of the grammar; unknown keys come last."""
        known = {key.name: key for key in keys}
        for name in (*known, *sorted(({*a} | {*b}) - {*known})):
            mine, other = a.get(name, _NOTHING), b.get(name, _NOTHING)
            if mine is _NOTHING and other is _NOTHING:
                continue
            key = known.get(name, Key(name, Box("", Of("ROOT")), name.replace("_", " ")))
            here = where.into(key.label, key.role) if _has_parts(key.of) else where
            label = "" if key.role is None or here is not where else key.label
            yield from self.value(key.of, mine, other, f"{path}/{name}", here, label)

    def clauses(self, node: Clauses, a: Form, b: Form, path: str, where: Where) -> Iterator[Difference]:
        """The clauses that only one of the two has; clauses about the same property form one difference."""
        if set(a) != set(b) or "AND" not in a:
            yield self.difference(Of(node.name), a, b, path, where, "what must be true of it")
            return
        mine = [one for one in a["AND"] if one not in b["AND"]]
        others = [one for one in b["AND"] if one not in a["AND"]]
        for clause in mine:
            name = clause.get("pred_text")
            match = next((one for one in others if name and one.get("pred_text") == name), _NOTHING)
            if match is not _NOTHING:
                others.remove(match)
            yield self.difference(node.clause, clause, match, path, where, "")
        for clause in others:
            yield self.difference(node.clause, _NOTHING, clause, path, where, "")

    def difference(self, kind: Type, a: Any, b: Any, path: str, where: Where, key: str) -> Difference:
        if isinstance(kind, Flag):
            mine, other, key = *("nothing" if one is _NOTHING else key for one in (a, b)), ""
        else:
            mine, other = self.phrase(kind, a), self.phrase(kind, b)
        about = ", ".join(filter(None, (where.item, where.role, key))) or (
            "what to do" if path else "the whole command"
        )
        against = f"{other}, put together in another way" if mine == other else other
        return Difference(path, f"{capital(about)}: {mine}, against {against}.")

    def phrase(self, kind: Type, value: Any) -> str:
        if value is _NOTHING:
            return "nothing"
        if kind in (Of("CONDITION"), Of("PROPER_CONDITION")):
            return self.say.until(value)
        return self.say.clause(value) if _is_clause(value) else self.say.value(kind, value) or "something"


def _both(kind: type, a: Any, b: Any) -> bool:
    return isinstance(a, kind) and isinstance(b, kind)


def _shape_of_both(kind: OneOf, a: Any, b: Any) -> Type | None:
    """The shape of both values if it is the same; otherwise None."""
    shapes = [shape for shape in kind.shapes if not isinstance(shape.of, Template)]
    mine = next((shape for shape in shapes if a is not _NOTHING and fits(shape, a)), None)
    other = next((shape for shape in shapes if b is not _NOTHING and fits(shape, b)), None)
    return mine.of if mine is not None and mine is other else None


def _has_parts(kind: Type) -> bool:
    return isinstance(kind, Of | Some) or (isinstance(kind, Box) and _has_parts(kind.of))


def _is_clause(value: Any) -> bool:
    return isinstance(value, dict) and bool(set(value) & {"pred_text", "AND", "OR", "NOT", "comparison_type"})
