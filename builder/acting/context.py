"""The data that an action works with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from builder.acting.acts import Acts
from builder.world.memory import HeardCommand, Memory
from builder.world.world import World
from lib.logical_form import Form


@dataclass(eq=False)
class Interrupted:
    """A command that was stopped before its end, and its remaining acts."""

    command: HeardCommand
    rest: Acts


@dataclass(eq=False)
class ActionContext:
    """The world, the memory, the words of the present command, and the random numbers.

    Attributes:
        interrupted: The command that was stopped last and not continued.
        next_direction: Where the next of several things goes, from the one before, as the worker sees it: "LEFT", "UP".
        until: Words for the block at which digging ends; empty if there is none.
    """

    world: World
    memory: Memory
    tokens: Sequence[str]
    chance: Random
    interrupted: Interrupted | None = None
    next_direction: str = "RIGHT"
    until: str = ""


Action = Callable[[ActionContext, Form], Acts]
"""Carries out one kind of action; raises CannotDo."""
