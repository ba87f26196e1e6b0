"""Rank intervals and ties: agents that are apart, that are not, and that were hardly tried."""

from typing import Any

import numpy as np
import pytest

from lib.statistics.suites.rank_intervals import rank_intervals

TEN = 10


def simulated(abilities: list[float], *, scenarios: int, seed: int, continuations: int = TEN) -> tuple[Any, Any]:
    """Successes and tries at scenarios of differing difficulty, at some of which an agent is better than at others."""
    draw = np.random.default_rng(seed)
    odds = np.array(abilities) + draw.normal(0, 1.5, (scenarios, 1)) + draw.normal(0, 0.7, (scenarios, len(abilities)))
    hits = draw.binomial(continuations, 1 / (1 + np.exp(-odds)))
    return hits, np.full(hits.shape, continuations)


def test_agents_far_apart_have_one_rank_and_equal_ones_share_a_group() -> None:
    found = rank_intervals(*simulated([3.0, 0.0, 0.0, -3.0], scenarios=60, seed=1), resamples=500)
    assert found.intervals == [(1, 1), (2, 3), (2, 3), (4, 4)]
    assert [sorted(group) for group in found.ties] == [[1, 2]]


def test_the_same_data_gives_the_same_intervals() -> None:
    data = simulated([0.4, 0.2, 0.0], scenarios=20, seed=2)
    assert rank_intervals(*data, resamples=200) == rank_intervals(*data, resamples=200)


@pytest.mark.parametrize(
    ("successes", "n", "intervals", "ties"),
    [
        ([[1, 0]], [[2, 2]], [None, None], []),  # one scenario
        ([[1], [0]], [[2], [2]], [(1, 1)], []),  # one agent
        ([[1, 0], [0, 0]], [[2, 0], [2, 0]], [(1, 1), None], []),  # an agent that nobody judged
        ([[1, 1], [0, 0]], [[2, 2], [2, 2]], [(1, 2), (1, 2)], [[0, 1]]),  # equal everywhere
        ([[2, 0], [2, 0]], [[2, 2], [2, 2]], [(1, 2), (1, 2)], [[0, 1]]),  # all and none, at two scenarios only
        ([[2, 0]] * 5, [[2, 2]] * 5, [(1, 1), (2, 2)], []),
        ([[1, 1]] + [[1, 0]] * 9, [[1, 1]] + [[1, 0]] * 9, [(1, 2), None], []),  # missing from most resamples
    ],
)
def test_what_cannot_be_known_has_no_interval(successes: Any, n: Any, intervals: Any, ties: Any) -> None:
    found = rank_intervals(successes, n, resamples=200)
    assert (found.intervals, found.ties) == (intervals, ties)


def test_groups_may_overlap() -> None:
    hits, n = simulated([0.9, 0.45, 0.0], scenarios=60, seed=3)
    assert rank_intervals(hits, n, resamples=500).ties == [[0, 1], [1, 2]]


@pytest.mark.long
@pytest.mark.parametrize("abilities", [[0.0] * 6, [0.0, 0.1, 0.2, 0.3], [0.0, 0.0]])
def test_rank_intervals_hold_the_true_rank(abilities: list[float]) -> None:
    runs, held, tied = 300, 0, 0
    truth = np.array(abilities)
    best, worst = [(truth > one).sum() + 1 for one in truth], [(truth >= one).sum() for one in truth]
    for run in range(runs):
        found = rank_intervals(*simulated(abilities, scenarios=40, seed=run), resamples=400)
        for interval, low, high in zip(found.intervals, best, worst, strict=True):
            assert interval is not None
            held += interval.low <= low and high <= interval.high
        tied += any({0, 1} <= set(group) for group in found.ties)
    assert held / (runs * len(abilities)) >= 0.93
    if abilities[0] == abilities[1]:
        assert tied / runs >= 0.94  # 0.95, less one standard error of 300 runs
