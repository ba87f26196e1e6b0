"""Plateaus: where newer agents are no better than those before them, and where nobody can say so."""

import pytest

from lib.statistics.suites.plateau import plateau

MANY, FEW = 2000, 50


@pytest.mark.parametrize(
    ("rates", "n", "found"),
    [
        ([0.5, 0.6, 0.7, 0.69, 0.7, 0.65, 0.6, 0.7], MANY, (7, 2)),
        ([0.5, 0.6, 0.7, 0.69, 0.7, 0.65, 0.6, 0.72], MANY, (7, 2)),
        ([0.5, 0.6, 0.7, 0.69, 0.7, 0.65, 0.6, 0.78], MANY, None),
        # Few continuations leave a gain possible.
        ([0.5, 0.6, 0.7, 0.69, 0.7, 0.65, 0.6, 0.7], FEW, None),
        ([0.5, 0.7, 0.69, 0.7, 0.65, 0.6, 0.7], MANY, None),
        ([0.9, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], FEW, (7, 0)),
        ([], MANY, None),
    ],
    ids=["level", "a little", "still rising", "few", "too few agents", "falling", "none"],
)
def test_a_plateau_needs_evidence(rates: list[float], n: int, found: tuple[int, int] | None) -> None:
    got = plateau([round(rate * n) for rate in rates], [n] * len(rates))
    assert (got and (got.newest, got.before)) == found


def test_agents_without_a_judged_continuation_do_not_count() -> None:
    rates = [0, 0.5, 0.6, 0.7, 0.69, 0.7, 0.65, 0.6, 0.7, 0]
    n = [0, *[MANY] * 8, 0]
    got = plateau([round(rate * size) for rate, size in zip(rates, n, strict=True)], n)
    assert got is not None
    assert (got.newest, got.before) == (8, 3)
    assert got.low < 0 < got.high < 0.05
