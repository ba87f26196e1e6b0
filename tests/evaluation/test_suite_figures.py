"""Curves, correlations, difficulty, comparisons, runs and plans of a suite, over the API."""

from typing import Any

import numpy as np
import pytest
from rest_framework.test import APIClient

from agents.models import Metric
from annotation.models import Project, Task
from evaluation.figures import completion_times, information, runs
from evaluation.models import Episode
from evaluation.suites import freeze
from lib.statistics.suites.correlation import correlation
from lib.statistics.suites.rasch import Placed, RaschFit
from tests.evaluation.test_ranking_certainty import judged, references
from tests.support.builders import NOON, make_agent, make_episode, make_project, make_scenario, make_suite
from tests.support.calls import problem
from tests.support.crowds import say

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("p", suite=make_suite("s"))


def get(pipe: APIClient, path: str) -> Any:
    response = pipe.get(f"/api/v1/suites/s/{path}")
    assert response.status_code == 200, response.content
    return response.json()


def marked(project: Project, agent: str, outcome: str, *, frame: int) -> None:
    """A continuation that was marked at this frame, of ten a second; the takeover is after one second."""
    scenario = make_scenario(make_suite("s"), "k", takeover_s=1.0)
    shown = make_episode(scenario=scenario, agent=make_agent(agent))
    say(Task.objects.get(project=project, key=shown.external_id), outcome, frame=frame)


@pytest.mark.parametrize("many", [20_000, 0])
def test_curves_begin_at_the_takeover(
    pipe: APIClient, project: Project, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completion_times, "MANY_CONTINUATIONS", many)
    for outcome, frame in (("success", 20), ("failure", 25), ("success", 30), ("failure", 40)):
        marked(project, "alfa", outcome, frame=frame)
    make_episode(scenario=make_scenario(make_suite("s")), agent=make_agent("bravo"))
    for _ in range(2):
        alfa, bravo = get(pipe, "time_to_completion/")
        assert (alfa["agent"], alfa["n"], bravo["n"], bravo["points"]) == ("alfa", 2, 0, [])
        assert [(p["time_s"], p["completed"], p["at_risk"]) for p in alfa["points"]] == [
            (pytest.approx(1.0), 0.5, 2),
            (pytest.approx(2.0), 1.0, 1),
        ]
        alfa, _ = get(pipe, "time_to_completion/?kind=incidence")
        assert [(p["completed"], p["at_risk"]) for p in alfa["points"]] == [(0.25, 4), (0.5, 2)]
        assert alfa["points"][1]["low"] < 0.5 < alfa["points"][1]["high"]


def test_metrics_correlate_with_success_and_with_each_other(pipe: APIClient, project: Project) -> None:
    rates, probes = [0.2, 0.4, 0.5, 0.9], [1.0, 3.0, 2.0, 4.0]
    for number, (rate, probe) in enumerate(zip(rates, probes, strict=True)):
        judged(project, f"a{number}", {"k": (round(rate * 10), 10)})
        agent = make_agent(f"a{number}")
        for value, metric, suite in (
            (9.0, "probe", ""),
            (probe, "probe", "s"),
            (0.0, "flat", ""),
            (5.0, "probe", "other"),
        ):
            Metric.objects.create(agent=agent, metric=metric, value=value, suite=suite, created_at=NOON)
    found = {(one["x"], one["y"]): one for one in get(pipe, "correlations/?method=pearson")}
    assert list(found) == [("flat", "success"), ("probe", "success"), ("probe", "flat")]
    probe, expected = found["probe", "success"], correlation(probes, rates, method="pearson")
    assert [probe[name] for name in ("n", "rho", "p", "low", "high")] == pytest.approx(list(expected))
    assert probe["points"][0] == {"agent": "a0", "x": 1.0, "y": 0.2}
    assert (found["flat", "success"]["rho"], found["flat", "success"]["sentence"][:10]) == (None, "One of the")
    assert get(pipe, "correlations/")[1]["rho"] == pytest.approx(0.8)
    make_project("q", suite=make_suite("s"))
    assert "too few" in get(pipe, "correlations/?project=q")[0]["sentence"]


