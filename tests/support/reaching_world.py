"""A small environment with pictures and continuous actions, and agents for it and for grids."""

from typing import Any

import gymnasium
import numpy as np

SIDE = 63
"""Odd, so that a recording must be padded."""


class Reaching(gymnasium.Env[Any, Any]):
    """A dot moves as it is pushed; the episode ends when it leaves the picture or after 100 steps."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.action_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)
        self.observation_space = gymnasium.spaces.Box(0, 255, (SIDE, SIDE, 3), np.uint8)
        self._place = np.zeros(2)
        self._steps = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._place = self.np_random.uniform(20, 40, 2)
        self._steps = 0
        return self.render(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._place = self._place + action + self.np_random.normal(0, 0.1, 2)
        self._steps += 1
        is_out = bool((self._place < 0).any() or (self._place >= SIDE).any())
        return self.render(), float(-np.abs(self._place - SIDE / 2).sum()), is_out, self._steps >= 100, {}

    def render(self) -> Any:
        picture = np.full((SIDE, SIDE, 3), 200, np.uint8)
        row, column = np.clip(self._place, 0, SIDE - 1).astype(int)
        picture[max(row - 3, 0) : row + 4, max(column - 3, 0) : column + 4] = (200, 30, 30)
        return picture


class Drifter:
    """Pushes the dot somewhere, as its seed says."""

    def __init__(self, *, seed: int, instruction: str) -> None:
        self._random = np.random.default_rng(seed)

    def act(self, observation: Any) -> Any:
        return self._random.uniform(-0.5, 0.5, 2).astype(np.float32)


class Turner:
    """Turns on the spot of a grid."""

    def __init__(self, *, seed: int, instruction: str) -> None:
        self._side = seed % 2

    def act(self, observation: Any) -> int:
        return self._side


gymnasium.register("Reaching-v0", entry_point="tests.support.reaching_world:Reaching")
