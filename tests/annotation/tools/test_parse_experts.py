"""Commands that are given to experts: the whole form at once, from the agent's own parse on."""

from typing import Any

import pytest

from annotation.models import Annotation, Consensus
from annotation.work.posting import post_tasks
from tests.support.builders import NOON, make_worker
from tests.support.tool_workers import claim, hand_in, make_parse_project

pytestmark = pytest.mark.django_db

DIG = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "DIG"}]}
OLD = {"dialogue_type": "HUMAN_GIVE_COMMAND", "action_sequence": [{"action_type": "DIG"}]}


def _held(as_worker: Any, *, truth: Any = None, **payload: Any) -> tuple[Any, Any]:
    """A client of an expert, and the command that they hold: the reference if a truth is given."""
    project = make_parse_project(given_to="experts", reference_rate=1.0 if truth else 0.0)
    bodies: list[Any] = [{"key": "c1", "payload": {"text": "dig here now", **payload}}]
    if truth:
        bodies.append({"key": "r1", "payload": {"text": "dig here"}, "reference": {"answers": [{"form": truth}]}})
    post_tasks(project=project, bodies=bodies, at=NOON)
    client = as_worker(project, make_worker())
    held = claim(client)
    assert held is not None
    return client, held


def test_an_expert_begins_with_the_agents_own_parse(as_worker: Any) -> None:
    payload = _held(as_worker, form=OLD, marked=True)[1]["payload"]
    assert list(payload)[:6] == ["text", "tokens", "context", "node", "so_far", "questions"]
    assert (payload["node"], payload["questions"], payload["back"]) == (None, [], [])
    assert payload["so_far"]["form"] == DIG, "in the present spelling"
    assert payload["so_far"]["words"]


@pytest.mark.parametrize("form", [DIG, OLD])
def test_the_form_of_an_expert_is_kept_in_the_present_spelling(form: Any, as_worker: Any) -> None:
    client, held = _held(as_worker)
    for _ in range(2):
        assert hand_in(client, held["assignment"], {"form": form}).status_code == 201
    assert Annotation.objects.get().answer == {"form": DIG}
    found = Consensus.objects.get()
    assert (found.answer, found.needs_review, found.confidence) == ({"form": DIG}, False, 1.0)


def test_a_fault_of_the_form_is_pointed_to(as_worker: Any) -> None:
    client, held = _held(as_worker)
    sent = hand_in(client, held["assignment"], {"form": {**DIG, "event_sequence": [{"action_type": "DIGG"}]}})
    assert sent.status_code == 422
    assert sent.json()["errors"][0]["pointer"].startswith("#/answer/form/event_sequence/0")
    assert hand_in(client, held["assignment"], {"answers": {"value": "NOOP"}}).status_code == 422


def test_an_expert_who_cannot_tell_sends_it_to_a_reviewer(as_worker: Any) -> None:
    client, held = _held(as_worker)
    assert hand_in(client, held["assignment"], {"unknown": True}).status_code == 201
    found = Consensus.objects.get()
    assert (found.answer, found.needs_review) == ({"form": None}, True)


@pytest.mark.parametrize(("form", "score"), [(DIG, 1.0), ({"dialogue_type": "NOOP"}, 0.0)])
def test_a_reference_is_scored_by_its_meaning(form: Any, score: float, as_worker: Any) -> None:
    client, held = _held(as_worker, truth=OLD)
    assert held["payload"]["text"] == "dig here"
    assert hand_in(client, held["assignment"], {"form": form}).status_code == 201
    assert Annotation.objects.get().score == score


@pytest.mark.parametrize(
    "form",
    [
        {"dialogue_type": 3},
        {
            "dialogue_type": "HUMAN_GIVE_COMMAND",
            "event_sequence": [[{"comparison_type": "BUILD"}], {"event_sequence": -1}],
        },
        {"dialogue_type": "NOOP", "text_span": [0, [7, "x"]]},
    ],
)
def test_an_agents_parse_that_is_no_form_is_shown_as_it_is_and_stops_nobody(form: Any, as_worker: Any) -> None:
    assert _held(as_worker, form=form)[1]["payload"]["so_far"] == {"form": form, "words": "", "outline": []}
