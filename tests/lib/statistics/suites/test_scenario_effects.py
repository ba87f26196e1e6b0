"""Effects of scenarios on a suite whose good, useless and harmful scenarios are known."""

import numpy as np
import pytest

from lib.statistics.suites.scenario_effects import SPLITS, Effects, scenario_effects, sensitivity

AGENTS, TRIES = 40, 10
GOOD, USELESS, HARMFUL = 12, 3, 2


def known_suite(*, seed: int = 0, agents: int = AGENTS) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Good scenarios rise with the skill of the agents, useless ones do not, and harmful ones fall with it."""
    draw = np.random.default_rng(seed)
    skill = draw.uniform(0.1, 0.9, agents)
    columns = [skill] * GOOD + [np.full(agents, 0.5)] * USELESS + [1 - skill] * HARMFUL
    hits = draw.binomial(TRIES, np.column_stack(columns))
    return hits, np.full(hits.shape, TRIES), skill


def kinds(found: Effects, name: str) -> tuple[float, float, float]:
    values = [getattr(one, name) for one in found.scenarios]
    groups = (values[:GOOD], values[GOOD : GOOD + USELESS], values[GOOD + USELESS :])
    return tuple(float(np.mean(one)) for one in groups)  # type: ignore[return-value]


@pytest.mark.parametrize("method", ["spearman", "pearson"])
def test_harmful_scenarios_have_the_worst_effects(method: str) -> None:
    hits, n, skill = known_suite()
    found = scenario_effects(hits, n, skill, method=method)
    for name in ("sensitivity", "correlation"):
        good, useless, harmful = kinds(found, name)
        assert good > 0 > harmful, name
        assert good > useless, name
    good, _, harmful = kinds(found, "lowers")
    assert harmful > 0.7 > 0.5 > good


def test_a_filter_that_finds_harmful_scenarios_helps_on_other_agents() -> None:
    found = scenario_effects(*known_suite()).filtered
    assert found is not None
    assert (found.left_out, found.halves) == (2, 2 * SPLITS)
    assert found.others > 0
    assert found.low <= found.others <= found.high


def test_a_filter_of_scenarios_that_are_all_alike_helps_only_where_it_was_chosen() -> None:
    draw = np.random.default_rng(4)
    skill = draw.uniform(0.3, 0.7, AGENTS)
    hits = draw.binomial(2, np.column_stack([skill] * 20))
    found = scenario_effects(hits, np.full(hits.shape, 2), skill).filtered
    assert found is not None
    assert found.chosen > 0.02
    assert found.others < 0.01


def test_an_effect_is_the_difference_of_what_is_measured_with_and_without() -> None:
    hits, n, skill = known_suite(agents=12)
    found = scenario_effects(hits, n, skill)
    without = scenario_effects(hits[:, 1:], n[:, 1:], skill)
    for name in ("correlation", "sensitivity"):
        before, after = getattr(found, name), getattr(without, name)
        assert getattr(found.scenarios[0], name) == pytest.approx(before - after), name


def test_what_does_not_exist_is_none() -> None:
    hits, n, skill = known_suite(agents=9)
    found = scenario_effects(hits, n, skill)
    assert found.filtered is None
    assert {one.lowers for one in found.scenarios} == {None}
    assert None not in {one.correlation for one in found.scenarios}
    unknown = scenario_effects(hits, n)
    assert (unknown.n, unknown.correlation, unknown.filtered) == (0, None, None)
    assert {one.correlation for one in unknown.scenarios} == {None}
    assert None not in {one.sensitivity for one in unknown.scenarios}
    assert sensitivity([[1, 1]], [[2, 2]]) is None
    assert sensitivity([[1], [1], [1]], [[10], [10], [10]]) is None, "what rounding leaves is no spread"
    only = scenario_effects([[5], [3]], [[9], [9]], [1.0, 2.0])
    assert only.scenarios[0] == (None, None, None)


def test_agents_without_the_metric_count_for_the_sensitivity_alone() -> None:
    hits, n, skill = known_suite()
    some = skill.copy()
    some[20:] = np.nan
    found = scenario_effects(hits, n, some)
    assert found.n == 20
    assert found.correlation == pytest.approx(scenario_effects(hits[:20], n[:20], skill[:20]).correlation)
    assert found.sensitivity == scenario_effects(hits, n).sensitivity


@pytest.mark.parametrize("method", ["spearman", "pearson"])
def test_an_agent_that_was_tried_at_one_scenario_alone_is_left_out_with_it(method: str) -> None:
    hits, n, skill = known_suite(agents=12)
    n[0, 1:] = hits[0, 1:] = 0
    found = scenario_effects(hits, n, skill, method=method)
    without = scenario_effects(hits[1:, 1:], n[1:, 1:], skill[1:], method=method)
    assert found.correlation is not None
    assert without.correlation is not None
    assert found.scenarios[0].correlation == pytest.approx(found.correlation - without.correlation)
