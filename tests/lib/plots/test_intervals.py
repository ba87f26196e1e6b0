"""Where things stand in a plot."""

import pytest

from lib.plots.intervals import AXIS, ROW, Measured, interval_plot, place


@pytest.mark.parametrize(
    ("share", "expected"), [(0, "0%"), (1 / 3, "33.33%"), (1, "100%"), (-0.1, "0%"), (1.5, "100%")]
)
def test_place_is_a_percentage_within_the_axis(share: float, expected: str) -> None:
    assert place(share) == expected


def test_rows_stand_below_each_other_in_the_order_given() -> None:
    plot = interval_plot([Measured("a", 0.2, 0.1, 0.3), Measured("b", 0.9, 0.8, 1.0)])
    assert [(row.label, row.x, row.y) for row in plot.rows] == [("a", "20%", ROW // 2), ("b", "90%", ROW + ROW // 2)]
    assert (plot.rows_height, plot.height) == (2 * ROW, 2 * ROW + AXIS)


def test_the_axis_shows_zero_and_one() -> None:
    plot = interval_plot([])
    assert (plot.ticks[0].x, plot.ticks[0].text) == ("0%", "0 %")
    assert (plot.ticks[-1].x, plot.ticks[-1].text) == ("100%", "100 %")


def test_a_standard_error_is_a_band_cut_at_the_axis_and_nothing_measured_is_not_drawn() -> None:
    row, nothing = interval_plot([Measured("a", 0.9, 0.7, 0.97, standard_error=0.2), Measured("b", None, n=0)]).rows
    assert (row.x_error, row.error_width, row.x_low, row.x_high) == ("70%", "30%", "70%", "97%")
    assert (nothing.label, nothing.x, nothing.x_error) == ("b", "", "")
