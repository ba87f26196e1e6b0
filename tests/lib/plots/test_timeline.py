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


@pytest.mark.parametrize(
    ("takeover_s", "deadline_s", "anchors"),
    [(1, 9, ("start", "end")), (6, 9, ("end", "end")), (0.5, 3, ("start", "start"))],
)
def test_the_words_of_the_moments_stay_apart(takeover_s: float, deadline_s: float, anchors: tuple[str, str]) -> None:
    drawn = timeline(duration_s=10, takeover_s=takeover_s, deadline_s=deadline_s, marks=[])
    assert (drawn.takeover.anchor, drawn.deadline.anchor) == anchors


def test_bands_stay_within_the_video_and_a_mark_without_a_moment_has_no_place() -> None:
    marks = [Mark("truth", "Truth", "success", at_s, tolerance_s=1) for at_s in (0.5, 9.5)]
    drawn = timeline(duration_s=10, takeover_s=0, deadline_s=30, marks=[*marks, Mark("consensus", "C", None, None)])
    first, last, nowhere = drawn.lanes
    assert [(lane.band_x, lane.band_width) for lane in (first, last)] == [("0%", "15%"), ("85%", "15%")]
    assert (nowhere.x, nowhere.band_x) == ("", "")
    assert (drawn.deadline.x, drawn.after_deadline) == ("100%", "0%"), "a later deadline is the end of the video"


@pytest.mark.parametrize("duration_s", [0.05, 0.5, 3, 11.2, 60, 299, 900, 7200])
def test_ticks_are_few_and_within_the_video(duration_s: float) -> None:
    times = tick_times(duration_s)
    assert times[0] == 0
    assert len(times) <= MOST_TICKS
    assert times[-1] <= duration_s + 1e-6


def test_a_video_without_length_has_no_axis() -> None:
    with pytest.raises(ValueError, match="no axis"):
        timeline(duration_s=0, takeover_s=0, deadline_s=0, marks=[])
