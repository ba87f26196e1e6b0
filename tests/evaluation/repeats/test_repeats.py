"""Continuations that repeat others: noted when they become ready, counted once if asked, and shown with the runs."""

from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from rest_framework.test import APIClient

from annotation.models import Project, Task
from annotation.projects.archive import GRACE
from evaluation.archive import archive_episode, delete_unused, restore_episode
from evaluation.models import Episode, Resemblance
from evaluation.preparation import make_ready
from evaluation.repeats.resemblances import note_earlier
from tests.support.builders import NOON, make_agent, make_episode, make_film, make_project, make_scenario, make_suite
from tests.support.crowds import say
from tests.support.pages import words_of

pytestmark = pytest.mark.django_db
OUTCOMES = {"s": "success", "f": "failure"}
PICTURES, SIMILAR, OTHERS = "0" * 1024, "0" * 1020 + "00ff", "f" * 1024


@pytest.fixture
def project() -> Project:
    return make_project("p", suite=make_suite("s"))


def tried(
    project: Project,
    outcome: str = "",
    *,
    scenario: str = "k",
    agent: str = "alfa",
    pictures: str = "",
    **columns: Any,
) -> Episode:
    """The next continuation of an agent at a scenario, with this outcome."""
    at = make_scenario(make_suite("s"), scenario)
    number = Episode.objects.filter(scenario=at, agent__slug=agent).count()
    episode = make_episode(scenario=at, agent=make_agent(agent), continuation=number, is_ready=False)
    for name, value in columns.items():
        setattr(episode, name, value)
    episode.save()
    film = make_film(episode)
    film.picture_hash = pictures
    make_ready(episode=episode, film=film, at=NOON)
    if outcome:
        say(Task.objects.get(project=project, key=episode.external_id), OUTCOMES[outcome])
    return episode


def ranking(pipe: APIClient, query: str = "") -> Any:
    response = pipe.get(f"/api/v1/suites/s/ranking/{query}")
    assert response.status_code == 200, response.content
    return response.json()


def standing(pipe: APIClient, query: str = "?identical=once") -> tuple[int, int, int, int]:
    """Judged, successes, pending, left out."""
    found = ranking(pipe, query)
    row = found["agents"][0]
    return row["n"], row["successes"], row["pending"], found["identical_left_out"]


def pairs(pipe: APIClient, kind: str) -> list[tuple[str, int, int]]:
    found = pipe.get("/api/v1/suites/s/repeats/").json()
    return [(one["scenario"], one["continuation"], one["same_as"]) for one in found if one["kind"] == kind]


def test_identical_continuations_count_once_if_asked(pipe: APIClient, project: Project) -> None:
    for outcome in "ssf":
        tried(project, outcome, source_sha256="a" * 64)
    tried(project, "f")
    tried(project, "s", trajectory_sha256="b" * 64)
    tried(project, "", trajectory_sha256="b" * 64)
    # The same video at another scenario, or of another agent, is no repeat.
    tried(project, "s", scenario="other", source_sha256="a" * 64)
    assert standing(pipe, "") == standing(pipe, "?identical=all") == (6, 4, 1, 0)
    assert standing(pipe) == (4, 3, 0, 3)
    groups = ranking(pipe, "?identical=once&by=scenario")["agents"][0]["groups"]
    assert {one["group"]: one["n"] for one in groups} == {"k": 3, "other": 1}
    assert pairs(pipe, "identical") == [("k", 1, 0), ("k", 2, 0), ("k", 5, 4)]
    assert pipe.get("/api/v1/suites/s/ranking/?identical=twice").status_code == 422


def test_the_first_judged_one_of_a_group_counts(pipe: APIClient, project: Project) -> None:
    first = tried(project, "", source_sha256="a" * 64)
    tried(project, "f", source_sha256="a" * 64)
    tried(project, "s", source_sha256="a" * 64)
    assert standing(pipe) == (1, 0, 0, 2)
    say(Task.objects.get(project=project, key=first.external_id), "success")
    assert standing(pipe) == (1, 1, 0, 2)


