"""The acts that the agent's mind yields, one at a time. The runner shows each act to the worker."""

from collections.abc import Generator
from dataclasses import dataclass
from enum import StrEnum

from lib.voxels.scene import Pose

Place = tuple[int, int, int]
"""A cell of the world: x, y, z."""
Change = tuple[int, int, int, int]
"""x, y, z and the id of the block that is there from now on; 0 is air."""
MOST_CHANGES = 64
"""The most blocks of one `Edit`. The worker sees a large thing grow."""


@dataclass(frozen=True)
class Say:
    """Send a sentence to the worker."""

    text: str


@dataclass(frozen=True)
class Go:
    """Move the agent to this pose; one step."""

    pose: Pose


@dataclass(frozen=True)
class Edit:
    """Change blocks, at most `MOST_CHANGES`."""

    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Show:
    """Point at a box, from `low` to `high`, both inclusive: it flashes."""

    low: Place
    high: Place


@dataclass(frozen=True)
class Found:
    """The voxels that a phrase of the command stands for; none if nothing was found."""

    phrase: str
    voxels: tuple[Place, ...]


@dataclass(frozen=True)
class Ask:
    """Ask the worker a question and point at the box. Send the index of the choice to the generator: `send(index)`."""

    text: str
    choices: tuple[str, ...]
    low: Place | None = None
    high: Place | None = None


Act = Say | Go | Edit | Show | Found | Ask
Acts = Generator[Act, int | None, None]
"""Acts in order. The caller sends None after each act except `Ask`."""


class Reason(StrEnum):
    """The reason for which a command failed, as one word for statistics."""

    NOT_UNDERSTOOD = "not_understood"
    """The command does not say enough to start."""
    UNKNOWN_ACTION = "unknown_action"
    UNKNOWN_KIND = "unknown_kind"
    """The agent knows no such thing, animal or material."""
    NOT_FOUND = "not_found"
    """The world has no such thing."""
    UNSUITABLE = "unsuitable"
    """The thing exists, but the action does not apply to it."""
    WRONG_SIZE = "wrong_size"
    NO_ROOM = "no_room"
    NOTHING_TO_DO = "nothing_to_do"
    """There is nothing to undo, to continue, or to fill."""


class CannotDo(Exception):
    """The command cannot be carried out.

    Attributes:
        reason: The reason as one word, for statistics.
    """

    def __init__(self, sentence: str, reason: Reason) -> None:
        """
        Args:
            sentence: The explanation for the worker.
        """
        super().__init__(sentence)
        self.reason = reason
