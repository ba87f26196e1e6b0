"""People and guessing beside the ranked programs, and rates without what guessing gets."""

from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from agents.models import Agent
from annotation.models import Project
from tests.evaluation.test_ranking_certainty import judged
from tests.support.builders import make_project, make_suite
from tests.support.pages import words_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    """Two programs, people who are better and guessing that is worse, at three scenarios of two categories."""
    project = make_project("p", suite=make_suite("s"))
    for agent, go, lift in (("alfa", 7, 8), ("bravo", 5, 2), ("people", 10, 9), ("dice", 2, 1)):
        judged(project, agent, {"go": (go, 10)}, category="go", chance=0.25)
        judged(project, agent, {"lift": (lift, 10), "push": (lift, 10)}, category="lift", chance=0.0)
    Agent.objects.filter(slug="people").update(kind="human")
    Agent.objects.filter(slug="dice").update(kind="guess")
    return project


def ranking(pipe: APIClient, query: str = "") -> dict[str, Any]:
    found: dict[str, Any] = pipe.get(f"/api/v1/suites/s/ranking/{query}").json()
    return found


@pytest.mark.parametrize("query", ["", "?correct=rogan_gladen"])
def test_people_and_guessing_have_rates_and_no_rank(query: str, pipe: APIClient, project: Project) -> None:
    found = ranking(pipe, query)
    ranks = [(one["agent"], one["kind"], one["rank"]) for one in found["agents"]]
    expected = [("alfa", "agent", 1), ("bravo", "agent", 2), ("dice", "guess", None), ("people", "human", None)]
    if query:
        # Nobody knows the raters' errors, so nobody has a rank.
        expected = [(agent, kind, None) for agent, kind, _ in expected]
    assert ranks == expected
    people = found["agents"][-1]
    assert (people["raw"]["rate"], people["n"], people["rank_low"]) == (pytest.approx(28 / 30), 30, None)
    assert {agent for tied in found["ties"] for agent in tied} <= {"alfa", "bravo"}


def test_intervals_of_ranks_do_not_depend_on_people(pipe: APIClient, project: Project) -> None:
    with_people = [(one["rank_low"], one["rank_high"]) for one in ranking(pipe)["agents"][:2]]
    Agent.objects.filter(kind="human").update(slug="zz")
    assert [(one["rank_low"], one["rank_high"]) for one in ranking(pipe)["agents"][:2]] == with_people
    assert all(high is None or high <= 2 for _, high in with_people)


def test_a_rate_without_guessing_follows_its_formula(pipe: APIClient, project: Project) -> None:
    alfa = ranking(pipe, "?by=category")["agents"][0]
    go, lift = alfa["groups"]
    assert go["without_chance"]["score"] == pytest.approx((0.7 - 0.25) / 0.75)
    assert go["without_chance"]["low"] == pytest.approx((go["low"] - 0.25) / 0.75)
    assert go["without_chance"]["high"] == pytest.approx((go["high"] - 0.25) / 0.75)
    assert (lift["without_chance"]["score"], lift["without_chance"]["chance"]) == (pytest.approx(0.8), 0.0)
    chance = 0.25 / 3
    assert alfa["without_chance"]["score"] == pytest.approx((23 / 30 - chance) / (1 - chance))


def test_where_a_scenario_does_not_say_how_often_guessing_succeeds_there_is_no_score(
    pipe: APIClient, project: Project
) -> None:
    judged(project, "alfa", {"other": (1, 2)}, category="go")
    judged(project, "alfa", {"always": (2, 2)}, category="sure", chance=1.0)
    alfa = ranking(pipe, "?by=category")["agents"][0]
    scores = {one["group"]: one["without_chance"] is not None for one in alfa["groups"]}
    assert (scores, alfa["without_chance"]) == ({"go": False, "lift": True, "sure": False}, None)


def test_the_page_draws_programs_as_rows_and_the_others_as_lines(dora: Client, project: Project) -> None:
    page = dora.get("/staff/suites/s/?by=category")
    plot = page.context["plot"]
    assert [row.label for row in plot.rows] == ["alfa", "bravo"]
    assert [(line.label, round(line.value, 3)) for line in plot.lines] == [("people", 0.933), ("dice", 0.133)]
    text = page.content.decode()
    assert text.count('class="plot-zero"') >= 2
    assert "without guessing 60 %" in text


def test_numbers_of_metadata_stand_against_success(dora: Client, project: Project) -> None:
    metadata: list[tuple[str, dict[str, Any]]] = [
        ("alfa", {"size": 70, "same": 1, "name": "x", "is_big": True, "huge": 10**400}),
        ("bravo", {"size": 1.5, "same": 1, "name": "y", "is_big": False, "huge": 1}),
        ("people", {"size": 5}),
    ]
    for agent, values in metadata:
        Agent.objects.filter(slug=agent).update(metadata=values)
    judged(project, "charlie", {"go": (6, 10)}, category="go", chance=0.25)
    Agent.objects.filter(slug="charlie").update(metadata={"size": 7})
    page = dora.get("/staff/suites/s/figures/")
    [(name, figure)] = page.context["sizes"]
    assert (name, figure.columns) == ("metadata-size", ["agent", "size", "success"])
    expected = [["alfa", 70.0, 23 / 30], ["bravo", 1.5, 0.3], ["charlie", 7.0, 0.6]]
    assert [row[:2] for row in figure.rows] == [row[:2] for row in expected]
    assert [row[2] for row in figure.rows] == pytest.approx([row[2] for row in expected])
    assert "Spearman's correlation 1.00, n 3" in figure.about
    for at, agent in enumerate(("alfa", "bravo", "charlie")):
        Agent.objects.filter(slug=agent).update(metadata={'"size"\n': at})
    file = dora.get("/staff/suites/s/figures/", {"plot": 'metadata-"size"\n', "as": "csv"})
    assert file["Content-Disposition"] == 'attachment; filename="metadata-size.csv"'


def test_an_agent_is_also_ranked_without_what_was_harvested_from_it(pipe: APIClient, dora: Client) -> None:
    project = make_project("p", suite=make_suite("s"))
    for agent, common, hard in (("alfa", 8, 0), ("bravo", 6, 6)):
        judged(project, agent, {"common": (common, 10)})
        judged(project, agent, {"hard": (hard, 10), "harder": (hard, 10)}, source={"agent": "alfa"})
    alfa, bravo = sorted(ranking(pipe)["agents"], key=lambda one: str(one["agent"]))
    assert (alfa["rank"], bravo["rank"], bravo["without_own"]) == (2, 1, None)
    own = alfa["without_own"]
    assert (own["left_out"], own["rank"], own["rate"], own["n"]) == (2, 1, 0.8, 10)
    assert own["low"] < 0.8 < own["high"]
    assert "without 2 of its own 80.0 %, rank 1" in words_of(dora, "/staff/suites/s/")
