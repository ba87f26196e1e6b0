"""What the agent's mind does, one act at a time. Whoever runs the mind shows each act to the worker."""

from collections.abc import Generator
from dataclasses import dataclass
from enum import StrEnum

from annotation.voxels.scene import Pose

Place = tuple[int, int, int]
"""A cell of the world: x, y, z."""
Change = tuple[int, int, int, int]
"""x, y, z and the id of the block that is there from now on; 0 is air."""
MOST_CHANGES = 64
"""Of one `Edit`, so that building is seen to grow."""


@dataclass(frozen=True)
class Say:
    """A sentence to the worker."""

    text: str


@dataclass(frozen=True)
class Go:
    """The agent now stands and looks so: one step."""

    pose: Pose


@dataclass(frozen=True)
class Edit:
    """Blocks that change, at most `MOST_CHANGES`."""

    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Show:
    """Pointing: the box from `low` to `high`, both inclusive, flashes."""

    low: Place
    high: Place


@dataclass(frozen=True)
class Found:
    """What a phrase of the command was taken for; no voxels: nothing was found."""

    phrase: str
    voxels: tuple[Place, ...]


@dataclass(frozen=True)
class Ask:
    """A question to the worker; the generator is resumed with `send(index of the choice)`. The box is pointed at."""

    text: str
    choices: tuple[str, ...]
    low: Place | None = None
    high: Place | None = None


Act = Say | Go | Edit | Show | Found | Ask
Acting = Generator[Act, int | None, None]
"""Acts in order; `send(None)` after each but an `Ask`."""


class Why(StrEnum):
    """Why a command cannot be done, in one word, to be counted by."""

    NOT_UNDERSTOOD = "not_understood"
    """What was said tells too little to begin with."""
    UNKNOWN_ACTION = "unknown_action"
    UNKNOWN_KIND = "unknown_kind"
    """It knows no such thing, animal or material."""
    NOT_FOUND = "not_found"
    """Nothing in the world is what was meant."""
    UNSUITABLE = "unsuitable"
    """What was meant is there, but that cannot be done with it."""
    WRONG_SIZE = "wrong_size"
    NO_ROOM = "no_room"
    NOTHING_TO_DO = "nothing_to_do"
    """There is nothing to undo, to go on with, to fill."""


class CannotDo(Exception):
    """The command cannot be done.

    Attributes:
        why: The same as its sentence in a word: for whoever counts failures.
    """

    def __init__(self, sentence: str, why: Why) -> None:
        """
        Args:
            sentence: For the worker.
        """
        super().__init__(sentence)
        self.why = why
