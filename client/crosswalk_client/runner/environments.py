"""Environments to run in. An adapter is the one small class that another kind of environment needs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, Protocol

import numpy as np

from crosswalk_client.runner.recipe import Recipe, Unusable, digest


class Moment(NamedTuple):
    """The state after a reset or a step."""

    observation: Any
    reward: float
    ends: bool


class Adapter(Protocol):
    """An environment in play. `crosswalk record` replays what it recorded, so it refuses one that is not exact."""

    def start(self, recipe: Recipe) -> Moment:
        """Make the environment of the recipe, and reset it with its seed and options."""

    def step(self, action: Any) -> Moment: ...

    def state(self, moment: Moment) -> Any:
        """The state that decides all that follows, for the hash; the more it holds, the sooner a difference shows."""

    def frame(self) -> np.ndarray[Any, Any]:
        """The picture of this moment: uint8, axes (height, width, red green blue)."""

    def close(self) -> None: ...


class Gymnasium:
    """The adapter of Gymnasium. The state is what the agent sees, with the reward and whether it ends."""

    def __init__(self) -> None:
        self._made: Any = None

    def start(self, recipe: Recipe) -> Moment:
        gymnasium = needed("gymnasium")
        for name in recipe.imports:
            needed(name)
        made = gymnasium.make(recipe.environment, render_mode="rgb_array", disable_env_checker=True, **recipe.arguments)
        for wrapper in recipe.wrappers:
            made = named(wrapper)(made)
        self._made = made
        observation, _ = made.reset(seed=recipe.seed, options=dict(recipe.options) if recipe.options else None)
        return Moment(observation, 0.0, ends=False)

    def step(self, action: Any) -> Moment:
        space = self._made.action_space
        shaped = np.asarray(action, dtype=space.dtype) if getattr(space, "shape", ()) else action
        observation, reward, terminated, truncated, _ = self._made.step(shaped)
        return Moment(observation, float(reward), ends=bool(terminated or truncated))

    def state(self, moment: Moment) -> Any:
        return [moment.observation, moment.reward, moment.ends]

    def frame(self) -> np.ndarray[Any, Any]:
        return np.asarray(self._made.render(), dtype=np.uint8)

    def close(self) -> None:
        if self._made is not None:
            self._made.close()

    def modules(self) -> list[str]:
        """The modules that the environment's own module imports, as `Box2D`."""
        home = sys.modules[type(self._made.unwrapped).__module__]
        names = {
            value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "") or ""
            for value in vars(home).values()
        }
        return sorted({name.partition(".")[0] for name in names if isinstance(name, str)} - {""})

    def any_action(self, seed: int) -> Any:
        """A source of random actions of this environment."""
        self._made.action_space.seed(seed)
        return lambda: plain(self._made.action_space.sample())


class Replayed(NamedTuple):
    """The context: its moments' pictures and the last moment, where the agent takes over."""

    frames: list[np.ndarray[Any, Any]]
    last: Moment


def replay(adapter: Adapter, recipe: Recipe) -> Replayed:
    """Make the context again, and check its state at each step.

    Raises:
        Unusable: the state differs from the recorded one; the sentence says at which step.
    """
    moment = adapter.start(recipe)
    frames = [adapter.frame()]
    _check(adapter, recipe.hashes, 0, moment)
    for number, action in enumerate(recipe.actions, start=1):
        moment = adapter.step(action)
        frames.append(adapter.frame())
        _check(adapter, recipe.hashes, number, moment)
    return Replayed(frames, moment)


def _check(adapter: Adapter, hashes: Sequence[str], number: int, moment: Moment) -> None:
    if digest(adapter.state(moment)) != hashes[number]:
        raise Unusable(f"The context differs from the recorded one at step {number} of {len(hashes) - 1}.")


def named(path: str) -> Any:
    """The object that `module:Name` names.

    Raises:
        Unusable: there is none.
    """
    module, _, name = path.partition(":")
    found = getattr(needed(module), name, None) if name else None
    if found is None:
        raise Unusable(f"There is no {path!r}; write it as module:Class.")
    return found


def needed(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        extra = {"gymnasium": "runner", "av": "runner", "pygame": "play"}.get(module)
        hint = f': pip install "crosswalk-client[{extra}]"' if extra else ""
        raise Unusable(f"{module} cannot be imported ({error}){hint}.") from None


def plain(action: Any) -> Any:
    """The action as JSON has it."""
    return action.tolist() if isinstance(action, (np.ndarray, np.generic)) else action
