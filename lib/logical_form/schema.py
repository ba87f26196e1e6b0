"""The grammar as JSON Schema (draft 2020-12), with which programs validate a form."""

from functools import cache
from typing import Any

from lib.logical_form.grammar.grammar import GRAMMAR
from lib.logical_form.grammar.types import (
    AnyNode,
    Box,
    Clauses,
    Fixed,
    Flag,
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
)
from lib.logical_form.validate import MOST_FIXED

Schema = dict[str, Any]

_RENAMED = {"event_sequence": "action_sequence", "terminate_condition": "remove_condition"}
_MAY_BE_EMPTY = frozenset({"FILTERS", "REFERENCE_OBJECT", "LOCATION", "END", "SELECTOR"})
_PLACE = {"type": "integer", "minimum": 0}
_RUN = {"type": "array", "prefixItems": [_PLACE, _PLACE], "items": False, "minItems": 2}
_SPAN: Schema = {
    "description": "[0, [first, last]] or [0, [[first, last], …]]: words of the command, counted from 0, inclusive.",
    "type": "array",
    "prefixItems": [{"const": 0}, {"anyOf": [_RUN, {"type": "array", "items": _RUN, "minItems": 1}]}],
    "items": False,
    "minItems": 2,
}


@cache
def schema(*, old: bool = False) -> Schema:
    """The schema of a whole form.

    Args:
        old: Also accept the spellings of older data that `upgrade` reads; they are marked `deprecated`.
    """
    definitions: Schema = {"SPAN": _SPAN}
    for name, node in GRAMMAR.items():
        definitions[name] = _node(node, old=old)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Logical form",
        "description": "What a command asks of the agent.",
        "$ref": "#/$defs/ROOT",
        "$defs": definitions,
    }


def _type(kind: Type, *, old: bool) -> Schema:
    match kind:
        case Span():
            return {"$ref": "#/$defs/SPAN"}
        case Flag(value):
            return {"const": value}
        case Word(options):
            return {"enum": _values(options)}
        case Fixed(options, others):
            inside = (
                {"type": "string", "pattern": r"\S", "maxLength": MOST_FIXED} if others else {"enum": _values(options)}
            )
            return _object({"fixed_value": inside}, ["fixed_value"])
        case Box(key, of):
            return _object({key: _type(of, old=old)}, [key])
        case Of(name):
            return {"$ref": f"#/$defs/{name}"}
        case Some(of, _, least, most):
            return {"type": "array", "items": _type(of, old=old), "minItems": least, "maxItems": most}
        case OneOf(shapes):
            kinds = [_type(shape.of, old=old) for shape in shapes if not isinstance(shape.of, Template)]
            return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
        case Template():
            raise AssertionError("a template is looked past")


def _node(node: AnyNode, *, old: bool) -> Schema:
    match node:
        case OneOf():
            return _type(node, old=old)
        case Clauses():
            clauses = {"type": "array", "items": {"$ref": "#/$defs/CLAUSE"}, "minItems": 1, "maxItems": node.most}
            return _object(dict.fromkeys(node.operators, clauses), [], minProperties=1, maxProperties=1)
        case Tagged():
            return {"description": node.noun, "oneOf": [_variant(node, index, old=old) for index in _numbers(node)]}
        case Node():
            needed = [key.name for key in node.keys if key.required]
            least = {} if node.bare or needed or (old and node.name in _MAY_BE_EMPTY) else {"minProperties": 1}
            rules = {} if old else node.rule_schema
            found = _with_keys(node.keys, {}, needed, old=old, **least, **rules)
            if old:
                for name, kind in node.old.items():
                    _also(found["properties"], name, kind)
            return {"description": node.noun, **found}


def _numbers(node: Tagged) -> range:
    return range(len(node.variants))


def _variant(node: Tagged, index: int, *, old: bool) -> Schema:
    variant = node.variants[index]
    keys = node.keys_of(variant)
    needed = [node.tag, *(key.name for key in keys if key.required)]
    tag = {node.tag: {"const": variant.option.value}}
    found = _with_keys(keys, tag, needed, old=old)
    if old and "location" in found["properties"]:
        for name, kind in node.old.items():
            _also(found["properties"], name, kind)
    return {"title": variant.option.value, "description": variant.option.label, **found}


def _with_keys(keys: tuple[Key, ...], more: Schema, needed: list[str], *, old: bool, **rest: Any) -> Schema:
    properties = dict(more)
    for key in keys:
        kind: Schema = {"description": key.label, **_type(key.of, old=old)}
        if old:
            kind = _or_old(kind, list(key.old))
        properties[key.name] = kind
    found = _object(properties, needed, **rest)
    needs = [_needs(key) for key in keys if key.needs]
    if needs:
        found["allOf"] = needs
    return _renamed(found) if old else found


def _needs(key: Key) -> Schema:
    assert key.needs  # noqa: S101 - the caller has checked it
    other, value = key.needs
    return {"if": {"required": [key.name]}, "then": {"properties": {other: {"const": value}}, "required": [other]}}


def _or_old(kind: Schema, spellings: list[Schema]) -> Schema:
    return {"anyOf": [kind, *({**one, "deprecated": True} for one in spellings)]} if spellings else kind


def _also(properties: Schema, name: str, kind: Any) -> None:
    known = properties.get(name)
    spelling = {**kind, "deprecated": True}
    properties[name] = {"anyOf": [known, spelling]} if known else spelling


def _renamed(found: Schema) -> Schema:
    """The object schema with the old names of its keys too; a required key may have either name, but not both."""
    for new, former in _RENAMED.items():
        if new not in found["properties"]:
            continue
        found["properties"][former] = {**found["properties"][new], "deprecated": True}
        if new in found.get("required", []):
            found["required"] = [name for name in found["required"] if name != new]
            found.setdefault("allOf", []).append({"oneOf": [{"required": [new]}, {"required": [former]}]})
    return found


def _object(properties: Schema, needed: list[str], **rest: Any) -> Schema:
    found: Schema = {"type": "object", "properties": properties, "additionalProperties": False, **rest}
    if needed:
        found["required"] = needed
    return found


def _values(options: tuple[Option, ...]) -> list[str]:
    return [option.value for option in options]
