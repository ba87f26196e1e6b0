"""How sure a ranking is: both standard errors, rank intervals, ties, and the raters' errors."""

from typing import Any

import numpy as np
import pytest
from django.db.models import F
from rest_framework.test import APIClient

from annotation.models import Project, Task
from evaluation.figures import rank_intervals
from evaluation.models import KeptFigure, Tally
from jobs import outbox
from jobs.models import Job
from tests.support.builders import make_agent, make_episode, make_project, make_scenario, make_suite
from tests.support.crowds import say

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/suites/s/ranking/"


def ranking(pipe: APIClient, query: str = "") -> Any:
    response = pipe.get(f"{ADDRESS}{query}")
    assert response.status_code == 200
    return response.json()


def judged(project: Project, agent: str, counts: dict[str, tuple[int, int]], **scenario: Any) -> None:
    """Count so many successes of so many continuations at each scenario, without the rows of their answers."""
    for key, (successes, n) in counts.items():
        revision = make_scenario(make_suite("s"), key, **scenario).current
        assert revision is not None
        names = {"agent": make_agent(agent), "revision": revision}
        Tally.objects.create(**names, ready=n)
        Tally.objects.create(**names, project=project, success=successes, failure=n - successes)


def references(project: Project, right: dict[bool, list[int]], *, answers: int = 1, **episode: Any) -> None:
    """References of both outcomes, each answered `answers` times, of which so many are right."""
    suite = make_suite("s")
    for truth, hits in right.items():
        word, other = ("success", "failure") if truth else ("failure", "success")
        for hit in hits:
            scenario = make_scenario(suite, episode.get("key", "known"), category=episode.get("category", "lift"))
            shown = make_episode(
                scenario=scenario, agent=make_agent(episode.get("agent", "teacher")), reference={"outcome": word}
            )
            task = Task.objects.get(project=project, key=shown.external_id)
            say(task, *[word] * hit, *[other] * (answers - hit))


@pytest.fixture
def project() -> Project:
    return make_project("p", suite=make_suite("s"))


def test_the_figures_are_those_of_the_fixture(pipe: APIClient, project: Project, computed: dict[str, Any]) -> None:
    group = computed["sts_ranking"]
    for agent, table in group["outcomes_scenario_x_continuation"].items():
        judged(project, agent, {f"k{at:02}": (sum(row), len(row)) for at, row in enumerate(table)})
    found = ranking(pipe)
    assert [one["agent"] for one in found["agents"]] == group["ranking_desc"]
    for one in found["agents"]:
        expected = group["expected"][one["agent"]]
        assert one["rate"] == pytest.approx(expected["success_rate"])
        assert one["standard_error"] == pytest.approx(expected["se_naive"])
        assert one["se_suite"] == pytest.approx(expected["se_suite_stratified"])
        assert one["se_population"] == pytest.approx(expected["se_population_sd_over_sqrtS"])
        assert 1 <= one["rank_low"] <= one["rank"] <= one["rank_high"] <= 3
    assert found["ties"] == [["a1", "a2", "a0"]]  # no pair of the fixture differs
    assert found["bootstrap"] == {"seed": 20190, "resamples": 2000, "pending": False}


def test_unbalanced_data_shows_both_means(pipe: APIClient, project: Project) -> None:
    judged(project, "alfa", {"k": (9, 10), "l": (1, 2)})
    (alfa,) = ranking(pipe, "?by=scenario")["agents"]
    assert (alfa["rate"], alfa["scenario_mean"]) == (pytest.approx(10 / 12), pytest.approx(0.7))
    assert alfa["se_suite"] == pytest.approx(np.sqrt(0.9 * 0.1 / 9 + 0.5 * 0.5 / 1) / 2)
    first, second = alfa["groups"]
    assert (first["se_suite"], first["se_population"]) == (pytest.approx(np.sqrt(0.09 / 9)), None)
    assert second["low"] < second["rate"] < second["high"]


def test_scenarios_of_one_interaction_are_drawn_together(pipe: APIClient, project: Project) -> None:
    """Ten scenarios cut from one interaction are one: its ranks are not certain, those of ten apart are."""
    for number in range(10):
        source = {"interaction": "one", "agent": "alfa"}
        for agent, successes in (("alfa", 9), ("bravo", 1)):
            judged(project, agent, {f"k{number}": (successes, 10)}, source=source)
    assert [one["rank_low"] for one in ranking(pipe)["agents"]] == [None, None]
    for number in range(10):
        for agent, successes in (("alfa", 9), ("bravo", 1)):
            judged(project, agent, {f"l{number}": (successes, 10)}, tags=["own"])
    found = ranking(pipe, "?tag=own")["agents"]
    assert [(one["rank_low"], one["rank_high"]) for one in found] == [(1, 1), (2, 2)]


