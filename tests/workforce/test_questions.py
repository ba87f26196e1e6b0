"""Questions as data: refused ones, the draw, a worker's view, right answers."""

from random import Random
from typing import Any

import pytest

from lib.faults import Invalid
from workforce.questions import check_answers, check_questions, drawn, is_right, is_same, shown

SINGLE = {"id": "a", "ask": "Which?", "kind": "single", "options": ["red", "green", "blue"], "accept": ["green"]}
MULTIPLE = {"id": "b", "ask": "All of?", "kind": "multiple", "options": ["x", "y", "z"], "accept": ["x", "z"]}
EITHER = {**MULTIPLE, "accept": [["x"], ["y", "z"]]}
TEXT = {"id": "c", "ask": "Key?", "kind": "text", "accept": ["Enter", "return"]}
FREE = {**TEXT, "accept": []}


def question(body: dict[str, Any], **changes: Any) -> Any:
    return {**body, **changes}


@pytest.mark.parametrize(
    ("bodies", "draw", "pointer"),
    [
        ([SINGLE, question(TEXT, id="a")], None, "#/questions/1/id"),
        ([SINGLE], 2, "#/draw"),
        ([question(SINGLE, options=["green"])], None, "#/questions/0/options"),
        ([question(SINGLE, options=["green", "green"])], None, "#/questions/0/options"),
        ([question(SINGLE, accept=[])], None, "#/questions/0/accept"),
        ([TEXT, question(SINGLE, accept=["green", "pink"])], None, "#/questions/1/accept/1"),
        ([question(SINGLE, accept=[1])], None, "#/questions/0/accept/0"),
        ([question(SINGLE, accept=[["green"]])], None, "#/questions/0/accept/0"),
        ([question(MULTIPLE, accept=["x", ["y"]])], None, "#/questions/0/accept/1"),
        ([question(MULTIPLE, accept=[["x"], "y"])], None, "#/questions/0/accept/1"),
        ([question(MULTIPLE, accept=[["x"], []])], None, "#/questions/0/accept/1"),
        ([question(MULTIPLE, accept=[["x", "x"]])], None, "#/questions/0/accept/0"),
        ([question(MULTIPLE, accept=[["x", "q"]])], None, "#/questions/0/accept/0"),
        ([question(TEXT, accept=["ok", "  "])], None, "#/questions/0/accept/1"),
        ([question(TEXT, accept=[{"pattern": ".*"}])], None, "#/questions/0/accept/0"),
        ([question(TEXT, options=["a", "b"])], None, "#/questions/0/options"),
        ([question(SINGLE, payload={"episode": "e"})], None, "#/questions/0/payload"),
        ([question(TEXT, kind="task")], None, "#/questions/0/payload"),
        ([question(TEXT, kind="task", payload={"episode": "e"}, accept=[])], None, "#/questions/0/accept"),
    ],
)
def test_a_question_that_cannot_be_graded_is_refused_with_its_place(
    bodies: Any, draw: int | None, pointer: str
) -> None:
    with pytest.raises(Invalid) as refusal:
        check_questions(bodies, draw=draw)
    assert [fault.pointer for fault in refusal.value.faults] == [pointer]


def test_the_faults_of_all_questions_are_reported_at_once() -> None:
    with pytest.raises(Invalid) as refusal:
        check_questions([question(SINGLE, accept=[]), question(TEXT, accept=[" "])], draw=5)
    assert [fault.pointer for fault in refusal.value.faults] == [
        "#/questions/0/accept",
        "#/questions/1/accept/0",
        "#/draw",
    ]


@pytest.mark.parametrize("body", [SINGLE, MULTIPLE, EITHER, TEXT, FREE, question(SINGLE, accept=["red", "green"])])
def test_a_good_question_is_kept_as_it_was_put(body: Any) -> None:
    [kept] = check_questions([question(body, tolerance_s=None)], draw=1)
    assert kept == body
    assert check_questions([kept], draw=None) == [kept]


