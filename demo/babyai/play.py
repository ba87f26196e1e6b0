"""Playing an episode: the context's actions are forced on the agent, then it decides itself."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from demo.babyai.agents import Agent
from demo.babyai.world import World


@dataclass(frozen=True)
class Play:
    """The result of playing. `done_at` is the number of actions up to the first completion; None if there was none."""

    actions: tuple[int, ...]
    done_at: int | None
    takeover_state: str
    note: str


def play(
    world: World, agent: Agent, *, context: Sequence[int], steps: int, watch: Callable[[World], None] | None = None
) -> Play:
    """Let `agent` play `steps` actions in a new `world`, the first ones being those of `context`.

    `watch` is called at the start and after every action: `steps + 1` times.
    """
    actions: list[int] = []
    done_at: int | None = None
    takeover_state = world.state()
    if watch:
        watch(world)
    while len(actions) < steps:
        wanted = agent.act(actions[-1] if actions else None)
        actions.append(context[len(actions)] if len(actions) < len(context) else wanted)
        if world.step(actions[-1]) and done_at is None:
            done_at = len(actions)
        if len(actions) == len(context):
            takeover_state = world.state()
        if watch:
            watch(world)
    return Play(tuple(actions), done_at, takeover_state, agent.note)


def replay(world: World, actions: Iterable[int]) -> int | None:
    """The number of recorded `actions` after which the instruction was first completed; None if never."""
    done = [world.step(action) for action in actions]
    return done.index(True) + 1 if True in done else None
