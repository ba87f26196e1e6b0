"""Quiz items and references: difficulty against statsmodels, discrimination against scipy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from lib.statistics.items import item_figures

ROWS = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 6), st.booleans()), max_size=60, unique_by=lambda row: row[:2]
)
Rows = list[tuple[int, int, bool]]


def split(rows: Rows) -> tuple[list[int], list[int], list[bool]]:
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


@given(ROWS)
def test_figures_agree_with_statsmodels_and_scipy(rows: Rows) -> None:
    got = item_figures(*split(rows))
    assert set(got) == {item for _, item, _ in rows}
    for item, figures in got.items():
        own = [(person, right) for person, name, right in rows if name == item]
        assert (figures.n, figures.right) == (len(own), sum(right for _, right in own))
        expected = proportion_confint(figures.right, figures.n, method="wilson")
        assert (figures.low, figures.high) == pytest.approx(expected, abs=1e-9)
        here, rest = [], []
        for person, right in own:
            others = [r for p, name, r in rows if p == person and name != item]
            if others:
                here.append(right)
                rest.append(sum(others) / len(others))
        if len(here) < 3 or len(set(here)) < 2 or len(set(rest)) < 2:
            assert figures.discrimination is None
        else:
            expected_r = stats.pointbiserialr(here, rest).statistic
            assert figures.discrimination == pytest.approx(expected_r, abs=1e-9)


def test_no_answers_make_no_figures_and_nonsense_is_refused() -> None:
    assert item_figures([], [], []) == {}
    with pytest.raises(ValueError, match="one row per answer"):
        item_figures([1], [1, 2], [True])
    with pytest.raises(ValueError, match="right or not"):
        item_figures([1], [1], [3])