def test_a_chain_of_equal_video_and_equal_trajectory_is_one_group_also_without_its_middle(
    pipe: APIClient, project: Project
) -> None:
    tried(project, "s", source_sha256="a" * 64)
    middle = tried(project, "s", source_sha256="a" * 64, trajectory_sha256="b" * 64)
    tried(project, "s", trajectory_sha256="b" * 64)
    assert standing(pipe) == (1, 1, 0, 2)
    archive_episode(episode=middle, by="dora", at=NOON)
    assert standing(pipe) == (1, 1, 0, 1)
    restore_episode(episode=middle, by="dora", at=NOON)
    assert standing(pipe) == (1, 1, 0, 2)


def test_identical_ones_stay_so_when_the_first_is_deleted(pipe: APIClient, project: Project) -> None:
    first = tried(project, "", source_sha256="a" * 64, pictures=PICTURES)
    for _ in range(3):
        tried(project, "s", source_sha256="a" * 64, pictures=PICTURES)
    assert pairs(pipe, "near") == []
    archive_episode(episode=first, by="dora", at=NOON)
    assert delete_unused(NOON + GRACE + timedelta(days=1)) == 1
    assert standing(pipe) == (1, 1, 0, 2)
    assert pairs(pipe, "identical") == [("k", 2, 1), ("k", 3, 1)]


def test_references_are_no_repeats(pipe: APIClient, project: Project) -> None:
    tried(project, "s", source_sha256="a" * 64)
    tried(project, source_sha256="a" * 64, reference={"outcome": "success"})
    assert standing(pipe) == (1, 1, 0, 0)


@pytest.mark.parametrize(
    ("pictures", "takeover_s", "near"),
    [(SIMILAR, 2.0, True), (OTHERS, 2.0, False), (SIMILAR, 1.5, False), ("", 2.0, False)],
    ids=["alike", "other pictures", "longer", "not kept"],
)
def test_nearly_identical_ones_are_pointed_out_and_count(
    pipe: APIClient, project: Project, pictures: str, takeover_s: float, near: bool
) -> None:
    tried(project, "s", pictures=PICTURES, takeover_s=2.0)
    tried(project, "s", pictures=pictures, takeover_s=takeover_s)
    assert pairs(pipe, "near") == ([("k", 1, 0)] if near else [])
    assert pairs(pipe, "identical") == []
    assert standing(pipe) == (2, 2, 0, 0)


def test_the_pages_say_which_repeat_others(dora: Client, project: Project) -> None:
    for number, outcome in enumerate("sff"):
        tried(project, outcome, source_sha256=("a" if number < 2 else "b") * 64, pictures=PICTURES)
    words = words_of(dora, "/staff/suites/s/runs/")
    assert "alfa: 1 continuation is identical to another: k 1 = 0" in words
    assert "alfa: 2 pairs of continuations are nearly identical: k 2 ≈ 0, k 2 ≈ 1" in words
    assert "1 continuation left out" in words_of(dora, "/staff/suites/s/?identical=once")
    assert "continuation left out" not in words_of(dora, "/staff/suites/s/")
    assert "cannot count twice" in words_of(dora, "/staff/suites/s/?identical=twice", status=422)


def test_episodes_from_before_are_noted_by_the_migration_once(pipe: APIClient, project: Project) -> None:
    for number in range(4):
        tried(project, "s", source_sha256=("a" if number else "b") * 64)
    Resemblance.objects.all().delete()
    assert standing(pipe) == (4, 4, 0, 0)
    for _ in range(2):
        note_earlier(apps.get_model("evaluation", "Episode"), apps.get_model("evaluation", "Resemblance"))
        assert standing(pipe) == (2, 2, 0, 2)
