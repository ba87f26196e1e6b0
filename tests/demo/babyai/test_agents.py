"""The agents, one by one."""

from random import Random

import pytest

from demo.babyai import agents
from demo.babyai.agents import AGENTS, Expert, Mistaken, NothingToMistakeError
from demo.babyai.play import play
from demo.babyai.world import ACTIONS, WAIT, Goal, Thing, World, goal_of


def test_the_expert_does_it_and_then_waits() -> None:
    world = World("BabyAI-GoToLocal-v0", 6)
    played = play(world, Expert(world, Random(1)), context=(), steps=30)
    assert played.done_at is not None
    assert set(played.actions[played.done_at :]) == {WAIT}
    assert played.note == ""


def test_an_expert_without_a_plan_wanders_and_says_since_when(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "SEARCHES", -1)
    world = World("BabyAI-GoToLocal-v0", 6)
    played = play(world, Expert(world, Random(1)), context=(), steps=40)
    assert played.note == "lost its plan at step 1 (LostError), random since"
    assert set(played.actions) == set(ACTIONS)


@pytest.mark.parametrize(
    ("level", "seed", "heard"),
    [
        ("PutNextLocal", 6, "put the red box next to the blue box"),
        ("OpenDoorsOrderN4", 8, "open the red door after you open the green door"),
        ("PickupLoc", 52, "pick up the purple ball on your left"),
    ],
)
def test_mistaken_takes_one_thing_for_another(level: str, seed: int, heard: str) -> None:
    world = World(f"BabyAI-{level}-v0", seed)
    mistaken = Mistaken(world, Random(3))
    assert world.instruction == heard
    given, followed = (goal_of(instruction) for instruction in (world.game.instrs, mistaken.misheard))
    pairs = zip(things(given), things(followed), strict=True)
    assert sum(right != wrong for right, wrong in pairs) == 1


def things(goal: Goal) -> list[Thing]:
    return [thing for leaf in goal.leaves() for thing in leaf.things]


def test_mistaken_needs_something_to_mistake() -> None:
    with pytest.raises(NothingToMistakeError):
        Mistaken(World("BabyAI-OpenTwoDoors-v0", 1), Random(1))


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_repeats_itself_with_the_same_seed(agent: str) -> None:
    games = []
    for _ in range(2):
        world = World("BabyAI-PutNextLocal-v0", 6)
        games.append(play(world, AGENTS[agent](world, Random("again")), context=(0, 1, 2), steps=30))
    assert games[0] == games[1]
    assert games[0].actions[:3] == (0, 1, 2)
