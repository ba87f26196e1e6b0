"""What an action has at hand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from annotation.logical_form import Form
from interaction.builder.acts import Acting
from interaction.builder.memory import Heard, Memory
from interaction.builder.world import World


@dataclass(eq=False)
class Interrupted:
    """What was stopped midway: its command, and what is left to be done, ready to go on."""

    command: Heard
    rest: Acting


@dataclass(eq=False)
class Situation:
    """The world, what is remembered, the words of the command that is being obeyed, and chance.

    Attributes:
        interrupted: What was stopped last and not taken up again.
        next_goes: Where the next of several goes, seen from the one before, as the worker sees it: "LEFT", "UP".
        until: Words for the block that ends digging when it is reached; empty if none does.
    """

    world: World
    memory: Memory
    tokens: Sequence[str]
    chance: Random
    interrupted: Interrupted | None = None
    next_goes: str = "RIGHT"
    until: str = ""


Action = Callable[[Situation, Form], Acting]
"""How one kind of action is done; raises CannotDo."""
