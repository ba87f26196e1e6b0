"""`PUT` replaces the whole resource, says 201 once, and writes nothing where nothing differs."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from agents.models import Agent
from annotation.models import Project, Task
from audit.models import AuditEvent
from evaluation.models import Feed, Revision, Scenario, Suite, Version
from tests.support.builders import make_agent, make_episode, make_project, make_scenario, make_suite, quiz_body
from tests.support.calls import problem

SCENARIO = {
    "instruction": "lift the lid",
    "category": "lift",
    "skill": "grasping",
    "takeover_s": 1,
    "continuation_s": 5.5,
    "criteria": "The lid is off.",
    "prompt": "a pot",
    "tags": ["pot", "lid"],
    "difficulty": 3,
    "chance": 0.25,
    "media": {"episode": "lid-context"},
    "source": {"interaction": "lids-7", "agent": "alfa", "episode": "lid-context", "split": "train"},
    "metadata": {"seed": 1},
}
PROJECT = {
    "tool": "marker",
    "title": "Lids",
    "instructions": ["# Watch", "Mark it."],
    "suite": "s",
    "agents": ["alfa"],
    "version": "v1",
    "redundancy": 3,
    "reference_rate": 0.25,
    "lease_s": 600,
    "limit_per_worker": 40,
    "pay": {"base": {"amount": "0.30", "currency": "EUR"}},
    "budget": {"amount": "12.5", "currency": "EUR"},
    "consent": "We keep *nothing*.",
    "status": "paused",
}
PUTS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "agents/bravo/",
        {"name": "B", "description": "x", "kind": "human", "metadata": {"seed": 1, "deep": {"a": [1, None]}}},
        {"name": "C"},
    ),
    ("qualifications/quiz/", quiz_body(draw=2, cool_off_s=60, valid_s=3600), quiz_body(attempts=5)),
    ("suites/t/", {"title": "T", "description": "x"}, {"title": "U"}),
    ("suites/s/scenarios/lid/", SCENARIO, {**SCENARIO, "instruction": "drop the lid"}),
    ("suites/s/versions/v2/", {}, {}),
    ("projects/q/", PROJECT, {**PROJECT, "title": "Pots"}),
]


MADE = ("agent.created", "qualification.created", "suite.created", "scenario.created", "project.created")
"""Their names in the audit log."""


@pytest.fixture(autouse=True)
def _world(db: None) -> None:
    make_agent("alfa")
    make_scenario(make_suite("s"), "first")


def _freeze(pipe: APIClient) -> None:
    assert pipe.put("/api/v1/suites/s/versions/v1/", {}).status_code == 201


@pytest.mark.parametrize(("path", "body", "other"), PUTS, ids=[path for path, _, _ in PUTS])
def test_put_makes_then_changes_nothing_then_replaces(
    path: str, body: dict[str, Any], other: dict[str, Any], pipe: APIClient
) -> None:
    _freeze(pipe)
    url = f"/api/v1/{path}"
    assert pipe.get(url).status_code == 404
    made = pipe.put(url, body)
    assert made.status_code == 201
    with CaptureQueriesContext(
        connection,
    ) as asked:
        again = pipe.put(url, json.dumps(dict(reversed(body.items()))), content_type="application/json")
    writes = [query["sql"] for query in asked if query["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
    assert [sql for sql in writes if "agents_apikey" not in sql] == []
    assert (again.status_code, again.json()) == (200, made.json())
    assert pipe.get(url).json() == made.json()
    replaced = pipe.put(url, other)
    assert replaced.status_code == 200
    if other != body:
        assert replaced.json() != made.json()
    assert pipe.get(url).json() == replaced.json()


@pytest.mark.parametrize(("path", "body", "other"), PUTS, ids=[path for path, _, _ in PUTS])
def test_what_put_takes_get_gives_back(path: str, body: dict[str, Any], other: dict[str, Any], pipe: APIClient) -> None:
    _freeze(pipe)
    pipe.put(f"/api/v1/{path}", body)
    shown = pipe.get(f"/api/v1/{path}").json()
    expected = {**body, "budget": {"amount": "12.50", "currency": "EUR"}} if "budget" in body else body
    assert {name: shown[name] for name in body} == expected


@pytest.mark.parametrize(("path", "body", "other"), PUTS, ids=[path for path, _, _ in PUTS])
def test_the_audit_log_holds_what_a_put_changed(
    path: str, body: dict[str, Any], other: dict[str, Any], pipe: APIClient
) -> None:
    _freeze(pipe)
    given = {name for name in body if name not in {"suite", "agents", "version"}}
    pipe.put(f"/api/v1/{path}", body)
    created = AuditEvent.objects.filter(verb__in=[*MADE, "suite.frozen"]).latest("pk")
    assert created.actor.startswith("key:pipe")
    assert given <= set(created.detail.get("after", {}))
    pipe.put(f"/api/v1/{path}", other)
    if other == body:
        return
    changed = AuditEvent.objects.filter(verb__endswith=".changed").get()
    before, after = changed.detail["before"], changed.detail["after"]
    differing = {name for name in body if name not in other or other[name] != body[name]}
    assert differing <= set(after)
    assert {name: before[name] for name in differing if name in body} == {name: body[name] for name in differing}
    assert {name: after[name] for name in differing if name in other} == {
        name: other[name] for name in differing if name in other
    }


def test_put_replaces_the_whole_and_not_only_what_is_named(pipe: APIClient) -> None:
    pipe.put("/api/v1/agents/bravo/", {"name": "B", "description": "x", "metadata": {"a": 1}})
    assert pipe.put("/api/v1/agents/bravo/", {"name": "B"}).json() == {
        "slug": "bravo",
        "name": "B",
        "description": "",
        "kind": "agent",
        "metadata": {},
    }


def test_true_is_not_one_in_what_is_compared(pipe: APIClient) -> None:
    pipe.put("/api/v1/agents/bravo/", {"name": "B", "metadata": {"a": 1}})
    assert pipe.put("/api/v1/agents/bravo/", {"name": "B", "metadata": {"a": True}}).json()["metadata"] == {"a": True}
    assert Agent.objects.get(slug="bravo").metadata == {"a": True}


def test_the_defaults_of_a_project_are_those_of_the_contract(pipe: APIClient) -> None:
    body = {"tool": "marker", "title": "Q", "instructions": [], "status": "draft"}
    assert pipe.put("/api/v1/projects/q/", body).json() == {
        "slug": "q",
        **body,
        "suite": None,
        "version": None,
        "agents": None,
        "redundancy": 1,
        "reference_rate": 0.1,
        "lease_s": 900,
        "limit_per_worker": None,
        "pay": None,
        "budget": None,
        "approve_after_s": 259_200,
        "consent": None,
        "qualification": None,
        "gates": [],
        "start": None,
        "aggregation": {"method": "majority", "confidence": None, "least": 2, "most": None},
        "two_person_review": False,
        "experiment": None,
        "settings": {},
        "progress": {"tasks": 0, "open": 0, "done": 0, "unjudgeable": 0, "annotations": 0, "references": 0},
    }


def test_a_changed_scenario_leaves_a_frozen_version_as_it_was(pipe: APIClient) -> None:
    pipe.put("/api/v1/suites/s/scenarios/lid/", SCENARIO)
    frozen = pipe.put("/api/v1/suites/s/versions/v1/", {}).json()
    assert frozen["scenarios"] == ["first", "lid"]
    before = set(Version.objects.get().revisions.values_list("instruction", flat=True))
    pipe.put("/api/v1/suites/s/scenarios/lid/", {**SCENARIO, "instruction": "drop the lid"})
    assert set(Version.objects.get().revisions.values_list("instruction", flat=True)) == before
    changed = pipe.put("/api/v1/suites/s/versions/v1/", {})
    assert (changed.status_code, problem(changed)["code"]) == (409, "conflict")
    assert pipe.put("/api/v1/suites/s/versions/v2/", {}).status_code == 201
    pipe.put("/api/v1/suites/s/scenarios/lid/", SCENARIO)
    again = pipe.put("/api/v1/suites/s/versions/v1/", {})
    assert (again.status_code, again.json()) == (200, frozen), "the old wording is the old revision"
    assert Revision.objects.count() == 3


def test_a_suite_without_scenarios_cannot_be_frozen(pipe: APIClient) -> None:
    make_suite("empty")
    assert pipe.put("/api/v1/suites/empty/versions/v1/", {}).status_code == 422


@pytest.mark.parametrize("slug", ["a", "0", "a" * 63, "a-b_c", "9_-"])
def test_a_slug_may_be(slug: str, pipe: APIClient) -> None:
    assert pipe.put(f"/api/v1/agents/{slug}/", {"name": "A"}).status_code == 201
    assert pipe.get(f"/api/v1/agents/{slug}/").json()["slug"] == slug


@pytest.mark.parametrize("slug", ["A", "-a", "_a", "a" * 64, "a b", "ä", "a.b", "%00", "a%0a"])
def test_a_slug_may_not_be(slug: str, pipe: APIClient) -> None:
    assert problem(pipe.put(f"/api/v1/agents/{slug}/", {"name": "A"}))["status"] == 404
    assert Agent.objects.count() == 1


@pytest.mark.parametrize("key", ["A", ".", "a" * 128, "Aa0._:-", "..."])
def test_a_scenario_key_may_be(key: str, pipe: APIClient) -> None:
    assert pipe.put(f"/api/v1/suites/s/scenarios/{key}/", SCENARIO).status_code == 201
    assert Scenario.objects.filter(key=key).exists()


@pytest.mark.parametrize("key", ["a" * 129, "a b", "a~b", "ä", "a%2fb"])
def test_a_scenario_key_may_not_be(key: str, pipe: APIClient) -> None:
    assert problem(pipe.put(f"/api/v1/suites/s/scenarios/{key}/", SCENARIO))["status"] == 404


def test_tool_and_suite_cannot_change_once_there_are_tasks(pipe: APIClient) -> None:
    make_suite("other")
    body = {"tool": "marker", "title": "Q", "instructions": [], "status": "live", "suite": "s"}
    pipe.put("/api/v1/projects/q/", body)
    assert pipe.put("/api/v1/projects/q/", {**body, "suite": "other"}).status_code == 200
    assert pipe.put("/api/v1/projects/q/", body).status_code == 200
    make_episode(scenario=Scenario.objects.get())
    assert Task.objects.count() == 1
    for suite in ("other", None):
        refused = pipe.put("/api/v1/projects/q/", {**body, "title": "R", "suite": suite})
        assert (refused.status_code, problem(refused)["errors"][0]["pointer"]) == (409, "#/suite")
    assert Project.objects.get().title == "Q", "a refused PUT changes nothing at all"


def test_a_refused_put_makes_nothing(pipe: APIClient) -> None:
    body = {"tool": "marker", "title": "Q", "instructions": [], "status": "live", "suite": "nowhere"}
    assert pipe.put("/api/v1/projects/q/", body).status_code == 422
    assert (Project.objects.count(), Feed.objects.count()) == (0, 0)


def test_pay_and_budget_are_in_one_currency(pipe: APIClient) -> None:
    body = {**PROJECT, "version": None, "budget": {"amount": "1", "currency": "USD"}}
    refused = pipe.put("/api/v1/projects/q/", body)
    assert problem(refused)["errors"][0]["pointer"] == "#/budget/currency"


def test_agents_or_a_version_without_a_suite_are_refused(pipe: APIClient) -> None:
    body = {"tool": "marker", "title": "Q", "instructions": [], "status": "live"}
    extras: list[dict[str, Any]] = [{"agents": ["alfa"]}, {"version": "v1"}]
    for extra in extras:
        assert problem(pipe.put("/api/v1/projects/q/", {**body, **extra}))["errors"][0]["pointer"] == "#/suite"


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"qualification": "quiz"}, "#/qualification"),
        ({"gates": [{"action": "warn"}]}, "#/gates/0/below"),
        ({"gates": [{"action": "block", "below": 0.7, "minimum_n": 5}]}, "#/gates/0/action"),
        ({"gates": [{"action": "warn", "below": 0.3, "minimum_n": 5}]}, "#/gates/0/below"),
        ({"start": {"tasks": 5}}, "#/start/reference_rate"),
        ({"aggregation": {"method": "glad"}}, "#/aggregation/method"),
        ({"redundancy": 5, "aggregation": {"most": 3}}, "#/aggregation/most"),
        ({"experiment": {"a": 1}}, "#/experiment/a"),
    ],
)
def test_what_a_project_cannot_be_is_refused_where_it_stands(
    wrong: dict[str, Any], pointer: str, pipe: APIClient
) -> None:
    body = {"tool": "marker", "title": "Q", "instructions": [], "status": "live", **wrong}
    assert problem(pipe.put("/api/v1/projects/q/", body))["errors"][0]["pointer"] == pointer


def test_a_project_put_again_takes_in_the_episodes_that_fit_now(pipe: APIClient) -> None:
    bravo = make_agent("bravo")
    make_episode(scenario=Scenario.objects.get(), agent=bravo, external_id="by-bravo")
    body = {"tool": "marker", "title": "Q", "instructions": [], "status": "live", "suite": "s", "agents": ["alfa"]}
    assert pipe.put("/api/v1/projects/q/", body).json()["progress"]["tasks"] == 0
    assert pipe.put("/api/v1/projects/q/", {**body, "agents": None}).json()["progress"]["tasks"] == 1
    assert pipe.put("/api/v1/projects/q/", {**body, "agents": None}).json()["progress"]["tasks"] == 1
    assert Suite.objects.count() == 1


def test_money_is_shown_with_two_places_at_least(pipe: APIClient) -> None:
    project = make_project("q")
    for amount, shown in [("1", "1.00"), ("0.3", "0.30"), ("0.0125", "0.0125"), ("0", "0.00"), ("100", "100.00")]:
        pay = {"base": {"amount": amount, "currency": "USD"}}
        body = {"tool": "marker", "title": "Q", "instructions": [], "status": "live", "pay": pay}
        assert pipe.put("/api/v1/projects/q/", body).json()["pay"] == {"base": {"amount": shown, "currency": "USD"}}
    assert project.currency == "USD"
