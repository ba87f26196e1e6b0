"""Rankings: rates with their errors, equal ranks, and counts of the episodes that are left out."""

import math
from typing import Any

import pytest
from rest_framework.test import APIClient

from annotation.consensus.consensus import close_as_unjudgeable
from annotation.models import Project, Task
from evaluation.models import Revision
from evaluation.suites import freeze
from lib.canonical_json import digest
from tests.support.builders import (
    NOON,
    annotate,
    claim,
    make_agent,
    make_episode,
    make_project,
    make_scenario,
    make_suite,
    scenario_body,
)
from tests.support.calls import problem
from workforce.models import Worker


@pytest.fixture
def project(db: None) -> Project:
    return make_project("p", suite=make_suite("s"))


def _judge(project: Project, worker: Worker, agent: str, *outcomes: str, scenario: str = "k", **changes: Any) -> None:
    """Episodes of an agent with these outcomes; "" stays open, "?" is closed as not judgeable."""
    for outcome in outcomes:
        episode = make_episode(scenario=make_scenario(make_suite("s"), scenario, **changes), agent=make_agent(agent))
        task = Task.objects.get(project=project, key=episode.external_id)
        if outcome == "?":
            close_as_unjudgeable(task=task, at=NOON)
        elif outcome:
            held = claim(project, worker)
            assert held.task == task
            annotate(held, outcome={"s": "success", "f": "failure"}[outcome])
        else:
            Task.objects.filter(pk=task.pk).update(open=False, slots_left=0)


def _ranking(pipe: APIClient, query: str = "") -> Any:
    response = pipe.get(f"/api/v1/suites/s/ranking/{query}")
    assert response.status_code == 200
    return response.json()


def test_equal_rates_share_the_lowest_place(pipe: APIClient, project: Project, alice: Worker) -> None:
    _judge(project, alice, "alfa", "s", "f")
    _judge(project, alice, "bravo", "s", "s")
    _judge(project, alice, "cesar", "s", "f", "s", "f")
    _judge(project, alice, "delta", "f")
    _judge(project, alice, "echo", "")
    got = [(a["agent"], a["rank"], a["rate"], a["n"]) for a in _ranking(pipe)["agents"]]
    assert got == [
        ("bravo", 1, 1.0, 2),
        ("alfa", 2, 0.5, 2),
        ("cesar", 2, 0.5, 4),
        ("delta", 4, 0.0, 1),
        ("echo", None, None, 0),
    ]


def test_pending_and_unjudgeable_episodes_are_counted_and_not_in_the_rate(
    pipe: APIClient, project: Project, alice: Worker
) -> None:
    _judge(project, alice, "alfa", "s", "f", "s", "", "?", "?")
    (alfa,) = _ranking(pipe)["agents"]
    assert (alfa["n"], alfa["successes"], alfa["pending"], alfa["unjudged"]) == (3, 2, 1, 2)
    assert alfa["rate"] == pytest.approx(2 / 3)
    assert alfa["standard_error"] == pytest.approx(math.sqrt(2 / 3 * (1 / 3) / 3))
    assert alfa["low"] < alfa["rate"] < alfa["high"]


def test_what_cannot_be_computed_is_null_with_a_sentence(pipe: APIClient, project: Project, alice: Worker) -> None:
    nothing = _ranking(pipe)
    assert (nothing["agents"], nothing["rater"], nothing["ties"]) == ([], None, [])
    _judge(project, alice, "alfa", "s")
    _judge(project, alice, "bravo", "f")
    found = _ranking(pipe)
    (alfa, _) = found["agents"]
    names = ("se_suite", "se_population", "rank_low", "rank_high", "corrected")
    assert [alfa[name] for name in names] == [None] * 5  # one continuation of one scenario
    assert alfa["raw"] == {name: alfa[name] for name in ("rate", "low", "high")}
    assert (alfa["scenarios"], alfa["scenario_mean"]) == (1, 1.0)
    assert found["verdict"]["ok"] is None
    assert "No rater met a reference" in found["verdict"]["sentence"]
    assert "No rater met a reference" in found["correction"]["withheld"]


def test_a_tie_of_the_judges_is_pending(pipe: APIClient, db: None, alice: Worker, bob: Worker) -> None:
    project = make_project("p", suite=make_suite("s"), redundancy=2)
    make_episode(scenario=make_scenario(make_suite("s")), agent=make_agent("alfa"), external_id="e")
    annotate(claim(project, alice), outcome="success")
    annotate(claim(project, bob), outcome="failure")
    (alfa,) = _ranking(pipe)["agents"]
    assert (alfa["n"], alfa["pending"], alfa["rate"], alfa["rank"]) == (0, 1, None, None)
    consensus = pipe.get("/api/v1/episodes/e/").json()["consensus"]
    assert consensus == {"outcome": None, "frame": None, "time_s": None, "annotations": 2}


def test_references_and_failed_episodes_are_left_out(pipe: APIClient, project: Project, alice: Worker) -> None:
    _judge(project, alice, "alfa", "s")
    scenario = make_scenario(make_suite("s"), "k")
    make_episode(scenario=scenario, agent=make_agent("alfa"), reference={"outcome": "success"})
    make_episode(scenario=scenario, agent=make_agent("bravo"), is_ready=False)
    assert [(a["agent"], a["n"], a["pending"]) for a in _ranking(pipe)["agents"]] == [("alfa", 1, 0)]


