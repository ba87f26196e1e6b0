import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from lib.logical_form.schema import schema
from lib.logical_form.spans import is_span
from lib.logical_form.validate import MOST_DEPTH, faults_of
from tests.support.forms import random_form

_SCHEMA = Draft202012Validator(schema())
_OLD = Draft202012Validator(schema(old=True))


def _command(**action: Any) -> dict[str, Any]:
    return {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [action]}


def _place(**place: Any) -> dict[str, Any]:
    return _command(action_type="MOVE", location=place)


HOUSE = {"filters": {"where_clause": {"AND": [{"pred_text": "has_name", "obj_text": [0, [1, 1]]}]}}}


@pytest.mark.parametrize(
    ("form", "path", "reason"),
    [
        (None, "", "Here stands an object, not None."),
        ({}, "", "dialogue_type is missing."),
        ({"dialogue_type": []}, "/dialogue_type", "[] is not one of HUMAN_GIVE_COMMAND, "),
        ({"dialogue_type": "HUMAN_GIVE_COMMAND"}, "", "event_sequence is missing."),
        ({"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": []}, "/event_sequence", "The list has 0 members"),
        ({"dialogue_type": "NOOP", "filters": {}}, "/filters", "'filters' is no key of NOOP; there is dialogue_type."),
        (_command(), "/event_sequence/0", "{} is none of the things that may stand here"),
        (_command(action_type="FLY"), "/event_sequence/0/action_type", "'FLY' is not one of BUILD, "),
        (_command(action_type="SAY"), "/event_sequence/0", "say_span is missing."),
        (_place(), "/event_sequence/0/location", "An empty object says nothing of the place: leave it out."),
        (_place(steps=[0, [2, 1]]), "/event_sequence/0/location/steps", "The words 2 to 1 are no range."),
        (_place(steps=[1, [0, 0]]), "/event_sequence/0/location/steps", "Spans name words of the command itself"),
        (_place(steps=[0, [3, 9]]), "/event_sequence/0/location/steps", "The command has no word 9; its last is 4."),
        (_place(steps=[0, [[0, 1], [2, 2]]]), "/event_sequence/0/location/steps", "Words that lie apart"),
        (
            _place(reference_object_1=HOUSE, relative_direction="BETWEEN"),
            "/event_sequence/0/location",
            "A place between two things has both of them",
        ),
        (
            _place(reference_object_1=HOUSE, reference_object_2=HOUSE, relative_direction="NEAR"),
            "/event_sequence/0/location/reference_object_1",
            "reference_object_1 stands only where relative_direction is BETWEEN.",
        ),
    ],
)
def test_faults_name_the_place_and_the_reason(form: Any, path: Any, reason: Any) -> None:
    faults = faults_of(form, words=5)
    assert any(fault.path == path and fault.reason.startswith(reason) for fault in faults), faults


def test_all_faults_of_a_form_are_named_at_once() -> None:
    faults = faults_of(_place(steps=[0, [9, 9]], direction="UP"), words=5)
    assert [fault.path.rpartition("/")[2] for fault in faults] == ["steps", "direction"]


def test_a_form_that_is_nested_without_end_is_refused() -> None:
    form: Any = {"action_type": "STOP"}
    for _ in range(MOST_DEPTH):
        form = {"event_sequence": [form]}
    faults = faults_of({"dialogue_type": "HUMAN_GIVE_COMMAND", **form})
    assert [fault.reason for fault in faults] == [f"The form is nested more than {MOST_DEPTH} deep."]


# The JSON Schema says the same --------------------------------------------------------------------------------------


def test_schemas_are_schemas_and_take_random_valid_forms() -> None:
    Draft202012Validator.check_schema(schema())
    Draft202012Validator.check_schema(schema(old=True))
    for seed in range(40):
        form = random_form(seed=seed, words=30, depth=4)
        assert faults_of(form, words=30) == []
        assert _SCHEMA.is_valid(form), form
        assert _OLD.is_valid(form), form


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if not is_span(value):
        inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for name, part in inside:
            yield from _places(part, (*path, name))


def _at(form: Any, path: tuple[Any, ...]) -> Any:
    for name in path:
        form = form[name]
    return form


def _mutated(form: Any, rng: random.Random, fits: Callable[[Any], bool], change: Callable[[Any], Any]) -> Any:
    """A copy with one fitting part changed; None where nothing fits."""
    found = copy.deepcopy(form)
    places = [path for path in _places(found) if fits(_at(found, path))]
    if not places:
        return None
    path = rng.choice(places)
    if not path:
        return change(found)
    holder = _at(found, path[:-1])
    holder[path[-1]] = change(holder[path[-1]])
    return found


def _is_object(part: Any) -> bool:
    return isinstance(part, dict)


def _is_list(part: Any) -> bool:
    return isinstance(part, list) and not is_span(part)


def _is_word(part: Any) -> bool:
    return isinstance(part, str)


MUTATIONS: dict[str, tuple[Callable[[Any], bool], Callable[[Any], Any]]] = {
    "unknown key": (_is_object, lambda part: {**part, "has_mood": [0, [0, 0]]}),
    "first key missing": (_is_object, lambda part: dict(list(part.items())[1:])),
    "emptied object": (_is_object, lambda _: {}),
    "wrong word": (_is_word, lambda _: "SIDEWAYS"),
    "empty text": (_is_word, lambda _: ""),
    "blank text": (_is_word, lambda _: "  "),
    "word made a number": (_is_word, lambda _: 7),
    "empty list": (_is_list, lambda _: []),
    "list made an object": (_is_list, lambda _: {}),
    "list too long": (_is_list, lambda part: part * 13),
    "object made null": (_is_object, lambda _: None),
    "object made a list": (_is_object, lambda part: [part]),
    "span without its sentence": (is_span, lambda part: part[1]),
    "span of another sentence": (is_span, lambda part: [1, part[1]]),
    "span with words as text": (is_span, lambda _: "red"),
    "span of nothing": (is_span, lambda _: [0, []]),
    "span with three ends": (is_span, lambda _: [0, [1, 2, 3]]),
    "span with a negative place": (is_span, lambda _: [0, [-1, 2]]),
    "span with a true place": (is_span, lambda _: [0, [True, 2]]),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_schema_and_the_validation_agree_on_forms_gone_wrong(name: Any) -> None:
    fits, change = MUTATIONS[name]
    rng = random.Random(name)
    refused = 0
    for seed in range(20):
        form = random_form(seed=seed, words=30, depth=2, purpose="HUMAN_GIVE_COMMAND")
        wrong = _mutated(form, rng, fits, change)
        if wrong is None:
            continue
        faults = faults_of(wrong, words=30)
        assert _SCHEMA.is_valid(wrong) == (not faults), (wrong, faults)
        refused += bool(faults)
    assert refused > 1


def test_only_the_validation_checks_the_order_of_words_in_a_span() -> None:
    """JSON Schema cannot compare two numbers."""
    assert _SCHEMA.is_valid(_place(steps=[0, [2, 1]]))
