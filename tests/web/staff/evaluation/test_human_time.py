"""People's hours for each agent: rating a suite's continuations, against live sessions with the agent."""

from decimal import Decimal
from typing import Any

import pytest
from rest_framework.test import APIClient

from annotation.models import Annotation, Project, Task
from tests.support.builders import make_agent, make_episode, make_project, make_scenario, make_suite, make_worker
from tests.support.crowds import say
from tests.support.sessions import make_live_project, past_session

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    """Two scenarios, judged 1 of 1 and 0 of 1, in 90 s each."""
    project = make_project("p", suite=make_suite("s"), base_pay=Decimal("0.10"))
    for key, outcome in (("k", "success"), ("l", "failure")):
        shown = make_episode(scenario=make_scenario(make_suite("s"), key), agent=make_agent("alfa"))
        say(Task.objects.get(project=project, key=shown.external_id), outcome)
    Annotation.objects.update(active_s=90.0)
    return project


def live(*sessions: list[str]) -> Project:
    project = make_live_project("live")
    for outcomes in sessions:
        past_session(project, make_worker(), outcomes, minutes=30, agent=make_agent("alfa"))
    return project


def row(pipe: APIClient, address: str = "suites/s/human_time/") -> dict[str, Any]:
    answer = pipe.get(f"/api/v1/{address}").json()
    return {**answer["agents"][0], "currency": answer["currency"]}


def test_both_sides_are_brought_to_one_standard_error(pipe: APIClient, project: Project) -> None:
    live(["ok", "ok"], ["nlu_error", "nlu_error"])
    found = row(pipe)
    assert (found["suite"]["n"], found["suite"]["clusters"], found["suite"]["hours"]) == (2, 2, 0.05)
    assert (found["live"]["n"], found["live"]["clusters"], found["live"]["hours"]) == (4, 2, 1.0)
    assert found["suite"]["standard_error"] == pytest.approx(found["live"]["standard_error"]) == 0.5
    assert (found["times"], found["sentence"]) == (pytest.approx(20.0), None)
    assert (found["suite_cost"], found["live_cost"]) == ("0.20", "1.00")


def test_an_answer_without_a_measured_time_counts_as_an_average_one(pipe: APIClient, project: Project) -> None:
    Annotation.objects.filter(pk=Annotation.objects.order_by("pk")[0].pk).update(active_s=None)
    assert row(pipe)["suite"]["hours"] == 0.05


def test_references_count_by_their_share(pipe: APIClient, project: Project) -> None:
    known = make_episode(
        scenario=make_scenario(make_suite("s"), "known"),
        agent=make_agent("teacher"),
        reference={"outcome": "success"},
    )
    say(Task.objects.get(project=project, key=known.external_id), "success")
    Annotation.objects.on_references().update(active_s=36.0)
    assert row(pipe)["suite"]["hours"] == pytest.approx((2 * 90 + 36) / 3600)


@pytest.mark.parametrize(
    ("sessions", "words"),
    [
        ([], "No command was judged in a live session"),
        ([["ok", "nlu_error"]], "Its sessions show no standard error"),
        ([["ok"], ["ok"]], "Its sessions show no standard error"),
    ],
)
def test_a_side_without_data_is_named(pipe: APIClient, project: Project, sessions: list[list[str]], words: str) -> None:
    live(*sessions)
    found = row(pipe)
    assert found["times"] is None
    assert words in found["sentence"]


def test_without_measured_times_there_are_no_hours(pipe: APIClient, project: Project) -> None:
    live(["ok"], ["nlu_error"])
    Annotation.objects.filter(project=project).update(active_s=None)
    found = row(pipe)
    assert (found["suite"]["hours"], found["times"]) == (None, None)
    assert "measured time" in found["sentence"]


def test_a_limited_key_sees_the_sessions_of_its_projects_alone(pipe: APIClient, project: Project) -> None:
    from tests.web.api.test_key_limits import limited

    live(["ok"], ["nlu_error"])
    for projects, n in ((["p"], 0), (["p", "live"], 2)):
        assert row(limited(projects=projects, suites=["s"]))["live"]["n"] == n


def test_the_plan_shows_the_hours(dora: Any, project: Project) -> None:
    live(["ok", "ok"], ["nlu_error", "nlu_error"])
    assert b"20.0 times" in dora.get("/staff/suites/s/plan/").content
