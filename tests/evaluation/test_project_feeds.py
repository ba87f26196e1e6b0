"""A marker project takes each ready episode of its suite, of its agents, of its version, as a task."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from annotation.models import Project, Task, Truth
from evaluation.models import Scenario
from evaluation.suites import freeze
from tests.support.builders import NOON, make_agent, make_episode, make_project, make_scenario, make_suite

BODY: dict[str, Any] = {"tool": "marker", "title": "Q", "instructions": [], "suite": "s", "status": "live"}


@pytest.fixture(autouse=True)
def _world(db: None) -> None:
    make_agent("alfa"), make_agent("bravo")
    make_scenario(make_suite("s"), "k")


def _put(pipe: APIClient, **changes: Any) -> Project:
    assert pipe.put("/api/v1/projects/q/", {**BODY, **changes}).status_code in (200, 201)
    return Project.objects.get(slug="q")


def _keys(project: Project) -> list[str]:
    return list(project.tasks.order_by("pk").values_list("key", flat=True))


def _episode(external_id: str, agent: str = "alfa", **changes: Any) -> None:
    scenario = changes.pop("scenario", None) or Scenario.objects.get(key="k")
    make_episode(scenario=scenario, agent=make_agent(agent), external_id=external_id, **changes)


def test_episodes_become_tasks_whether_they_were_ready_before_or_after(pipe: APIClient) -> None:
    _episode("before")
    _episode("not-yet", is_ready=False)
    project = _put(pipe)
    _episode("after")
    _episode("of another suite", scenario=make_scenario())
    assert _keys(project) == ["before", "after"]


def test_only_episodes_of_the_named_agents_become_tasks(pipe: APIClient) -> None:
    _episode("a1")
    _episode("b1", "bravo")
    project = _put(pipe, agents=["bravo"])
    _episode("a2")
    _episode("b2", "bravo")
    assert _keys(project) == ["b1", "b2"]


def test_only_episodes_of_the_frozen_version_become_tasks(pipe: APIClient) -> None:
    suite = make_suite("s")
    _episode("old")
    freeze(suite=suite, slug="v1", by="system", at=NOON)
    make_scenario(suite, "k", instruction="quite another")
    _episode("new")
    late = make_scenario(suite, "late")
    project = _put(pipe, version="v1")
    _episode("newer")
    _episode("other", scenario=late)
    assert _keys(project) == ["old"]
    make_scenario(suite, "k")
    _episode("old-again")
    assert _keys(project) == ["old", "old-again"]


def test_a_closed_project_takes_nothing_and_catches_up_when_it_is_opened(pipe: APIClient) -> None:
    project = _put(pipe, status="closed")
    _episode("late")
    assert _keys(project) == []
    _put(pipe)
    assert _keys(project) == ["late"]


def test_a_reference_becomes_a_task_with_its_truth(pipe: APIClient) -> None:
    project = _put(pipe)
    _episode("known", reference={"outcome": "success", "time_s": 2.0, "tolerance_s": 0.5})
    _episode("vague", reference={"outcome": "failure", "time_s": None, "tolerance_s": 1.0})
    assert list(Task.objects.references().order_by("pk").values_list("key", flat=True)) == ["known", "vague"]
    truths = [(truth.answers, truth.tolerance_s) for truth in Truth.objects.order_by("pk")]
    assert truths == [
        ([{"outcome": "success", "time_s": 2.0}], 0.5),
        ([{"outcome": "failure", "time_s": None}], 1.0),
    ]
    assert pipe.get("/api/v1/projects/q/").json()["progress"]["references"] == 2
    assert _keys(project) == ["known", "vague"]


def test_the_episode_of_the_practice_becomes_no_reference(pipe: APIClient) -> None:
    truth = {"outcome": "success", "time_s": 2.0, "tolerance_s": 0.5}
    _episode("before", reference=truth)
    practice = {"payload": {"episode": "before"}, "accept": [{"outcome": "success", "time_s": 2.0}], "tolerance_s": 0.5}
    project = _put(pipe, settings={"practice": practice})
    assert _keys(project) == []
    project.settings["practice"]["payload"]["episode"] = "after"
    project.save()
    _episode("after", reference=truth)
    _episode("another", reference=truth)
    assert _keys(project) == ["another"]


def test_two_projects_of_a_suite_each_have_a_task(pipe: APIClient) -> None:
    first, second = make_project(suite=make_suite("s")), make_project(suite=make_suite("s"))
    _episode("e")
    assert _keys(first) == _keys(second) == ["e"]