def test_without_a_project_everything_is_pending(pipe: APIClient, db: None) -> None:
    make_episode(scenario=make_scenario(make_suite("s")), agent=make_agent("alfa"))
    ranking = _ranking(pipe)
    assert (ranking["agents"][0]["pending"], ranking["agents"][0]["rank"], ranking["rater"]) == (1, None, None)
    assert pipe.get("/api/v1/suites/nowhere/ranking/").status_code == 404


def test_the_named_project_counts_and_else_the_oldest(
    pipe: APIClient, project: Project, alice: Worker, bob: Worker
) -> None:
    other = make_project("q", suite=make_suite("s"))
    make_episode(scenario=make_scenario(make_suite("s")), agent=make_agent("alfa"))
    annotate(claim(project, alice), outcome="success")
    annotate(claim(other, bob), outcome="failure")
    assert _ranking(pipe)["agents"][0]["rate"] == 1.0
    assert _ranking(pipe, "?project=p")["agents"][0]["rate"] == 1.0
    assert _ranking(pipe, "?project=q")["agents"][0]["rate"] == 0.0
    make_project("unrelated")
    assert problem(pipe.get("/api/v1/suites/s/ranking/?project=unrelated"))["status"] == 422


def test_a_version_counts_only_episodes_posted_against_its_wordings(
    pipe: APIClient, project: Project, alice: Worker
) -> None:
    _judge(project, alice, "alfa", "s")
    freeze(suite=make_suite("s"), slug="v1", by="system", at=NOON)
    _judge(project, alice, "alfa", "f", instruction="quite another")
    freeze(suite=make_suite("s"), slug="v2", by="system", at=NOON)
    rates = {query: _ranking(pipe, query)["agents"][0]["rate"] for query in ("", "?version=v1", "?version=v2")}
    assert rates == {"": 0.5, "?version=v1": 1.0, "?version=v2": 0.0}
    versions = [pipe.get(f"/api/v1/suites/s/versions/{slug}/").json() for slug in ("v1", "v2")]
    assert [version["parent"] for version in versions] == [None, "v1"]
    assert len({version["sha256"] for version in versions}) == 2


def test_a_version_has_the_hash_that_it_had_before_scenarios_had_chance_and_media(pipe: APIClient) -> None:
    first = {name: value for name, value in scenario_body().items() if name not in {"chance", "media"}}
    for key, changes in (("k", {}), ("l", {"chance": 0.5}), ("m", {"media": {"episode": "e"}})):
        make_scenario(make_suite("s"), key, **changes)
    freeze(suite=make_suite("s"), slug="v1", by="system", at=NOON)
    wordings = dict(Revision.objects.values_list("scenario__key", "digest"))
    assert wordings["k"] == digest(first)
    assert len(set(wordings.values())) == 3
    assert pipe.get("/api/v1/suites/s/versions/v1/").json()["sha256"] == digest(sorted(wordings.items()))


def test_groups_are_by_the_wording_an_episode_was_posted_against(
    pipe: APIClient, project: Project, alice: Worker
) -> None:
    _judge(project, alice, "alfa", "s", "f", tags=["a", "a", "b"], category="lift")
    _judge(project, alice, "alfa", "s", scenario="other", tags=[], category="push", prompt="a pot")

    def groups(by: str) -> list[Any]:
        shown = _ranking(pipe, f"?by={by}")["agents"][0]["groups"]
        return [(group["group"], group["successes"], group["n"], group["rate"]) for group in shown]

    assert groups("category") == [("lift", 1, 2, 0.5), ("push", 1, 1, 1.0)]
    assert groups("tag") == [("a", 1, 2, 0.5), ("b", 1, 2, 0.5)]
    assert groups("prompt") == [("a pot", 1, 1, 1.0), (None, 1, 2, 0.5)]
    assert groups("scenario") == [("k", 1, 2, 0.5), ("other", 1, 1, 1.0)]
    group = _ranking(pipe, "?by=category")["agents"][0]["groups"][0]
    assert list(group) == [
        *("group", "n", "successes", "rate", "standard_error", "low", "high", "se_suite", "se_population"),
        "without_chance",
    ]
    assert group["standard_error"] == pytest.approx(math.sqrt(0.25 / 2))


def test_the_rater_is_all_workers_together_on_the_projects_references(
    pipe: APIClient, db: None, alice: Worker, bob: Worker
) -> None:
    project = make_project("p", suite=make_suite("s"), reference_rate=1.0)
    scenario = make_scenario(make_suite("s"))
    for outcome in ("success", "failure"):
        make_episode(scenario=scenario, reference={"outcome": outcome, "tolerance_s": 1.0})
    make_episode(scenario=scenario)
    for worker, lies in ((alice, False), (bob, True)):
        for _ in range(2):
            held = claim(project, worker)
            truth = held.task.truth.answers[0]["outcome"]
            annotate(held, outcome="success" if lies else truth)
    assert _ranking(pipe)["rater"] == {
        "n": 4,
        "sensitivity": 1.0,
        "specificity": 0.5,
        "n_success": 2,
        "n_failure": 2,
        "method": "single",
        "redundancy": 1,
    }
