"""Making a recipe: a policy plays the context, and it is replayed at once to see that it is exact."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import packages_distributions
from typing import Any

from crosswalk_client.runner.environments import Adapter, Gymnasium, Moment, named, plain, replay
from crosswalk_client.runner.recipe import Recipe, Unusable, digest, installed

RANDOM = "random"
Policy = Callable[[Any], Any]


def record(
    environment: str,
    *,
    policy: str,
    steps: int,
    seed: int,
    fps: float,
    imports: Sequence[str] = (),
    arguments: Mapping[str, Any] | None = None,
    wrappers: Sequence[str] = (),
    instruction: str = "",
    adapter_class: str = "crosswalk_client.runner.environments:Gymnasium",
) -> Recipe:
    """The recipe of a context of so many steps, played by the policy: `random`, or a class as an agent is.

    Raises:
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
        packages=_packages(["gymnasium", "numpy", *imports]),
    )
    adapter: Adapter = named(adapter_class)()
    try:
        played = _played(adapter, empty, policy, steps=steps, instruction=instruction)
    finally:
        adapter.close()
    again: Adapter = named(adapter_class)()
    try:
        replay(again, played)
    finally:
        again.close()
    return played


def _played(adapter: Adapter, empty: Recipe, policy: str, *, steps: int, instruction: str) -> Recipe:
    moment: Moment = adapter.start(empty)
    act = _policy(adapter, policy, seed=empty.seed, instruction=instruction)
    hashes, actions = [digest(adapter.state(moment))], []
    for number in range(1, steps + 1):
        action = plain(act(moment.observation))
        moment = adapter.step(action)
        actions.append(action)
        hashes.append(digest(adapter.state(moment)))
        if moment.ends:
            raise Unusable(f"The environment ends at step {number}, within the context. Take fewer steps.")
    return Recipe(**{**empty.as_json(), "actions": actions, "hashes": hashes})


def _policy(adapter: Adapter, policy: str, *, seed: int, instruction: str) -> Policy:
    if policy != RANDOM:
        chosen: Policy = named(policy)(seed=seed, instruction=instruction).act
        return chosen
    if not isinstance(adapter, Gymnasium):
        raise Unusable("Only environments of Gymnasium have random actions; name a policy as module:Class.")
    draw = adapter.any_action(seed)
    return lambda _: draw()


def _packages(modules: Sequence[str]) -> dict[str, str]:
    """The versions of the packages that these modules are in."""
    homes = packages_distributions()
    names = {home for module in modules for home in homes.get(module.partition(".")[0], ())}
    return installed(sorted(names))
