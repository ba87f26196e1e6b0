from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from demo.commands import read_commands
from lib.logical_form.asking.walk import record_of, walk
from lib.logical_form.english.outline import Line, outline, sentence
from lib.logical_form.grammar.grammar import GRAMMAR
from lib.logical_form.grammar.types import Key, Node, Span
from lib.logical_form.spans import is_span, tokenise, words_of
from lib.logical_form.validate import faults_of
from tests.support.forms import random_form

TOKENS = [f"w{index:02}" for index in range(30)]
_OF = {command["text"]: command["form"] for command in read_commands()}


def _said(text: str) -> str:
    return sentence(_OF[text], tokenise(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "build a tall red tower next to the house",
            "Build something named “tower”, size “tall”, colour “red”, next to something named “house”.",
        ),
        ("make a copy of that tower behind me", "Copy that thing named “tower”, behind the speaker."),
        ("come here", "Go to where the speaker looks."),
        ("walk five steps to the left", "Go to the left from the assistant, “five” “steps” away."),
        (
            "remove all the trees behind the barn",
            "Destroy everything named “trees” (behind something named “barn”).",
        ),
        (
            "dig a hole 4 blocks deep between the river and the road",
            "Dig something named “hole”, depth “4 blocks”, between something named “river” and something named “road”.",
        ),
        ("jump three times", "Do a movement called “jump”, “three” times."),
        ("keep dancing forever", "Do a movement called “dancing”, for ever."),
        ("dig down until you hit stone", "Dig, below the assistant, until it reaches “stone”."),
        ("turn left and look up", "Turn to the left, then look up."),
        ("point at the highest tower", "Point towards the highest thing named “tower”."),
        (
            "bring me the nearest yellow cube",
            "Get the thing named “cube” nearest to the speaker (colour “yellow”) and bring it to the speaker.",
        ),
        (
            "destroy every tower higher than 5 blocks",
            "Destroy everything named “tower” (the height of it is more than “5” “blocks”).",
        ),
        (
            "find a red or blue cube that is not big",
            "Look for something named “cube” (either colour “red” or colour “blue”, not size “big”).",
        ),
        ("stop digging", "Stop “digging”."),
        ("undo that", "Undo what is being done."),
        ("no i meant the blue one", "Destroy that thing (colour “blue”), in place of the command before."),
        (
            "when the sun sets build a fire and sing , all of it twice",
            "(Build something named “fire”, then do something else), “twice”, beginning when the sun sets.",
        ),
        (
            "how many houses are there near the lake",
            "Tell how many there are of something named “houses” (next to something named “lake”).",
        ),
        ("call this house home", "Remember of that thing named “house”: it is called or like “home”."),
        ("well done", "Remember: it was good."),
        ("what can you build", "Tell what it can build."),
        ("the sky is lovely today", "This is not a command."),
    ],
)
def test_sentence_states_the_command_plainly(text: Any, said: Any) -> None:
    assert _said(text) == said


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({}, ""),
        ({"dialogue_type": "HUMAN_GIVE_COMMAND"}, "Do something."),
        (
            {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "DIG"}, {}]},
            "Dig, then do something.",
        ),
        (
            {
                "dialogue_type": "HUMAN_GIVE_COMMAND",
                "event_sequence": [{"action_type": "MOVE", "location": {"text_span": [0, [0, 1]]}}],
            },
            "Go to “w00 w01”.",
        ),
        (
            {
                "dialogue_type": "HUMAN_GIVE_COMMAND",
                "event_sequence": [{"action_type": "BUILD", "schematic": {"text_span": [0, [[0, 1], [4, 4]]]}}],
            },
            "Build “w00 w01 … w04”.",
        ),
        ({"dialogue_type": "GET_MEMORY"}, "Answer a question."),
        ({"dialogue_type": "PUT_MEMORY"}, "Remember something."),
    ],
)
def test_sentence_states_the_known_parts_of_an_incomplete_form(form: Any, said: Any) -> None:
    assert sentence(form, TOKENS) == said


