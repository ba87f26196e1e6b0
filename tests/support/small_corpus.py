"""A small corpus of commands with their forms, made here: enough for a parser to learn from, in a second."""

from itertools import product
from typing import Any

from learning.trainers.protocol import Example
from tests.support.shared_data import OURS

_COLOURS = ("red", "blue", "green", "white")
_THINGS = ("house", "tower", "wall", "bridge", "cube")


def small_corpus() -> list[Example]:
    """120 commands of seven kinds, each text once, in an order that mixes the kinds."""
    found: list[Example] = []
    for (number, colour), thing in product(enumerate(_COLOURS), _THINGS):
        place = f"the {_THINGS[number]}"
        found += [
            _example(f"build a {colour} {thing}", _order("BUILD", schematic=_thing(3, 2))),
            _example(f"please make me a {colour} {thing}", _order("BUILD", schematic=_thing(5, 4))),
            _example(f"destroy that {colour} {thing}", _order("DESTROY", reference_object=_thing(3, 2))),
            _example(
                f"put a {thing} near {place} {colour}",
                _order("BUILD", schematic=_thing(2), location=_near(5, 6)),
            ),
            _example(f"go to the {colour} {thing}", _order("MOVE", location={"reference_object": _thing(4, 3)})),
            _example(f"hi {colour} {thing}", {"dialogue_type": "NOOP"}),
        ]
    found += [_example(text, form) for text, form in OURS]
    return list({one.item: one for one in found}.values())


def _example(text: str, form: dict[str, Any]) -> Example:
    return Example(text, text, form)


def _order(kind: str, **parts: Any) -> dict[str, Any]:
    return {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": kind, **parts}]}


def _thing(name: int, colour: int | None = None) -> dict[str, Any]:
    clauses = [{"pred_text": "has_name", "obj_text": [0, [name, name]]}]
    if colour is not None:
        clauses.append({"pred_text": "has_colour", "obj_text": [0, [colour, colour]]})
    return {"filters": {"where_clause": {"AND": clauses}}}


def _near(first: int, last: int) -> dict[str, Any]:
    clauses = [{"pred_text": "has_name", "obj_text": [0, [first, first]]}]
    clauses.append({"pred_text": "has_colour", "obj_text": [0, [last, last]]})
    return {"relative_direction": "NEAR", "reference_object": {"filters": {"where_clause": {"AND": clauses}}}}
