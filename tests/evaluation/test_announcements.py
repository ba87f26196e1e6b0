"""Events about suites: a run is complete once, and a ranking has changed where its order or its verdict has."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Project, Task
from evaluation import announcements, ranking
from evaluation.models import Suite, Tally
from evaluation.suites import freeze
from tests.support.builders import NOON, make_agent, make_episode, make_project, make_scenario, make_suite
from tests.support.crowds import say

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    suite = make_suite("s")
    make_scenario(suite, "k")
    return make_project("p", suite=suite)


def judge(project: Project, agent: str, outcome: str) -> Task:
    shown = make_episode(scenario=make_scenario(make_suite("s"), "k"), agent=make_agent(agent))
    task = Task.objects.get(project=project, key=shown.external_id)
    say(task, outcome)
    return task


def told(pipe: APIClient) -> list[tuple[str, Any]]:
    """The type and the data of the events that are new after another look."""
    known = {one["event"] for one in _events(pipe)}
    announcements.tell_of_changes(timezone.now())
    return [(one["type"], one["data"]) for one in _events(pipe) if one["event"] not in known]


def _events(pipe: APIClient) -> Any:
    return pipe.get("/api/v1/events/?types=run.complete,ranking.changed").json()["results"]


def test_a_run_is_told_of_once_and_a_ranking_where_its_order_changes(pipe: APIClient, project: Project) -> None:
    judge(project, "alfa", "success")
    facts = {"suite": "s", "project": "p"}
    first = {**facts, "order": [["alfa"]], "before": [], "ok": None}
    assert told(pipe) == [("ranking.changed", first)]
    assert told(pipe) == []
    judge(project, "bravo", "failure")
    second = {**facts, "order": [["alfa"], ["bravo"]], "before": [["alfa"]], "ok": None}
    assert told(pipe) == [("ranking.changed", second)]
    number = make_episode(
        scenario=make_scenario(make_suite("s"), "k"), agent=make_agent("alfa"), continuation=0, external_id="again"
    )
    assert told(pipe) == []
    say(Task.objects.get(project=project, key=number.external_id), "success")
    assert told(pipe) == []


def test_a_run_is_complete_when_everything_expected_is_judged(pipe: APIClient, project: Project) -> None:
    scenario = make_scenario(make_suite("s"), "k")
    Suite.objects.update(continuations=2)
    freeze(suite=make_suite("s"), slug="v1", by="system", at=NOON)
    for number in range(2):
        shown = make_episode(scenario=scenario, agent=make_agent("alfa"), continuation=number)
        assert [kind for kind, _ in told(pipe) if kind == "run.complete"] == []
        say(Task.objects.get(project=project, key=shown.external_id), "success")
    (complete,) = [data for kind, data in told(pipe) if kind == "run.complete"]
    assert complete == {"suite": "s", "version": "v1", "project": "p", "agent": "alfa"}
    judge(project, "bravo", "success")
    assert [kind for kind, _ in told(pipe)] == ["ranking.changed"]


def test_a_verdict_that_changes_is_told(pipe: APIClient, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    judge(project, "alfa", "success")
    told(pipe)
    judge(project, "alfa", "success")
    rank = ranking.rank_agents

    def with_a_verdict(**what: Any) -> Any:
        found = rank(**what)
        return found._replace(raters=found.raters._replace(verdict=found.raters.verdict._replace(ok=False)))

    monkeypatch.setattr(announcements, "rank_agents", with_a_verdict)
    [(kind, data)] = told(pipe)
    assert (kind, data["ok"], data["order"] == data["before"]) == ("ranking.changed", False, True)


def test_a_look_at_nothing_new_asks_once(project: Project, django_assert_num_queries: Any) -> None:
    judge(project, "alfa", "success")
    Tally.objects.update(changed_at=timezone.now() - timedelta(minutes=10))
    with django_assert_num_queries(1):
        assert announcements.tell_of_changes(timezone.now()) == 0


def test_events_and_what_was_told_are_written_together(
    pipe: APIClient, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge(project, "alfa", "success")

    def fails(*_: Any, **__: Any) -> None:
        raise RuntimeError("no room")

    with monkeypatch.context() as patched:
        patched.setattr(announcements, "note_all", fails)
        with pytest.raises(RuntimeError):
            announcements.tell_of_changes(timezone.now())
    assert [kind for kind, _ in told(pipe)] == ["ranking.changed"]
