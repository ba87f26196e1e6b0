"""The forms of texts that are no command: questions, things to remember, praise, greetings, gibberish."""

from typing import Any

import pytest

from builder.parser.sentence import parse
from lib.logical_form.normal import normal
from lib.logical_form.spans import tokenise
from tests.support.forms import ME, YOU, Form, at, most, nearest, span, what

SELF: Form = {"where_clause": {"AND": [{"pred_text": "has_tag", "obj_text": {"fixed_value": "SELF"}}]}}
SPEAKER: Form = {"where_clause": {"AND": [{"pred_text": "has_tag", "obj_text": {"fixed_value": "SPEAKER"}}]}}
ALL: Form = {"memory_type": "ALL", "selector": {"return_quantity": "ALL"}}
RUNNING: Form = {
    "memory_type": "TASKS",
    "where_clause": {"AND": [{"pred_text": "has_tag", "obj_text": {"fixed_value": "CURRENTLY_RUNNING"}}]},
}

QUESTIONS: list[tuple[str, Any, Form]] = [
    ("where are you", {"attribute": "LOCATION"}, SELF),
    ("Where am I?", {"attribute": "LOCATION"}, SPEAKER),
    ("what are you doing", {"attribute": "NAME"}, RUNNING),
    ("what's your name", {"attribute": "NAME"}, SELF),
    ("where is the red cube?", {"attribute": "LOCATION"}, what(colour=3, name=4)),
    ("have you seen the pig", {"attribute": "LOCATION"}, what(name=4)),
    ("show me to the square", {"attribute": "LOCATION"}, what(name=4)),
    ("what colour is the cube", {"attribute": "COLOUR"}, what(name=4)),
    ("tell me the name of the house", {"attribute": "NAME"}, what(name=6)),
    ("what color is that", {"attribute": "COLOUR"}, what(that=True)),
    ("what size is the square", {"attribute": "SIZE"}, what(name=4)),
    ("how tall is the tower", {"attribute": "HEIGHT"}, what(name=4)),
    ("what is the height of this room", {"attribute": "HEIGHT"}, what(that=True, name=6)),
    ("what is this made of", {"attribute": "BLOCK_TYPE"}, what(that=True)),
    ("what kind of flowers are those", {"attribute": "TAG"}, what(that=True, name=3)),
    ("how many red cubes are there", "COUNT", what(colour=2, name=3)),
    ("how many cubes are there to the left of me", "COUNT", what(name=2, selector={"location": at("LEFT", ME)})),
    ("is there anything red", "MEMORY", what(colour=3)),
    ("is this a brick", "MEMORY", what(that=True, name=3)),
    ("is the cube red", "MEMORY", what(name=2, colour=3)),
    (
        "what is to the left of the square",
        {"attribute": "NAME"},
        {"selector": {"location": at("LEFT", {"filters": what(name=7)})}},
    ),
    ("what is in front of you", {"attribute": "NAME"}, {"selector": {"location": at("FRONT", YOU)}}),
    ("what is the name of the thing closest to me", {"attribute": "NAME"}, {"selector": nearest(ME)}),
    ("what is your favorite object", {"attribute": "NAME"}, what(tag=3, name=4)),
    ("which cube is the biggest", {"attribute": "NAME"}, what(name=1, selector=most("SIZE"))),
    ("what time is it", {"attribute": "CURRENT_TIME"}, {}),
    ("why is the sky blue", None, {}),
    *(
        (text, {"attribute": "NAME"}, ALL)
        for text in (
            "what do you see",
            "What can you see here?",
            "tell me what you see",
            "what do you see around you",
            "what is around you",
            "what things are there",
            "who is here",
            "is there anyone here",
            "what do you remember",
        )
    ),
    ("what do you see in front of you", {"attribute": "NAME"}, {"selector": {"location": at("FRONT", YOU)}}),
    ("which animals do you see", {"attribute": "NAME"}, what(name=1)),
    ("what colors do you see", {"attribute": "COLOUR"}, ALL),
]


