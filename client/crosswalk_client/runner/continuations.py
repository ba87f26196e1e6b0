"""Continuations: the context is replayed, the agent goes on until the deadline, and all of it is recorded."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from crosswalk_client.runner.environments import Adapter, Moment, named, plain, replay
from crosswalk_client.runner.recipe import Recipe, digest, other_versions, recipe_of
from crosswalk_client.runner.video import write_video


class Agent(Protocol):
    """An agent in play. The class that `--agent module:Class` names is made with `seed=` and `instruction=`.

    If it has the method `see`, it gets each picture too, those of the context and then one before each `act`.
    """

    def act(self, observation: Any) -> Any: ...


@dataclass(frozen=True)
class Work:
    """One continuation to make.

    Attributes:
        agent_class, adapter_class: As `module:Class`.
        stem: The files are `stem.mp4`, `stem.trajectory.jsonl` and, last, `stem.json` with the episode's data.
    """

    scenario: Mapping[str, Any]
    agent: str
    suite: str
    agent_class: str
    adapter_class: str
    continuation: int
    seed: int
    stem: Path

    @property
    def name(self) -> str:
        return f"{self.scenario['key']} {self.continuation}"

    @property
    def video(self) -> Path:
        return self.stem.with_name(f"{self.stem.name}.mp4")

    @property
    def trajectory(self) -> Path:
        return self.stem.with_name(f"{self.stem.name}.trajectory.jsonl")

    @property
    def data(self) -> Path:
        return self.stem.with_name(f"{self.stem.name}.json")

    @property
    def is_done(self) -> bool:
        return self.data.exists()


def make(work: Work, *, player: Agent | None = None, notes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Make the continuation and its files; the data of its episode.

    Args:
        player: Acts in place of an agent of `work.agent_class`.
        notes: More metadata of the episode.

    Raises:
        Unusable: the recipe cannot be replayed here.
    """
    began = time.perf_counter()
    recipe = recipe_of(work.scenario)
    adapter: Adapter = named(work.adapter_class)()
    agent = player or named(work.agent_class)(seed=work.seed, instruction=work.scenario["instruction"])
    work.stem.parent.mkdir(parents=True, exist_ok=True)
    lines: list[dict[str, Any]] = []
    try:
        frames = _frames(adapter, recipe, agent, most_steps(work.scenario, recipe), lines)
        count = write_video(work.video, frames, fps=recipe.fps)
    finally:
        adapter.close()
    work.trajectory.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    took_s = time.perf_counter() - began
    return _keep(work, recipe, notes or {}, count=count, took_s=took_s)


def most_steps(scenario: Mapping[str, Any], recipe: Recipe) -> int:
    """How many steps the agent has until the deadline."""
    return math.ceil(float(scenario["continuation_s"]) * recipe.fps - 1e-9)


def _frames(
    adapter: Adapter, recipe: Recipe, agent: Agent, most: int, lines: list[dict[str, Any]]
) -> Iterator[np.ndarray[Any, Any]]:
    """The pictures of the context and of the agent's steps; what each step did is added to the lines."""
    see = getattr(agent, "see", None) or _overlook
    context = replay(adapter, recipe)
    for picture in context.frames:
        see(picture)
        yield picture
    lines += [{"step": number, "by": "context", "action": action} for number, action in enumerate(recipe.actions, 1)]
    moment: Moment = context.last
    for number in range(len(recipe.actions) + 1, len(recipe.actions) + most + 1):
        if moment.ends:
            return
        action = plain(agent.act(moment.observation))
        moment = adapter.step(action)
        state = digest(adapter.state(moment))
        lines.append({"step": number, "by": "agent", "action": action, "reward": moment.reward, "state": state})
        picture = adapter.frame()
        see(picture)
        yield picture


def _overlook(picture: np.ndarray[Any, Any]) -> None:
    """The agent does not ask for pictures."""


def _keep(work: Work, recipe: Recipe, notes: Mapping[str, Any], *, count: int, took_s: float) -> dict[str, Any]:
    """Write the episode's data. It is the last file, so where it is there, all of them are complete."""
    pace = round(count / recipe.fps / took_s, 3)
    metadata: dict[str, Any] = {"seed": work.seed, "real_time_factor": pace, **notes}
    if differing := other_versions(recipe):
        metadata["other_versions"] = differing
    data = {
        "external_id": f"{work.suite}:{work.agent}:{work.scenario['key']}:{work.continuation}",
        "agent": work.agent,
        "suite": work.suite,
        "scenario": work.scenario["key"],
        "continuation": work.continuation,
        "takeover_s": len(recipe.actions) / recipe.fps,
        "step_frames": list(range(count)),
        "metadata": metadata,
    }
    unfinished = work.data.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(data))
    unfinished.replace(work.data)
    return data
