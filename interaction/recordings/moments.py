"""The moments of a film, computed from a world and its events; each has its exact time. Pure.

A film has a picture only where something changed, at the time of the change. Changes that follow one another faster
than `GAP_MS` are shown together at the end of that gap.
"""

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from interaction.session.worlds import changes_of
from lib.voxels.scene import Pose, Scene

GAP_MS: Final = 250
"""The least time between two pictures."""
FLASH_MS: Final = 1500
"""How long a box stays visible after the agent has pointed at it."""
SPEECH_MS: Final = 2500
"""How long a speaker stays marked as speaking."""
_ENDS: Final = "ends"


class Happening(NamedTuple):
    """One event of the log; `at_ms` counts from the same moment for all events."""

    at_ms: int
    role: str
    kind: str
    body: dict[str, Any]


class Part(NamedTuple):
    """The start and the end of the film, counted like the events."""

    begins_ms: int
    ends_ms: int


def part_of(*, told_ms: int, over_ms: int | None, first_ms: int, last_ms: int, context_ms: int, after_ms: int) -> Part:
    """A command's part of a session.

    Args:
        told_ms: When the command was given.
        over_ms: When it was done or had failed; None where the session ended before.
        first_ms, last_ms: When the log begins and ends.

    >>> part_of(told_ms=60_000, over_ms=70_000, first_ms=0, last_ms=90_000, context_ms=5000, after_ms=2000)
    Part(begins_ms=55000, ends_ms=72000)
    """
    ends = last_ms if over_ms is None else over_ms + after_ms
    # A film that ended as its command was given would show nothing of it.
    return Part(max(first_ms, told_ms - context_ms), max(ends, told_ms + after_ms))


@dataclass
class Stage:
    """The world as it looks at one moment.

    Attributes:
        grid: Block ids, axes (x, y, z), uint8; 0 is air.
        state: Of the last command: "", sent, received, thinking, acting, done, failed, or stop.
        speaker: Who speaks: "", worker or agent.
        box: Two opposite corners of what the agent points at, both within.
    """

    grid: npt.NDArray[np.uint8]
    agent: Pose | None
    player: Pose | None
    state: str = ""
    speaker: str = ""
    box: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    _until: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, scene: Scene) -> "Stage":
        return cls(scene.dense(), scene.agent, scene.player)

    def apply(self, event: Happening) -> bool:
        """Apply the event; returns whether anything looks different."""
        match event.role, event.kind:
            case _, "blocks" | "place" | "destroy":
                return self._put(changes_of(event.kind, event.body))
            case "agent", "pose":
                before, self.agent = self.agent, Pose(**event.body)
                return before != self.agent
            case "worker", "pose":
                before, self.player = self.player, Pose(**event.body)
                return before != self.player
            case _, "command":
                return self._to(state="sent") | self._speak(event)
            case _, "status":
                return self._to(state=event.body["state"])
            case _, "stop":
                return self._to(state="stop")
            case _, "say" | "ask" | "choose":
                is_pointing = bool(event.body.get("point")) and self._point(event.at_ms, event.body["point"])
                return self._speak(event) | is_pointing
            case _, "point":
                return self._point(event.at_ms, event.body["box"])
            case _, "ends":
                return self._end(event)
        return False

    def passing(self, event: Happening) -> list[Happening]:
        """The later changes that follow from this event by themselves: speech and boxes that disappear."""
        lasts = [("speaker", SPEECH_MS)] if event.kind in {"command", "say", "ask", "choose"} else []
        lasts += [("box", FLASH_MS)] if event.kind == "point" or event.body.get("point") else []
        return [Happening(event.at_ms + ms, "", _ENDS, {"what": what}) for what, ms in lasts]

    def _put(self, changes: Iterable[tuple[int, ...]]) -> bool:
        is_other = False
        for x, y, z, block in changes:
            is_other |= bool(self.grid[x, y, z] != block)
            self.grid[x, y, z] = block
        return is_other

    def _to(self, *, state: str) -> bool:
        before, self.state = self.state, state
        return before != state

    def _speak(self, event: Happening) -> bool:
        self._until["speaker"] = event.at_ms + SPEECH_MS
        before, self.speaker = self.speaker, event.role
        return before != self.speaker

    def _point(self, at_ms: int, corners: list[list[int]]) -> bool:
        self._until["box"] = at_ms + FLASH_MS
        before, self.box = self.box, (tuple(corners[0]), tuple(corners[1]))
        return before != self.box

    def _end(self, event: Happening) -> bool:
        what = event.body["what"]
        if self._until.get(what) != event.at_ms:
            # It began again meanwhile, so it ends later.
            return False
        setattr(self, what, None if what == "box" else "")
        return True


def moments(stage: Stage, happenings: Iterable[Happening], part: Part) -> Iterator[int]:
    """The times of a film's pictures, in ms from its begin; at each, `stage` is as the picture shows it.

    The first is 0; each is at least `GAP_MS` after the one before. The last may be up to `GAP_MS` after the part's
    end, for what happened just before it.

    Args:
        happenings: In their order; those before the part bring the stage to where it begins.
    """
    last, since = part.begins_ms, None
    is_begun = False
    for event in _timeline(stage, happenings, part):
        if not is_begun and event.at_ms > part.begins_ms:
            is_begun = True
            yield 0
        if since is not None and (due := max(since, last + GAP_MS)) < event.at_ms:
            yield due - part.begins_ms
            last, since = due, None
        if stage.apply(event) and is_begun and since is None:
            since = event.at_ms
    if not is_begun:
        yield 0
    if since is not None:
        yield max(since, last + GAP_MS) - part.begins_ms


def _timeline(stage: Stage, happenings: Iterable[Happening], part: Part) -> Iterator[Happening]:
    """All events up to the end of the part and the changes that follow by themselves, in order of time."""
    number = count()
    passing: list[tuple[int, int, Happening]] = []
    for event in happenings:
        while passing and passing[0][0] <= event.at_ms:
            yield heapq.heappop(passing)[2]
        if event.at_ms > part.ends_ms:
            break
        yield event
        for later in stage.passing(event):
            heapq.heappush(passing, (later.at_ms, next(number), later))
    while passing and passing[0][0] <= part.ends_ms:
        yield heapq.heappop(passing)[2]