def test_the_best_measure_is_compared_with_the_others(pipe: APIClient, project: Project) -> None:
    for number in range(12):
        judged(project, f"a{number:02}", {"k": (number, 12)})
        for metric, value in (("probe", number + number % 2), ("loss", (number * 7) % 12)):
            Metric.objects.create(agent=make_agent(f"a{number:02}"), metric=metric, value=value, created_at=NOON)
    for _ in range(2):
        (found,) = get(pipe, "better_measures/")
        assert (found["a"], found["b"], found["n"]) == ("probe", "loss", 12)
        pairs = {one["x"]: one["rho"] for one in get(pipe, "correlations/") if one["y"] == "success"}
        assert found["difference"] == pytest.approx(pairs["probe"] - pairs["loss"])
        assert 0 < found["low"] < found["difference"] < found["high"]
        assert found["sentence"] == "probe goes with success more closely than loss."
    # A loss goes with success as closely as the probe of which it is the opposite.
    before = get(pipe, "better_measures/")
    for one in Metric.objects.filter(metric="probe"):
        Metric.objects.filter(pk=one.pk).update(value=-one.value)
    assert get(pipe, "better_measures/") == before
    Metric.objects.filter(metric="loss", agent__slug__gte="a08").delete()
    (few,) = get(pipe, "better_measures/")
    assert (few["difference"], few["sentence"][:10]) == (None, "Fewer than")


def test_consistency_counts_pairs_that_end_alike(pipe: APIClient, project: Project) -> None:
    judged(project, "alfa", {"k": (4, 4), "l": (2, 4), "m": (0, 4), "once": (1, 1)})
    judged(project, "bravo", {"once": (1, 1)})
    alfa, bravo = get(pipe, "consistency/")
    assert alfa["consistency"] == pytest.approx((1 + 1 / 3 + 1) / 3)
    assert [alfa[name] for name in ("scenarios", "always", "mixed", "never")] == [3, 1, 1, 1]
    assert alfa["expected"] == pytest.approx(0.5)
    # By Student's t with 2 degrees of freedom, three scenarios leave everything open.
    assert (alfa["low"], alfa["high"]) == (0.0, 1.0)
    assert (bravo["consistency"], bravo["scenarios"]) == (None, 0)
    judged(project, "cesar", {"k": (4, 4), "l": (4, 4)})
    cesar = get(pipe, "consistency/")[2]
    assert (cesar["consistency"], cesar["low"], cesar["high"]) == (1.0, None, None), "two scenarios are no certainty"
    assert "two judged continuations" in bravo["sentence"]


def test_scenarios_are_as_difficult_as_their_rates_say(pipe: APIClient, project: Project) -> None:
    judged(project, "alfa", {"easy": (9, 10), "hard": (5, 10), "never": (0, 10)})
    judged(project, "bravo", {"easy": (6, 10), "hard": (2, 10), "never": (0, 10)})
    easy, hard, never = get(pipe, "difficulty/")
    assert (easy["rate"], easy["n"], hard["rate"]) == (0.75, 20, 0.35)
    assert easy["difficulty"] == pytest.approx(-hard["difficulty"])
    assert easy["low"] < easy["difficulty"] < easy["high"] < hard["high"]
    assert (never["rate"], never["difficulty"], never["low"]) == (0.0, None, None)
    assert "failed" in never["sentence"]


def test_a_comparison_is_paired_by_scenario(pipe: APIClient, project: Project, computed: dict[str, Any]) -> None:
    group = computed["sts_ranking"]
    for agent, table in group["outcomes_scenario_x_continuation"].items():
        judged(project, agent, {f"k{at:02}": (sum(row), len(row)) for at, row in enumerate(table)})
    judged(project, "a0", {"own": (1, 5)})
    for pair in group["pairwise_paired_by_scenario"]:
        found = get(pipe, f"comparison/?a={pair['y']}&b={pair['x']}")
        assert found["difference"] == pytest.approx(pair["diff"])
        assert found["p"] == pytest.approx(pair["p"])
        assert (found["p_holm"], found["p_bh"]) == pytest.approx((pair["p_holm"], pair["p_fdr_bh"]))
        assert (found["estimand"], found["corrected"]) == ("population", None)
        assert found["low"] < found["difference"] < found["high"]
        assert found["smallest_visible"] > 2.8 * found["standard_error"]
    found = get(pipe, "comparison/?a=a0&b=a1&estimand=suite")
    expected = [group["expected"][agent]["se_suite_stratified"] for agent in ("a0", "a1")]
    assert found["standard_error"] == pytest.approx(np.hypot(*expected))
    assert found["p_holm"] >= found["p"]
    (own,) = [one for one in found["scenarios"] if one["scenario"] == "own"]
    assert own == {"scenario": "own", "a": 0.2, "b": None, "n_a": 5, "n_b": 0}


def test_a_comparison_is_corrected_by_the_raters_errors(pipe: APIClient, project: Project) -> None:
    references(project, {True: [1] * 9 + [0], False: [1] * 9 + [0]})
    judged(project, "alfa", {"k": (8, 10), "l": (6, 10), "m": (9, 10)})
    judged(project, "bravo", {"k": (4, 10), "l": (5, 10), "m": (4, 10)})
    found = get(pipe, "comparison/?a=alfa&b=bravo")
    assert found["corrected"]["difference"] == pytest.approx(found["difference"] / 0.8)
    assert found["corrected"]["low"] < found["low"] / 0.8


