"""Rewrite forms of old spellings as the present grammar has them, with a reason for every change."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from lib.logical_form import Form
from lib.logical_form.grammar.actions import ACTION


class Change(NamedTuple):
    """One change: the place before it, and the reason."""

    path: str
    reason: str


_RENAMED = {
    "action_sequence": "event_sequence",
    "remove_condition": "terminate_condition",
    "pred": "pred_text",
    "obj": "obj_text",
    "subj": "subj_text",
}
_PLACES = {"AGENT_POS": "AGENT", "SPEAKER_POS": "SPEAKER", "SPEAKER_LOOK": "SPEAKER_LOOK"}
_WITHOUT_CONDITION = frozenset(
    one.option.value for one in ACTION.variants if not any(key.name == "terminate_condition" for key in one.keys)
)
_SAY_NOTHING = frozenset(
    {"filters", "reference_object", "location", "receiver", "source", "selector", "attribute", "quantity", "upsert"}
)


def upgraded(form: Any) -> tuple[Any, list[Change]]:
    """The form in the present spelling, and the changes. Unknown parts stay as they are; `validate` refuses them."""
    changes: list[Change] = []
    found = _Reader(changes).read(form, "")
    return found, changes


class _Reader:
    def __init__(self, changes: list[Change]) -> None:
        self.changes = changes

    def note(self, path: str, reason: str) -> None:
        self.changes.append(Change(path, reason))

    def read(self, value: Any, path: str) -> Any:
        """The upgraded value. Inner parts come first, so each rule sees parts that are already upgraded."""
        if isinstance(value, list):
            return [self.read(item, f"{path}/{index}") for index, item in enumerate(value)]
        if not isinstance(value, dict):
            return value
        found: Form = {}
        for name, part in value.items():
            new = _RENAMED.get(name, str(name))
            if new != name and new not in value:
                self.note(f"{path}/{name}", f"{name} is called {new} now.")
            else:
                new = name
            read = self.read(part, f"{path}/{name}")
            if read == {} and name in _SAY_NOTHING:
                self.note(f"{path}/{name}", "A part of which nothing is said is left out.")
            else:
                found[new] = read
        for rule in _RULES:
            found = rule(self, found, path)
        return found


Rule = Callable[[_Reader, Form, str], Form]
_RULES: list[Rule] = []


def _rule(rule: Rule) -> Rule:
    _RULES.append(rule)
    return rule


@_rule
def _objects(reader: _Reader, node: Form, path: str) -> Form:
    """Rewrite things that are given as a bare word, a bare span, or properties outside their filters."""
    for name in ("reference_object", "reference_object_1", "reference_object_2"):
        part = node.get(name)
        if _is_span(part):
            reader.note(f"{path}/{name}", "Words alone are the text_span of a thing.")
            node[name] = {"text_span": part}
        elif isinstance(part, dict):
            node[name] = _thing(reader, part, f"{path}/{name}")
    first = node.get("reference_object_1")
    if isinstance(first, dict) and "reference_object_2" in first and "reference_object_2" not in node:
        reader.note(f"{path}/reference_object_1", "The second of two things stands beside the first, not in it.")
        node = {**node, "reference_object_1": _without(first, "reference_object_2")}
        node["reference_object_2"] = first["reference_object_2"]
    return node


def _thing(reader: _Reader, thing: Form, path: str) -> Form:
    special = thing.get("special_reference")
    if isinstance(special, str):
        reader.note(f"{path}/special_reference", "A special reference is a fixed_value.")
        thing = {**thing, "special_reference": {"fixed_value": special}}
    loose = [name for name in thing if name.startswith("has_")]
    outside = [{"pred_text": name, "obj_text": thing[name]} for name in loose] + list(_list(thing.get("triples")))
    if outside or "contains_coreference" in thing:
        reader.note(path, "What is told about a thing stands in its filters.")
        filters = {**_dict(thing.get("filters")), **_only(thing, "contains_coreference")}
        if outside:
            filters = _with_clauses(filters, outside)
        thing = {**_without(thing, "triples", "contains_coreference", *loose), "filters": filters}
    return thing


@_rule
def _filters(reader: _Reader, node: Form, path: str) -> Form:
    """Move the place and the properties of a thing to where they belong in its filters."""
    filters = node.get("filters")
    if not isinstance(filters, dict):
        return node
    here = f"{path}/filters"
    if isinstance(filters.get("selector"), str):
        reader.note(f"{here}/selector", "How many are meant is the return_quantity of the selector.")
        filters = {**filters, "selector": {"return_quantity": filters["selector"]}}
    if "location" in filters:
        reader.note(f"{here}/location", "Where a thing is stands in its selector.")
        selector = {"location": filters["location"], **_dict(filters.get("selector"))}
        filters = {**_without(filters, "location"), "selector": selector}
    selector = _dict(filters.get("selector"))
    clauses = list(_list(selector.get("triples")))
    if isinstance(inner := selector.get("where_clause"), dict):
        clauses += list(_list(inner.get("AND")))
    if clauses:
        reader.note(f"{here}/selector", "What is told about a thing stands in its where_clause.")
        filters = _with_clauses({**filters, "selector": _without(selector, "triples", "where_clause")}, clauses)
    if isinstance(comparator := filters.get("comparator"), dict):
        reader.note(f"{here}/comparator", "A comparison is one of the clauses.")
        filters = _with_clauses(_without(filters, "comparator"), [comparator])
    misplaced = filters.get("relative_direction")
    if isinstance(misplaced, dict):
        filters = _with_place(reader, filters, misplaced, here)
    return {**node, "filters": filters}


def _with_place(reader: _Reader, filters: Form, misplaced: Form, path: str) -> Form:
    """The filters with the place in the selector that a misplaced direction meant."""
    ((word, rest), *more) = misplaced.items() or [("", None)]
    if more or not isinstance(rest, dict):
        return filters
    reader.note(f"{path}/relative_direction", "Where a thing is stands in its selector.")
    place: Form = {} if word.upper() == "EXACT" else {"relative_direction": word.upper()}
    inside = _dict(rest.get("reference_object"))
    place["reference_object"] = _thing(_Reader([]), inside, path)
    selector = {"location": place, **_dict(filters.get("selector"))}
    return {**_without(filters, "relative_direction"), "selector": selector}


@_rule
def _places(reader: _Reader, node: Form, path: str) -> Form:
    """Rewrite places that are given as bare words or by an old type, and take in what stands beside a place."""
    if "action_type" in node and ("relative_direction" in node or "steps" in node):
        reader.note(path, "Direction and distance stand in the location.")
        beside = _only(node, "relative_direction", "steps", "has_measure")
        node = {**_without(node, *beside), "location": {**beside, **_dict(node.get("location"))}}
    if "location" not in node:
        return node
    place, here = node["location"], f"{path}/location"
    if _is_span(place):
        reader.note(here, "Words alone are the text_span of a place.")
        place = {"text_span": place}
    elif isinstance(place, str):
        reader.note(here, "A place is an object; what does not fit has the location_type OTHER.")
        place = {"location_type": "OTHER"}
    elif isinstance(place, dict):
        place = _place(reader, place, here)
    return {**node, "location": place}


def _place(reader: _Reader, place: Form, path: str) -> Form:
    kind = place.get("location_type")
    if kind is None or kind == "OTHER":
        return place
    rest = _without(place, "location_type")
    if kind == "REFERENCE_OBJECT":
        reader.note(f"{path}/location_type", "That a place is seen from a thing, its reference_object says.")
        return rest
    if isinstance(kind, str) and kind in _PLACES and "reference_object" not in rest:
        reader.note(f"{path}/location_type", f"{kind} is the special reference {_PLACES[kind]} now.")
        return {**rest, "reference_object": {"special_reference": {"fixed_value": _PLACES[kind]}}}
    if isinstance(kind, str) and kind.upper() == "OTHER":
        reader.note(f"{path}/location_type", "The location_type is spelt OTHER.")
        return {**place, "location_type": "OTHER"}
    return place


@_rule
def _turns(reader: _Reader, node: Form, path: str) -> Form:
    for name, inside in (("relative_yaw", "yaw_span"), ("relative_pitch", "pitch_span")):
        part = node.get(name)
        if _is_span(part):
            reader.note(f"{path}/{name}", f"Words for a turn are its {inside}.")
            node = {**node, name: {inside: part}}
        elif isinstance(part, dict) and set(part) == {"angle"}:
            reader.note(f"{path}/{name}", "An angle is a fixed_value.")
            node = {**node, name: {"fixed_value": str(part["angle"])}}
    return node


@_rule
def _values(reader: _Reader, node: Form, path: str) -> Form:
    for name in ("input_left", "input_right"):
        if _is_span(node.get(name)):
            reader.note(f"{path}/{name}", "Words that are a value stand under value.")
            node = {**node, name: {"value": node[name]}}
    quantity = node.get("quantity")
    if "polarity" in node and isinstance(quantity, dict) and isinstance(place := quantity.get("location"), dict):
        reader.note(f"{path}/quantity", "A ranking by place is one by the linear_extent from there.")
        source = _only(place, "reference_object")
        node = {**node, "quantity": {"attribute": {"linear_extent": {"source": source}}}}
    return node


@_rule
def _conditions(reader: _Reader, node: Form, path: str) -> Form:
    """Give a type to conditions without one, and move conditions that an action cannot have to the event around it."""
    for name in ("terminate_condition", "init_condition"):
        condition = node.get(name)
        if isinstance(condition, dict) and "condition_type" not in condition:
            node = {**node, name: _typed(reader, condition, f"{path}/{name}")}
    actions = node.get("event_sequence")
    if isinstance(actions, list):
        node = _lifted(reader, node, actions, path)
    return node


def _typed(reader: _Reader, condition: Form, path: str) -> Form:
    inner = condition.get("condition")
    for old, kind in (("and_condition", "AND"), ("or_condition", "OR")):
        if isinstance(inner, dict) and old in inner:
            reader.note(path, f"{old} is a condition of the type {kind}.")
            return {**_without(condition, "condition"), "condition_type": kind, "conditions": inner[old]}
    if isinstance(inner, dict) and "not_condition" in inner:
        reader.note(path, "not_condition is a condition of the type NOT.")
        return {**condition, "condition_type": "NOT", "condition": inner["not_condition"]}
    if isinstance(inner, dict):
        kind = "COMPARATOR" if "comparison_type" in inner else "TIME"
        reader.note(path, f"The condition is of the type {kind}.")
        return {**condition, "condition_type": kind}
    if set(condition) == {"condition_span"}:
        reader.note(path, "A condition of which only the words are known is of the type OTHER.")
        return {**condition, "condition_type": "OTHER"}
    return condition


def _lifted(reader: _Reader, node: Form, actions: list[Any], path: str) -> Form:
    """The event with the conditions of actions that cannot have one moved to the sequence, or to a sequence of one."""
    kept = []
    for index, action in enumerate(actions):
        moves = (
            isinstance(action, dict)
            and isinstance(action.get("action_type"), str)
            and action["action_type"] in _WITHOUT_CONDITION
            and "terminate_condition" in action
        )
        if not moves:
            kept.append(action)
            continue
        reader.note(
            f"{path}/event_sequence/{index}/terminate_condition",
            f"{action['action_type']} has no condition of its own: the sequence around it has.",
        )
        plain, condition = _without(action, "terminate_condition"), action["terminate_condition"]
        if len(actions) == 1 and "terminate_condition" not in node:
            node = {**node, "terminate_condition": condition}
            kept.append(plain)
        else:
            kept.append({"event_sequence": [plain], "terminate_condition": condition})
    return {**node, "event_sequence": kept}


def _is_span(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[1], list)


def _dict(value: Any) -> Form:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> Iterator[Any]:
    return iter(value if isinstance(value, list) else [])


def _without(node: Form, *names: str) -> Form:
    return {name: part for name, part in node.items() if name not in names}


def _only(node: Form, *names: str) -> Form:
    return {name: node[name] for name in names if name in node}


def _with_clauses(filters: Form, clauses: list[Any]) -> Form:
    """The filters with these clauses added, each once."""
    there = filters.get("where_clause")
    inside = list(_list(there.get("AND"))) if isinstance(there, dict) and "AND" in there else [there] if there else []
    inside += [clause for clause in clauses if clause not in inside]
    kept = {name: part for name, part in filters.items() if not (name == "selector" and part == {})}
    return {**kept, "where_clause": {"AND": inside}}
