"""Making a recipe: a policy or a person plays the context, and it is replayed at once to see that it is exact."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import packages_distributions
from itertools import count
from typing import Any

from crosswalk_client.runner.continuations import Agent
from crosswalk_client.runner.environments import Adapter, Gymnasium, Moment, named, plain, replay
from crosswalk_client.runner.keyboard import ContextEnds
from crosswalk_client.runner.recipe import Recipe, Unusable, digest, installed

RANDOM = "random"


def record(
    environment: str,
    *,
    policy: str | Agent,
    steps: int | None,
    seed: int,
    fps: float,
    imports: Sequence[str] = (),
    arguments: Mapping[str, Any] | None = None,
    wrappers: Sequence[str] = (),
    instruction: str = "",
    adapter_class: str = "crosswalk_client.runner.environments:Gymnasium",
) -> Recipe:
    """The recipe of a context.

    Args:
        policy: Who plays it: `random`, a class as an agent is, or a player that is made already.
        steps: How many steps it has at most; None: until a player ends it.

    Raises:
        GivenUp: the player gave up.
        Unusable: the environment ends within the context, or it does not do the same twice.
    """
    empty = Recipe(
        environment=environment,
        seed=seed,
        actions=[],
        hashes=[""],
        fps=fps,
        imports=[*imports],
        arguments=dict(arguments or {}),
        wrappers=[*wrappers],
    )
    adapter: Adapter = named(adapter_class)()
    try:
        played = _played(adapter, empty, policy, steps=steps, instruction=instruction)
        inside = adapter.modules() if isinstance(adapter, Gymnasium) else [environment.partition(":")[0]]
        played = replace(played, packages=_packages(["gymnasium", "numpy", *imports, *inside]))
    finally:
        adapter.close()
    again: Adapter = named(adapter_class)()
    try:
        replay(again, played)
    finally:
        again.close()
    return played


def _played(adapter: Adapter, empty: Recipe, policy: str | Agent, *, steps: int | None, instruction: str) -> Recipe:
    moment: Moment = adapter.start(empty)
    player = _player(adapter, policy, seed=empty.seed, instruction=instruction)
    see = getattr(player, "see", None)
    hashes, actions = [digest(adapter.state(moment))], list[Any]()
    for number in count(1) if steps is None else range(1, steps + 1):
        try:
            if see:
                see(adapter.frame())
            action = plain(player.act(moment.observation))
        except ContextEnds:
            break
        moment = adapter.step(action)
        actions.append(action)
        hashes.append(digest(adapter.state(moment)))
        if moment.ends:
            raise Unusable(f"The environment ends at step {number}, within the context. Take fewer steps.")
    return Recipe(**{**empty.as_json(), "actions": actions, "hashes": hashes})


def _player(adapter: Adapter, policy: str | Agent, *, seed: int, instruction: str) -> Agent:
    if not isinstance(policy, str):
        return policy
    if policy != RANDOM:
        chosen: Agent = named(policy)(seed=seed, instruction=instruction)
        return chosen
    if not isinstance(adapter, Gymnasium):
        raise Unusable("Only environments of Gymnasium have random actions; name a policy as module:Class.")
    return _Random(adapter.any_action(seed))


@dataclass(frozen=True)
class _Random:
    """An agent that does anything."""

    draw: Callable[[], Any]

    def act(self, observation: Any) -> Any:
        return self.draw()


def _packages(modules: Sequence[str]) -> dict[str, str]:
    """The versions of the packages that these modules are in."""
    homes = packages_distributions()
    names = {home for module in modules for home in homes.get(module.partition(".")[0], ())}
    return installed(sorted(names))
