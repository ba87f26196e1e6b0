"""Errors of the moment: by hand and by numpy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.statistics.marker_errors import marker_errors


def test_the_tolerance_is_each_references_own_and_its_edge_is_inside() -> None:
    # 4.4 - 4.0 is a little more than 0.4 as floats go.
    marked, true = [1.1, 4.4, 3.9], [1.0, 4.0, 3.0]
    assert marker_errors(marked, true, tolerance_s=0.4).within == pytest.approx(2 / 3)
    assert marker_errors(marked, true, tolerance_s=[0.05, 0.4, 0.9]).within == pytest.approx(2 / 3)


def test_no_markers_have_no_errors() -> None:
    assert marker_errors([], []) == (0, None, None, None, None)


@pytest.mark.parametrize(("marked", "true"), [([1.0], [1.0, 2.0]), ([math.nan], [1.0]), ([math.inf], [1.0])])
def test_a_number_that_is_no_moment_is_refused(marked: list[float], true: list[float]) -> None:
    with pytest.raises(ValueError, match="moment"):
        marker_errors(marked, true)


MARKS = st.lists(st.tuples(st.floats(0, 60), st.floats(0, 60), st.floats(0, 3)), min_size=1, max_size=30)


@given(MARKS)
def test_errors_are_those_of_numpy(rows: list[tuple[float, float, float]]) -> None:
    marked, true, tolerance = (list(column) for column in zip(*rows, strict=True))
    got = marker_errors(marked, true, tolerance_s=tolerance)
    off = [m - t for m, t, _ in rows]
    assert got.n == len(rows)
    assert got.median_offset_s == pytest.approx(float(np.median(off)), abs=1e-9)
    assert got.p90_absolute_s == pytest.approx(float(np.quantile(np.abs(off), 0.9)), abs=1e-9)
    clear = [abs(error) - row[2] for error, row in zip(off, rows, strict=True)]
    assert got.within is not None
    assert sum(c <= 0 for c in clear) <= got.within * len(rows) + 1e-9
    assert got.within * len(rows) <= sum(c <= 2e-9 for c in clear) + 1e-9
