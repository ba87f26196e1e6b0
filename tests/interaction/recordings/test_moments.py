"""The moments of a film: pictures only where something changed, at its time, not too many."""

from typing import Any

import numpy as np
import pytest

from interaction.recordings.making import transcript_of
from interaction.recordings.moments import FLASH_MS, SPEECH_MS, Happening, Part, Stage, moments, part_of
from lib.voxels.scene import Pose, scene_of

HERE = Pose(1, 1, 1, 0, 0)


def stage() -> Stage:
    ground = [[x, 0, z, 2] for x in range(4) for z in range(4)]
    return Stage.of(scene_of((4, 4, 4), np.array(ground, dtype=np.int32), HERE, HERE))


def put(at_ms: int, x: int = 0, block: int = 57) -> Happening:
    return Happening(at_ms, "agent", "blocks", {"changes": [[x, 1, 0, block]]})


def walk(at_ms: int, x: float, role: str = "worker") -> Happening:
    return Happening(at_ms, role, "pose", {"x": x, "y": 1, "z": 1, "pitch": 0, "yaw": 0})


def status(at_ms: int, state: str) -> Happening:
    return Happening(at_ms, "agent", "status", {"command": "c", "state": state})


def speaks(at_ms: int) -> Happening:
    return Happening(at_ms, "agent", "say", {"text": "so"})


def points(at_ms: int, x: int = 0) -> Happening:
    return Happening(at_ms, "agent", "point", {"box": [[x, 0, 0], [1, 1, 1]]})


PART = Part(1000, 9000)


@pytest.mark.parametrize(
    ("happenings", "times"),
    [
        ([], [0]),
        # At its own time, to the millisecond.
        ([put(3217)], [0, 2217]),
        # Earlier changes belong to the first picture.
        ([put(400), put(1000, x=1)], [0]),
        # Nothing looks different: no picture.
        ([walk(3000, 1), put(4000, block=0)], [0]),
        ([put(3000), put(4000)], [0, 2000]),
        # Faster than four a second: together, at the end of the gap, and none is lost.
        ([put(3000, x=0), put(3100, x=1), put(3200, x=2)], [0, 2000, 2250]),
        ([put(3000 + 100 * n, block=46 + n) for n in range(10)], [0, 2000, 2250, 2500, 2750, 3000]),
        # After a gap the next has its own time again.
        ([put(3000), put(3249, x=1), put(3501, x=2)], [0, 2000, 2250, 2501]),
        # The gap counts from the first picture too.
        ([put(1001)], [0, 250]),
        # Not after the end, but what came just before it.
        ([put(9001)], [0]),
        ([put(8900), put(8990, x=1)], [0, 7900, 8150]),
        ([status(3000, "thinking"), status(5000, "thinking"), status(6000, "done")], [0, 2000, 5000]),
        ([Happening(3000, "worker", "mark", {"command": "c", "node": "done", "choice": 0})], [0]),
        # Speech and boxes pass by themselves.
        ([speaks(2000)], [0, 1000, 1000 + SPEECH_MS]),
        ([points(2000)], [0, 1000, 1000 + FLASH_MS]),
        # A speaker who goes on, or a second box, is shown for longer.
        ([speaks(2000), speaks(3000)], [0, 1000, 2000 + SPEECH_MS]),
        ([points(2000), points(2500, x=1)], [0, 1000, 1500, 1500 + FLASH_MS]),
        # Speech that began before the film may end in it.
        ([speaks(500)], [0, 500 + SPEECH_MS - 1000]),
        ([speaks(8000)], [0, 7000]),
    ],
)
def test_a_picture_where_something_changed(happenings: list[Happening], times: list[int]) -> None:
    assert list(moments(stage(), happenings, PART)) == times


def test_each_picture_shows_the_changes_up_to_it() -> None:
    world = stage()
    seen = []
    for at_ms in moments(world, [put(3000, x=0), put(3100, x=1), put(3200, x=2), put(5000, x=3)], PART):
        seen.append((at_ms, int(np.count_nonzero(world.grid[:, 1]))))
    assert seen == [(0, 0), (2000, 1), (2250, 3), (4000, 4)]


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({}, Part(15_000, 32_000)),
        ({"context_ms": 0}, Part(20_000, 32_000)),
        # No earlier than the session began.
        ({"context_ms": 60_000}, Part(2000, 32_000)),
        # The session ended before the command was over.
        ({"over_ms": None}, Part(15_000, 40_000)),
        ({"over_ms": None, "last_ms": 20_100}, Part(15_000, 22_000)),
    ],
)
def test_a_commands_part_of_the_session(changes: dict[str, Any], part: Part) -> None:
    usual: dict[str, Any] = {"told_ms": 20_000, "over_ms": 30_000, "first_ms": 2000, "last_ms": 40_000}
    assert part_of(**{**usual, "context_ms": 5000, "after_ms": 2000, **changes}) == part


def test_a_transcript_has_each_line_with_its_time() -> None:
    ask = {"question": "q", "text": "This one?", "choices": ["yes", "no"]}
    happenings = [
        Happening(500, "agent", "say", {"text": "before"}),
        Happening(900, "agent", "ask", {**ask, "question": "earlier"}),
        Happening(1000, "worker", "choose", {"question": "earlier", "choice": 0}),
        Happening(1500, "worker", "command", {"id": "c", "text": "take it"}),
        Happening(2250, "agent", "ask", ask),
        Happening(3001, "worker", "choose", {"question": "q", "choice": 1}),
        Happening(4000, "worker", "stop", {"command": "c"}),
        put(5000),
        Happening(9001, "agent", "say", {"text": "after"}),
    ]
    assert [tuple(line.values()) for line in transcript_of(happenings, PART)] == [
        (0.0, "player", "yes"),
        (0.5, "player", "take it"),
        (1.25, "agent", "This one? (yes / no)"),
        (2.001, "player", "no"),
        (3.0, "player", "Stop."),
    ]
