"""How difficult the scenarios of a suite are, by the Rasch model."""

from typing import Any, NamedTuple

from evaluation.figures.counts import read_counts
from evaluation.figures.rank_intervals import Asked
from lib.statistics.suites.rasch import Placed, fit_rasch


class Difficulty(NamedTuple):
    """One scenario: the share of all agents' continuations that succeeded, and its place on the scale of log-odds.

    `place` is None where it has none: everything succeeded there, or nothing, or its agents were tried nowhere else.
    """

    scenario: str
    n: int
    rate: float | None
    place: Placed | None

    @property
    def sentence(self) -> str | None:
        """Why the scenario has no place; None where it has one."""
        if self.place is not None:
            return None
        if self.rate is None:
            return "Nobody judged a continuation of this scenario."
        if self.rate in (0.0, 1.0):
            said = "succeeded" if self.rate else "failed"
            return f"Every continuation {said}, so the scenario does not tell agents apart."
        return "No agent with mixed outcomes was tried here and elsewhere."

    def as_json(self) -> dict[str, Any]:
        place = self.place
        return {
            "scenario": self.scenario,
            "n": self.n,
            "rate": self.rate,
            "difficulty": place.value if place else None,
            "low": place.low if place else None,
            "high": place.high if place else None,
            "sentence": self.sentence,
        }


class Difficulties(NamedTuple):
    """All scenarios by key, and how well the model fits: about 1, more where agents have strengths of their own."""

    scenarios: list[Difficulty]
    misfit: float | None


def difficulties(asked: Asked) -> Difficulties:
    """The difficulty of each scenario that was tried. 3 queries."""
    found = read_counts(**asked._asdict()).by_scenario()
    fit = fit_rasch(found.successes, found.n)
    hits, n = found.successes.sum(axis=0).tolist(), found.n.sum(axis=0).tolist()
    return Difficulties(
        [
            Difficulty(key, int(size), k / size if size else None, place)
            for key, k, size, place in zip(found.scenarios, hits, n, fit.difficulties, strict=True)
        ],
        fit.misfit,
    )