def test_what_cannot_be_compared_says_why(pipe: APIClient, project: Project) -> None:
    judged(project, "alfa", {"k": (1, 1)})
    judged(project, "bravo", {"l": (1, 1)})
    make_agent("cesar")
    for b in ("bravo", "cesar"):
        found = get(pipe, f"comparison/?a=alfa&b={b}")
        assert (found["difference"], found["p"]) == (None, None)
        assert "No scenario" in found["sentence"]
    judged(project, "bravo", {"k": (0, 1)})
    assert "one scenario only" in get(pipe, "comparison/?a=alfa&b=bravo")["sentence"]
    assert "single continuation" in get(pipe, "comparison/?a=alfa&b=bravo&estimand=suite")["sentence"]
    for query, pointer in (("a=alfa&b=alfa", "#/b"), ("a=nobody&b=alfa", "#/a")):
        assert problem(pipe.get(f"/api/v1/suites/s/comparison/?{query}"))["errors"][0]["pointer"] == pointer


def test_a_run_says_what_is_missing(pipe: APIClient, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = make_suite("s")
    pipe.put("/api/v1/suites/s/", {"title": "S", "continuations": 3}, format="json")
    first, second = make_scenario(suite, "k"), make_scenario(suite, "l")
    freeze(suite=suite, slug="v1", by="system", at=NOON)
    alfa = make_agent("alfa")
    for number in range(2):
        make_episode(scenario=first, agent=alfa, continuation=number)
    make_episode(scenario=first, agent=alfa, continuation=2, reference={"outcome": "success"})
    make_episode(scenario=second, agent=alfa, continuation=0)
    make_episode(scenario=second, agent=alfa, continuation=1, is_ready=False)
    failed = make_episode(scenario=second, agent=alfa, continuation=2, is_ready=False)
    type(failed).objects.filter(pk=failed.pk).update(status="failed", problem_code="video_broken")
    (run,) = get(pipe, "runs/")
    assert run == {
        "agent": "alfa",
        "version": "v1",
        "expected": 5,
        "received": 5,
        "ready": 3,
        "judged": 0,
        "unjudged": 0,
        "missing": [{"scenario": "l", "continuation": 2}],
        "missing_left": 0,
        "complete": False,
    }
    make_scenario(suite, "k", instruction="another wording")
    freeze(suite=suite, slug="v2", by="system", at=NOON)
    (newest,) = get(pipe, "runs/")
    assert (newest["version"], newest["received"], len(newest["missing"])) == ("v2", 3, 4)
    monkeypatch.setattr(runs, "MOST_MISSING", 1)
    (newest,) = get(pipe, "runs/")
    assert (newest["missing"], newest["missing_left"]) == ([{"scenario": "k", "continuation": 0}], 3)


def test_a_complete_run_is_complete(pipe: APIClient, project: Project) -> None:
    pipe.put("/api/v1/suites/s/", {"title": "S", "continuations": 1}, format="json")
    marked(project, "alfa", "success", frame=20)
    Episode.objects.update(continuation=0)
    (run,) = get(pipe, "runs/")
    assert (run["version"], run["judged"], run["complete"]) == (None, 1, True)


def test_a_plan_goes_both_ways(pipe: APIClient, project: Project) -> None:
    def plan(**body: Any) -> Any:
        response = pipe.post("/api/v1/suites/s/plan/", {"agents": 4, "scenarios": 160, **body}, format="json")
        assert response.status_code == 200, response.content
        return response.json()

    shown = plan(
        continuations=10, rater_accuracy=0.9, price={"amount": "0.10", "currency": "EUR"}, seconds_per_rating=9
    )
    assert (shown["ratings"], shown["cost"], shown["hours"]) == (6400, {"amount": "640.00", "currency": "EUR"}, 16.0)
    assert (shown["noise"], shown["power"]) == ("assumed", pytest.approx(0.8))
    back = plan(difference=shown["difference"], rater_accuracy=0.9)
    assert back["continuations"] == 10
    assert plan(difference=0.1, continuations=10)["power"] > 0.9
    never = plan(difference=0.01)
    assert (never["continuations"], never["ratings"], never["cost"]) == (None, None, None)
    assert "Not with this suite" in never["sentence"]
    for agent in ("alfa", "bravo"):
        judged(project, agent, {f"k{number}": (number % 5, 5) for number in range(6)})
    assert plan()["noise"] == "measured"


def test_a_plan_says_what_money_buys(pipe: APIClient, project: Project) -> None:
    price = {"amount": "0.10", "currency": "EUR"}

    def plan(**body: Any) -> Any:
        return pipe.post("/api/v1/suites/s/plan/", {"agents": 2, "scenarios": 100, **body}, format="json")

    bought = plan(price=price, budget={"amount": "105.00", "currency": "EUR"}).json()
    assert (bought["continuations"], bought["cost"]["amount"]) == (5, "100.00")
    assert bought["difference"] == plan(continuations=5).json()["difference"]
    nothing = plan(price=price, budget={"amount": "19.99", "currency": "EUR"}).json()
    assert (nothing["continuations"], nothing["difference"], nothing["cost"]) == (None, None, None)
    assert "20.00 EUR" in nothing["sentence"]
    for body, pointer in (
        ({"price": price, "budget": {"amount": "1", "currency": "USD"}}, "#/budget/currency"),
        ({"price": price, "budget": {"amount": "1", "currency": "EUR"}, "continuations": 3}, "#/budget"),
        ({"price": {"amount": "0", "currency": "EUR"}, "budget": {"amount": "1", "currency": "EUR"}}, "#/price"),
        ({"budget": {"amount": "1", "currency": "EUR"}}, "#/budget"),  # the project pays in USD
    ):
        assert problem(plan(**body))["errors"][0]["pointer"] == pointer


def test_an_agent_between_easy_and_hard_scenarios_is_beyond_the_reach(
    pipe: APIClient, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged(project, "alfa", {f"k{number}": (1, 2) for number in range(10)})
    hard: list[Placed | None] = [Placed(value, value, value) for value in [-6.0] * 5 + [6.0] * 5]
    monkeypatch.setattr(information, "fit_rasch", lambda *_: RaschFit([Placed(0.0, -1.0, 1.0)], hard, None))
    found = get(pipe, "information/?continuations=20")
    assert found["reach"]["low"] < 0 < found["reach"]["high"]
    assert found["beyond"] == ["alfa"]


def test_information_is_highest_where_agents_are_tried_hardest(pipe: APIClient, project: Project) -> None:
    assert "two agents with mixed outcomes" in get(pipe, "information/")["sentence"]
    judged(project, "alfa", {"easy": (9, 10), "hard": (7, 10)})
    judged(project, "bravo", {"easy": (5, 10), "hard": (1, 10)})
    freeze(suite=make_suite("s"), slug="v1", by="system", at=NOON)
    judged(project, "alfa", {"harder": (5, 10)})
    judged(project, "bravo", {"harder": (1, 10)})
    found = get(pipe, "information/?version=v1&continuations=200")
    assert [one["agent"] for one in found["agents"]] == ["alfa", "bravo"]
    assert found["agents"][0]["low"] < found["agents"][0]["ability"] < found["agents"][0]["high"]
    (wider,) = found["widening"]
    assert wider["scenario"] == "harder"
    assert 0 < wider["gain"] < 1
    assert found["reach"]["low"] < found["agents"][1]["ability"] < found["reach"]["high"]
    best = max(found["points"], key=lambda one: one["information"])
    # At most 200 continuations x 2 scenarios x 1/4.
    assert 75 < best["information"] < 100
    few = get(pipe, "information/?version=v1&continuations=1")
    assert (few["reach"], few["beyond"]) == (None, ["alfa", "bravo"])


def test_a_plan_needs_two_scenarios(pipe: APIClient, project: Project) -> None:
    refused = problem(pipe.post("/api/v1/suites/s/plan/", {"agents": 2}, format="json"))
    assert (refused["status"], refused["errors"][0]["pointer"]) == (422, "#/scenarios")


@pytest.mark.parametrize(
    ("path", "queries"),
    [
        ("time_to_completion/", 7),
        ("correlations/", 7),
        ("difficulty/", 6),
        ("consistency/", 6),
        ("better_measures/", 7),
        ("information/", 6),
        ("comparison/?a=a0&b=a1", 8),
        ("runs/", 12),
    ],
)
@pytest.mark.parametrize("rows", [2, 6])
def test_figures_cost_the_same_for_2_and_6(
    path: str, queries: int, rows: int, pipe: APIClient, project: Project, django_assert_num_queries: Any
) -> None:
    for number in range(rows):
        judged(project, f"a{number}", {f"k{at}": (at, rows) for at in range(rows)})
        # One of the ten that are wanted: what is missing at a scenario that is begun takes a query.
        make_episode(scenario=make_scenario(make_suite("s"), "k0"), agent=make_agent(f"a{number}"), continuation=0)
    pipe.get("/api/v1/agents/")
    with django_assert_num_queries(queries):
        get(pipe, path)
