"""The four agents of the demo, from perfect to hopeless. A seed determines everything that each does."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Protocol

from minigrid.envs.babyai.core.verifier import ObjDesc
from minigrid.utils.baby_ai_bot import BabyAIBot, DisappearedBoxError

from demo.babyai.world import ACTIONS, DROP, World

NOISE = 0.6
SEARCHES = 400  # the most for one step; a sound plan needs a few dozen

# minigrid is not typed where we use it.
_Bot: Any = BabyAIBot
_describe: Any = ObjDesc


class Agent(Protocol):
    """A program that plays. It chooses an action at every step, but only those after the takeover are done."""

    note: str

    def act(self, last: int | None, /) -> int:
        """The next action, given the action that was really done before (None at the start)."""


class Expert:
    """Follows the bot's plan. If the bot cannot handle the state of the world, the agent moves at random from then on.

    `note` says when and why that happened.
    """

    def __init__(self, world: World, rng: Random) -> None:
        self.note = ""
        self._rng = rng
        self._bot: Any = _PatientBot(world.game)
        self._steps = 0

    def act(self, last: int | None, /) -> int:
        self._steps += 1
        if not self.note:
            try:
                return int(self._bot.replan(last))
            except (AssertionError, AttributeError, TypeError, DisappearedBoxError, _LostError) as why:
                reason = type(why).__name__.strip("_")
                self.note = f"lost its plan at step {self._steps} ({reason}), random since"
        return random_action(self._rng)


class Noisy(Expert):
    """The expert with noise: each step is random with probability `NOISE`."""

    def act(self, last: int | None, /) -> int:
        planned = super().act(last)
        return random_action(self._rng) if self._rng.random() < NOISE else planned


class Mistaken(Expert):
    """The expert, but it takes one thing of the instruction for another thing of the level.

    `misheard` is the instruction that it follows, in minigrid's form.
    """

    def __init__(self, world: World, rng: Random) -> None:
        self._world = world
        self.misheard = _misheard(world.game, rng)
        given, world.game.instrs = world.game.instrs, self.misheard
        try:
            super().__init__(world, rng)
        finally:
            world.game.instrs = given

    def act(self, last: int | None, /) -> int:
        # After a drop the game updates the things of its own instruction only.
        if last == DROP:
            self._world.game.update_objs_poss(self.misheard)
        return super().act(last)


class RandomAgent:
    """A random action at every step."""

    def __init__(self, _world: World, rng: Random) -> None:
        self.note = ""
        self._rng = rng

    def act(self, _last: int | None, /) -> int:
        return random_action(self._rng)


AGENTS: dict[str, Callable[[World, Random], Agent]] = {
    "expert": Expert,
    "noisy": Noisy,
    "mistaken": Mistaken,
    "random": RandomAgent,
}


def random_action(rng: Random) -> int:
    """A random action; waiting is not one."""
    return rng.choice(ACTIONS)


class _LostError(Exception):
    """The bot searches without end."""


class _PatientBot(_Bot):  # type: ignore[misc]
    """BabyAIBot, but it gives up where the original would replan for ever."""

    def replan(self, action_taken: int | None = None) -> Any:
        self.bfs_counter = 0
        return super().replan(action_taken)

    def _breadth_first_search(self, *args: Any, **kwargs: Any) -> Any:
        if self.bfs_counter > SEARCHES:
            raise _LostError
        return super()._breadth_first_search(*args, **kwargs)


class NothingToMistakeError(ValueError):
    """The level has no second thing that the instruction could mean."""


def _misheard(game: Any, rng: Random) -> Any:
    """The game's instruction with one thing swapped, if possible for one of the same kind or colour."""
    slots = list(_slots(game.instrs))
    rng.shuffle(slots)
    present = sorted({(cell.type, cell.color) for cell in game.grid.grid if cell is not None and cell.type != "wall"})
    named = {id(thing) for _, _, _, description in slots for thing in description.obj_set}
    for node, slot, door, description in slots:
        others = [
            (kind, colour)
            for kind, colour in present
            if door in (None, kind == "door") and not named & _matching(game, kind, colour)
        ]
        rng.shuffle(others)
        if others:
            right = description.obj_set[0]
            kind, colour = max(others, key=lambda other: (other[0] == right.type) + (other[1] == right.color))
            return _rebuilt(game.instrs, game, swap=(node, slot, kind, colour))
    raise NothingToMistakeError(game.mission)


def _matching(game: Any, kind: str, colour: str) -> set[int]:
    things, _ = _describe(kind, colour).find_matching_objs(game)
    return {id(thing) for thing in things}


def _slots(node: Any) -> Iterator[tuple[Any, str, bool | None, Any]]:
    """Each named thing: its node, the attribute there, whether it is a door (None: maybe), its description."""
    if hasattr(node, "instr_a"):
        yield from _slots(node.instr_a)
        yield from _slots(node.instr_b)
    elif hasattr(node, "desc_move"):
        yield node, "desc_move", False, node.desc_move
        yield node, "desc_fixed", False, node.desc_fixed
    else:
        door = {"OpenInstr": True, "PickupInstr": False}.get(type(node).__name__)
        yield node, "desc", door, node.desc


def _rebuilt(node: Any, game: Any, *, swap: tuple[Any, str, str, str]) -> Any:
    """A copy with one thing swapped. It refers to the same world, which deepcopy would copy too."""
    if hasattr(node, "instr_a"):
        copy = type(node)(_rebuilt(node.instr_a, game, swap=swap), _rebuilt(node.instr_b, game, swap=swap))
    else:
        swapped, at, kind, colour = swap
        copy = type(node)(
            *(
                _describe(kind, colour)
                if node is swapped and slot == at
                else _describe(description.type, description.color, description.loc)
                for _, slot, _, description in _slots(node)
            )
        )
    copy.reset_verifier(game)
    return copy
