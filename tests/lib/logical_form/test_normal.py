import random
from typing import Any

import pytest

from demo.commands import read_commands
from lib.logical_form.english.differences import differences
from lib.logical_form.normal import normal, same
from lib.logical_form.spans import is_span, tokenise
from tests.support.forms import random_form

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
    forms = [random_form(seed=seed, words=30, depth=3) for seed in range(100)]
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
    """A copy with another value at the pointer; None removes it."""
    if not path:
        return value
    name, _, rest = path.removeprefix("/").partition("/")
    if isinstance(form, list) and value is None and not rest:
        return [item for index, item in enumerate(form) if index != int(name)]
    if isinstance(form, list):
        return [_with(item, rest, value) if index == int(name) else item for index, item in enumerate(form)]
    if not rest:
        return {**{key: part for key, part in form.items() if key != name}, **({} if value is None else {name: value})}
    return {**form, name: _with(form[name], f"/{rest}", value)}


TOWER, STOP, TURN, JUMP = (
    "build a tall red tower next to the house",
    "stop digging",
    "turn left and look up",
    "jump three times",
)
STEP = "/event_sequence/0"
CLAUSES = {
    "AND": [
        {"pred_text": "has_name", "obj_text": [0, [4, 4]]},
        {"pred_text": "has_size", "obj_text": [0, [3, 3]]},
    ]
}


@pytest.mark.parametrize(
    ("text", "path", "value", "sentences"),
    [
        (TOWER, f"{STEP}/location", None, ["Where to build it: next to something named “house”, against nothing."]),
        (
            TOWER,
            f"{STEP}/location/relative_direction",
            "BACK",
            ["Where to build it, in which direction: near it, against behind it, or back."],
        ),
        (
            TOWER,
            f"{STEP}/schematic/filters/where_clause",
            CLAUSES,
            ["What to build: size “tall”, against size “red”.", "What to build: colour “red”, against nothing."],
        ),
        (STOP, f"{STEP}/action_type", "UNDO", ["What to do: stop “digging”, against undo “digging”."]),
        (STOP, "", {"dialogue_type": "NOOP"}, ["The whole command: stop “digging”, against this is not a command."]),
        (TURN, "/event_sequence/1", None, ["Thing to do 2: look up, against nothing."]),
        (
            JUMP,
            f"{STEP}/terminate_condition",
            {"condition_type": "NEVER"},
            ["When it ends: “three” times, against for ever."],
        ),
    ],
    ids=["missing part", "value", "properties", "other action", "other purpose", "missing step", "condition"],
)
def test_differences_are_sentences(text: str, path: str, value: Any, sentences: list[str]) -> None:
    form = _form(text)
    found = differences(form, _with(form, path, value), tokenise(text))
    assert sorted(one.reason for one in found) == sorted(sentences)
    assert all(path.startswith(one.path) for one in found)
