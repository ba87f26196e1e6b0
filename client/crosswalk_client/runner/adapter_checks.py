"""`python -m crosswalk_client.runner.adapter_checks MODULE:CLASS ENVIRONMENT`: whether an adapter keeps its promises.

Each check says in a sentence what it found. `checked` is the same for tests of one's own adapter.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crosswalk_client.runner.environments import Adapter, Gymnasium, named, plain
from crosswalk_client.runner.recipe import Recipe, Unusable, digest

STEPS = 20


@dataclass(frozen=True)
class Trial:
    """The arguments of the checks.

    Attributes:
        adapter_class: As `module:Class`.
        recipe: Names environment, arguments, seed and options; its actions are those that are tried.
    """

    adapter_class: str
    recipe: Recipe

    def adapter(self) -> Adapter:
        made: Adapter = named(self.adapter_class)()
        return made

    def states(self) -> list[str]:
        """The digest of the state after the reset and after each action, in an environment of its own."""
        adapter = self.adapter()
        try:
            return _states(adapter, self.recipe)
        finally:
            adapter.close()


def _states(adapter: Adapter, recipe: Recipe) -> list[str]:
    moment = adapter.start(recipe)
    found = [digest(adapter.state(moment))]
    for action in recipe.actions:
        if moment.ends:
            break
        moment = adapter.step(action)
        found.append(digest(adapter.state(moment)))
    return found


Check = Callable[[Trial], str]
"""Returns what is wrong, or ""."""


def _is_repeated(trial: Trial) -> str:
    first, second = trial.states(), trial.states()
    if first == second:
        return ""
    differs = next(number for number, pair in enumerate(zip(first, second, strict=False)) if pair[0] != pair[1])
    return f"The same seed and actions lead to another state at step {differs}: start() must seed all that is random."


def _starts_anew(trial: Trial) -> str:
    adapter = trial.adapter()
    try:
        first = _states(adapter, trial.recipe)
        return "" if _states(adapter, trial.recipe) == first else "A second start() does not begin anew."
    finally:
        adapter.close()


def _seed_matters(trial: Trial) -> str:
    other = Trial(trial.adapter_class, Recipe(**{**trial.recipe.as_json(), "seed": trial.recipe.seed + 1}))
    same = other.states() == trial.states()
    return "Another seed leads to the same states: start() does not use recipe.seed." if same else ""


def _state_changes(trial: Trial) -> str:
    return "" if len(set(trial.states())) > 1 else "state() is the same at every step: it holds too little."


def _pictures(trial: Trial) -> str:
    adapter = trial.adapter()
    try:
        moment = adapter.start(trial.recipe)
        first: Any = adapter.frame()
        if not isinstance(first, np.ndarray) or first.dtype != np.uint8 or first.ndim != 3 or first.shape[2] != 3:
            return "frame() must be an array of uint8 with the axes (height, width, 3)."
        kept = first.copy()
        before = digest(adapter.state(moment))
        adapter.frame()
        if digest(adapter.state(moment)) != before:
            return "frame() changes the state."
        later = []
        for action in trial.recipe.actions:
            moment = adapter.step(action)
            later.append(adapter.frame())
            if moment.ends:
                break
        if any(picture.shape != kept.shape for picture in later):
            return "frame() changes its size."
        if not np.array_equal(first, kept):
            return "frame() returns an array that the next step writes into: return a copy."
        return ""
    finally:
        adapter.close()


def _actions_are_json(trial: Trial) -> str:
    through = Recipe(**json.loads(json.dumps(trial.recipe.as_json())))
    same = Trial(trial.adapter_class, through).states() == trial.states()
    return "" if same else "An action that went through JSON has another effect: step() must take lists and numbers."


def _closes(trial: Trial) -> str:
    adapter = trial.adapter()
    try:
        adapter.close()
        adapter.start(trial.recipe)
        adapter.close()
        adapter.close()
    except Exception as error:
        return f"close() fails before start() or the second time: {error!r}."
    return ""


CHECKS: dict[str, Check] = {
    "repeats": _is_repeated,
    "starts-anew": _starts_anew,
    "seed-matters": _seed_matters,
    "state-changes": _state_changes,
    "pictures": _pictures,
    "actions-are-json": _actions_are_json,
    "closes": _closes,
}


def checked(trial: Trial) -> Iterator[tuple[str, str]]:
    """The name of each check and what is wrong, or ""."""
    for name, check in CHECKS.items():
        try:
            yield name, check(trial)
        except Unusable as error:
            yield name, str(error)
        except Exception as error:
            yield name, f"{type(error).__name__}: {error}"


def trial_of(
    adapter_class: str,
    environment: str,
    *,
    actions: Sequence[Any] | None = None,
    imports: Sequence[str] = (),
    arguments: dict[str, Any] | None = None,
    seed: int = 0,
) -> Trial:
    """The trial of an adapter.

    Args:
        actions: Those to try; for environments of Gymnasium random ones if left out.

    Raises:
        Unusable: no actions are known, or the environment is not there.
    """
    recipe = Recipe(
        environment=environment,
        seed=seed,
        actions=[],
        hashes=[""],
        fps=10,
        imports=[*imports],
        arguments=arguments or {},
    )
    tried = [*(actions if actions is not None else _random_actions(adapter_class, recipe))]
    return Trial(adapter_class, Recipe(**{**recipe.as_json(), "actions": tried, "hashes": [""] * (len(tried) + 1)}))


def _random_actions(adapter_class: str, recipe: Recipe) -> list[Any]:
    adapter = named(adapter_class)()
    if not isinstance(adapter, Gymnasium):
        raise Unusable("Name the actions to try: --actions '[0, 1, 2]'.")
    adapter.start(recipe)
    try:
        draw = adapter.any_action(recipe.seed)
        return [plain(draw()) for _ in range(STEPS)]
    finally:
        adapter.close()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m crosswalk_client.runner.adapter_checks", description=__doc__)
    parser.add_argument("adapter", metavar="MODULE:CLASS")
    parser.add_argument("environment")
    parser.add_argument("--import", dest="imports", action="append", default=[], metavar="MODULE")
    parser.add_argument("--actions", type=json.loads, metavar="JSON", help="a list of actions to try")
    asked = parser.parse_args(arguments)
    sys.path.insert(0, "")
    try:
        trial = trial_of(asked.adapter, asked.environment, actions=asked.actions, imports=asked.imports)
    except Unusable as error:
        sys.stderr.write(f"{error}\n")
        return 1
    wrong = 0
    for name, problem in checked(trial):
        sys.stdout.write(f"{'fails' if problem else 'holds'}  {name}{': ' + problem if problem else ''}\n")
        wrong += bool(problem)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
