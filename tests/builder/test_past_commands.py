"""The commands with which people tried an earlier agent: each is understood and comes to an end."""

import json
from contextlib import suppress

import pytest

from builder.acting.acts import Act, CannotDo
from builder.mind import Mind
from builder.parser.sentence import parse
from interaction.session.worlds import default_world
from lib.logical_form.spans import tokenise
from tests.support.builder_worlds import acting
from tests.support.shared_data import DATA

FILE = DATA / "oncall_regression_lists.json"


@pytest.mark.skipif(not FILE.exists(), reason="the lists are not beside this checkout")
def test_every_past_command_is_understood_and_comes_to_an_end() -> None:
    for one in json.loads(FILE.read_text(encoding="utf-8"))["lists"]:
        mind = Mind(default_world(3).as_json())
        for text in one["commands"]:
            assert (parse(tokenise(text))["dialogue_type"] == "NOOP") == (text == "hello"), text
            acts: list[Act] = []
            with suppress(CannotDo):
                # The first choice is taken if it asks.
                acts += acting(mind, mind.understand(text), text, answers=[0] * 9)
                assert acts, f"{text!r}: it did and said nothing"
