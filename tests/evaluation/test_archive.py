"""An archived row is hidden and offered to nobody, comes back whole, and is deleted only if nobody ever used it."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Project, Task
from annotation.projects.archive import GRACE, delete_unused_projects
from annotation.work.claims import ProjectNotLive, claim_next
from audit.models import AuditEvent
from evaluation import tallies
from evaluation.archive import delete_unused
from evaluation.models import Episode, Suite
from tests.support.builders import (
    annotate,
    claim,
    make_enrolment,
    make_episode,
    make_project,
    make_scenario,
    make_suite,
    make_task,
    make_worker,
)
from tests.support.calls import problem

pytestmark = pytest.mark.django_db
PATHS = ("projects/p/", "suites/s/", "episodes/e/")


@pytest.fixture
def project() -> Project:
    """A live project over a suite with two episodes, of which one is judged."""
    suite = make_suite("s")
    scenario = make_scenario(suite, "k")
    found = make_project("p", suite=suite, base_pay=Decimal("0.30"))
    make_episode(scenario=scenario, external_id="e")
    annotate(claim(found, make_worker("alice")))
    make_episode(scenario=scenario, external_id="f")
    return found


def _listed(pipe: APIClient, kind: str) -> set[str]:
    name = {"episodes": "external_id"}.get(kind, "slug")
    return {row[name] for row in pipe.get(f"/api/v1/{kind}/").json()["results"]}


def _ranking(pipe: APIClient) -> list[tuple[int, int, int]]:
    agents = pipe.get("/api/v1/suites/s/ranking/").json()["agents"]
    return [(agent["n"], agent["successes"], agent["pending"]) for agent in agents]


def test_an_archived_project_is_hidden_and_offers_nothing_until_it_is_put_back(
    project: Project, pipe: APIClient
) -> None:
    url = "/api/v1/projects/p/"
    assert [pipe.delete(url).status_code for _ in range(2)] == [204, 204]
    assert _listed(pipe, "projects") == set()
    shown = pipe.get(url).json()
    assert (shown["status"], shown["progress"]["annotations"]) == ("paused", 1)
    assert shown["archived_at"] is not None
    assert problem(pipe.patch(url, {"status": "live"}))["code"] == "conflict"
    with pytest.raises(ProjectNotLive):
        claim_next(enrolment=make_enrolment(Project.objects.get(), make_worker("bob")), at=timezone.now())
    back = pipe.post(f"{url}restore/")
    assert (back.status_code, back.json()["status"], "archived_at" in back.json()) == (200, "paused", False)
    assert _listed(pipe, "projects") == {"p"}
    assert pipe.patch(url, {"status": "live"}).status_code == 200
    assert claim(Project.objects.get(), make_worker("bob"), at=timezone.now()).task.key == "f"
    verbs = AuditEvent.objects.filter(subject_kind="project", verb__in=["project.archived", "project.restored"])
    assert [event.detail["before"] for event in verbs.order_by("pk")] == [
        {"archived": False, "status": "live"},
        {"archived": True},
    ]


def test_a_suite_is_archived_once_no_unfinished_project_takes_its_episodes(project: Project, pipe: APIClient) -> None:
    assert "'p'" in problem(pipe.delete("/api/v1/suites/s/"))["detail"]
    pipe.patch("/api/v1/projects/p/", {"status": "closed"})
    assert pipe.delete("/api/v1/suites/s/").status_code == 204
    assert _listed(pipe, "suites") == set()
    for path, body in (("suites/s/", {"title": "S"}), ("suites/s/versions/v1/", {})):
        assert problem(pipe.put(f"/api/v1/{path}", body))["code"] == "conflict"
    assert problem(pipe.patch("/api/v1/suites/s/scenarios/k/", {"tags": ["a"]}))["code"] == "conflict"
    marker = {"tool": "marker", "title": "Q", "instructions": [], "suite": "s", "status": "draft"}
    assert problem(pipe.put("/api/v1/projects/q/", marker))["errors"][0]["pointer"] == "#/suite"
    assert _ranking(pipe) == [(1, 1, 0), (0, 0, 1)]
    assert "archived_at" not in pipe.post("/api/v1/suites/s/restore/").json()
    assert pipe.put("/api/v1/suites/s/", {"title": "S"}).status_code == 200


@pytest.mark.parametrize(("episode", "left"), [("e", [(0, 0, 1)]), ("f", [(1, 1, 0)])])
def test_an_archived_episode_leaves_rankings_and_tasks_and_comes_back_whole(
    episode: str, left: list[Any], project: Project, pipe: APIClient
) -> None:
    before, url = _ranking(pipe), f"/api/v1/episodes/{episode}/"
    status = Task.objects.get(key=episode).status
    assert [pipe.delete(url).status_code for _ in range(2)] == [204, 204]
    assert episode not in _listed(pipe, "episodes")
    assert [row for row in _ranking(pipe) if row != (0, 0, 0)] == left
    assert tallies.recount() == 0
    assert Task.objects.get(key=episode).status == ("withdrawn" if status == "open" else status)
    again = {"tasks": [{"key": "x", "payload": {"episode": episode}}]}
    assert problem(pipe.post("/api/v1/projects/p/tasks/", again))["errors"][0]["pointer"] == "#/tasks/0/payload/episode"
    assert "archived_at" not in pipe.post(f"{url}restore/").json()
    assert (_ranking(pipe), Task.objects.get(key=episode).status) == (before, status)
    assert tallies.recount() == 0


def test_an_episode_that_is_served_as_a_reference_or_prepared_is_not_archived(pipe: APIClient) -> None:
    make_task(make_project("p"), key="known", truth="success")
    served = Episode.objects.get().external_id
    assert "reference in the project 'p'" in problem(pipe.delete(f"/api/v1/episodes/{served}/"))["detail"]
    make_episode(external_id="new", is_ready=False)
    assert "is being prepared" in problem(pipe.delete("/api/v1/episodes/new/"))["detail"]


def test_what_holds_work_stays_archived_for_good(project: Project, pipe: APIClient) -> None:
    pipe.delete("/api/v1/projects/p/")
    pipe.delete("/api/v1/suites/s/")
    pipe.delete("/api/v1/episodes/e/")
    later = timezone.now() + GRACE + timedelta(days=1)
    assert (delete_unused_projects(later), delete_unused(later)) == (0, 0)
    assert [pipe.post(f"/api/v1/{path}restore/").status_code for path in PATHS] == [200, 200, 200]


def test_what_nobody_used_is_deleted_after_the_grace_with_its_files(
    pipe: APIClient, django_capture_on_commit_callbacks: Any
) -> None:
    suite = make_suite("s")
    make_project("p", suite=suite)
    episode = make_episode(scenario=make_scenario(suite, "k"), external_id="e")
    files = [episode.film.proxy, episode.film.poster, *episode.film.filmstrip["sheets"]]
    pipe.delete("/api/v1/episodes/e/")
    pipe.delete("/api/v1/projects/p/")
    pipe.delete("/api/v1/suites/s/")
    soon, later = (timezone.now() + GRACE + timedelta(minutes=minutes) for minutes in (-1, 1))
    assert (delete_unused_projects(soon), delete_unused(soon)) == (0, 0)
    assert all(map(default_storage.exists, files))
    with django_capture_on_commit_callbacks(execute=True):
        assert (delete_unused_projects(later), delete_unused(later)) == (1, 2)
    assert not any(map(default_storage.exists, files))
    assert [rows.objects.count() for rows in (Project, Suite, Episode, Task)] == [0, 0, 0, 0]
    assert [pipe.post(f"/api/v1/{path}restore/").status_code for path in PATHS] == [404, 404, 404]
    assert AuditEvent.objects.filter(verb__endswith=".deleted").count() == 3


def test_a_project_that_somebody_entered_is_kept(pipe: APIClient) -> None:
    make_enrolment(make_project("p"))
    pipe.delete("/api/v1/projects/p/")
    assert delete_unused_projects(timezone.now() + GRACE + timedelta(days=1)) == 0
