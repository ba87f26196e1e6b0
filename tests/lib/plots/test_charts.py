"""Geometry of plots with two axes."""

import pytest

from lib.plots.charts import CELL, HEAD, HEIGHT, Point, bar_plot, heat_plot, line_plot


def test_the_highest_bar_reaches_the_top_and_others_are_in_proportion() -> None:
    plot = bar_plot([("mon", 2), ("tue", 0), ("wed", 8)])
    assert [bar.height for bar in plot.bars] == [HEIGHT / 4, 0, HEIGHT]
    assert plot.bars[2].y == HEAD
    assert [bar.title for bar in plot.bars] == ["mon: 2", "tue: 0", "wed: 8"]
    assert plot.levels[0].text == "8"
    assert len(bar_plot([(str(day), 1) for day in range(30)]).ticks) <= 6, "many bars leave out most names"


@pytest.mark.parametrize("counts", [[], [("mon", 0)]])
def test_nothing_counted_is_no_fault(counts: list[tuple[str, float]]) -> None:
    plot = bar_plot(counts)
    assert plot.levels == ()
    assert all(bar.height == 0 for bar in plot.bars)


def test_a_line_joins_its_points_in_order_and_stays_inside() -> None:
    plot = line_plot([Point(0, 0.5, 0.2, 0.9), Point(0.5, 2.0), Point(1, -1.0)], bounds=(0, 1))
    assert [spot.y for spot in plot.spots] == [HEAD + HEIGHT / 2, HEAD, HEAD + HEIGHT]
    assert [(one.x1, one.x2) for one in plot.segments] == [("0%", "50%"), ("50%", "100%")]
    first = plot.spots[0]
    assert first.y_low is not None
    assert first.y_high is not None
    assert first.y_low > first.y > first.y_high


def test_one_value_everywhere_is_drawn_at_the_bottom_of_its_bounds() -> None:
    (spot,) = line_plot([Point(0.5, 3.0)], bounds=(3.0, 3.0)).spots
    assert spot.y == HEAD + HEIGHT


def test_a_heat_plot_has_a_field_for_each_pair_that_has_a_value() -> None:
    plot = heat_plot(["ann", "bob", "cleo"], {(0, 1): (1.0, "12 tasks"), (2, 0): (0.0, "3 tasks")})
    full, none = plot.cells
    assert (full.x, full.y, full.shade, full.text, full.is_dark) == (CELL, 0, 4, "100", True)
    assert (none.x, none.y, none.shade, none.text, none.is_dark) == (0, 2 * CELL, 0, "0", False)
    assert full.title == "ann and bob: 100 %, 12 tasks"
    assert plot.size == 3 * CELL
