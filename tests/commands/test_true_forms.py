"""The true form of a command, learned later: whether the agent understood it."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from commands.true_forms import differ_in_meaning, learn
from tests.support.commands import BUILD, DIG, kept, make_past, past, post
from tests.support.sessions import both, make_live_project

NOOP = {"dialogue_type": "NOOP"}


def build(*names: tuple[int, int]) -> dict[str, Any]:
    """Build what these words name."""
    clauses = [{"pred_text": "has_name", "obj_text": [0, list(span)]} for span in names]
    made = {"schematic": {"filters": {"where_clause": {"AND": clauses}}}}
    return {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "BUILD", **made}]}


@pytest.mark.parametrize(
    ("parse", "form", "text", "differ"),
    [
        (BUILD, BUILD, "build", False),
        (BUILD, DIG, "build", True),
        (None, BUILD, "build", True),
        # Said in an older spelling.
        ({"dialogue_type": "HUMAN_GIVE_COMMAND", "action_sequence": [{"action_type": "BUILD"}]}, BUILD, "build", False),
        (build((2, 2)), build((2, 2)), "build a house", False),
        (build((1, 2)), build((2, 2)), "build a house", True),
        # Annotators saw the words without the markup, so that their places are others.
        (build((3, 3)), build((2, 2)), "<b> build a house", False),
        (build((2, 2)), build((2, 2)), "<b> build a house", True),
        (NOOP, NOOP, "& nbsp ;dig a deep hole", False),
        (build((5, 5)), build((2, 2)), "< b > build a house", False),
        (build((1, 1)), build((2, 2)), "< b > build a house", True),
        # Of another grammar, or wrong: then it is the JSON that counts.
        ({"tree": 1}, {"tree": 1.0}, "build", False),
        ({"tree": 1}, BUILD, "build", True),
        (build((0, 9)), build((0, 9)), "build", False),
    ],
)
def test_two_forms_differ_when_they_mean_something_else(parse: Any, form: Any, text: str, differ: bool) -> None:
    assert differ_in_meaning(parse, form, text=text) is differ


def test_a_command_learns_its_true_form_and_may_learn_another(pipe: APIClient, db: None) -> None:
    make_past()
    post(pipe, past(parse=BUILD), past("c-2"))
    learn(kept()[0].pk, DIG)
    learned, other = kept()
    assert (learned.truth, learned.is_misread, other.truth, other.is_misread) == (DIG, True, None, None)
    learn(kept()[0].pk, BUILD)
    assert (kept()[0].truth, kept()[0].is_misread) == (BUILD, False)
    learn(kept()[0].pk, None)
    assert (kept()[0].truth, kept()[0].is_misread) == (None, None)


def test_a_posted_form_that_is_learned_again_stays_as_it_is_judged(pipe: APIClient, db: None) -> None:
    """Held against each other as JSON when they were posted, these two differ, though they mean the same."""
    older = {"dialogue_type": "HUMAN_GIVE_COMMAND", "action_sequence": [{"action_type": "BUILD"}]}
    make_past()
    post(pipe, past(parse=older, form=BUILD))
    learn(kept()[0].pk, BUILD)
    assert kept()[0].is_misread


def test_a_command_of_a_session_learns_too(db: None) -> None:
    worker, agent = both(make_live_project("living"))
    worker.send("command", id="c1", text="build a house")
    agent.send(worker, "parse", command="c1", form=build((2, 2)))
    command = worker.command()
    learn(command.pk, build((2, 2)))
    assert worker.command().is_misread is False
    learn(command.pk, build((1, 1)))
    assert worker.command().is_misread is True
