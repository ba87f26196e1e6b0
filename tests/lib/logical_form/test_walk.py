import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.commands import read_commands
from lib.logical_form.asking.questions import answer_faults
from lib.logical_form.asking.walk import cut, record_of, walk
from lib.logical_form.english.differences import differences
from lib.logical_form.english.outline import words_under
from lib.logical_form.normal import same
from lib.logical_form.validate import faults_of
from tests.support.forms import Curious, parts_of_the_grammar, random_form

BUILD: dict[str, Any] = {
    "#": {"value": "HUMAN_GIVE_COMMAND"},
    "#parts": {"event_sequence": "1"},
    "/event_sequence/0#": {"value": "BUILD"},
    "/event_sequence/0#parts": {"tells": ["schematic", "location"]},
}
WORDS = 200
PLACE = "/event_sequence/0/location"
THING = "/event_sequence/0/schematic/filters"


@given(seed=st.integers(0, 2**40), words=st.integers(1, 30), depth=st.integers(0, 4))
def test_a_form_goes_to_questions_answers_and_back_unchanged(seed: Any, words: Any, depth: Any) -> None:
    form = random_form(seed=seed, words=words, depth=depth)
    assert faults_of(form, words=words) == []
    record = record_of(form)
    walked = walk(record)
    assert (walked.open, walked.faults) == ([], [])
    assert differences(walked.form, form, ["w"] * words) == []
    assert same(walked.form, form)
    assert faults_of(walked.form, words=words) == []
    assert [step.key for step in walked.done] == list(record)
    for step in walked.done:
        assert 1 <= len(step.questions) <= 3
        assert len({question.id for question in step.questions}) == len(step.questions)
        assert answer_faults(step, record[step.key], words=words) == []


def test_every_key_and_every_option_of_the_grammar_is_the_answer_to_some_question() -> None:
    keys, labels = parts_of_the_grammar()
    # The second of two things comes with the first; clauses are told one by one; the last is asked for at once.
    keys -= {"reference_object_2", "where_clause", "block_filters"}
    rng = Curious(4)
    for turn in range(3000):
        # Questions are about a thing at once, so they go deepest into what is told of one.
        purpose = ("HUMAN_GIVE_COMMAND", "GET_MEMORY", "")[turn % 3]
        record = record_of(random_form(words=12, depth=3, purpose=purpose, rng=rng))
        for step in walk(record).done:
            for question in step.questions:
                said = record[step.key].get(question.id)
                picked = said if question.kind == "choices" else [said] if question.kind == "choice" else []
                keys -= {question.id, *(picked or ())} if said is not None else set()
                labels -= {option.label for option in question.options if option.value in (picked or ())}
        if not keys | labels:
            return
    assert (keys, labels) == (set(), set())


def test_steps_that_depend_on_no_open_answer_are_open_at_the_same_time() -> None:
    record = BUILD | {f"{PLACE}#parts": {"tells": ["reference_object", "relative_direction"]}}
    keys = [step.key for step in walk(record).open]
    assert keys == [f"{THING}#parts", f"{PLACE}#details1", f"{PLACE}/reference_object#parts"]


def test_the_words_and_the_properties_of_a_thing_are_asked_together() -> None:
    step = walk(BUILD).open[0]
    assert [question.id for question in step.questions] == ["text_span", "tells"]
    answered = walk(BUILD | {step.key: {"text_span": [[1, 2]], "tells": ["has_name"]}})
    assert answered.form["event_sequence"][0]["schematic"] == {"text_span": [0, [1, 2]]}
    named = walk(
        BUILD | {step.key: {"text_span": [[1, 2]], "tells": ["has_name"]}, f"{THING}#details1": {"has_name": [[2, 2]]}}
    )
    assert named.form["event_sequence"][0]["schematic"] == {
        "text_span": [0, [1, 2]],
        "filters": {"where_clause": {"AND": [{"pred_text": "has_name", "obj_text": [0, [2, 2]]}]}},
    }


def test_a_step_waits_for_the_step_that_it_depends_on() -> None:
    record = BUILD | {f"{THING}#parts": {"text_span": [[1, 2]], "tells": ["has_name", "more"]}}
    walked = walk(record)
    assert [step.key for step in walked.open if step.path == THING] == [f"{THING}#more"]
    record[f"{THING}#more"] = {"tells": ["has_thickness"]}
    (details,) = [step for step in walk(record).open if step.path == THING]
    assert [question.id for question in details.questions] == ["has_name", "has_thickness"]


TWO_THINGS: dict[str, Any] = {
    "#": {"value": "HUMAN_GIVE_COMMAND"},
    "#parts": {"event_sequence": "2"},
    "/event_sequence/1#": {"value": "DESTROY"},
    "/event_sequence/1#parts": {"tells": ["reference_object"]},
}


@pytest.mark.parametrize(
    ("record", "asks"),
    [
        (
            BUILD,
            [
                ("what to build: which words say so", "Which words say it, all together?"),
                ("what is said about what to build", "What do the words say about it?"),
                ("where to build it: which words say so", "Which words say it, all together?"),
                ("what is said about where to build it", "How do the words say where?"),
            ],
        ),
        (
            TWO_THINGS,
            [
                ("thing to do 1", "What should the assistant do?"),
                ("what to destroy: which words say so", "Which words say it, all together?"),
                ("what is said about what to destroy", "What is it?"),
            ],
        ),
    ],
    ids=["parts", "several things to do"],
)
def test_questions_name_the_part_they_are_about(record: Any, asks: list[tuple[str, str]]) -> None:
    walked = walk(record)
    assert [(question.name, question.ask) for step in walked.open for question in step.questions][: len(asks)] == asks


