"""Arms of a project of live sessions: which settings they may have, and what a session takes from its worker's arm."""

from decimal import Decimal
from typing import Any

import pytest
from rest_framework.test import APIClient

from annotation.models import Project
from annotation.offer.experiments import arm_for
from demo.load_sessions import EXPERIMENT
from interaction.models import Session
from interaction.project.tool import interaction
from routing import tree_versions
from tests.support.builders import NOON, make_agent, make_enrolment, make_worker
from tests.support.sessions import come_in
from tests.support.tool_workers import client_for

pytestmark = pytest.mark.django_db

BODY: dict[str, Any] = {
    "tool": "interaction",
    "title": "Play",
    "instructions": ["Tell it."],
    "reference_rate": 0,
    "settings": {"agent": "a", "sessions": 50, "tree": "default", "minimum_s": 60},
    "pay": {"base": {"amount": "0.50", "currency": "USD"}},
    "status": "live",
}


def put(pipe: APIClient, own: dict[str, Any], **arm: Any) -> Any:
    tree_versions.make_first(at=NOON)
    make_agent("a")
    experiment = {"name": "x", "arms": [{"name": "plain"}, {"name": "own", "settings": own, **arm}]}
    return pipe.put("/api/v1/projects/play/", {**BODY, "experiment": experiment})


@pytest.mark.parametrize(
    ("own", "pointer", "code"),
    [
        ({"tree": "nowhere"}, "tree", "invalid"),
        ({"minimum_s": -1}, "minimum_s", "invalid"),
        ({"stoplight": {"green": 11}}, "stoplight/green", "invalid"),
        ({"stoplight": {"greem": 1}}, "stoplight/greem", "unknown_field"),
        ({"sessions": 5}, "sessions", "invalid"),
        ({"agent": "a"}, "agent", "invalid"),
        ({"evaluation": True}, "evaluation", "invalid"),
    ],
)
def test_settings_of_an_arm_are_checked_where_they_stand(
    own: dict[str, Any], pointer: str, code: str, pipe: APIClient
) -> None:
    answer = put(pipe, own)
    assert answer.status_code == 422
    assert answer.json()["code"] == code
    assert [one["pointer"] for one in answer.json()["errors"]] == [f"#/experiment/arms/1/settings/{pointer}"]


def test_every_setting_of_arms_is_one_of_the_tool(pipe: APIClient) -> None:
    whole = {
        "tree": "parse-first",
        "stoplight": {"preset": "paper"},
        "minimum_s": 30,
        "prompts": ["red"],
        "capabilities": ["Dig: dig"],
    }
    assert set(whole) == interaction.settings_of_arms
    assert put(pipe, whole).status_code == 201


@pytest.mark.parametrize(
    ("chance", "arm", "tree", "minimum_s", "pay", "capabilities"),
    [(0.0, "x/plain", "default", 60, "0.50", 14), (0.9, "x/own", "parse-first", 30, "0.40", 1)],
)
def test_a_worker_is_told_of_and_given_the_session_of_their_arm(
    chance: float, arm: str, tree: str, minimum_s: int, pay: str, capabilities: int, pipe: APIClient
) -> None:
    base = {"base": {"amount": "0.40", "currency": "USD"}}
    own = {"tree": "parse-first", "minimum_s": 30, "capabilities": ["Dig: dig"]}
    assert put(pipe, own, pay=base).status_code == 201
    project, anna = Project.objects.get(slug="play"), make_worker("anna")
    arm_for(make_enrolment(project, anna), at=NOON, chance=lambda: chance)
    told = client_for(project, "anna").post("/api/v1/work/claim/", {}, format="json").json()["payload"]
    assert (len(told["capabilities"]), told["minimum_s"]) == (capabilities, minimum_s)
    come_in(project, "anna")
    session = Session.objects.get()
    assert (session.arm, session.tree.tree.slug) == (arm, tree)
    assert (session.minimum_s, session.base_pay) == (minimum_s, Decimal(pay))


def test_a_session_of_an_arm_that_is_no_more_counts_in_none(pipe: APIClient) -> None:
    put(pipe, {"tree": "parse-first"})
    project = Project.objects.get(slug="play")
    arm_for(make_enrolment(project, make_worker("anna")), at=NOON, chance=lambda: 0.9)
    pipe.put("/api/v1/projects/play/", BODY)
    project.refresh_from_db()
    come_in(project, "anna")
    session = Session.objects.get()
    assert (session.arm, session.tree.tree.slug) == ("", "default")


def test_the_demos_experiment_can_be_put(pipe: APIClient) -> None:
    tree_versions.make_first(at=NOON)
    make_agent("a")
    answer = pipe.put("/api/v1/projects/play/", {**BODY, "experiment": EXPERIMENT})
    assert answer.status_code == 201
    assert answer.json()["experiment"] == EXPERIMENT
