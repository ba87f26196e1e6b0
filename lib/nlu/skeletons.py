"""Skeletons: forms with a hole in place of every span."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from lib.canonical_json import canonical
from lib.logical_form import Form
from lib.logical_form.spans import is_span, pieces_of, span_of

HOLE = "#"
"""Stands for a span. No key or word of a form is written so."""
_UNNAMED = frozenset({"filters", "where_clause", "AND", "OR", "NOT", "event_sequence"})
"""Keys that tell nothing about the words of a span below them."""
_UNORDERED = frozenset({"AND", "OR", "triples", "conditions"})
_MOST_NAMED = 4

Pieces = list[tuple[int, int]]


class Parts(NamedTuple):
    """A form taken apart.

    Attributes:
        skeleton: The form with holes, as canonical JSON.
        kinds: The kind of each hole, in the order of the holes.
        spans: The words that fill each hole, in the same order.
    """

    skeleton: str
    kinds: list[str]
    spans: list[Pieces]


def taken_apart(form: Form) -> Parts:
    """The skeleton of a form and the spans that fill it.

    Members of lists without an order stand in the order of their skeletons, those of equal skeletons in the order of
    their words, so that the place of words in a command never makes another skeleton.
    """
    spans: list[Any] = []
    arranged = _arranged(form)
    skeleton = _emptied(arranged, spans)
    return Parts(canonical(skeleton), kinds_of(skeleton), [pieces_of(span) for span in spans])


def put_together(skeleton: Any, spans: Sequence[Pieces]) -> Form:
    """The form of a skeleton whose holes these spans fill, in order.

    >>> put_together({"say_span": "#"}, [[(1, 2)]])
    {'say_span': [0, [1, 2]]}
    """
    waiting = iter(spans)
    form: Form = _filled(skeleton, waiting)
    return form


def kinds_of(skeleton: Any) -> list[str]:
    """The kind of each hole of a skeleton: the keys that lead to it, without those that say nothing of the words.

    >>> kinds_of({"schematic": {"filters": {"where_clause": {"AND": [{"obj_text": "#", "pred_text": "has_name"}]}}}})
    ['schematic/has_name']
    """
    return list(_kinds(skeleton, ()))


def root_of(skeleton: Any) -> str:
    """The types of a skeleton's first action and dialogue, which help to tell the roles of words apart."""
    sequence = skeleton.get("event_sequence") if isinstance(skeleton, dict) else None
    first = sequence[0] if isinstance(sequence, list) and sequence and isinstance(sequence[0], dict) else {}
    return str(first.get("action_type") or (skeleton.get("dialogue_type") if isinstance(skeleton, dict) else ""))


def _arranged(value: Any) -> Any:
    if isinstance(value, list) and not is_span(value):
        return [_arranged(item) for item in value]
    if not isinstance(value, dict):
        return value
    node = {name: _arranged(value[name]) for name in sorted(value)}
    for name in _UNORDERED & set(node):
        if isinstance(node[name], list):
            node[name] = sorted(node[name], key=_order)
    return node


def _order(item: Any) -> tuple[str, list[Pieces]]:
    spans: list[Any] = []
    return canonical(_emptied(item, spans)), [pieces_of(span) for span in spans]


def _emptied(value: Any, spans: list[Any]) -> Any:
    if is_span(value):
        spans.append(value)
        return HOLE
    if isinstance(value, list):
        return [_emptied(item, spans) for item in value]
    if isinstance(value, dict):
        return {name: _emptied(value[name], spans) for name in sorted(value)}
    return value


def _filled(value: Any, spans: Iterator[Pieces]) -> Any:
    if value == HOLE:
        return span_of(next(spans))
    if isinstance(value, list):
        return [_filled(item, spans) for item in value]
    if isinstance(value, dict):
        return {name: _filled(value[name], spans) for name in sorted(value)}
    return value


def _kinds(value: Any, path: tuple[str, ...]) -> Iterator[str]:
    if value == HOLE:
        yield "/".join(path[-_MOST_NAMED:])
    elif isinstance(value, list):
        for item in value:
            yield from _kinds(item, path)
    elif isinstance(value, dict):
        told = value.get("pred_text")
        for name in sorted(value):
            named = str(told) if name == "obj_text" and isinstance(told, str) else name
            yield from _kinds(value[name], path if named in _UNNAMED else (*path, named))
