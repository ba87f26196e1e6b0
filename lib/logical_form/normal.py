"""The normal form: equal for all forms that mean the same."""

from collections.abc import Mapping
from typing import Any

from lib.canonical_json import canonical
from lib.logical_form import Form
from lib.logical_form.spans import pieces_of, span_of
from lib.logical_form.upgrade import upgraded

_DEFAULTS: Mapping[str, Any] = {
    "replace": False,
    "memory_type": "REFERENCE_OBJECT",
    "set_comparison": "ANY",
    "contains_coreference": "no",
}
_MIRRORED = {"LESS_THAN": "GREATER_THAN", "LESS_THAN_EQUAL": "GREATER_THAN_EQUAL"}
_SYMMETRIC = frozenset({"EQUAL", "NOT_EQUAL"})
_OPERATORS = ("AND", "OR", "NOT")
_UNORDERED = ("triples", "conditions")
_ONLY_POINTS = ("text_span", "condition_span")


def normal(form: Any) -> Any:
    """The normal form of a logical form.

    Old spellings are upgraded. Defaults are left out, and so is the span of a part whose own parts describe it. Lists
    without an order are sorted, every comparison has one direction, and operators and sequences of one member are
    replaced by that member.
    """
    return _value(upgraded(form)[0])


def same(a: Any, b: Any) -> bool:
    """Whether two forms mean the same."""
    return canonical(normal(a)) == canonical(normal(b))


def _value(value: Any) -> Any:
    if isinstance(value, list):
        if len(value) == 2 and value[0] == 0 and isinstance(value[1], list) and value[1]:
            return span_of(pieces_of(value))
        return [_value(item) for item in value]
    if not isinstance(value, dict):
        return value
    node = {
        name: part
        for name, inner in value.items()
        if (part := _value(inner)) not in ({}, [], None) and _DEFAULTS.get(name, _value) != part
    }
    if _is_clauses(node):
        return _clauses(node)
    if "comparison_type" in node:
        node = _comparison(node)
    if {"reference_object_1", "reference_object_2"} <= set(node):
        ends = sorted((node["reference_object_1"], node["reference_object_2"]), key=canonical)
        node = {**node, "reference_object_1": ends[0], "reference_object_2": ends[1]}
    for name in _UNORDERED:
        if isinstance(node.get(name), list):
            node[name] = _sorted(node[name])
    if "event_sequence" in node:
        node["event_sequence"] = _unwrapped(node["event_sequence"])
    return _without_pointers(node)


def _without_pointers(node: Form) -> Form:
    """The node without its own span, where its other keys give the meaning of these words."""
    more = set(node) - set(_ONLY_POINTS)
    if not more or (more == {"condition_type"} and node["condition_type"] == "OTHER"):
        return node
    return {name: part for name, part in node.items() if name not in _ONLY_POINTS}


def _is_clauses(node: Form) -> bool:
    return len(node) == 1 and next(iter(node)) in _OPERATORS


def _clauses(node: Form) -> Form:
    ((operator, members),) = node.items()
    flat: list[Form] = []
    for member in members:
        if operator != "NOT" and _is_clauses(member) and operator in member:
            flat += member[operator]
        else:
            flat.append(member)
    flat = _sorted(flat)
    if operator == "OR" and len(flat) == 1:
        operator = "AND"
    if operator == "AND" and len(flat) == 1 and _is_clauses(flat[0]):
        return flat[0]
    return {operator: flat}


def _sorted(items: list[Any]) -> list[Any]:
    """Each item once, sorted by its canonical JSON."""
    return [item for _, item in sorted({canonical(item): item for item in items}.items())]


def _comparison(node: Form) -> Form:
    kind, left, right = node["comparison_type"], node.get("input_left"), node.get("input_right")
    if isinstance(kind, str) and kind in _MIRRORED:
        return {**node, "comparison_type": _MIRRORED[kind], "input_left": right, "input_right": left}
    if isinstance(kind, str) and kind in _SYMMETRIC and canonical(left) > canonical(right):
        return {**node, "input_left": right, "input_right": left}
    return node


def _unwrapped(sequence: list[Any]) -> list[Any]:
    """The sequence, with inner sequences that have no condition replaced by their members."""
    flat: list[Any] = []
    for event in sequence:
        flat += event["event_sequence"] if isinstance(event, dict) and set(event) == {"event_sequence"} else [event]
    return flat
