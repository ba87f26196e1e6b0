"""Scenarios to look at, over the API and on the wall of posters."""

from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from annotation.models import Project, Task
from evaluation.figures import scenario_notes
from evaluation.suites import freeze
from tests.evaluation.test_ranking_certainty import judged
from tests.support.builders import NOON, make_agent, make_episode, make_project, make_scenario, make_suite
from tests.support.crowds import say
from tests.support.pages import assert_flat, text_of, words_of

pytestmark = pytest.mark.django_db
WALL = "/staff/suites/s/wall/"


@pytest.fixture
def project() -> Project:
    return make_project("p", suite=make_suite("s"), redundancy=3)


def notes(pipe: APIClient, query: str = "") -> dict[str, Any]:
    response = pipe.get(f"/api/v1/suites/s/scenario_notes/{query}")
    assert response.status_code == 200, response.content
    return {one["scenario"]: one for one in response.json()}


def test_a_scenario_is_pointed_out_with_its_evidence(pipe: APIClient, project: Project) -> None:
    judged(
        project,
        "strong",
        {"fine": (95, 100), "never": (0, 100), "easy": (99, 100), "odd": (40, 100), "good": (90, 100)},
    )
    judged(
        project, "weak", {"fine": (10, 100), "never": (0, 100), "easy": (99, 100), "odd": (80, 100), "good": (20, 100)}
    )
    found = notes(pipe)
    assert {key: one["kind"] for key, one in found.items()} == {
        "never": "nobody_passes",
        "easy": "does_not_separate",
        "odd": "weaker_are_better",
    }
    assert (found["never"]["n"], found["never"]["value"]) == (200, 0.0)
    assert found["never"]["high"] == pytest.approx(0.0188, abs=1e-4)
    assert "-40 points (-51 to -27)" in found["odd"]["sentence"]
    assert found["easy"]["high"] <= 0.1


def test_little_data_points_nothing_out(pipe: APIClient, project: Project) -> None:
    judged(project, "strong", {"never": (0, 9), "easy": (9, 9), "good": (9, 9)})
    judged(project, "weak", {"never": (0, 9), "easy": (9, 9), "good": (2, 9)})
    assert notes(pipe) == {}


@pytest.mark.parametrize("many", [20_000, 0])
def test_raters_who_disagree_are_pointed_out(
    pipe: APIClient, project: Project, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scenario_notes, "MANY_CONTINUATIONS", many)
    suite = make_suite("s")
    for key, criteria, said in (
        ("open", "", ["success", "failure", "success"]),
        ("said", "It lies there.", ["success", "failure", "success"]),
        ("plain", "", ["success"] * 3),
    ):
        scenario = make_scenario(suite, key, criteria=criteria)
        for _ in range(6):
            shown = make_episode(scenario=scenario, agent=make_agent("alfa"))
            say(Task.objects.get(project=project, key=shown.external_id), *said)
    for _ in range(2):
        found = notes(pipe)
        assert {key: (one["kind"], one["n"], one["value"]) for key, one in found.items()} == {
            "open": ("raters_disagree", 6, 1.0),
            "said": ("raters_disagree", 6, 1.0),
        }
        assert "no criteria" in found["open"]["sentence"]
        assert "leave something open" in found["said"]["sentence"]
    # A version keeps its words: criteria that came later do not count for it.
    freeze(suite=suite, slug="v1", by="dora", at=NOON)
    make_scenario(suite, "open", criteria="It lies here.")
    assert "no criteria" in notes(pipe, "?version=v1")["open"]["sentence"]


def test_the_wall_shows_posters_that_play_and_filters_them(dora: Client, project: Project) -> None:
    suite = make_suite("s")
    shown = make_episode(scenario=make_scenario(suite, "lift-ball", instruction="lift the ball", category="lift"))
    make_scenario(suite, "ask-door", instruction="is there a door", category="ask")
    judged(project, "alfa", {"never": (0, 30)})
    page = dora.get(WALL).content.decode()
    assert f"/staff/episodes/{shown.external_id}/" in page
    assert 'data-from="' in page
    words = text_of(page)
    assert "no video yet" in words
    assert "Nobody passes: none of 30 continuations succeeded" in words
    for query, inside, outside in (
        ("category=ask", "is there a door", "lift the ball"),
        ("text=BALL", "lift the ball", "is there a door"),
        ("note=nobody_passes", "0 % of 30 succeeded", "is there a door"),
    ):
        words = words_of(dora, f"{WALL}?{query}")
        assert inside in words
        assert outside not in words
    assert "No scenario fits" in words_of(dora, f"{WALL}?text=nothing")
    assert dora.get(f"{WALL}?plot=coverage&as=csv").content.count(b"\n") == 4
    assert b"<svg" in dora.get(f"{WALL}?plot=categories&as=svg").content


def test_the_wall_costs_the_same_for_2_and_6(dora: Client, project: Project) -> None:
    assert_flat(dora, WALL, lambda: make_episode(scenario=make_scenario(make_suite("s"))))
