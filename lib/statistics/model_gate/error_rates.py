"""How often the gate errs, by simulation: at which sizes of the test sets one can rely on it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.statistics.model_gate.rules import GateSettings
from lib.statistics.paired_tests import alpha_of_look, at_least, least_discordant, lower_end, mcnemar
from lib.statistics.suites.paired import holm

SIZES = (100, 200, 300, 500, 700, 1000, 1500, 2000, 3000)
ACTIONS = (0.3, 0.2, 0.15, 0.12, 0.08, 0.06, 0.04, 0.03, 0.02)
"""Shares of the actions among test items, much as in real commands."""
WORSE = 0.05
_SEED = 20


class GateErrors(NamedTuple):
    """How often the gate errs with test sets of one size; shares of simulated models.

    Attributes:
        items: In each of the two test sets.
        unchanged_refused: Models with the same accuracy, though other mistakes, that a blocking rule refuses.
        unchanged_passed: Such models that pass as better.
        worse_passed: Models worse by 5 points everywhere that pass.
        forgetful_passed: Models better by 5 points on the newest items and worse by 5 on the first that pass.
        better_passed: Models better by 5 points everywhere that pass.
    """

    items: int
    unchanged_refused: float
    unchanged_passed: float
    worse_passed: float
    forgetful_passed: float
    better_passed: float


class _Outcome(NamedTuple):
    blocked: float
    passed: float


def gate_errors(
    sizes: Sequence[int] = SIZES,
    *,
    changed: float = 0.2,
    actions: Sequence[float] = ACTIONS,
    look: int = 1,
    runs: int = 2000,
    settings: GateSettings | None = None,
) -> list[GateErrors]:
    """The operating curve of the gate, one point for each size.

    Args:
        changed: On which share of items the two models differ in being right; it is what retraining changes.
        actions: Shares of the items that belong to each action; each action changes as the whole does.
        look: Which test of the series it is.
        runs: Simulated models for each point; the same arguments give the same figures.

    Costs: some seconds.
    """
    chosen = settings or GateSettings()
    points = []
    for size in sizes:
        chance = np.random.default_rng([_SEED, size])

        def simulated(
            on_newest: float, on_first: float, size: int = size, chance: np.random.Generator = chance
        ) -> _Outcome:
            return _simulated(on_newest, on_first, size, changed, actions, look, runs, chosen, chance)

        unchanged = simulated(0.0, 0.0)
        points.append(
            GateErrors(
                items=size,
                unchanged_refused=unchanged.blocked,
                unchanged_passed=unchanged.passed,
                worse_passed=simulated(-WORSE, -WORSE).passed,
                forgetful_passed=simulated(WORSE, -WORSE).passed,
                better_passed=simulated(WORSE, WORSE).passed,
            )
        )
    return points


def _simulated(
    on_newest: float,
    on_first: float,
    size: int,
    changed: float,
    actions: Sequence[float],
    look: int,
    runs: int,
    settings: GateSettings,
    chance: np.random.Generator,
) -> _Outcome:
    """The shares of models that a rule blocks and that pass, where their true differences are these."""
    alpha = alpha_of_look(look, alpha=settings.alpha)
    sizes = chance.multinomial(size, np.asarray(actions) / sum(actions), size=runs)
    newest = _discordant(sizes, on_newest, changed, chance)
    first = _discordant(np.full((runs, 1), size), on_first, changed, chance)[:, 0]
    least = least_discordant(alpha)
    blocked = passed = 0
    for run in range(runs):
        gained, lost = (int(one) for one in newest[run].sum(axis=0))
        low = lower_end(int(first[run, 0]), int(first[run, 1]), size)
        p = [
            at_least(int(lost_here), int(gained_here + lost_here))
            for (gained_here, lost_here), items in zip(newest[run], sizes[run], strict=True)
            if items >= settings.action_items
        ]
        is_blocked = low <= -settings.margin or (bool(p) and min(holm(p)) < settings.alpha)
        blocked += is_blocked
        passed += not is_blocked and gained + lost >= least and gained > lost and mcnemar(gained, lost) < alpha
    return _Outcome(blocked / runs, passed / runs)


def _discordant(
    sizes: npt.NDArray[np.int64], difference: float, changed: float, chance: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Gains and losses among so many items, shape (*sizes.shape, 2)."""
    either = chance.binomial(sizes, max(changed, abs(difference)))
    share = (1 + difference / max(changed, abs(difference))) / 2
    gained = chance.binomial(either, share)
    return np.stack([gained, either - gained], axis=-1)