@pytest.mark.parametrize(("text", "output", "about"), QUESTIONS, ids=[text for text, *_ in QUESTIONS])
def test_a_question_asks(text: str, output: Any, about: Form) -> None:
    filters = {"filters": {**about, "output": output}} if output else {}
    assert normal(parse(tokenise(text))) == normal({"dialogue_type": "GET_MEMORY", **filters})


REMEMBERED: list[tuple[str, Form, str, Any]] = [
    ("that is a house", what(that=True), "has_tag", span(3)),
    ("that's my house", what(that=True), "has_tag", span(2)),
    ("call this the tower", what(that=True), "has_tag", span(3)),
    ("call this house home", what(that=True, name=2), "has_tag", span(3)),
    ("name that cube bob", what(that=True, name=2), "has_tag", span(3)),
    ("this is red", what(that=True), "has_colour", span(2)),
    ("tag the red cube as pretty", what(colour=2, name=3), "has_tag", span(5)),
    ("tag the block to my right as green", what(name=2, selector={"location": at("RIGHT", ME)}), "has_tag", span(7)),
    ("please remember that this is my home", what(that=True), "has_tag", span(6)),
    ("rename the assistant bleep", {**SELF, "memory_type": "AGENT"}, "has_tag", span(3)),
]


@pytest.mark.parametrize(("text", "about", "predicate", "tag"), REMEMBERED, ids=[text for text, *_ in REMEMBERED])
def test_a_name_or_property_is_remembered(text: str, about: Form, predicate: str, tag: Any) -> None:
    data = {"memory_type": "TRIPLE", "triples": [{"pred_text": predicate, "obj_text": tag}]}
    expected = {"dialogue_type": "PUT_MEMORY", "filters": about, "upsert": {"memory_data": data}}
    assert normal(parse(tokenise(text))) == normal(expected)


GOOD = ("good job", "that is exactly what i wanted", "well done!")
BAD = ("bad job", "that's wrong", "that is not what i wanted")


@pytest.mark.parametrize("text", [*GOOD, *BAD])
def test_praise_and_blame_are_rewards(text: str) -> None:
    data = {"memory_type": "REWARD", "reward_value": "POSITIVE" if text in GOOD else "NEGATIVE"}
    assert parse(tokenise(text)) == {"dialogue_type": "PUT_MEMORY", "upsert": {"memory_data": data}}


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "Hi there!",
        "thanks",
        "thank you",
        "good game",
        "blue sky",
        "asdf qwer zxcv",
        "<div style='color: red'>build</div>",
        "&nbsp;",
        "?!",
        "",
        "🙂",
    ],
)
def test_a_text_without_a_command_is_none(text: str) -> None:
    assert parse(tokenise(text)) == {"dialogue_type": "NOOP"}


@pytest.mark.parametrize(
    "text", ["BUILD A RED CUBE", "build a red cube.", "build , a red cube !", "“build a red cube”"]
)
def test_case_and_punctuation_say_nothing(text: str) -> None:
    (step,) = parse(tokenise(text))["event_sequence"]
    tokens = tokenise(text)
    said = {
        clause["pred_text"]: tokens[clause["obj_text"][1][0]].lower().strip(".,!“”")
        for clause in step["schematic"]["filters"]["where_clause"]["AND"]
    }
    assert said == {"has_colour": "red", "has_name": "cube"}


def test_a_question_about_its_abilities_is_told_from_other_questions() -> None:
    assert parse(tokenise("what can you do")) == {"dialogue_type": "GET_CAPABILITIES", "action_type": "ANY"}


def test_a_remark_in_brackets_is_no_part_of_a_command() -> None:
    with_remark = parse(tokenise("destroy that (look at the square)"))
    assert normal(with_remark) == normal(parse(tokenise("destroy that")))
