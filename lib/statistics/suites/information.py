"""The information curve of a suite: where on the scale of ability it can tell agents apart."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.statistics.intervals import Z95

Floats = npt.NDArray[np.float64]

POWER_80 = 0.8416212335729143
"""The 80 % quantile of the normal distribution."""
POINTS = 61
MARGIN = 2.0
"""How far the curve goes beyond the outermost agent and scenario, in log-odds."""


class InformationPoint(NamedTuple):
    """The suite at one ability.

    Attributes:
        ability: In log-odds, on the scale of the difficulties.
        information: Fisher's information on the ability, of one agent's continuations.
        standard_error: Of the ability of such an agent.
        apart: The difference in ability from an agent of nearly this ability that is found in 80 % of runs.
    """

    ability: float
    information: float
    standard_error: float
    apart: float


def information_at(abilities: npt.ArrayLike, difficulties: npt.ArrayLike, continuations: float) -> Floats:
    """Fisher's information of the Rasch model on each ability, from these scenarios with so many continuations each.

    Source: Birnbaum (1968), "Some latent trait models", in Lord & Novick, "Statistical Theories of Mental Test Scores":
    the sum over scenarios of continuations x p x (1 - p).

    >>> information_at([0.0], [0.0, 0.0], 10).tolist()
    [5.0]
    """
    able, hard = np.asarray(abilities, dtype=np.float64), np.asarray(difficulties, dtype=np.float64)
    chance = 1 / (1 + np.exp(np.clip(hard[None, :] - able[:, None], -40, 40)))
    return np.asarray(continuations * (chance * (1 - chance)).sum(axis=1), dtype=np.float64)


def information_curve(
    difficulties: Sequence[float], *, continuations: float, abilities: Sequence[float] = ()
) -> list[InformationPoint]:
    """The curve over all abilities of interest: those of the agents and of the scenarios, and a margin around them.

    Returns:
        No point without a scenario.
    """
    if not difficulties:
        return []
    of_interest = [*difficulties, *abilities]
    grid = np.linspace(min(of_interest) - MARGIN, max(of_interest) + MARGIN, POINTS)
    found = information_at(grid, difficulties, continuations)
    rows = zip(grid.tolist(), found.tolist(), (1 / np.sqrt(found)).tolist(), _apart(found).tolist(), strict=True)
    return [InformationPoint(*row) for row in rows]


def apart_at(abilities: npt.ArrayLike, difficulties: npt.ArrayLike, continuations: float) -> list[float]:
    """The difference from an agent of nearly each ability that is found in 80 % of runs.

    >>> [round(one, 2) for one in apart_at([0.0, 6.0], [0.0] * 10, 10)]
    [0.79, 7.98]
    """
    found: list[float] = _apart(information_at(abilities, difficulties, continuations)).tolist()
    return found


def _apart(information: Floats) -> Floats:
    # Two agents that are nearly alike: each has this standard error.
    return np.asarray((Z95 + POWER_80) * np.sqrt(2 / information), dtype=np.float64)


def gains(candidates: Sequence[float], at: Sequence[float], *, difficulties: Sequence[float]) -> list[float]:
    """How much each candidate scenario would add to the suite, as a share of the information that is there.

    Args:
        candidates: The difficulty of each candidate.
        at: The abilities of the agents. The gain is that at the ability where it is greatest.

    >>> gains([0.0], [0.0], difficulties=[0.0, 0.0])
    [0.5]
    """
    if not len(at) or not len(difficulties):
        return [0.0 for _ in candidates]
    now = information_at(at, difficulties, 1)
    return [float((information_at(at, [one], 1) / now).max()) for one in candidates]
