"""Pages beside a suite's ranking: figures with their files, two agents, and runs."""

import csv
import io

import pytest
from django.test import Client

from agents.models import Metric
from annotation.models import Project, Task
from evaluation.suites import freeze
from tests.evaluation.test_ranking_certainty import judged, references
from tests.support.builders import NOON, make_agent, make_episode, make_project, make_scenario, make_suite
from tests.support.crowds import say
from tests.support.pages import assert_flat, words_of

pytestmark = pytest.mark.django_db
SUITE = "/staff/suites/s/"


@pytest.fixture
def project() -> Project:
    project = make_project("p", suite=make_suite("s"))
    for agent, shift in (("alfa", 4), ("bravo", 0), ("cesar", 0)):
        judged(project, agent, {f"k{number}": (number + shift, 10) for number in range(6)})
        Metric.objects.create(agent=make_agent(agent), metric="probe", value=shift, created_at=NOON)
    return project


def test_the_ranking_shows_ranks_ties_and_the_verdict(dora: Client, project: Project) -> None:
    words = words_of(dora, SUITE)
    assert "1 (1–1) alfa" in words
    assert "2 (2–3) a bravo" in words
    assert "nobody knows whether they are good enough" in words
    references(project, {True: [1, 0] * 5, False: [1, 0, 0, 0] * 3})
    assert "These raters are too weak to rank" in words_of(dora, SUITE)
    assert "Rates without the raters' errors are withheld" in words_of(dora, f"{SUITE}?correct=rogan_gladen")
    assert "no correction" in words_of(dora, f"{SUITE}?correct=magic", status=422).lower()


def test_figures_have_their_numbers_as_files(dora: Client, project: Project) -> None:
    for outcome, frame in (("success", 20), ("failure", 30)):
        shown = make_episode(scenario=make_scenario(make_suite("s"), "k0"), agent=make_agent("alfa"))
        say(Task.objects.get(project=project, key=shown.external_id), outcome, frame=frame)
    words = words_of(dora, f"{SUITE}figures/")
    assert "Scenarios by difficulty" in words
    assert "another agent could change this altogether" in words
    for name, column in (
        ("incidence", "at_risk"),
        ("successes", "completed"),
        ("difficulty", "difficulty"),
        ("consistency", "expected"),
        ("correlation-probe", "probe"),
    ):
        rows = list(csv.DictReader(io.StringIO(dora.get(f"{SUITE}figures/?plot={name}&as=csv").content.decode())))
        assert rows, name
        assert column in rows[0]
        assert dora.get(f"{SUITE}figures/?plot={name}&as=svg").content.lstrip().startswith(b"<svg")
    assert dora.get(f"{SUITE}figures/?plot=colour&as=svg").status_code == 404


def test_the_effects_of_scenarios_are_listed_worst_first_and_tried_on_other_agents(
    dora: Client, project: Project
) -> None:
    assert "3 agents with probe: too few to try a filter" in words_of(dora, f"{SUITE}figures/")
    for number in range(12):
        agent = make_agent(f"agent-{number}")
        judged(
            project, agent.slug, {f"good{at}": (number % 7 + at, 20) for at in range(6)} | {"bad": (20 - number, 20)}
        )
        Metric.objects.create(agent=agent, metric="loss", value=number % 7, created_at=NOON)
    page = f"{SUITE}figures/?metric=loss"
    words = words_of(dora, page)
    assert "of loss with success" in words
    assert "Without the 1 worst of 13 scenarios" in words
    rows = list(csv.DictReader(io.StringIO(dora.get(f"{page}&plot=scenario-effects&as=csv").content.decode())))
    effects = [float(row["on_correlation"]) for row in rows if row["on_correlation"]]
    assert effects == sorted(effects)
    assert rows[0]["scenario"] == "bad"
    assert float(rows[0]["on_sensitivity"]) < 0
    table = words[words.index("Worst first") :]
    assert table.index("bad") < table.index("good0")
    # Nobody's metric: the one that most agents have is shown.
    assert "of loss with success" in words_of(dora, f"{SUITE}figures/?metric=colour")


