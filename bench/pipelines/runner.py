"""The runner, compared with the bare loop of MiniGrid: with hashing, and with hashing and a video.

What is compared is the processor's time, for that of the clock depends on who else uses the machine.
"""

import tempfile
from collections.abc import Callable
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from bench.rows import Row
from crosswalk_client.runner.adapter_checks import trial_of
from crosswalk_client.runner.continuations import Work, make
from crosswalk_client.runner.environments import Gymnasium
from crosswalk_client.runner.recipe import Recipe, digest

ENVIRONMENT = "MiniGrid-Empty-8x8-v0"
STEPS, ROUNDS, FPS = 600, 7, 10
OURS = "crosswalk_client.runner.environments:Gymnasium"
_TURNS = (0, 1, 2)


class Turning:
    """An agent that costs nothing."""

    def __init__(self, *, seed: int, instruction: str) -> None:
        self._turns = cycle(_TURNS)

    def act(self, observation: Any) -> int:
        return next(self._turns)


def run() -> list[Row]:
    recipe = _recipe()
    bare, hashed, drawn, filmed, took = [], [], [], [], []
    with tempfile.TemporaryDirectory(prefix="crosswalk-bench-") as folder:
        for number in range(ROUNDS):
            bare.append(_cpu_s(lambda: _bare(recipe, draws=False)))
            hashed.append(_cpu_s(lambda: _hashed(recipe)))
            drawn.append(_cpu_s(lambda: _bare(recipe, draws=True)))
            work = _work(recipe, Path(folder) / f"made-{number}")
            began = perf_counter()
            filmed.append(_cpu_s(partial(make, work)))
            took.append(perf_counter() - began)
    part = f"{STEPS} steps of MiniGrid"
    base, with_pictures = median(bare), median(drawn)
    return [
        _row(part, "bare loop", base, base, "bare loop"),
        _row(part, "and the adapter with hashes", median(hashed), base, "bare loop", "1.3"),
        _row(part, "bare loop with pictures", with_pictures, with_pictures, "bare loop with pictures"),
        _row(part, "crosswalk run, with a video", median(filmed), with_pictures, "bare loop with pictures", "2"),
        Row(part, "real-time factor", STEPS / FPS / median(took), None, "x", 1.0, ""),
    ]


def _cpu_s(act: Callable[[], object]) -> float:
    """The seconds of the processor that a call takes, in all threads of this process."""
    start = process_time()
    act()
    return process_time() - start


def _row(part: str, case: str, seconds: float, base: float, against: str, budget: str = "") -> Row:
    return Row(part, case, 1000 * seconds, None, "ms", seconds / base, against, None, budget)


def _recipe() -> Recipe:
    plain = trial_of(OURS, ENVIRONMENT, actions=[], imports=["minigrid"], arguments={"max_steps": 10 * STEPS}).recipe
    adapter = Gymnasium()
    try:
        first = digest(adapter.state(adapter.start(plain)))
    finally:
        adapter.close()
    return Recipe(**{**plain.as_json(), "hashes": [first]})


def _work(recipe: Recipe, stem: Path) -> Work:
    scenario = {
        "key": "k",
        "instruction": "turn",
        "continuation_s": STEPS / FPS,
        "metadata": {"recipe": recipe.as_json()},
    }
    return Work(scenario, "turning", "s", "bench.pipelines.runner:Turning", OURS, 0, 0, stem)


def _bare(recipe: Recipe, *, draws: bool) -> None:
    """The loop that one would write oneself."""
    import gymnasium
    import minigrid  # noqa: F401 - registers the environment

    environment = gymnasium.make(
        recipe.environment, render_mode="rgb_array", disable_env_checker=True, **recipe.arguments
    )
    environment.reset(seed=recipe.seed)
    for action, _ in zip(cycle(_TURNS), range(STEPS), strict=False):
        environment.step(action)
        if draws:
            environment.render()
    environment.close()


def _hashed(recipe: Recipe) -> None:
    adapter = Gymnasium()
    adapter.start(recipe)
    for action, _ in zip(cycle(_TURNS), range(STEPS), strict=False):
        digest(adapter.state(adapter.step(action)))
    adapter.close()
