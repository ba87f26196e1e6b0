import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.logical_form.differences import differences
from annotation.logical_form.normal import same
from annotation.logical_form.questions import answer_faults
from annotation.logical_form.spans import tokenise
from annotation.logical_form.validate import faults_of
from annotation.logical_form.walk import cut, record_of, walk
from annotation.logical_form.words import words_under
from demo.commands import read_commands
from tests.annotation.logical_form.forms import Curious, parts_of_the_grammar, random_form

BUILD: dict[str, Any] = {
    "#": {"value": "HUMAN_GIVE_COMMAND"},
    "#parts": {"event_sequence": "1"},
    "/event_sequence/0#": {"value": "BUILD"},
    "/event_sequence/0#parts": {"tells": ["schematic", "location"]},
}
WORDS = 200
PLACE = "/event_sequence/0/location"
THING = "/event_sequence/0/schematic/filters"


@settings(max_examples=300, deadline=None)
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


@pytest.mark.parametrize("command", read_commands(), ids=lambda command: command["text"])
def test_the_demonstration_commands_come_back_from_their_questions(command: Any) -> None:
    words = len(tokenise(command["text"]))
    assert faults_of(command["form"], words=words) == []
    assert same(walk(record_of(command["form"])).form, command["form"])


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


def test_the_words_of_what_to_build_are_asked_for_together_with_what_it_is_like() -> None:
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


def test_what_is_asked_after_something_else_waits_for_it() -> None:
    record = BUILD | {f"{THING}#parts": {"text_span": [[1, 2]], "tells": ["has_name", "more"]}}
    walked = walk(record)
    assert [step.key for step in walked.open if step.path == THING] == [f"{THING}#more"]
    record[f"{THING}#more"] = {"tells": ["has_thickness"]}
    (details,) = [step for step in walk(record).open if step.path == THING]
    assert [question.id for question in details.questions] == ["has_name", "has_thickness"]


def test_questions_name_the_part_they_are_about() -> None:
    asks = {question.ask for step in walk(BUILD).open for question in step.questions}
    assert asks == {
        "What to build: which words say it, all together?",
        "What to build: what do the words say about it?",
        "Where to build it: which words say it, all together?",
        "Where to build it: what do the words say about it?",
    }


def test_questions_about_one_of_several_things_to_do_say_which() -> None:
    record: dict[str, dict[str, Any]] = {
        "#": {"value": "HUMAN_GIVE_COMMAND"},
        "#parts": {"event_sequence": "2"},
        "/event_sequence/1#": {"value": "DESTROY"},
        "/event_sequence/1#parts": {"tells": ["reference_object"]},
    }
    walked = walk(record)
    assert [step.questions[0].ask for step in walked.open] == [
        "Thing to do 1: what should the assistant do?",
        "Thing to do 2, what to destroy: which words say it, all together?",
    ]
    assert walked.form["event_sequence"] == [{}, {"action_type": "DESTROY"}]


# Answers that contradict each other --------------------------------------------------------------------------------


def _faults(record: dict[str, Any]) -> list[tuple[str, str]]:
    return [(fault.step, fault.reason) for fault in walk(record).faults]


def test_a_place_between_two_things_has_no_other_thing_it_is_seen_from() -> None:
    step = f"{PLACE}#more"
    fine = BUILD | {f"{PLACE}#parts": {"tells": ["more"]}, step: {"tells": ["reference_object_1"]}}
    assert _faults(fine) == []
    wrong = BUILD | {
        f"{PLACE}#parts": {"tells": ["reference_object", "more"]},
        step: {"tells": ["reference_object_1"]},
    }
    assert _faults(wrong) == [
        (step, "A place lies between two things or is seen from one (reference_object), not both.")
    ]


def test_where_to_bring_something_is_a_thing_or_a_place() -> None:
    end = "/event_sequence/0/receiver"
    get = BUILD | {"/event_sequence/0#": {"value": "GET"}, "/event_sequence/0#parts": {"tells": ["receiver"]}}
    assert _faults(get | {f"{end}#parts": {"tells": ["location"]}}) == []
    ((step, reason),) = _faults(get | {f"{end}#parts": {"tells": ["location", "reference_object"]}})
    assert (step, "not both" in reason) == (f"{end}#parts", True)


def test_a_part_that_was_said_to_be_there_says_something() -> None:
    assert _faults(BUILD | {f"{PLACE}#parts": {"text_span": [[1, 2]]}}) == []
    ((step, reason),) = _faults(BUILD | {f"{PLACE}#parts": {}})
    assert (step, reason.startswith("Nothing is said here")) == (f"{PLACE}#parts", True)


def test_random_answers_give_a_valid_form_that_holds_all_that_was_said_or_a_fault() -> None:
    clean = 0
    for seed in range(80):
        record = _random_record(seed)
        walked = walk(record)
        assert walked.open == []
        if walked.faults:
            continue
        clean += 1
        assert faults_of(walked.form, words=WORDS) == [], record
        held = {word for first, last in words_under(walked.form) for word in range(first, last + 1)}
        assert _words_said(record) <= held, record
    assert clean > 25


def _words_said(record: dict[str, Any]) -> set[int]:
    runs = [run for answers in record.values() for said in answers.values() if _is_runs(said) for run in said]
    return {word for first, last in runs for word in range(first, last + 1)}


def _is_runs(said: Any) -> bool:
    return isinstance(said, list) and all(isinstance(run, list) for run in said)


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


def test_cut_takes_a_step_and_what_followed_from_it_and_leaves_the_rest() -> None:
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


def test_cut_of_a_detail_leaves_other_details_of_the_same_part() -> None:
    record = _full()
    assert set(record) - set(cut(record, f"{PLACE}#details1")) == {f"{PLACE}#details1"}


def test_cut_of_the_first_step_leaves_nothing() -> None:
    assert cut(_full(), "#") == {}


def test_cut_of_an_unknown_step_changes_nothing() -> None:
    record = _full()
    assert cut(record, "/nowhere#parts") == record


def test_cut_at_any_step_and_answered_again_gives_the_same_form() -> None:
    for seed in range(25):
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
