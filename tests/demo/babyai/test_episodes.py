"""Playing and filming anew: the recorded truth is the game's, and a person can see it."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from demo.babyai import manifest
from demo.babyai.agents import AGENTS
from demo.babyai.episodes import entry, record, scenario_page
from demo.babyai.manifest import EpisodeEntry
from demo.babyai.play import play
from demo.babyai.scenarios import SCENARIOS, Scenario, UnsuitableError, prepare
from demo.babyai.world import DROP, LETTERS, PICKUP, TOGGLE, World

MANIFEST = manifest.read(Path(manifest.__file__).parents[1])
ROWS = {scenario.key: scenario for scenario in SCENARIOS}


def does(node: Any, game: Any, action: int, held: Any) -> bool:
    """True if this step did the one thing that `node` asks, looked up in the world and not by the verifier."""
    column, row = game.front_pos
    ahead = game.grid.get(column, row)
    match type(node).__name__:
        case "GoToInstr":
            return ahead in node.desc.obj_set
        case "PickupInstr":
            return action == PICKUP and held is None and game.carrying in node.desc.obj_set
        case "OpenInstr":
            return action == TOGGLE and ahead in node.desc.obj_set and bool(ahead.is_open)
        case "PutNextInstr":
            if action != DROP or game.carrying is not None or held not in node.desc_move.obj_set:
                return False
            around = [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]
            return any(
                thing.cur_pos is not None and tuple(thing.cur_pos) in around for thing in node.desc_fixed.obj_set
            )
    raise AssertionError(node)


def parts(node: Any) -> list[Any]:
    """The things asked, in the order in which they must be done if there is one."""
    match type(node).__name__:
        case "BeforeInstr" | "AndInstr":
            return [node.instr_a, node.instr_b]
        case "AfterInstr":
            return [node.instr_b, node.instr_a]
        case _:
            return [node]


@pytest.mark.parametrize("episode", MANIFEST["episodes"], ids=lambda episode: str(episode["video"]))
def test_replaying_the_actions_gives_the_truth_and_it_can_be_seen(episode: EpisodeEntry) -> None:
    data = episode["data"]
    world = World(ROWS[data["scenario"]].game, ROWS[data["scenario"]].seed)
    open_parts = parts(world.game.instrs)
    any_order = type(world.game.instrs).__name__ == "AndInstr"
    verified: int | None = None
    seen: int | None = None
    for step, letter in enumerate(data["metadata"]["actions"], start=1):
        held, action = world.game.carrying, LETTERS.index(letter)
        if world.step(action) and verified is None:
            verified = step
        for part in list(open_parts):
            if does(part, world.game, action, held):
                open_parts.remove(part)
            elif not any_order:
                break
        if not open_parts and seen is None:
            seen = step
        if step == data["metadata"]["takeover_step"]:
            assert world.state() == data["metadata"]["takeover_state"]
    assert seen == verified
    assert ("failure" if verified is None else "success") == episode["truth"]["outcome"]
    if verified is not None:
        assert data["step_frames"][verified] == episode["truth"]["frame"]


def test_the_table_still_gives_the_committed_scenarios() -> None:
    assert [scenario_page(prepare(scenario)) for scenario in SCENARIOS] == MANIFEST["scenarios"]


@pytest.mark.parametrize("key", ["lift-ball-left", "put-key-across", "key-and-door"])
def test_the_agents_still_play_the_committed_actions(key: str) -> None:
    prepared = prepare(ROWS[key])
    for episode in (one for one in MANIFEST["episodes"] if one["data"]["scenario"] == key):
        agent = episode["data"]["agent"]
        world = World(ROWS[key].game, ROWS[key].seed)
        player = AGENTS[agent](world, Random(f"{ROWS[key].level}/{ROWS[key].seed}/{agent}/0"))
        played = play(world, player, context=prepared.context, steps=prepared.steps)
        assert "".join(LETTERS[action] for action in played.actions) == episode["data"]["metadata"]["actions"]


def test_recording_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    prepared = prepare(ROWS["go-ball"])
    twice = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        twice.append(record(prepared, "noisy", 0, folder=folder))
    assert entry(twice[0], is_reference=True) == entry(twice[1], is_reference=True)
    files = [next((tmp_path / folder).iterdir()).read_bytes() for folder in ("one", "two")]
    assert files[0] == files[1]


def scenario(level: str, seed: int, **more: Any) -> Scenario:
    return Scenario("some", level, seed, "go", "instruction following", "Ask for it", **more)


@pytest.mark.parametrize(
    ("unfair", "why"),
    [
        (scenario("PickupLoc", 52), "left and right"),
        (scenario("GoToSeqS5R2", 1), "more than two parts"),
        (scenario("KeyCorridorS6R3", 1), "more than the expert can do"),
    ],
)
def test_an_unfair_scenario_is_refused_with_the_reason(unfair: Scenario, why: str) -> None:
    with pytest.raises(UnsuitableError, match=why):
        prepare(unfair)