def test_two_agents_are_compared_where_they_differ_most(dora: Client, project: Project) -> None:
    words = words_of(dora, f"{SUITE}compare/")
    assert "alfa less bravo +40.0 points" in words
    assert "the same at every scenario" in words
    judged(project, "bravo", {"only": (1, 2)})
    judged(project, "alfa", {"k0b": (9, 10)})
    judged(project, "bravo", {"k0b": (8, 10)})
    words = words_of(dora, f"{SUITE}compare/?a=bravo&b=alfa")
    assert "Smallest difference that shows" in words
    assert "No rater met a reference" in words
    assert dora.get(f"{SUITE}compare/?plot=pair&as=csv").content.count(b"\n") == 9
    assert "no agent" in words_of(dora, f"{SUITE}compare/?a=nobody&b=alfa", status=422).lower()


def test_a_suite_without_episodes_has_pages_that_say_so(dora: Client) -> None:
    make_suite("s")
    assert "No metric was posted" in words_of(dora, f"{SUITE}figures/")
    assert "Two agents with ready episodes are needed" in words_of(dora, f"{SUITE}compare/")
    assert "No agent has posted an episode" in words_of(dora, f"{SUITE}runs/")
    assert "No scenario has a difficulty yet" in words_of(dora, f"{SUITE}plan/")


def test_runs_say_what_is_missing_and_open_the_videos(dora: Client, project: Project) -> None:
    make_episode(scenario=make_scenario(make_suite("s"), "k0"), agent=make_agent("alfa"), continuation=0)
    words = words_of(dora, f"{SUITE}runs/")
    assert "10 continuations are expected" in words
    page = dora.get(f"{SUITE}runs/").content.decode()
    assert "?suite=s&amp;agent=alfa&amp;scenario=k5&amp;kind=ordinary" in page
    assert "alfa at k5: 90 % of 10" in page


def test_the_wall_of_a_version_shows_its_own_words_and_videos(dora: Client) -> None:
    suite = make_suite("s")
    before = make_episode(scenario=make_scenario(suite, "k", instruction="lift the red ball", category="lifting"))
    freeze(suite=suite, slug="v1", by="dora", at=NOON)
    after = make_episode(scenario=make_scenario(suite, "k", instruction="push the red ball", category="pushing"))
    for query, word, other in (
        ("", "push the red ball", "lifting"),
        ("?version=v1", "lift the red ball", "pushing"),
        ("?version=v1&category=lifting&text=LIFT", "lift the red ball", "pushing"),
    ):
        page = dora.get(f"{SUITE}wall/{query}").content.decode()
        assert word in page, query
        assert other not in page, query
        if query:
            assert f"/staff/episodes/{before.external_id}/" in page
            assert f"/staff/episodes/{after.external_id}/" not in page
    assert "No scenario fits" in words_of(dora, f"{SUITE}wall/?version=v1&text=push")


def test_a_plan_goes_from_money_to_a_difference_and_back(dora: Client, project: Project) -> None:
    form = "plan/?agents=3&scenarios=100&price=0.10&currency=EUR&seconds_per_rating=9"
    words = words_of(dora, f"{SUITE}{form}&budget=150")
    assert "3 agents at 100 scenarios, 5 continuations each" in words
    assert "Money 150.00 EUR Hours of raters 3.8" in words
    assert "measured on earlier runs" in words
    assert "1 continuation each" in words_of(dora, f"{SUITE}{form}&difference=30&power=95")
    Project.objects.update(currency="EUR")
    assert "Money 90.00 EUR" in words_of(dora, f"{SUITE}plan/?agents=3&scenarios=100&price=0.10&continuations=3")
    assert "Budget: Name either a budget" in words_of(dora, f"{SUITE}{form}&budget=150&difference=3")
    assert "Agents: " in words_of(dora, f"{SUITE}plan/?agents=some")
    rows = list(csv.DictReader(io.StringIO(dora.get(f"{SUITE}plan/?plot=information&as=csv").content.decode())))
    assert {"alfa", "bravo", "cesar"} <= {row["agents"] for row in rows}


@pytest.mark.parametrize("page", ["figures/", "compare/", "runs/", "plan/?scenarios=9"])
def test_pages_cost_the_same_for_2_and_6(dora: Client, page: str) -> None:
    suite = make_suite("other")
    make_project(suite=suite)
    for agent in ("alfa", "bravo"):
        make_episode(scenario=make_scenario(suite), agent=make_agent(agent))
    assert_flat(dora, f"/staff/suites/other/{page}", lambda: make_episode(scenario=make_scenario(suite)))
