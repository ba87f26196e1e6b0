"""The commands with which people tried an earlier agent: how they are parsed, and that each comes to an end."""

import json
from contextlib import suppress

import pytest

from builder.acting.acts import Act, CannotDo
from builder.mind import Mind
from builder.parser.sentence import parse
from interaction.session.worlds import default_world
from lib.logical_form import Form
from lib.logical_form.spans import tokenise
from tests.support.builder_worlds import acting
from tests.support.shared_data import DATA

FILE = DATA / "oncall_regression_lists.json"
BY_KIND = {
    "BUILD": "make two red cubes there; make a big green square behind me; make a big green square; "
    "make a green square; make two red cubes; make a yellow circle; make a yellow circle to the left of the square; "
    "make two circles there",
    "MOVE": "can you climb on top of the cube; follow the sheep; go to circle; come here; follow me; go there; "
    "go forward 1 step; go backward; go left; go right",
    "DESTROY": "destroy that (look at the square); destroy the house",
    "DIG": "dig two tiny holes there",
    "FILL": "fill that hole up with grass",
    "SPAWN": "spawn two pigs",
    "SCOUT": "find the pig",
    "OTHERACTION": "can you topple the circle",
    "point": "point at the cube",
    "look_turn": "look at the circle",
    "body_turn": "turn left; turn right",
    "MEMORY": "is there anything red; is there anything big",
    "COUNT": "how many cubes are there; how many red things are there",
    "COLOUR": "what color is the square",
    "SIZE": "what size is the square",
    "LOCATION": "show me to the square; where is the circle; where are you; where am I; have you seen the pig",
    "NAME": "what is to the left of that (point at one of the cubes); what is the name of the thing closest to you; "
    "what is to the left of the square; what is the name of the thing closest to me; what is your favorite object",
    "GET_CAPABILITIES": "what can you do",
    "NOOP": "hello",
}
KINDS = [(text, kind) for kind, texts in BY_KIND.items() for text in texts.split("; ")]


def kind_of(form: Form) -> str:
    """The action, the attribute of the question, or the type of dialogue."""
    if form["dialogue_type"] == "HUMAN_GIVE_COMMAND":
        (step,) = form["event_sequence"]
        return next(iter(step["dance_type"])) if step["action_type"] == "DANCE" else str(step["action_type"])
    if form["dialogue_type"] == "GET_MEMORY":
        output = form["filters"]["output"]
        return str(output["attribute"] if isinstance(output, dict) else output)
    return str(form["dialogue_type"])


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_a_past_command_is_understood(text: str, kind: str) -> None:
    assert kind_of(parse(tokenise(text))) == kind


@pytest.mark.skipif(not FILE.exists(), reason="the lists are not beside this checkout")
def test_every_past_command_comes_to_an_end() -> None:
    lists = json.loads(FILE.read_text(encoding="utf-8"))["lists"]
    assert {command for one in lists for command in one["commands"]} == {text for text, _ in KINDS}
    for one in lists:
        mind = Mind(default_world(3).as_json())
        for text in one["commands"]:
            acts: list[Act] = []
            with suppress(CannotDo):
                # The first choice is taken if it asks.
                acts += acting(mind, mind.understand(text), text, answers=[0] * 9)
                assert acts, f"{text!r}: it did and said nothing"
