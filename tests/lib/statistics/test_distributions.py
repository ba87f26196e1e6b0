"""Tails of distributions against scipy."""

import math

import numpy as np
import pytest
from scipy import stats

from lib.statistics.distributions import f_above, t_quantile, t_two_sided

NEAR = 1e-10


@pytest.mark.parametrize("degrees", [1, 2, 3, 11, 159, 5000])
def test_t_agrees_with_scipy(degrees: int) -> None:
    values = np.array([0.0, 0.001, 0.1, 1.0, 1.96, 5.0, 40.0, math.inf])
    assert t_two_sided(values, degrees) == pytest.approx(2 * stats.t.sf(values, degrees), rel=NEAR, abs=1e-300)
    assert np.isnan(t_two_sided(math.nan, degrees))
    for share in (0.001, 0.5, 0.8, 0.975, 0.9999):
        assert t_quantile(share, degrees) == pytest.approx(stats.t.ppf(share, degrees), rel=NEAR, abs=1e-10)


@pytest.mark.parametrize(
    ("f", "above", "below"), [(0.0, 2, 5), (0.3, 1, 3), (3.0, 2, 20), (9.5, 7, 400), (math.inf, 2, 5)]
)
def test_f_agrees_with_scipy(f: float, above: int, below: int) -> None:
    assert f_above(f, above, below) == pytest.approx(stats.f.sf(f, above, below), rel=NEAR)


def test_a_quantile_needs_a_share_and_degrees() -> None:
    for share, degrees in ((0.0, 3), (1.0, 3), (0.5, 0)):
        with pytest.raises(ValueError, match="no quantile"):
            t_quantile(share, degrees)
