"""The frame table answers with exact numbers, however odd the time base."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.video.frames import FrameTable

NTSC = FrameTable(time_base=Fraction(1, 30000), pts=tuple(k * 1001 for k in range(90)), last_duration=1001)
UNEVEN = FrameTable(time_base=Fraction(1, 1000), pts=(0, 33, 40, 500), last_duration=100, start_pts=-7)


@st.composite
def tables(draw: st.DrawFn) -> FrameTable:
    """Any table whose ticks a microsecond cannot blur."""
    time_base = Fraction(draw(st.integers(1, 1001)), draw(st.integers(1, 200_000)))
    deltas = draw(st.lists(st.sampled_from([1, 2, 1001]) | st.integers(1, 10**6), min_size=1, max_size=40))
    pts = [0]
    for delta in deltas[:-1]:
        pts.append(pts[-1] + delta)
    return FrameTable(
        time_base=time_base,
        pts=tuple(pts),
        last_duration=deltas[-1],
        start_pts=draw(st.integers(-(10**12), 10**12)),
    )


@given(tables())
def test_the_compact_form_keeps_everything(table: FrameTable) -> None:
    stored = table.to_json()
    assert FrameTable.from_json(json.loads(json.dumps(stored))) == table
    assert sum(count for _, count in stored["deltas"]) == len(table)


@given(tables(), st.floats(-10, 1e9))
def test_the_four_questions_agree_with_counting(table: FrameTable, time_s: float) -> None:
    slack = Fraction(1, 10**6)
    times = [pts * table.time_base for pts in table.pts]
    last = len(table) - 1
    asked = Fraction(time_s)
    assert table.frame_at(time_s) == max([k for k, t in enumerate(times) if t <= asked + slack], default=0)
    assert table.last_until(time_s) == table.frame_at(time_s)
    assert table.first_from(time_s) == min([k for k, t in enumerate(times) if t >= asked - slack], default=last)
    assert table.last_before(time_s) == max([k for k, t in enumerate(times) if t < asked - slack], default=0)


@given(tables())
def test_the_page_computes_the_same_floats(table: FrameTable) -> None:
    num, den = table.time_base.numerator, table.time_base.denominator
    for frame, pts in enumerate(table.pts):
        if pts * num < 2**53:
            assert table.time_s(frame) == float(pts) * float(num) / float(den)


def test_the_compact_form_counts_equal_intervals_and_ends_with_the_last_frames_duration() -> None:
    steady = FrameTable(time_base=Fraction(1, 15360), pts=tuple(range(0, 9000 * 512, 512)), last_duration=512)
    assert steady.to_json() == {"time_base": [1, 15360], "start_pts": 0, "deltas": [[512, 9000]]}
    deltas = [[33, 1], [7, 1], [460, 1], [100, 1]]
    assert UNEVEN.to_json() == {"time_base": [1, 1000], "start_pts": -7, "deltas": deltas}
    assert (UNEVEN.duration_s, UNEVEN.end) == (0.6, 600)


def test_a_deadline_on_a_frame_includes_it_and_a_failure_is_marked_before_it() -> None:
    deadline_s = 1.001  # the very start of frame 30, which no float holds exactly in ticks of 1/30
    assert NTSC.last_until(deadline_s) == 30
    assert NTSC.last_before(deadline_s) == 29


@pytest.mark.parametrize("time_s", [math.nan, math.inf, -math.inf])
def test_a_time_must_be_a_number(time_s: float) -> None:
    for question in (NTSC.frame_at, NTSC.first_from, NTSC.last_until, NTSC.last_before):
        with pytest.raises(ValueError, match="finite"):
            question(time_s)


@pytest.mark.parametrize("frame", [-1, 90])
def test_there_is_no_frame_outside_the_table(frame: int) -> None:
    with pytest.raises(IndexError):
        NTSC.time_s(frame)


@pytest.mark.parametrize(
    ("time_base", "pts", "last_duration"),
    [
        (Fraction(0), (0,), 1),
        (Fraction(1, 30), (), 1),
        (Fraction(1, 30), (1, 2), 1),
        (Fraction(1, 30), (0, 1, 1), 1),
        (Fraction(1, 30), (0, 2, 1), 1),
        (Fraction(1, 30), (0, 1), 0),
    ],
)
def test_a_table_refuses_nonsense(time_base: Fraction, pts: tuple[int, ...], last_duration: int) -> None:
    with pytest.raises(ValueError):
        FrameTable(time_base=time_base, pts=pts, last_duration=last_duration)


GOOD: Mapping[str, object] = {"time_base": [1, 30], "start_pts": 0, "deltas": [[1, 3]]}
BAD: Mapping[str, list[object]] = {
    "time_base": [None, [1], [1, 0], [-1, 30], [1.0, 30], "1/30"],
    "start_pts": [None, 0.5, True],
    "deltas": [None, [], [[0, 3]], [[1, 0]], [[-1, 3]], [[1]], [[1, 2, 3]], [1, 3], ["13"]],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_the_compact_form_is_checked(name: str, value: object) -> None:
    assert len(FrameTable.from_json(GOOD)) == 3
    with pytest.raises(ValueError):
        FrameTable.from_json({**GOOD, name: value})
