"""Short names for the forms that the parser's tests expect, and their parts."""

from typing import Any

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


def act(kind: str, reference: Form | None = None, **more: Any) -> Form:
    return {"action_type": kind, **({"reference_object": reference} if reference else {}), **more}


def go(**place: Any) -> Form:
    return {"action_type": "MOVE", "location": place}
