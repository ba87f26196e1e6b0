"""The geometry of an episode's timeline."""

import pytest

from lib.plots.intervals import ROW
from lib.plots.timeline import HEAD, MOST_TICKS, Mark, tick_times, timeline


def test_marks_stand_in_lanes_at_their_time() -> None:
    marks = [Mark("answer", "anna", "success", 2.5), Mark("answer", "bert", "failure", 7.5)]
    drawn = timeline(duration_s=10, takeover_s=1, deadline_s=9, marks=marks)
    assert [(lane.mark.label, lane.x, lane.y) for lane in drawn.lanes] == [
        ("anna", "25%", HEAD + ROW // 2),
        ("bert", "75%", HEAD + ROW + ROW // 2),
    ]
    assert (drawn.takeover.x, drawn.deadline.x, drawn.after_deadline) == ("10%", "90%", "10%")


def test_a_deadline_after_the_video_is_its_end() -> None:
    drawn = timeline(duration_s=10, takeover_s=1, deadline_s=30, marks=[])
    assert (drawn.deadline.x, drawn.after_deadline) == ("100%", "0%")


@pytest.mark.parametrize(
    ("takeover_s", "deadline_s", "anchors"),
    [(1, 9, ("start", "end")), (6, 9, ("end", "end")), (0.5, 3, ("start", "start"))],
)
def test_the_words_of_the_moments_stay_apart(takeover_s: float, deadline_s: float, anchors: tuple[str, str]) -> None:
    drawn = timeline(duration_s=10, takeover_s=takeover_s, deadline_s=deadline_s, marks=[])
    assert (drawn.takeover.anchor, drawn.deadline.anchor) == anchors


def test_what_still_counts_as_right_is_a_band_within_the_video() -> None:
    marks = [Mark("truth", "Truth", "success", 0.5, tolerance_s=1), Mark("truth", "Truth", "success", 9.5, 1)]
    first, last = timeline(duration_s=10, takeover_s=0, deadline_s=10, marks=marks).lanes
    assert (first.band_x, first.band_width) == ("0%", "15%")
    assert (last.band_x, last.band_width) == ("85%", "15%")


def test_a_judgement_without_a_moment_has_a_lane_and_no_place() -> None:
    (lane,) = timeline(duration_s=10, takeover_s=0, deadline_s=10, marks=[Mark("consensus", "C", None, None)]).lanes
    assert (lane.x, lane.band_x) == ("", "")


@pytest.mark.parametrize("duration_s", [0.05, 0.5, 3, 11.2, 60, 299, 900, 7200])
def test_ticks_are_few_and_within_the_video(duration_s: float) -> None:
    times = tick_times(duration_s)
    assert times[0] == 0
    assert len(times) <= MOST_TICKS
    assert times[-1] <= duration_s + 1e-6


def test_a_video_without_length_has_no_axis() -> None:
    with pytest.raises(ValueError, match="no axis"):
        timeline(duration_s=0, takeover_s=0, deadline_s=0, marks=[])
