"""Lists come in cursor pages, and cost the same for 2 rows and for 20."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from agents.models import Agent, Metric
from annotation.models import Project
from tests.support.builders import (
    NOON,
    annotate,
    claim,
    make_agent,
    make_episode,
    make_project,
    make_scenario,
    make_suite,
    make_task,
    make_worker,
)
from tests.support.calls import lines, problem
from workforce.models import Worker


def _metrics(rows: int) -> None:
    agent = make_agent("alfa")
    for number in range(rows):
        Metric.objects.create(agent=agent, metric="probe", value=number, created_at=NOON)


def _scenarios(rows: int) -> None:
    suite = make_suite("s")
    for _ in range(rows):
        make_scenario(suite)


def _episodes(rows: int) -> None:
    scenario = make_scenario(make_suite("s"))
    project = make_project(suite=scenario.suite)
    for _ in range(rows):
        make_episode(scenario=scenario)
        annotate(claim(project, make_worker("alice")))


def _projects(rows: int) -> None:
    suite = make_suite("s")
    scenario = make_scenario(suite)
    for _ in range(rows):
        make_project(suite=suite)
    make_episode(scenario=scenario)


LISTS: dict[str, tuple[Callable[[int], Any], int]] = {
    "agents/": (lambda rows: [make_agent() for _ in range(rows)], 1),
    "agents/alfa/metrics/": (_metrics, 2),
    "suites/": (lambda rows: [make_suite() for _ in range(rows)], 1),
    "suites/s/scenarios/": (_scenarios, 2),
    "episodes/": (_episodes, 3),
    "projects/": (_projects, 5),
}
KEY_QUERIES = 1
"""Every call finds its key first."""


@pytest.mark.parametrize("path", LISTS)
def test_a_list_walks_forward_and_back_through_pages(path: str, pipe: APIClient) -> None:
    make, _ = LISTS[path]
    make(5)
    everything = pipe.get(f"/api/v1/{path}").json()
    assert list(everything) == ["next", "previous", "results"]
    assert (everything["next"], everything["previous"], len(everything["results"])) == (None, None, 5)
    first = pipe.get(f"/api/v1/{path}?page_size=2").json()
    second = pipe.get(first["next"]).json()
    third = pipe.get(second["next"]).json()
    assert first["previous"] is None
    assert third["next"] is None
    assert first["results"] + second["results"] + third["results"] == everything["results"]
    assert pipe.get(third["previous"]).json()["results"] == second["results"]


@pytest.mark.parametrize("path", LISTS)
def test_a_list_of_nothing_is_an_empty_page(path: str, pipe: APIClient) -> None:
    make_agent("alfa") if "alfa" in path else make_suite("s")
    there = {"agents/": 0, "suites/": 1}.get(path, 0)
    assert len(pipe.get(f"/api/v1/{path}").json()["results"]) == there


def test_a_page_keeps_its_place_while_rows_are_added(pipe: APIClient) -> None:
    for slug in ("a", "b", "c"):
        make_agent(slug)
    first = pipe.get("/api/v1/agents/?page_size=2").json()
    Agent.objects.filter(slug="a").delete()
    make_agent("d")
    assert [agent["slug"] for agent in pipe.get(first["next"]).json()["results"]] == ["c", "d"]


@pytest.mark.parametrize("size", ["", "0", "-1", "x", "null", "1001", "1e2", "5.0", "+5", "%00", "2&page_size=2"])
def test_a_page_size_that_cannot_be_is_refused(size: str, pipe: APIClient) -> None:
    refused = problem(pipe.get(f"/api/v1/agents/?page_size={size}"))
    assert (refused["code"], [fault["pointer"] for fault in refused["errors"]]) == ("invalid", ["#/page_size"])


@pytest.mark.parametrize("rows", [2, 6])
@pytest.mark.parametrize("path", LISTS)
def test_a_list_costs_the_same_however_many_rows_it_has(
    path: str, rows: int, pipe: APIClient, django_assert_num_queries: Any
) -> None:
    make, queries = LISTS[path]
    make(rows)
    pipe.get("/api/v1/agents/")  # the first use of a key is noted, the next ones not for a minute
    with django_assert_num_queries(KEY_QUERIES + queries):
        assert len(pipe.get(f"/api/v1/{path}").json()["results"]) == rows


@pytest.mark.parametrize("rows", [2, 6])
def test_exports_and_ranking_cost_the_same_however_many_rows_they_have(
    rows: int, pipe: APIClient, django_assert_num_queries: Any
) -> None:
    suite = make_suite("s")
    project = make_project("p", suite=suite)
    for number in range(rows):
        make_episode(scenario=make_scenario(suite, tags=["a", f"t{number}"]), agent=make_agent(f"agent-{number % 3}"))
        annotate(claim(project, make_worker("alice")))
    make_task(project, truth="success")
    pipe.get("/api/v1/agents/")
    for name in ("annotations", "consensus"):
        with django_assert_num_queries(KEY_QUERIES + 3):
            assert len(lines(pipe.get(f"/api/v1/projects/p/{name}.jsonl"))) == rows
    for query, queries in (("", 6), ("?by=tag", 6), ("?by=scenario&tag=a", 6)):
        with django_assert_num_queries(KEY_QUERIES + queries):
            agents = pipe.get(f"/api/v1/suites/s/ranking/{query}").json()["agents"]
            assert sum(agent["n"] for agent in agents) == rows


def _cost(call: Callable[[], Any]) -> tuple[int, Any]:
    with CaptureQueriesContext(connection) as asked:
        answer = call()
    return len(asked), answer


def _costs_of_work(tasks: int, client: APIClient, project: Project) -> dict[str, int]:
    for _ in range(tasks):
        make_task(project)
    claimed, answer = _cost(lambda: client.post("/api/v1/work/claim/", {}))
    url = f"/api/v1/work/assignments/{answer.json()['assignment']}/"
    saved, _ = _cost(lambda: client.patch(url, {"draft": {"frame": 3}}))
    looked, _ = _cost(lambda: client.get("/api/v1/work/"))
    submitted, answer = _cost(lambda: client.post(f"{url}submit/", {"answer": {"outcome": "success", "frame": 20}}))
    assert answer.status_code == 201
    return {"claim": claimed, "draft": saved, "work": looked, "submit": submitted}


def test_claim_and_submit_cost_the_same_however_many_tasks_there_are(alice: Worker, as_worker: Any) -> None:
    few, many = make_project(), make_project()
    costs = _costs_of_work(2, as_worker(few, alice), few)
    assert _costs_of_work(20, as_worker(many, alice), many) == costs
    # To look at their work is one query more since workers are told what was decided against them.
    # An answer that settles a task writes its event, and looks whether it was the last task: two more than before.
    most = {"claim": 16, "draft": 5, "work": 6, "submit": 25 if connection.vendor == "postgresql" else 24}
    assert all(costs[name] <= budget for name, budget in most.items()), costs
