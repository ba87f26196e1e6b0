"""Agents in the staff pages."""

from django.test import Client

from agents.models import Agent, Metric
from annotation.access.roles import Role
from tests.support.builders import (
    NOON,
    annotate,
    claim,
    client_of,
    make_agent,
    make_episode,
    make_project,
    make_scenario,
    make_staff,
    make_suite,
)
from tests.support.pages import words_of
from workforce.models import Worker


def test_agents_are_listed_and_searched(dora: Client, db: None) -> None:
    make_episode(agent=make_agent("walker"))
    make_agent("stumbler")
    assert "walker walker 1 0" in words_of(dora, "/staff/agents/")
    assert "stumbler" not in words_of(dora, "/staff/agents/?q=WALK")
    assert "No agent fits" in words_of(dora, "/staff/agents/?q=nobody")


def test_an_agents_page_shows_metadata_metrics_episodes_and_its_place(dora: Client, alice: Worker) -> None:
    suite = make_suite("sts")
    project = make_project(suite=suite)
    agent = make_agent("walker")
    Agent.objects.filter(pk=agent.pk).update(metadata={"checkpoint": "step-10", "items": [1]})
    Metric.objects.create(agent=agent, metric="log_probability", value=-1.5, n=7, created_at=NOON)
    make_episode(scenario=make_scenario(suite), agent=agent, external_id="first")
    annotate(claim(project, alice), outcome="success")
    page = words_of(dora, "/staff/agents/walker/")
    assert 'checkpoint "step-10" items [1]' in page
    assert "log_probability – – -1.500 – 7" in page
    assert "sts 1 of 1 100.0 % 21–100 % 0.0 % 1 0 0" in page
    assert "first ready sts" in page


def test_metrics_are_told_apart_by_where_they_were_measured(dora: Client, db: None) -> None:
    agent, project = make_agent("walker"), make_project("rooms", suite=make_suite("sts"))
    figures = {"metric": "interactive_evaluation", "created_at": NOON}
    Metric.objects.create(
        agent=agent, value=0.5, n=2, standard_error=0.125**0.5, suite="rooms", version="live", **figures
    )
    Metric.objects.create(agent=agent, value=2 / 3, n=3, suite="sts", version="v2", **figures)
    page = words_of(dora, "/staff/agents/walker/")
    assert f"interactive_evaluation rooms live 0.500 0.354 2 {NOON:%Y-%m-%d %H:%M}" in page
    assert "interactive_evaluation sts v2 0.667 – 3" in page
    html = dora.get("/staff/agents/walker/").content.decode()
    assert f'href="/staff/projects/{project.slug}/"' in html
    # Who may not see the project reads of it what pipelines read, without a way in.
    other = client_of(make_staff("victor", Role.VIEWER, make_project("elsewhere")))
    assert f'href="/staff/projects/{project.slug}/"' not in other.get("/staff/agents/walker/").content.decode()
