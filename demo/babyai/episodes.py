"""Makes the demo's episodes anew: `python -m demo.babyai.episodes [--out demo]`.

Writes `episodes/*.mp4` and `manifest.json`, the same bytes every time; `demo/README.md` describes them.
"""

import argparse
import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from demo.babyai import manifest
from demo.babyai.agents import AGENTS, NOISE
from demo.babyai.film import Frame, draw, fingerprint, write
from demo.babyai.manifest import AgentPage, EpisodeEntry, Manifest, Outcome, Reference, ScenarioPage, SuitePage
from demo.babyai.play import Play, play
from demo.babyai.scenarios import FPS, FRAMES_PER_STEP, SCENARIOS, Prepared, Scenario, prepare
from demo.babyai.world import LETTERS, SOURCE, World

SUITE: SuitePage = {
    "slug": "babyai",
    "title": "BabyAI: do as you are told",
    "description": (
        "Short instructions in small rooms with boxes, balls, keys and doors, from BabyAI (minigrid). The "
        "agent is told what to do and has a fixed time for it. The truth comes from the level's own verifier."
    ),
}
TOLERANCE_S = 1.0
AT_MOST = 3_000_000  # bytes of all videos together, because they are kept in the repository

# How many episodes of an agent become references: (successes, failures). Together as many of each.
REFERENCES = {"expert": (4, 0), "noisy": (3, 1), "mistaken": (1, 3), "random": (0, 4)}

AGENT_PAGES: list[AgentPage] = [
    {
        "slug": "expert",
        "name": "Expert",
        "description": "BabyAI's own bot: plans its way and undoes what went wrong.",
        "metadata": {"policy": "BabyAIBot", "p_random": 0.0},
    },
    {
        "slug": "noisy",
        "name": "Noisy expert",
        "description": f"The expert, except that each step is a random action with probability {NOISE}.",
        "metadata": {"policy": "BabyAIBot", "p_random": NOISE},
    },
    {
        "slug": "mistaken",
        "name": "Mistaken expert",
        "description": "The expert with one thing of the instruction swapped for another that is present.",
        "metadata": {"policy": "BabyAIBot", "p_random": 0.0, "swapped": 1},
    },
    {
        "slug": "random",
        "name": "Random",
        "description": "Any action at any step.",
        "metadata": {"policy": "uniform", "p_random": 1.0},
    },
]


@dataclass(frozen=True)
class Episode:
    """One continuation of one agent, played and recorded."""

    prepared: Prepared
    agent: str
    continuation: int
    played: Play
    frames: int
    sha256: str

    @property
    def scenario(self) -> str:
        """The scenario's key."""
        return self.prepared.scenario.key

    @property
    def external_id(self) -> str:
        """The id in the API."""
        return external_id(self.scenario, self.agent, self.continuation)

    @property
    def outcome(self) -> Outcome:
        """The verifier's outcome: whether the instruction was completed before the deadline."""
        return "failure" if self.played.done_at is None else "success"

    @property
    def frame(self) -> int:
        """The first frame after completion; for a failure the last frame before the deadline."""
        return self.frames - 1 if self.played.done_at is None else self.played.done_at * FRAMES_PER_STEP


def external_id(scenario: str, agent: str, continuation: int) -> str:
    """An id for one continuation that does not reveal agent, scenario or outcome."""
    what = f"{SUITE['slug']} {scenario} {agent} {continuation}"
    return "babyai-" + hashlib.sha256(what.encode()).hexdigest()[:12]


def record(prepared: Prepared, agent: str, continuation: int, *, folder: Path) -> Episode:
    """Play one continuation and write its video into `folder`."""
    scenario = prepared.scenario
    world = World(scenario.game, scenario.seed)
    player = AGENTS[agent](world, Random(f"{scenario.level}/{scenario.seed}/{agent}/{continuation}"))
    pictures: list[Frame] = []

    def watch(world: World) -> None:
        step = len(pictures)
        pictures.append(draw(world, step=step, in_control=step >= len(prepared.context)))

    played = play(world, player, context=prepared.context, steps=prepared.steps, watch=watch)
    path = folder / f"{external_id(scenario.key, agent, continuation)}.mp4"
    frames = write(path, pictures, fps=FPS, repeat=FRAMES_PER_STEP)
    return Episode(prepared, agent, continuation, played, frames, fingerprint(path))


