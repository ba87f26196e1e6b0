"""Agreement on steps and forms, as a calculation."""

from typing import Any

import pytest

from annotation.tools.parse.agreement import agreement, merged, scored, voted
from annotation.tools.parse.steps import CONFIRM, NOOP, after_answer
from lib.logical_form.asking.correcting import filled
from lib.logical_form.asking.walk import record_of
from tests.annotation.tools.test_parse import TOWER

UNKNOWN: dict[str, Any] = {"answers": {}, "unknown": True}
NO_COMMAND: dict[str, Any] = {"answers": {}, "not_a_command": True}
DIG = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "DIG"}]}


def _said(**answers: Any) -> dict[str, Any]:
    return {"answers": answers}


@pytest.mark.parametrize(
    ("a", "b", "share"),
    [
        (_said(value="BUILD"), _said(value="BUILD"), 1.0),
        (_said(value="BUILD"), _said(value="DIG"), 0.0),
        (_said(words=[[1, 2]]), _said(words=[[2, 3]]), 1 / 3),
        (_said(words=[[1, 1], [3, 3]]), _said(words=[[1, 3]]), 2 / 3),
        (_said(tells=["has_name", "has_size"]), _said(tells=["has_name"]), 1 / 2),
        (_said(value="BUILD", words=[[1, 1]]), _said(value="BUILD"), 1 / 2),
        (_said(), _said(), 1.0),
        (_said(value="BUILD"), UNKNOWN, 0.0),
        (UNKNOWN, UNKNOWN, 1.0),
        (UNKNOWN, NO_COMMAND, 0.0),
        ({"form": TOWER}, {"form": {**TOWER, "event_sequence": list(TOWER["event_sequence"])}}, 1.0),
        ({"form": TOWER}, {"form": DIG}, 0.0),
        ({"form": TOWER}, {"unknown": True}, 0.0),
    ],
)
def test_answers_agree_as_far_as_they_say_the_same(a: Any, b: Any, share: float) -> None:
    assert agreement(a, b) == agreement(b, a) == pytest.approx(share)
    assert agreement(a, a) == agreement(b, b) == 1.0


@pytest.mark.parametrize(
    ("answer", "truth", "score"),
    [
        (_said(value="BUILD"), _said(value="BUILD"), 1.0),
        (_said(value="BUILD", text_span=[[0, 1]]), _said(value="BUILD", text_span=[[0, 3]]), 1.0),
        (_said(value="BUILD", words=[[0, 1]]), _said(value="BUILD", words=[[0, 3]]), 0.0),
        (_said(right=False, wrong="#"), _said(right=False), 1.0),
        (UNKNOWN, _said(value="BUILD"), 0.0),
        ({"answers": {}, "back": "#"}, _said(value="BUILD"), None),
        ({"form": DIG}, {"form": DIG}, 1.0),
        ({"form": DIG}, {"form": TOWER}, 0.0),
        ({"unknown": True}, {"form": TOWER}, 0.0),
    ],
)
def test_an_answer_is_scored_by_its_meaning(answer: Any, truth: Any, score: float | None) -> None:
    assert scored(answer, truth) == score


BUILD, DIGS = {"value": "BUILD"}, {"value": "DIG"}
FIRST, SECOND, BOTH = {"words": [[1, 1]]}, {"words": [[1, 2]]}, {"words": [[1, 3]]}


@pytest.mark.parametrize(
    ("said", "common", "confidence"),
    [
        ([BUILD | FIRST, BUILD | SECOND, DIGS | SECOND], BUILD | SECOND, 2 / 3),
        ([FIRST, BOTH, SECOND], SECOND, 1 / 3),
        ([BUILD, BUILD | {"text_span": [[0, 0]]}, BUILD], BUILD, 2 / 3),
    ],
    ids=["each question by itself", "the value between the others", "most left a part out"],
)
def test_the_answer_nearest_to_all_wins(said: list[dict[str, Any]], common: dict[str, Any], confidence: float) -> None:
    found = merged([_said(**answers) for answers in said])
    assert found.answer["answers"] == common
    assert found.confidence == pytest.approx(confidence)


