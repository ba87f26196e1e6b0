"""The checks of adapters find what each of these does wrong, and nothing at those that come along."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from crosswalk_client.runner.adapter_checks import CHECKS, checked, main, trial_of
from crosswalk_client.runner.environments import Gymnasium, Moment
from crosswalk_client.runner.recipe import Recipe

WORLD = "tests.support.reaching_world"
OURS = "crosswalk_client.runner.environments:Gymnasium"
HERE = "tests.client.test_adapter_checks"


class Unseeded(Gymnasium):
    """Draws each beginning anew."""

    def start(self, recipe: Recipe) -> Moment:
        chance = int(np.random.default_rng().integers(2**30))
        return super().start(Recipe(**{**recipe.as_json(), "seed": chance}))


class SeedOne(Gymnasium):
    """Begins the same way whatever the seed is."""

    def start(self, recipe: Recipe) -> Moment:
        return super().start(Recipe(**{**recipe.as_json(), "seed": 1}))


class Blind(Gymnasium):
    """An adapter to which every state is the same."""

    def state(self, moment: Moment) -> Any:
        return 0


class Overwriting(Gymnasium):
    """Draws all pictures into one array."""

    _picture: Any = None

    def frame(self) -> Any:
        drawn = super().frame()
        if self._picture is None:
            self._picture = drawn.copy()
        self._picture[:] = drawn
        return self._picture


class Grey(Gymnasium):
    """Draws in one colour."""

    def frame(self) -> Any:
        return super().frame()[:, :, 0]


class OnlyArrays(Gymnasium):
    """Takes no lists as actions."""

    def step(self, action: Any) -> Moment:
        return super().step(action * 1.0 if isinstance(action, np.ndarray) else np.zeros(2))


@pytest.mark.parametrize(
    ("adapter", "environment", "wrong"),
    [
        (OURS, "MiniGrid-Empty-8x8-v0", {"seed-matters"}),
        (OURS, "MiniGrid-FourRooms-v0", set()),
        (OURS, f"{WORLD}:Reaching-v0", set()),
        (f"{HERE}:Unseeded", f"{WORLD}:Reaching-v0", {"repeats", "starts-anew", "actions-are-json"}),
        (f"{HERE}:SeedOne", f"{WORLD}:Reaching-v0", {"seed-matters"}),
        (f"{HERE}:Blind", f"{WORLD}:Reaching-v0", {"seed-matters", "state-changes"}),
        (f"{HERE}:Overwriting", f"{WORLD}:Reaching-v0", {"pictures"}),
        (f"{HERE}:Grey", f"{WORLD}:Reaching-v0", {"pictures"}),
    ],
)
def test_the_checks_find_what_an_adapter_does_wrong(adapter: str, environment: str, wrong: set[str]) -> None:
    found = dict(checked(trial_of(adapter, environment, imports=["minigrid"])))
    assert list(found) == list(CHECKS)
    assert {name for name, problem in found.items() if problem} == wrong, found


def test_actions_must_survive_json() -> None:
    moves = [np.array([0.5, -0.5], np.float32)] * 3
    trial = trial_of(f"{HERE}:OnlyArrays", f"{WORLD}:Reaching-v0", actions=moves)
    assert "JSON" in dict(checked(trial))["actions-are-json"]


def test_the_program_says_what_holds_and_ends_with_its_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([OURS, f"{WORLD}:Reaching-v0"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "holds  repeats"
    assert main([f"{HERE}:Grey", f"{WORLD}:Reaching-v0"]) == 1
    assert "fails  pictures: frame() must be" in capsys.readouterr().out
    assert main(["no_such:Adapter", "x"]) == 1
    assert isinstance(gymnasium.make(f"{WORLD}:Reaching-v0"), gymnasium.Env)
