"""The warning of a plateau, in the ranking and on its page."""

from datetime import timedelta

import pytest
from django.test import Client
from rest_framework.test import APIClient

from agents.models import Agent
from annotation.models import Project
from tests.evaluation.test_ranking_certainty import judged
from tests.support.builders import NOON, make_agent, make_project, make_suite
from tests.support.pages import words_of

pytestmark = pytest.mark.django_db
RATES = {"h": 500, "g": 600, "f": 700, "e": 690, "d": 700, "c": 650, "b": 600, "a": 705}
"""Successes of 1000 of each agent, the oldest first: against the order of their names."""


@pytest.fixture
def project() -> Project:
    project = make_project("p", suite=make_suite("s"))
    for day, (agent, hits) in enumerate(RATES.items()):
        Agent.objects.filter(pk=make_agent(agent).pk).update(created_at=NOON + timedelta(days=day))
        judged(project, agent, {"lift-it": (hits - 100, 800)}, category="lift")
        judged(project, agent, {"ask-it": (100, 200)}, category="ask")
    return project


def test_a_ranking_warns_of_a_plateau_with_what_is_left_to_gain(
    pipe: APIClient, dora: Client, project: Project
) -> None:
    found = pipe.get("/api/v1/suites/s/ranking/").json()["plateau"]
    assert (found["agent"], found["before"]) == ("a", "f")
    assert found["difference"] == pytest.approx(0.005)
    assert found["categories"] == [{"category": "ask", "best": 0.5}, {"category": "lift", "best": 605 / 800}]
    assert "Most is left to gain in: ask (best agent 50%), lift (best agent 76%)" in found["sentence"]
    assert "Success no longer moves: the best of the 5 newest agents, a," in words_of(dora, "/staff/suites/s/")


def test_a_ranking_that_moves_or_has_few_programs_has_no_plateau(
    pipe: APIClient, dora: Client, project: Project
) -> None:
    Agent.objects.filter(slug="h").update(kind=Agent.Kind.HUMAN)
    assert pipe.get("/api/v1/suites/s/ranking/").json()["plateau"] is None
    Agent.objects.filter(slug="h").update(kind=Agent.Kind.AGENT)
    Agent.objects.filter(slug="f").update(created_at=NOON + timedelta(days=99))
    assert pipe.get("/api/v1/suites/s/ranking/").json()["plateau"] is None
    assert "no longer moves" not in words_of(dora, "/staff/suites/s/")