def references(episodes: Iterable[Episode]) -> set[str]:
    """External ids of the episodes that become references, by the quotas of `REFERENCES`, few from each scenario.

    Raises:
        ValueError: There are not enough episodes of some agent and outcome.
    """
    chosen: set[str] = set()
    of_scenario: Counter[str] = Counter()
    left = list(episodes)
    for agent, (successes, failures) in REFERENCES.items():
        for outcome, wanted in (("success", successes), ("failure", failures)):
            fitting = [episode for episode in left if (episode.agent, episode.outcome) == (agent, outcome)]
            if len(fitting) < wanted:
                raise ValueError(f"{agent}: {len(fitting)} times {outcome}, {wanted} wanted as references")
            for _ in range(wanted):
                fitting.sort(key=lambda episode: (of_scenario[episode.scenario], episode.external_id))
                chosen.add(fitting[0].external_id)
                of_scenario[fitting.pop(0).scenario] += 1
    return chosen


def scenario_page(prepared: Prepared) -> ScenarioPage:
    """The scenario as the body of a request."""
    scenario = prepared.scenario
    return {
        "key": scenario.key,
        "instruction": prepared.instruction,
        "category": scenario.category,
        "skill": scenario.skill,
        "takeover_s": prepared.takeover_s,
        "continuation_s": prepared.continuation_s,
        "criteria": prepared.criteria,
        "prompt": scenario.prompt,
        "tags": list(scenario.tags),
        "difficulty": prepared.difficulty,
        "source": SOURCE,
        "metadata": {"level": scenario.game, "seed": scenario.seed, "context": scenario.context},
    }


def entry(episode: Episode, *, is_reference: bool) -> EpisodeEntry:
    """The manifest's entry for an episode. Only a reference sends its truth to the server."""
    prepared, played = episode.prepared, episode.played
    time_s = round(episode.frame / FPS, 6)
    made: EpisodeEntry = {
        "video": f"{episode.external_id}.mp4",
        "sha256": episode.sha256,
        "frames": episode.frames,
        "data": {
            "external_id": episode.external_id,
            "agent": episode.agent,
            "suite": SUITE["slug"],
            "scenario": episode.scenario,
            "continuation": episode.continuation,
            "transcript": [{"at_s": prepared.spoken_s, "speaker": "player", "text": prepared.instruction}],
            "step_frames": list(range(0, episode.frames, FRAMES_PER_STEP)),
            "metadata": {
                "actions": "".join(LETTERS[action] for action in played.actions),
                "takeover_step": len(prepared.context),
                "takeover_state": played.takeover_state,
            },
        },
        "truth": {"outcome": episode.outcome, "frame": episode.frame, "time_s": time_s},
    }
    if played.note:
        made["data"]["metadata"]["note"] = played.note
    if is_reference:
        made["data"]["reference"] = Reference(outcome=episode.outcome, time_s=time_s, tolerance_s=TOLERANCE_S)
    return made


def make_episodes(folder: Path, *, scenarios: Sequence[Scenario] = SCENARIOS) -> Manifest:
    """Record every agent in every scenario, with the videos in `folder`/episodes. Takes about half a minute.

    Raises:
        UnsuitableError: A scenario is unfair (see `scenarios.prepare`).
        ValueError: The outcomes do not allow the wanted references, or the videos are too large together.
    """
    videos = folder / "episodes"
    videos.mkdir(parents=True, exist_ok=True)
    prepared = [prepare(scenario) for scenario in scenarios]
    episodes = [record(one, page["slug"], 0, folder=videos) for one in prepared for page in AGENT_PAGES]
    chosen = references(episodes)
    names = {f"{episode.external_id}.mp4" for episode in episodes}
    for stale in (path for path in videos.glob("babyai-*.mp4") if path.name not in names):
        stale.unlink()
    size = sum((videos / name).stat().st_size for name in names)
    if size > AT_MOST:
        raise ValueError(f"the videos take {size} bytes, more than {AT_MOST}")
    return {
        "agents": AGENT_PAGES,
        "suite": SUITE,
        "scenarios": [scenario_page(one) for one in prepared],
        "episodes": [entry(episode, is_reference=episode.external_id in chosen) for episode in episodes],
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Make the demonstration's episodes anew.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1], help="where to write")
    folder: Path = parser.parse_args().out
    made = make_episodes(folder)
    manifest.write(made, folder)
    for agent in AGENTS:
        outcomes = [one["truth"]["outcome"] for one in made["episodes"] if one["data"]["agent"] == agent]
        print(f"{agent:10}{outcomes.count('success'):3} of {len(outcomes)} succeeded")
    size = sum(path.stat().st_size for path in (folder / "episodes").glob("*.mp4"))
    print(f"{len(made['episodes'])} videos, {size} bytes")


if __name__ == "__main__":
    main()
