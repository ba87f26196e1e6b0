"""Success rates and places, as a table of cases."""

import math

import pytest

from lib.statistics.success_rate import ranks, success_rate


@pytest.mark.parametrize(("successes", "n"), [(0, 1), (1, 1), (3, 4), (50, 100), (0, 1000), (1000, 1000)])
def test_a_rate_lies_in_its_interval_and_has_the_binomial_error(successes: int, n: int) -> None:
    got = success_rate(successes, n)
    assert got.rate is not None
    assert got.low is not None
    assert got.high is not None
    assert (got.rate, got.standard_error) == (successes / n, math.sqrt(got.rate * (1 - got.rate) / n))
    assert 0 <= got.low <= got.rate <= got.high <= 1


def test_without_continuations_there_is_no_rate() -> None:
    assert success_rate(0, 0) == (0, 0, None, None, None, None)


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3), (1, 0)])
def test_more_successes_than_tries_are_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="no rate"):
        success_rate(successes, n)


@pytest.mark.parametrize(
    ("rates", "places"),
    [
        ([], []),
        ([0.5], [1]),
        ([0.1, 0.9, 0.5], [3, 1, 2]),
        ([0.5, 0.5, 0.5], [1, 1, 1]),
        ([0.9, 0.5, 0.5, 0.1], [1, 2, 2, 4]),
        ([None, 0.5, None], [None, 1, None]),
        ([1 / 3, 2 / 6, 3 / 9], [1, 1, 1]),
    ],
)
def test_ranks(rates: list[float | None], places: list[int | None]) -> None:
    names = [f"agent-{number}" for number in range(len(rates))]
    assert ranks(dict(zip(names, rates, strict=True))) == dict(zip(names, places, strict=True))
