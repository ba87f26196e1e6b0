"""Suites in the staff pages: the ranking as table, plot and CSV; the numbers are the API's."""

import csv
import io

import pytest
from django.test import Client
from rest_framework.test import APIClient

from agents.models import Agent
from evaluation.models import Suite
from evaluation.suites import freeze
from tests.support.builders import (
    NOON,
    Made,
    annotate,
    claim,
    for_module,
    make_agent,
    make_episode,
    make_project,
    make_scenario,
    make_suite,
    make_worker,
)
from tests.support.pages import assert_flat, text_of, words_of
from workforce.models import Worker


def make_ranked() -> Suite:
    """Two agents at two scenarios: one succeeds at both, one at neither."""
    suite = make_suite("sts")
    scenarios = [make_scenario(suite, key=key, category=key, tags=["easy"]) for key in ("lift", "push")]
    project = make_project("marking", suite=suite)
    judge = make_worker("judge")
    for agent, outcome in (("walker", "success"), ("=sum", "failure")):
        for scenario in scenarios:
            make_episode(scenario=scenario, agent=Agent.objects.filter(slug=agent).first() or make_agent(agent))
            annotate(claim(project, judge), outcome=outcome)
    Agent.objects.filter(slug="=sum").update(slug="stumbler")
    return suite


made = for_module(make_ranked)


@pytest.fixture
def suite(made: Made[Suite], db: None) -> Suite:
    return made.again()


def test_the_ranking_is_a_table_and_a_plot_in_all_and_by_group(dora: Client, suite: Suite) -> None:
    freeze(suite=suite, slug="v1", by="system", at=NOON)
    assert "sts sts 2 1 4 0" in words_of(dora, "/staff/suites/")
    html = dora.get("/staff/suites/sts/").content.decode()
    page = text_of(html)
    assert "v1 2 2026-11-21 12:00" in page
    assert "lift Edit put the red ball next to the green key" in page
    assert "1 (1–2) a walker 100.0 % 34–100 % – 0.0 % – 2 of 2 0 0" in page
    assert "2 (1–2) a stumbler 0.0 % 0–66 % – 0.0 % – 0 of 2 0 0" in page
    assert html.count('class="plot-dot"') == 2
    html = dora.get("/staff/suites/sts/?by=category").content.decode()
    assert html.count("<figure") == 3
    assert "Category walker stumbler lift 100 % ± 0 %, n 1 0 % ± 0 %, n 1 push" in text_of(html)


def test_what_is_not_in_the_rates_is_counted_and_shown(dora: Client, suite: Suite) -> None:
    scenario = make_scenario(suite, key="lift")
    pending = make_episode(scenario=scenario, agent=make_agent("walker"))
    closed = make_episode(scenario=scenario, agent=make_agent("walker"))
    task = closed.shown_in.get().task_id
    dora.post(f"/staff/tasks/{task}/close/")
    page = words_of(dora, "/staff/suites/sts/")
    assert "1 pending, 1 not judgeable" in page
    assert pending.status == "ready"


def test_version_project_and_tag_choose_what_is_ranked(dora: Client, suite: Suite) -> None:
    freeze(suite=suite, slug="v1", by="system", at=NOON)
    make_project("second", suite=suite)
    assert "1 (1–2) a walker 100.0 %" in words_of(dora, "/staff/suites/sts/?version=v1&project=marking&tag=easy&by=")
    assert "No ready episode fits" in words_of(dora, "/staff/suites/sts/?tag=hard")
    assert "4 pending" in words_of(dora, "/staff/suites/sts/?project=second")


@pytest.mark.parametrize("query", ["version=none", "project=none", "by=colour"])
def test_a_choice_that_there_is_not_is_refused_in_words(dora: Client, suite: Suite, query: str) -> None:
    assert "no" in words_of(dora, f"/staff/suites/sts/?{query}", status=422).lower()


def rows_of(client: Client, address: str) -> list[dict[str, str]]:
    answer = client.get(address)
    assert answer["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


def test_the_csv_has_the_numbers_of_the_api(dora: Client, pipe: APIClient, suite: Suite) -> None:
    ranked = pipe.get("/api/v1/suites/sts/ranking/").json()["agents"]
    rows = rows_of(dora, "/staff/suites/sts/ranking.csv")
    assert [row["agent"] for row in rows] == [agent["agent"] for agent in ranked]
    for row, agent in zip(rows, ranked, strict=True):
        for name in ("rank", "n", "successes", "rate", "standard_error", "low", "high", "unjudged", "pending"):
            assert float(row[name]) == pytest.approx(agent[name])


def test_the_csv_by_group_has_a_row_for_each_group(dora: Client, suite: Suite) -> None:
    rows = rows_of(dora, "/staff/suites/sts/ranking.csv?by=category")
    assert [(row["agent"], row["category"], row["successes"]) for row in rows] == [
        ("walker", "", "2"),
        ("walker", "lift", "1"),
        ("walker", "push", "1"),
        ("stumbler", "", "0"),
        ("stumbler", "lift", "0"),
        ("stumbler", "push", "0"),
    ]


@pytest.mark.parametrize("first", ["=", "+", "-", "@"])
def test_no_cell_of_the_csv_is_a_formula(dora: Client, alice: Worker, first: str) -> None:
    suite = make_suite("other")
    make_episode(scenario=make_scenario(suite, category=f"{first}1+1"), agent=make_agent("walker"))
    assert rows_of(dora, "/staff/suites/other/ranking.csv?by=category")[1]["category"] == f"'{first}1+1"


@pytest.mark.parametrize("query", ["", "?by=scenario"])
def test_a_suite_costs_the_same_for_2_and_6(dora: Client, query: str) -> None:
    suite = make_suite("other")
    make_project(suite=suite)
    assert_flat(dora, f"/staff/suites/other/{query}", lambda: make_episode(scenario=make_scenario(suite)))