@pytest.mark.parametrize(
    ("body", "answer", "right"),
    [
        (SINGLE, "green", True),
        (SINGLE, "red", False),
        (question(SINGLE, accept=["red", "green"]), "red", True),
        (MULTIPLE, ["z", "x"], True),
        (MULTIPLE, ["x"], False),
        (MULTIPLE, ["x", "y", "z"], False),
        (EITHER, ["x"], True),
        (EITHER, ["z", "y"], True),
        (EITHER, ["x", "y", "z"], False),
        (TEXT, "  ENTER\n", True),
        (TEXT, "Return", True),
        (TEXT, "en ter", False),
        (question(TEXT, accept=["Straße"]), "STRASSE", True),
        (FREE, "anything", True),
    ],
)
def test_an_answer_is_right_or_not(body: Any, answer: Any, right: bool) -> None:
    assert check_answers([body], {body["id"]: answer}) == {body["id"]: answer}
    assert is_right(body, answer) is right


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        (SINGLE, "pink"),
        (SINGLE, ["green"]),
        (SINGLE, None),
        (SINGLE, 1),
        (MULTIPLE, "x"),
        (MULTIPLE, []),
        (MULTIPLE, ["x", "x"]),
        (MULTIPLE, ["q"]),
        (MULTIPLE, [["x"]]),
        (TEXT, "   "),
        (TEXT, "x" * 5001),
        (TEXT, {"a": 1}),
        (FREE, ""),
    ],
)
def test_a_wrong_answer_is_refused_beside_its_question(body: Any, answer: Any) -> None:
    with pytest.raises(Invalid) as refusal:
        check_answers([body], {body["id"]: answer})
    assert [fault.pointer for fault in refusal.value.faults] == [f"#/answers/{body['id']}"]


def test_missing_and_unknown_answers_are_all_named() -> None:
    with pytest.raises(Invalid) as refusal:
        check_answers([SINGLE, TEXT], {"a": "red", "other/one": "x"})  # type: ignore[list-item]
    assert [fault.pointer for fault in refusal.value.faults] == ["#/answers/other~1one", "#/answers/c"]
    assert check_answers([SINGLE, TEXT], {"a": "red"}, partly=True) == {"a": "red"}  # type: ignore[list-item]


BANK: Any = [question(SINGLE, id=f"q{number}") for number in range(10)]


def test_each_attempt_draws_its_own_questions_and_all_come_up() -> None:
    draws = [drawn(BANK, draw=3, chance=Random(seed)) for seed in range(60)]
    assert {len(questions) for questions in draws} == {3}
    names = [[question["id"] for question in questions] for questions in draws]
    assert all(found == sorted(found) and len(set(found)) == 3 for found in names)
    assert {name for found in names for name in found} == {question["id"] for question in BANK}
    assert len({tuple(found) for found in names}) > 20


def test_options_are_shuffled_and_the_bank_is_left_alone() -> None:
    orders = {tuple(drawn([BANK[0]], draw=None, chance=Random(seed))[0]["options"]) for seed in range(60)}
    assert len(orders) == 6
    assert BANK[0]["options"] == ["red", "green", "blue"]
    assert [question["id"] for question in drawn(BANK, draw=None, chance=Random(1))] == [f"q{n}" for n in range(10)]


@pytest.mark.parametrize("body", [SINGLE, MULTIPLE, TEXT])
def test_a_shown_question_has_no_right_answers(body: Any) -> None:
    assert set(shown(body, hold="h")) == {"id", "ask", "kind"} | {"options"} & set(body)


def test_a_shuffled_copy_is_the_same_question_and_a_reworded_one_is_not() -> None:
    [copy] = drawn([BANK[0]], draw=None, chance=Random(3))
    assert is_same(copy, BANK[0])
    assert not is_same(copy, question(BANK[0], ask="Which one?"))
    assert not is_same(copy, question(BANK[0], accept=["red"]))