def test_an_open_step_is_an_empty_object() -> None:
    assert walk(TWO_THINGS).form["event_sequence"] == [{}, {"action_type": "DESTROY"}]


# Answers that contradict each other --------------------------------------------------------------------------------


END = "/event_sequence/0/receiver"
GET = BUILD | {"/event_sequence/0#": {"value": "GET"}, "/event_sequence/0#parts": {"tells": ["receiver"]}}


@pytest.mark.parametrize(
    ("record", "step", "reason"),
    [
        (BUILD | {f"{PLACE}#parts": {"tells": ["more"]}, f"{PLACE}#more": {"tells": ["reference_object_1"]}}, "", ""),
        (
            BUILD
            | {
                f"{PLACE}#parts": {"tells": ["reference_object", "more"]},
                f"{PLACE}#more": {"tells": ["reference_object_1"]},
            },
            f"{PLACE}#more",
            "A place lies between two things or is seen from one (reference_object), not both.",
        ),
        (GET | {f"{END}#parts": {"tells": ["location"]}}, "", ""),
        (GET | {f"{END}#parts": {"tells": ["location", "reference_object"]}}, f"{END}#parts", "It is either a thing"),
        (BUILD | {f"{PLACE}#parts": {"text_span": [[1, 2]]}}, "", ""),
        (BUILD | {f"{PLACE}#parts": {}}, f"{PLACE}#parts", "Nothing is said here"),
    ],
)
def test_answers_that_contradict_each_other_are_faults(record: dict[str, Any], step: str, reason: str) -> None:
    faults = walk(record).faults
    assert [fault.step for fault in faults] == ([step] if step else [])
    assert all(fault.reason.startswith(reason) for fault in faults)


def test_random_answers_give_a_valid_form_that_holds_all_that_was_said_or_a_fault() -> None:
    clean = 0
    for seed in range(25):
        record = _random_record(seed)
        walked = walk(record)
        assert walked.open == []
        if walked.faults:
            continue
        clean += 1
        assert faults_of(walked.form, words=WORDS) == [], record
        held = {word for first, last in words_under(walked.form) for word in range(first, last + 1)}
        assert _words_said(record) <= held, record
    assert clean > 7


def _words_said(record: dict[str, Any]) -> set[int]:
    lists = [said for answers in record.values() for said in answers.values() if isinstance(said, list)]
    runs = [run for said in lists for run in said if isinstance(run, list)]
    return {word for first, last in runs for word in range(first, last + 1)}


def _random_record(seed: int) -> dict[str, Any]:
    """Answers to all questions, picked by chance; fewer and fewer things are told, so that it ends."""
    rng = random.Random(seed)
    record: dict[str, Any] = {}
    while (step := next(iter(walk(record).open), None)) is not None:
        answers: dict[str, Any] = {}
        for question in step.questions:
            shallow = len(record) < 25
            if not question.needed and not (shallow and rng.random() < 0.5):
                continue
            first = rng.randrange(WORDS - 1)
            values = [option.value for option in question.options]
            match question.kind:
                case "choice":
                    answers[question.id] = rng.choice(values if shallow else values[:1])
                case "choices":
                    answers[question.id] = rng.sample(values, k=min(len(values), rng.randint(1, 3 if shallow else 1)))
                case "spans":
                    answers[question.id] = [[first, first + 1]]
                case "text":
                    answers[question.id] = "five"
        assert answer_faults(step, answers, words=WORDS) == []
        record[step.key] = answers
        if len(record) > 120:
            return _random_record(seed + 100_000)
    return record


# Asking again ------------------------------------------------------------------------------------------------------


def _full() -> dict[str, Any]:
    (form,) = [one["form"] for one in read_commands() if one["text"] == "build a tall red tower next to the house"]
    return record_of(form)


def test_cut_takes_a_step_and_the_steps_that_depend_on_it() -> None:
    record = _full()
    left = cut(record, f"{PLACE}#parts")
    assert set(record) - set(left) == {
        f"{PLACE}#parts",
        f"{PLACE}#details1",
        f"{PLACE}/reference_object#parts",
        f"{PLACE}/reference_object/filters#parts",
        f"{PLACE}/reference_object/filters#details1",
    }
    assert [step.key for step in walk(left).open] == [f"{PLACE}#parts"]
    assert walk({**left, f"{PLACE}#parts": {"text_span": [[5, 8]]}}).open == []
    assert set(record) - set(cut(record, f"{PLACE}#details1")) == {f"{PLACE}#details1"}
    assert cut(record, "#") == {}
    assert cut(record, "/nowhere#parts") == record


def test_cut_at_any_step_and_answered_again_gives_the_same_form() -> None:
    for seed in range(8):
        record = record_of(random_form(seed=seed, words=12, depth=2, purpose="HUMAN_GIVE_COMMAND"))
        for key in list(record)[:: max(1, len(record) // 5)]:
            left = cut(record, key)
            assert key not in left
            walked = walk(left)
            assert key in [step.key for step in walked.open]
            assert {step.key for step in walked.done} == set(left)
            while walked.open:
                for step in walked.open:
                    left[step.key] = record[step.key]
                walked = walk(left)
            assert walked.form == walk(record).form
