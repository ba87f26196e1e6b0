"""Standard errors and pairs of a suite: equal to the computed values, and undefined where nothing can be known."""

from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from lib.statistics.suites.estimands import scenario_means
from lib.statistics.suites.paired import (
    benjamini_hochberg,
    for_new_scenarios,
    for_this_suite,
    holm,
    p_of_all_pairs,
)

NEAR = 1e-9


def rates_of(group: dict[str, Any], agent: str) -> Any:
    return np.array(group["outcomes_scenario_x_continuation"][agent]).mean(axis=1)


def test_standard_errors_agree_with_the_computed_ones(computed: dict[str, Any]) -> None:
    group = computed["sts_ranking"]
    outcomes = {agent: np.array(table) for agent, table in group["outcomes_scenario_x_continuation"].items()}
    found = scenario_means(
        [t.sum(axis=1) for t in outcomes.values()], [[t.shape[1]] * len(t) for t in outcomes.values()]
    )
    for agent, one in zip(outcomes, found, strict=True):
        expected = group["expected"][agent]
        assert one.mean == pytest.approx(expected["success_rate"], abs=NEAR)
        assert one.se_suite == pytest.approx(expected["se_suite_stratified"], abs=NEAR)
        assert one.se_population == pytest.approx(expected["se_population_sd_over_sqrtS"], abs=NEAR)


@pytest.mark.parametrize(
    ("successes", "n", "expected"),
    [
        ([0, 0], [0, 0], (0, None, None, None)),
        ([3, 0], [4, 0], (1, 0.75, 0.25, None)),  # a scenario that nobody judged is left out
        ([1, 1], [1, 2], (2, 0.75, None, 0.25)),  # a single continuation does not show how continuations vary
        ([4, 4], [4, 4], (2, 1.0, 0.0, 0.0)),
    ],
)
def test_what_cannot_be_known_is_none(successes: list[int], n: list[int], expected: tuple[Any, ...]) -> None:
    assert scenario_means([successes], [n])[0] == pytest.approx(expected)


def test_pairs_agree_with_the_computed_ones(computed: dict[str, Any]) -> None:
    group = computed["sts_ranking"]
    pairs = group["pairwise_paired_by_scenario"]
    found = [for_new_scenarios(rates_of(group, pair["y"]), rates_of(group, pair["x"])) for pair in pairs]
    for pair, one in zip(pairs, found, strict=True):
        assert one.difference == pytest.approx(pair["diff"], abs=NEAR)
        assert one.standard_error == pytest.approx(pair["se"], abs=NEAR)
        assert one.p == pytest.approx(pair["p"], abs=NEAR)
        test = stats.ttest_rel(rates_of(group, pair["y"]), rates_of(group, pair["x"]))
        assert (one.low, one.high) == pytest.approx(tuple(test.confidence_interval()), abs=NEAR)
    p = [pair["p"] for pair in pairs]
    assert holm(p) == pytest.approx([pair["p_holm"] for pair in pairs], abs=NEAR)
    assert benjamini_hochberg(p) == pytest.approx([pair["p_fdr_bh"] for pair in pairs], abs=NEAR)
    every = p_of_all_pairs([rates_of(group, agent) for agent in ("a0", "a1", "a2")])
    assert [every[0, 1], every[0, 2], every[1, 2]] == pytest.approx(p, abs=1e-8)


def test_all_pairs_agree_with_each_pair_where_agents_skip_scenarios() -> None:
    draw = np.random.default_rng(5)
    table = draw.integers(0, 11, (5, 30)) / 10
    table[draw.random(table.shape) < 0.3] = np.nan
    table[4] = table[3]  # equal everywhere: no p value
    every = p_of_all_pairs(table)
    for a in range(5):
        for b in range(5):
            both = ~np.isnan(table[a] + table[b])
            p = for_new_scenarios(table[a, both], table[b, both]).p
            assert every[a, b] == pytest.approx(np.nan if p is None else p, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("p", [[0.5], [0.01, 0.01, 0.9], [0.2, 0.04, 0.03, 0.001, 0.7]])
def test_adjusted_p_values_agree_with_statsmodels(p: list[float]) -> None:
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1])


def test_the_suite_itself_counts_continuations_alone() -> None:
    found = for_this_suite([0.75, 0.5], [4, 4], [0.25, 0.25], [4, 4])
    variances = [0.75 * 0.25 / 3, 0.5 * 0.5 / 3, 0.25 * 0.75 / 3, 0.25 * 0.75 / 3]
    assert found.standard_error == pytest.approx(np.sqrt(sum(variances)) / 2)
    assert found.difference is not None
    assert found.standard_error is not None
    assert found.p == pytest.approx(2 * stats.norm.sf(found.difference / found.standard_error))
    assert for_this_suite([0.75], [4], [0.0], [1]).p is None
    assert for_this_suite([1.0], [4], [0.0], [4])[:3] == (1, 1.0, None)
    assert for_this_suite([], [], [], []).difference is None


def test_no_difference_shows_where_it_would_have_to_exceed_1() -> None:
    assert for_new_scenarios([1.0, 1.0], [0.0, 1.0]).smallest_visible is None


def test_a_pair_without_variation_has_only_its_difference() -> None:
    for a, b, difference in (([], [], None), ([0.5], [0.25], 0.25), ([1.0, 1.0], [0.0, 0.0], 1.0)):
        found = for_new_scenarios(a, b)
        assert (found.scenarios, found.difference, found.p, found.low) == (len(a), difference, None, None)
