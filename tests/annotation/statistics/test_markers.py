"""Errors of the moment: by hand, and the same for one rater as for many."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.statistics.markers import marker_errors, marker_errors_by_rater


def test_errors_are_signed_and_late_is_positive() -> None:
    got = marker_errors([10.4, 5.2, 7.1, 3.0], [10.0, 5.0, 7.0, 6.0])
    assert got.n == 4
    assert got.median_offset_s == pytest.approx(0.15)
    assert got.median_absolute_s == pytest.approx(0.3)
    assert got.p90_absolute_s == pytest.approx(0.4 + 0.7 * 2.6)
    assert got.within == 0.75


def test_the_tolerance_is_each_references_own_and_its_edge_is_inside() -> None:
    # 4.4 - 4.0 is a little more than 0.4 as floats go.
    marked, true = [1.1, 4.4, 3.9], [1.0, 4.0, 3.0]
    assert marker_errors(marked, true, tolerance_s=0.4).within == pytest.approx(2 / 3)
    assert marker_errors(marked, true, tolerance_s=[0.05, 0.4, 0.9]).within == pytest.approx(2 / 3)


def test_no_markers_have_no_errors() -> None:
    assert marker_errors([], []) == (0, None, None, None, None)
    assert marker_errors_by_rater([], [], []) == {}


@pytest.mark.parametrize(("marked", "true"), [([1.0], [1.0, 2.0]), ([math.nan], [1.0]), ([math.inf], [1.0])])
def test_what_is_no_moment_is_refused(marked: list[float], true: list[float]) -> None:
    with pytest.raises(ValueError, match="moment"):
        marker_errors(marked, true)


def test_raters_without_a_moment_each_are_refused() -> None:
    with pytest.raises(ValueError, match="one rater"):
        marker_errors_by_rater([1, 2], [0.5], [0.5])


MARKS = st.lists(
    st.tuples(st.integers(0, 4), st.floats(0, 60), st.floats(0, 60), st.floats(0, 3)), min_size=1, max_size=30
)


@given(MARKS)
def test_each_rater_has_the_errors_of_their_own_markers(rows: list[tuple[int, float, float, float]]) -> None:
    raters, marked, true, tolerance = (list(column) for column in zip(*rows, strict=True))
    got = marker_errors_by_rater(raters, marked, true, tolerance_s=tolerance)
    assert set(got) == set(raters)
    for rater, errors in got.items():
        own = [row for row in rows if row[0] == rater]
        off = [m - t for _, m, t, _ in own]
        assert errors.n == len(own)
        assert errors.median_offset_s == pytest.approx(float(np.median(off)), abs=1e-9)
        assert errors.p90_absolute_s == pytest.approx(float(np.quantile(np.abs(off), 0.9)), abs=1e-9)
        clear = [abs(e) - row[3] for e, row in zip(off, own, strict=True)]
        assert errors.within is not None
        assert sum(c <= 0 for c in clear) <= errors.within * len(own) + 1e-9
        assert errors.within * len(own) <= sum(c <= 2e-9 for c in clear) + 1e-9


def test_a_late_habit_is_found() -> None:
    draw = np.random.default_rng(1)
    true = draw.uniform(0, 60, 600)
    rater = np.repeat([4, 9], 300)
    marked = true + np.where(rater == 9, 0.6, 0.0) + draw.normal(0, 0.2, 600)
    got = marker_errors_by_rater(rater, marked, true, tolerance_s=0.5)
    assert got[9].median_offset_s == pytest.approx(0.6, abs=0.05)
    assert got[4].median_offset_s == pytest.approx(0.0, abs=0.05)
    assert (got[4].within or 0) > 0.95 > (got[9].within or 0)