def test_weights_decide_and_equal_ones_change_nothing() -> None:
    answers = [_said(value="BUILD"), _said(value="DIG"), _said(value="DIG")]
    assert merged(answers).answer["answers"]["value"] == "DIG"
    assert merged(answers, [5.0, 1.0, 1.0]).answer["answers"]["value"] == "BUILD"
    assert merged(answers, [0.5] * 3).confidence == pytest.approx(merged(answers).confidence)


def test_a_worker_who_cannot_tell_is_outvoted_and_lowers_the_confidence() -> None:
    found = merged([_said(value="DIG"), UNKNOWN, _said(value="DIG")])
    assert found.answer["answers"] == {"value": "DIG"}
    assert found.confidence == pytest.approx(2 / 3)
    cannot = {**UNKNOWN, "step": "#"}
    assert merged([cannot, cannot, _said(value="DIG")]).answer.get("unknown") is True


def test_a_command_that_all_find_unclear_has_no_form() -> None:
    assert merged([{"unknown": True}, {"unknown": True}]) == ({"form": None}, 0.0)
    assert merged([{"unknown": True}, {"form": DIG}, {"form": DIG}]).answer == {"form": DIG}
    assert agreement({"unknown": True}, {"form": None}) == 1.0
    assert agreement({"form": DIG}, {"form": None}) == 0.0


def test_forms_that_mean_the_same_are_one() -> None:
    other = {"action_sequence": DIG["event_sequence"], "dialogue_type": "HUMAN_GIVE_COMMAND"}
    found = merged([{"form": TOWER}, {"form": DIG}, {"form": other}])
    assert found.answer["form"] == DIG
    assert found.confidence == pytest.approx(2 / 3)


def test_a_vote_on_records_may_be_better_than_each_record() -> None:
    """Three workers, each wrong at another step: at each step two are right."""
    true = record_of(TOWER)
    steps = [key for key, answers in true.items() if answers.get("has_name") or "contains_coreference" in str(answers)]
    spans = next(key for key in steps if "has_name" in true[key])
    wrong = [
        {**true, spans: {**true[spans], "has_name": [[0, 0]]}},
        {**true, spans: {**true[spans], "has_colour": [[1, 1]]}},
        dict(true),
    ]
    form, confidence = voted(wrong, [1.0] * 3)
    assert form == TOWER
    assert confidence == pytest.approx(2 / 3)


def test_where_votes_lead_to_a_question_that_nobody_answered_there_is_no_form() -> None:
    true = record_of(TOWER)
    cut = {key: answers for key, answers in true.items() if not key.startswith("/event_sequence/1")}
    assert voted([cut], [1.0]) == (None, 0.0)


def test_a_record_moves_as_an_answer_says() -> None:
    true = dict(record_of(TOWER))
    first = next(key for key in true if key.startswith("/event_sequence/0"))
    whole = {**true, CONFIRM: {"right": True}}
    assert after_answer(true, CONFIRM, _said(right=True)).record == whole
    assert after_answer(whole, first, _said(value="DIG")).record[first] == {"value": "DIG"}
    assert CONFIRM not in after_answer(whole, first, _said(value="DIG")).record, "they saw another form"
    back = after_answer(true, CONFIRM, _said(right=False, wrong=first))
    assert back.is_sent_back
    assert first not in back.record
    assert filled(after_answer(back.record, first, {"answers": true[first]}).record, back.hints) == true
    assert after_answer(true, first, {"answers": {}, "back": first}).is_sent_back
    assert after_answer(true, first, UNKNOWN) == (true, {}, False, True)
    assert after_answer(true, first, NO_COMMAND).record == NOOP
