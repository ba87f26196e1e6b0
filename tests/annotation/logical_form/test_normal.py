import random
from typing import Any

from annotation.logical_form.differences import differences
from annotation.logical_form.normal import normal, same
from annotation.logical_form.spans import is_span, tokenise
from demo.commands import read_commands
from tests.annotation.logical_form.forms import random_form

TOKENS = [f"w{index:02}" for index in range(30)]


def _shuffled(value: Any, rng: random.Random) -> Any:
    """The same form with its keys, clauses, conditions and triples in another order."""
    if is_span(value):
        return value
    if isinstance(value, list):
        return [_shuffled(item, rng) for item in value]
    if not isinstance(value, dict):
        return value
    items = [(name, _shuffled(part, rng)) for name, part in value.items()]
    rng.shuffle(items)
    for name, part in items:
        if name in ("AND", "OR", "NOT", "conditions", "triples"):
            rng.shuffle(part)
    return dict(items)


def test_the_normal_form_is_its_own_and_minds_no_order() -> None:
    rng = random.Random(5)
    for seed in range(400):
        form = random_form(seed=seed, words=30, depth=4)
        assert normal(normal(form)) == normal(form)
        assert same(_shuffled(form, rng), form), form
        assert differences(_shuffled(form, rng), form, TOKENS) == []


def test_forms_are_the_same_if_and_only_if_there_are_no_differences() -> None:
    forms = [random_form(seed=seed, words=30, depth=3) for seed in range(300)]
    alike = 0
    for index, form in enumerate(forms):
        for other in forms[index : index + 6]:
            found = differences(form, other, TOKENS)
            assert bool(found) != same(form, other), (form, other)
            assert all(one.reason.endswith(".") for one in found)
            alike += same(form, other)
    assert len(forms) <= alike < 6 * len(forms)


def _form(text: str) -> Any:
    return next(one["form"] for one in read_commands() if one["text"] == text)


def _with(form: Any, path: str, value: Any) -> Any:
    """A copy in which something else stands at the pointer; None: nothing."""
    name, _, rest = path.removeprefix("/").partition("/")
    if isinstance(form, list):
        return [_with(item, rest, value) if index == int(name) else item for index, item in enumerate(form)]
    if not rest:
        return {**{key: part for key, part in form.items() if key != name}, **({} if value is None else {name: value})}
    return {**form, name: _with(form[name], f"/{rest}", value)}


TOWER = "build a tall red tower next to the house"


def _said(form: Any, other: Any, text: str = TOWER) -> list[str]:
    return [one.reason for one in differences(form, other, tokenise(text))]


def test_a_missing_part_differs_from_nothing() -> None:
    without = _with(_form(TOWER), "/event_sequence/0/location", None)
    assert _said(_form(TOWER), without) == ["Where to build it: next to something named “house”, against nothing."]
    assert _said(without, _form(TOWER)) == ["Where to build it: nothing, against next to something named “house”."]


def test_properties_are_held_side_by_side() -> None:
    where = "/event_sequence/0/schematic/filters/where_clause"
    other = _with(
        _form(TOWER),
        where,
        {
            "AND": [
                {"pred_text": "has_name", "obj_text": [0, [4, 4]]},
                {"pred_text": "has_size", "obj_text": [0, [3, 3]]},
            ]
        },
    )
    assert set(_said(_form(TOWER), other)) == {
        "What to build: size “tall”, against size “red”.",
        "What to build: colour “red”, against nothing.",
    }
    assert {one.path for one in differences(_form(TOWER), other, [])} == {where}


def test_values_are_told_in_words() -> None:
    other = _with(_form(TOWER), "/event_sequence/0/location/relative_direction", "BACK")
    assert _said(_form(TOWER), other) == ["Where to build it, in which direction: near it, against behind it, or back."]


def test_another_action_or_purpose_is_told_whole() -> None:
    text = "stop digging"
    assert _said(_form(text), _with(_form(text), "/event_sequence/0/action_type", "UNDO"), text) == [
        "What to do: stop “digging”, against undo “digging”."
    ]
    assert _said(_form(text), {"dialogue_type": "NOOP"}, text) == [
        "The whole command: stop “digging”, against this is not a command."
    ]


def test_steps_that_only_one_has_are_named_by_their_number() -> None:
    text = "turn left and look up"
    one = {**_form(text), "event_sequence": _form(text)["event_sequence"][:1]}
    assert _said(_form(text), one, text) == ["Thing to do 2: look up, against nothing."]


def test_conditions_are_told_as_one() -> None:
    text = "jump three times"
    other = _with(_form(text), "/event_sequence/0/terminate_condition", {"condition_type": "NEVER"})
    assert _said(_form(text), other, text) == ["When it ends: “three” times, against for ever."]