def test_rates_are_corrected_by_the_raters_errors(pipe: APIClient, project: Project) -> None:
    references(project, {True: [1] * 45 + [0] * 5, False: [1] * 44 + [0] * 6})
    judged(project, "alfa", {"k": (1100, 1600)})
    judged(project, "bravo", {"k": (50, 1600)})
    raw, corrected = ranking(pipe), ranking(pipe, "?correct=rogan_gladen")
    assert raw["rater"] == {
        "n": 100,
        "sensitivity": 0.9,
        "specificity": 0.88,
        "n_success": 50,
        "n_failure": 50,
        "method": "single",
        "redundancy": 1,
    }
    assert raw["verdict"]["ok"] is True
    assert raw["verdict"]["value"] == pytest.approx(0.8080841023115976)
    alfa, other = raw["agents"][0], corrected["agents"][0]
    assert tuple(alfa["corrected"].values()) == pytest.approx(
        (0.7275641025641024, 0.6389425053999284, 0.8161856997282765)
    )
    assert {name: other[name] for name in ("rate", "low", "high")} == alfa["corrected"]
    changed = {name for name in alfa if alfa[name] != other[name]}
    assert changed == {"rate", "low", "high"}
    assert other["raw"] == {name: alfa[name] for name in ("rate", "low", "high")}
    assert corrected["agents"][1]["rate"] == 0.0  # below what the raters' errors alone would give
    assert {name: raw[name] for name in raw if name != "agents"} == {
        name: corrected[name] for name in corrected if name != "agents"
    }


@pytest.mark.parametrize(
    ("right", "episodes", "sentence", "is_ok"),
    [
        ({True: [1, 0, 1, 0], False: [1, 0, 0, 0, 0]}, [{}], "add up to 1 or less", False),
        ({True: [1] * 5}, [{}], "one outcome only", None),
        ({True: [1] * 40, False: [1] * 40}, [{}, {"category": "push", "key": "hard"}], "differs by category", True),
        pytest.param(
            {True: [1] * 40, False: [1] * 40},
            [{}, {"agent": "other"}],
            "differs by agent",
            True,
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_correction_that_would_be_wrong_is_withheld(
    pipe: APIClient, project: Project, right: Any, episodes: Any, sentence: str, is_ok: bool | None
) -> None:
    references(project, right)
    for changes in episodes[1:]:
        references(project, {True: [0, 1] * 20, False: [0, 1, 1, 1] * 10}, **changes)
    judged(project, "alfa", {"k": (6, 10), "l": (3, 10)})
    found = ranking(pipe, "?correct=rogan_gladen")
    (alfa,) = found["agents"]
    assert (alfa["rate"], alfa["low"], alfa["rank"], alfa["corrected"]) == (None, None, None, None)
    assert alfa["raw"]["rate"] == 0.45
    assert sentence in found["correction"]["withheld"]
    assert found["verdict"]["ok"] is is_ok
    if is_ok is False:
        assert "too weak to rank" in found["verdict"]["sentence"]


def test_the_accuracy_of_a_majority_is_that_of_the_ranked_outcome(pipe: APIClient, project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(redundancy=3)
    references(project, {True: [1] * 8 + [0] * 2, False: [1] * 9 + [0]})
    rater = ranking(pipe)["rater"]
    assert (rater["method"], rater["redundancy"], rater["n"]) == ("majority_independent", 3, 20)
    assert rater["sensitivity"] == pytest.approx(0.8**3 + 3 * 0.8**2 * 0.2)
    references(project, {True: [3] * 15 + [1] * 5, False: [3] * 18 + [0] * 2}, answers=3)
    rater = ranking(pipe)["rater"]
    assert (rater["method"], rater["n_success"], rater["n_failure"]) == ("majority_observed", 20, 20)
    assert (rater["sensitivity"], rater["specificity"]) == (0.75, 0.9)


def test_many_agents_get_their_rank_intervals_from_a_job(
    pipe: APIClient, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rank_intervals, "QUICK", 0)
    for agent, successes in (("alfa", 9), ("bravo", 1)):
        judged(project, agent, {f"k{number}": (successes, 10) for number in range(6)})
    for _ in range(2):  # asking again queues nothing
        first = ranking(pipe)
        assert first["bootstrap"]["pending"] is True
        assert first["agents"][0]["rank_low"] is None
    (job,) = Job.objects.filter(kind=rank_intervals.COMPUTE)
    assert outbox.run(job.pk)
    done = ranking(pipe)
    assert done["bootstrap"]["pending"] is False
    assert [(one["rank_low"], one["rank_high"]) for one in done["agents"]] == [(1, 1), (2, 2)]
    Tally.objects.filter(project=project, agent__slug="alfa").update(success=F("success") - 1, failure=F("failure") + 1)
    assert ranking(pipe)["bootstrap"]["pending"] is True
    assert KeptFigure.objects.count() == 1
