"""The Rasch model against the logistic regression of statsmodels, and data that has no fit."""

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm

from lib.statistics.suites.rasch import fit_rasch


def simulated(agents: int, scenarios: int, seed: int, continuations: int = 10) -> tuple[Any, Any, Any]:
    draw = np.random.default_rng(seed)
    hard = draw.normal(0, 1.2, scenarios)
    odds = draw.normal(0, 0.8, agents)[:, None] - hard[None, :]
    n = np.where(draw.random(odds.shape) < 0.85, continuations, 0)
    return draw.binomial(n, 1 / (1 + np.exp(-odds))), n, hard - hard.mean()


def test_the_fit_agrees_with_statsmodels() -> None:
    k, n, _ = simulated(5, 12, 3)
    found = fit_rasch(k, n)
    assert None not in (*found.abilities, *found.difficulties)
    rows, columns = np.nonzero(n)
    design = np.zeros((len(rows), 17))
    design[np.arange(len(rows)), rows], design[np.arange(len(rows)), 5 + columns] = 1, -1
    package = sm.GLM(
        np.column_stack([k[rows, columns], (n - k)[rows, columns]]), design[:, :-1], family=sm.families.Binomial()
    ).fit()
    # There the last scenario is the origin; here the mean of all is.
    centring = np.zeros((17, 16))
    centring[:16] = np.eye(16)
    centring -= centring[5:].mean(axis=0)
    values, errors = centring @ package.params, np.sqrt(np.diag(centring @ package.cov_params() @ centring.T))
    both = [one for one in (*found.abilities, *found.difficulties) if one is not None]
    assert [one.value for one in both] == pytest.approx(values, abs=1e-6)
    assert [(one.high - one.low) / 2 / 1.959963984540054 for one in both] == pytest.approx(errors, abs=1e-5)
    assert found.misfit == pytest.approx(package.pearson_chi2 / package.df_resid)


@pytest.mark.parametrize(
    ("k", "n", "placed"),
    [
        ([[0, 0]], [[5, 5]], [False, False]),
        ([[5, 2], [5, 3]], [[5, 5], [5, 5]], [False, True]),  # a scenario that all pass has no place
        ([[2, 0], [3, 0], [0, 1]], [[5, 0], [5, 0], [0, 5]], [True, False]),  # agents that share nothing
        ([[0, 0]], [[0, 0]], [False, False]),
    ],
)
def test_what_cannot_be_compared_has_no_place(k: Any, n: Any, placed: list[bool]) -> None:
    assert [one is not None for one in fit_rasch(k, n).difficulties] == placed


@pytest.mark.long
def test_intervals_hold_the_true_difficulty() -> None:
    held = of = 0
    for seed in range(60):
        k, n, hard = simulated(12, 30, seed, continuations=20)
        for one, truth in zip(fit_rasch(k, n).difficulties, hard, strict=True):
            if one is not None:
                held, of = held + (one.low <= truth <= one.high), of + 1
    assert 0.93 <= held / of <= 0.97
