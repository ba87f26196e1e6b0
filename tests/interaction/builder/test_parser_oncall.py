"""The commands that people tried an earlier agent with, day by day: what kind of thing the parser takes each for."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.logical_form.spans import tokenise
from interaction.builder.parser import parse

FILE = Path(__file__).resolve().parents[4] / "shared" / "data" / "oncall_regression_lists.json"
EXPECTED = {
    "make two red cubes there": "BUILD",
    "is there anything red": "MEMORY",
    "how many cubes are there": "COUNT",
    "make two red cubes": "BUILD",
    "what is to the left of that (point at one of the cubes)": "NAME",
    "can you climb on top of the cube": "MOVE",
    "how many red things are there": "COUNT",
    "point at the cube": "point",
    "make a big green square behind me": "BUILD",
    "what color is the square": "COLOUR",
    "show me to the square": "LOCATION",
    "make a big green square": "BUILD",
    "what is the name of the thing closest to you": "NAME",
    "is there anything big": "MEMORY",
    "what size is the square": "SIZE",
    "destroy that (look at the square)": "DESTROY",
    "make a green square": "BUILD",
    "make a yellow circle to the left of the square": "BUILD",
    "what is to the left of the square": "NAME",
    "where is the circle": "LOCATION",
    "make a yellow circle": "BUILD",
    "what is the name of the thing closest to me": "NAME",
    "can you topple the circle": "OTHERACTION",
    "where are you": "LOCATION",
    "what can you do": "GET_CAPABILITIES",
    "where am I": "LOCATION",
    "spawn two pigs": "SPAWN",
    "have you seen the pig": "LOCATION",
    "find the pig": "SCOUT",
    "follow the sheep": "MOVE",
    "dig two tiny holes there": "DIG",
    "fill that hole up with grass": "FILL",
    "make two circles there": "BUILD",
    "look at the circle": "look_turn",
    "go to circle": "MOVE",
    "come here": "MOVE",
    "what is your favorite object": "NAME",
    "follow me": "MOVE",
    "go there": "MOVE",
    "turn left": "body_turn",
    "turn right": "body_turn",
    "destroy the house": "DESTROY",
    "go forward 1 step": "MOVE",
    "go backward": "MOVE",
    "hello": "NOOP",
    "go left": "MOVE",
    "go right": "MOVE",
}


def _kind(form: dict[str, Any]) -> str:
    """What is done, or what is asked, in one word."""
    if form["dialogue_type"] == "HUMAN_GIVE_COMMAND":
        (step,) = form["event_sequence"]
        return next(iter(step["dance_type"])) if step["action_type"] == "DANCE" else str(step["action_type"])
    if form["dialogue_type"] == "GET_MEMORY":
        output = form["filters"]["output"]
        return str(output["attribute"] if isinstance(output, dict) else output)
    return str(form["dialogue_type"])


@pytest.mark.parametrize(("text", "kind"), EXPECTED.items(), ids=list(EXPECTED))
def test_a_command_that_people_tried_is_understood(text: str, kind: str) -> None:
    assert _kind(parse(tokenise(text))) == kind


def test_no_command_of_the_lists_is_forgotten() -> None:
    if not FILE.exists():
        pytest.skip("../shared/data/oncall_regression_lists.json is not here")
    lists = json.loads(FILE.read_text(encoding="utf-8"))["lists"]
    assert {command for one in lists for command in one["commands"]} == set(EXPECTED)
