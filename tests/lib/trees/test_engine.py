"""Walking a tree: skipping, answering, refusing, going back, walking a stored path again."""

from typing import Any

import pytest

from lib.trees.engine import (
    Ended,
    Facts,
    NoSuchChoice,
    NothingBefore,
    Outcome,
    Refused,
    TextMissing,
    TextTooLong,
    TextUnwanted,
    Turn,
    WrongNode,
    answer,
    back,
    begin,
    holds,
    now,
)
from lib.trees.parser import read_tree
from lib.trees.tree import When
from tests.support.trees import NOTHING, SEEN, SMALL, UNSEEN, facts_of

TREE = read_tree(SMALL)
NO = Turn(node="done", choice=1)
MANY = facts_of(
    parse={"event_sequence": [{"action_type": "BUILD", "repeat": 1}, {"action_type": "DIG"}], "sure": True, "": 0},
    found={"the cube": [], "the ball": [[0, 0, 0]]},
    status="failed",
    reason="cannot",
)


@pytest.mark.parametrize(
    ("path", "op", "value", "expected"),
    [
        ("status", "eq", "failed", True),
        ("status", "eq", "done", False),
        ("status", "ne", "done", True),
        ("status", "ne", "failed", False),
        ("status", "in", ["done", "failed"], True),
        ("status", "in", [], False),
        ("parse.event_sequence.0.action_type", "eq", "BUILD", True),
        ("parse.event_sequence.1.action_type", "eq", "BUILD", False),
        # A number is its value.
        ("parse.event_sequence.0.repeat", "eq", 1.0, True),
        ("parse.event_sequence.*.action_type", "eq", "DIG", True),
        ("parse.event_sequence.*.action_type", "ne", "DIG", False),
        ("parse.event_sequence.*.action_type", "in", ["MOVE", "DIG"], True),
        ("parse.event_sequence.2.action_type", "eq", None, True),
        ("parse.event_sequence.2.action_type", "ne", "BUILD", True),
        ("parse.event_sequence.-1.action_type", "exists", True, False),
        ("parse.event_sequence.first", "exists", True, False),
        ("parse.event_sequence.0.repeat", "eq", 1, True),
        ("parse.event_sequence.0.repeat", "eq", True, False),
        ("parse.sure", "eq", 1, False),
        ("parse.sure", "in", [1, True], True),
        ("parse.sure.more", "exists", True, False),
        ("parse.none.of.this", "exists", True, False),
        ("parse.none.of.this", "exists", False, True),
        ("objects", "exists", True, True),
        ("objects.0.voxels", "exists", True, False),
        ("objects.0.voxels", "eq", [], True),
        ("objects.1.voxels", "exists", True, True),
        ("objects.2.voxels", "exists", True, False),
        ("objects.*.voxels", "exists", True, True),
        ("objects.*.phrase", "eq", "the ball", True),
        ("status.*", "exists", True, False),
        ("status.0", "exists", True, False),
        ("reason", "eq", "cannot", True),
    ],
)
def test_a_condition_holds(path: str, op: Any, value: Any, expected: bool) -> None:
    assert holds(When(path, op, value), MANY) is expected


@pytest.mark.parametrize("empty", [None, {}])
def test_an_empty_fact_does_not_exist(empty: dict[str, Any] | None) -> None:
    facts = Facts(parse=empty, objects=[], status="")
    assert [holds(When(place, "exists", True), facts) for place in ("parse", "objects", "status")] == [False] * 3
    zero = Facts(parse={"n": 0, "flag": False}, objects=[], status="")
    assert holds(When("parse.n", "exists", True), zero)
    assert holds(When("parse.flag", "exists", True), zero)
    assert not holds(When("reason", "exists", True), zero), "a fact that was never told does not exist either"


def test_the_first_question_is_the_start_and_has_nothing_before_it() -> None:
    assert begin(TREE, SEEN).as_json() == {
        "node": "done",
        "ask": "Did it?",
        "help": "",
        "show": None,
        "choices": [{"label": "Yes", "text": False}, {"label": "No", "text": False}],
        "can_go_back": False,
    }


def test_a_last_answer_gives_the_outcome_its_path_and_the_words() -> None:
    done = answer(TREE, NOTHING, [NO], "why", 1, "  it fell over \n")
    assert done == Outcome("other_error", (NO, {"node": "why", "choice": 1, "text": "it fell over"}))
    assert isinstance(done, Outcome)
    assert done.text == "it fell over"
    plain = answer(TREE, NOTHING, [NO], "why", 0)
    assert plain == Outcome("task_error", (NO, {"node": "why", "choice": 0}))
    assert isinstance(plain, Outcome)
    assert plain.text == ""


OVER = [Turn(node="done", choice=0)]


@pytest.mark.parametrize(
    ("path", "node", "choice", "text", "refusal"),
    [
        ([], "why", 0, None, WrongNode),
        ([], "", 0, None, WrongNode),
        ([], "nowhere", 0, None, WrongNode),
        ([NO], "seen", 0, None, WrongNode),
        ([NO], "done", 0, None, WrongNode),
        ([], "done", 2, None, NoSuchChoice),
        ([], "done", -1, None, NoSuchChoice),
        ([], "done", True, None, NoSuchChoice),
        ([], "done", 1.0, None, NoSuchChoice),
        ([NO], "why", 1, None, TextMissing),
        ([NO], "why", 1, " \n\t", TextMissing),
        ([NO], "why", 1, "x" * 2001, TextTooLong),
        ([NO], "why", 0, "because", TextUnwanted),
        ([], "done", 1, "because", TextUnwanted),
        (OVER, "done", 0, None, Ended),
        (OVER, "why", 0, None, Ended),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_by_name(
    path: list[Turn], node: str, choice: Any, text: str | None, refusal: type[Refused]
) -> None:
    with pytest.raises(refusal) as error:
        answer(TREE, NOTHING, path, node, choice, text)
    assert error.value.sentence.endswith(".")


def test_every_refusal_has_a_code_of_its_own() -> None:
    codes = [kind.code for kind in Refused.__subclasses__()]
    assert len(set(codes)) == len(codes) == 7


@pytest.mark.parametrize("text", [None, "", "  "])
def test_a_choice_without_a_text_takes_none(text: str | None) -> None:
    assert answer(TREE, NOTHING, [], "done", 0, text) == Outcome("ok", ({"node": "done", "choice": 0},))


def test_a_text_may_have_its_longest_length() -> None:
    done = answer(TREE, NOTHING, [NO], "why", 1, " " + "x" * 2000 + " ")
    assert isinstance(done, Outcome)
    assert len(done.text) == 2000


@pytest.mark.parametrize(("path", "refusal"), [([], NothingBefore), (OVER, Ended)])
def test_there_is_no_step_back_from_the_first_question_and_from_an_outcome(
    path: list[Turn], refusal: type[Refused]
) -> None:
    with pytest.raises(refusal):
        back(TREE, NOTHING, path)


def test_a_step_back_passes_over_skipped_questions() -> None:
    assert back(TREE, UNSEEN, [NO]) == ([], begin(TREE, UNSEEN))


def test_a_stored_path_that_is_none_of_this_tree_is_refused() -> None:
    with pytest.raises(WrongNode):
        now(TREE, SEEN, [NO, Turn(node="why", choice=0)])
    with pytest.raises(NoSuchChoice):
        now(TREE, SEEN, [Turn(node="done", choice=7)])