def test_outline_shows_one_line_a_part_with_the_words_it_rests_on() -> None:
    text = "build a tall red tower next to the house"
    assert outline(_OF[text], tokenise(text)) == [
        Line(0, "build", "", [(1, 8)], "/event_sequence/0"),
        Line(1, "what to build", "", [(1, 4)], "/event_sequence/0/schematic/filters"),
        Line(2, "what it is", "“tower”", [(4, 4)], "/event_sequence/0/schematic/filters/where_clause/AND/0/obj_text"),
        Line(2, "how big it is", "“tall”", [(2, 2)], "/event_sequence/0/schematic/filters/where_clause/AND/1/obj_text"),
        Line(2, "its colour", "“red”", [(3, 3)], "/event_sequence/0/schematic/filters/where_clause/AND/2/obj_text"),
        Line(2, "which words say so", "“a tall red tower”", [(1, 4)], "/event_sequence/0/schematic/text_span"),
        Line(1, "where to build it", "", [(5, 8)], "/event_sequence/0/location"),
        Line(
            2,
            "a thing or a person that tells where",
            "something named “house”",
            [(8, 8)],
            "/event_sequence/0/location/reference_object",
        ),
        Line(2, "in which direction", "near it", [], "/event_sequence/0/location/relative_direction"),
        Line(2, "which words say so", "“next to the house”", [(5, 8)], "/event_sequence/0/location/text_span"),
    ]


def _spans(value: Any, *, pointers: bool) -> Iterator[Any]:
    """The spans of a form; without those that only point at words whose meaning stands beside."""
    if is_span(value):
        yield value
    elif isinstance(value, dict):
        for name, part in value.items():
            if pointers or name not in ("text_span", "condition_span") or len(value) == 1:
                yield from _spans(part, pointers=pointers)
    elif isinstance(value, list):
        for part in value:
            yield from _spans(part, pointers=pointers)


def test_sentence_and_outline_mention_the_words_of_every_span() -> None:
    for seed in range(1000):
        form = random_form(seed=seed, words=30, depth=4)
        said, lines = sentence(form, TOKENS), outline(form, TOKENS)
        shown = " ".join(line.text for line in lines)
        for span in _spans(form, pointers=False):
            assert words_of(span, TOKENS) in said, form
        for span in _spans(form, pointers=True):
            assert words_of(span, TOKENS) in shown, form
        assert "_" not in said + shown + "".join(line.label for line in lines), form


def test_sentence_and_outline_read_the_form_at_every_step_of_its_questions() -> None:
    for seed in range(4):
        record = record_of(random_form(seed=seed, words=30, depth=3, purpose="HUMAN_GIVE_COMMAND"))
        have: dict[str, Any] = {}
        while (walked := walk(have)).open:
            assert bool(sentence(walked.form, TOKENS)) == bool(walked.form)
            assert bool(outline(walked.form, TOKENS)) == bool(walked.form)
            step = walked.open[seed % len(walked.open)]
            have[step.key] = record[step.key]


@pytest.mark.parametrize(
    "form",
    [
        {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": "dig"},
        {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "FLY", "location": [0, [0, 1]]}]},
        {"dialogue_type": "GET_MEMORY", "filters": {"where_clause": {"AND": [{"pred_text": "has_mood"}]}}},
        {"dialogue_type": "GET_MEMORY", "filters": {"selector": {"return_quantity": {"argval": {}}}}},
        {"dialogue_type": "SING"},
    ],
)
def test_sentence_and_outline_read_forms_that_are_not_valid_as_well_as_they_can(form: Any) -> None:
    assert faults_of(form)
    assert sentence(form, []).endswith(".")
    assert isinstance(outline(form, []), list)


def test_words_beyond_the_command_read_as_an_ellipsis() -> None:
    assert sentence(_OF["stop digging"], []) == "Stop “…”."


def test_a_new_key_of_the_grammar_is_valid_asked_for_and_read_with_its_own_label(monkeypatch: Any) -> None:
    place = GRAMMAR["LOCATION"]
    assert isinstance(place, Node)
    layer = Key("layer_text", Span(), "in which layer", example="build it *on the second floor*")
    monkeypatch.setitem(GRAMMAR, "LOCATION", replace(place, keys=(*place.keys, layer)))
    form = {
        "dialogue_type": "HUMAN_GIVE_COMMAND",
        "event_sequence": [
            {"action_type": "MOVE", "location": {"relative_direction": "UP", "layer_text": [0, [3, 4]]}}
        ],
    }
    assert faults_of(form, words=30) == []
    assert sentence(form, TOKENS) == "Go up, in which layer: “w03 w04”."
    assert ("in which layer", "“w03 w04”") in [(line.label, line.text) for line in outline(form, TOKENS)] or (
        outline(form, TOKENS)[1].text == "up, in which layer: “w03 w04”"
    )
    walked = walk(record_of(form))
    assert walked.form == form
    assert "Which words say in which layer?" in [one.ask for step in walked.done for one in step.questions]
