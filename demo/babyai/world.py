"""One BabyAI level in play. Only this file uses gymnasium and minigrid objects directly.

minigrid has no types where we use it, so its objects are `Any` here and plain values everywhere else. Only `agents.py`
uses `World.game`, because the bot needs the game itself.
"""

import hashlib
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.metadata import version
from io import StringIO
from typing import Any

import gymnasium
import numpy as np
from minigrid.core.grid import Grid
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

LEFT, RIGHT, FORWARD, PICKUP, DROP, TOGGLE, WAIT = range(7)
ACTIONS = (LEFT, RIGHT, FORWARD, PICKUP, DROP, TOGGLE)
LETTERS = "lrfpdtw"  # one letter for each of the seven, in that order
SOURCE = f"minigrid {version('minigrid')}"


@dataclass(frozen=True)
class Thing:
    """A thing in an instruction, such as `blue key`.

    `place` is left, right, front or behind, seen from the agent at the start; `any_of`: several things fit.
    """

    words: str
    place: str | None = None
    any_of: bool = False


@dataclass(frozen=True)
class Goal:
    """An instruction as a tree: go, lift, open (one thing), put (two things), and, then (two parts)."""

    verb: str
    things: tuple[Thing, ...] = ()
    parts: "tuple[Goal, ...]" = ()

    def leaves(self) -> "tuple[Goal, ...]":
        """The instruction itself, or each of its parts."""
        return self.parts or (self,)


class World:
    """A level started from a seed; the same seed and actions always give the same world."""

    def __init__(self, level: str, seed: int) -> None:
        made: Any = gymnasium.make(level, disable_env_checker=True)
        self.game: Any = made.unwrapped
        with redirect_stdout(StringIO()):  # it prints a line for every map that it rejects
            self.game.reset(seed=seed)
        self.instruction: str = self.game.mission

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows of the map, walls included."""
        return self.game.width, self.game.height

    def step(self, action: int) -> bool:
        """Do `action`; True if the level's own verifier finds the whole instruction completed by this step.

        The game may continue after that: continuations run their whole length.
        """
        terminated: bool = self.game.step(action)[2]
        return terminated

    def has_begun(self) -> bool:
        """True if the verifier has marked a part of an instruction of several parts as done."""
        return any(
            getattr(node, done, None) == "success" for node in _nodes(self.game.instrs) for done in ("a_done", "b_done")
        )

    def has_locked_door(self) -> bool:
        """True if a door of the level needs a key at this moment."""
        cells = self.game.grid.grid
        return any(cell.is_locked for cell in cells if cell is not None and cell.type == "door")

    def is_open_already(self) -> bool:
        """True if a door of the instruction is already open, so that no moment of opening exists."""
        return any(
            door.is_open
            for node in _nodes(self.game.instrs)
            if type(node).__name__ == "OpenInstr"
            for door in node.desc.obj_set
        )

    def goal(self) -> Goal:
        """The instruction as a tree of plain values."""
        return goal_of(self.game.instrs)

    def carried(self) -> str | None:
        """The thing that the agent carries, as `blue key`."""
        held = self.game.carrying
        return None if held is None else f"{held.color} {held.type}"

    def state(self) -> str:
        """SHA-256 of everything that determines the rest of the game: map, pose and the carried thing."""
        pose = [*(int(at) for at in self.game.agent_pos), int(self.game.agent_dir)]
        rest = repr((pose, self.carried()))
        return hashlib.sha256(self.game.grid.encode().tobytes() + rest.encode()).hexdigest()

    def picture(self, tile: int) -> Picture:
        """The whole map from above, `tile` pixels a square, without the highlight of the agent's own view."""
        return np.asarray(self.game.get_frame(highlight=False, tile_size=tile), dtype=np.uint8)

    def carried_picture(self, tile: int) -> Picture:
        """The carried thing as on the map; an empty square if there is none."""
        return np.asarray(Grid.render_tile(self.game.carrying, tile_size=tile), dtype=np.uint8)


def _nodes(instruction: Any) -> Iterator[Any]:
    yield instruction
    for part in ("instr_a", "instr_b"):
        if hasattr(instruction, part):
            yield from _nodes(getattr(instruction, part))


def goal_of(instruction: Any) -> Goal:
    """A node of the verifier's tree as plain values.

    Raises:
        ValueError: The kind of instruction is unknown: BabyAI's levels did not have it when this was written.
    """
    match type(instruction).__name__:
        case "GoToInstr":
            return Goal("go", (_thing(instruction.desc),))
        case "PickupInstr":
            return Goal("lift", (_thing(instruction.desc),))
        case "OpenInstr":
            return Goal("open", (_thing(instruction.desc),))
        case "PutNextInstr":
            return Goal("put", (_thing(instruction.desc_move), _thing(instruction.desc_fixed)))
        case "AndInstr":
            return Goal("and", parts=(goal_of(instruction.instr_a), goal_of(instruction.instr_b)))
        case "BeforeInstr":
            return Goal("then", parts=(goal_of(instruction.instr_a), goal_of(instruction.instr_b)))
        case "AfterInstr":
            return Goal("then", parts=(goal_of(instruction.instr_b), goal_of(instruction.instr_a)))
        case other:
            raise ValueError(f"an instruction of an unknown kind: {other}")


def _thing(description: Any) -> Thing:
    kind = description.type or "object"
    words = f"{description.color} {kind}" if description.color else kind
    return Thing(words, description.loc, len(description.obj_set) > 1)
