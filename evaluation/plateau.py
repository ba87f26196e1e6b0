"""The warning that a suite no longer shows progress: newer agents are no better than those before them (paper 000,
figure 6)."""

from typing import Any, NamedTuple

from evaluation.figures.counts import SuiteCounts
from lib.statistics.suites.plateau import NEWEST, plateau

LEAST_IN_CATEGORY = 20
"""With fewer judged continuations, an agent's rate in a category says little."""
MOST_NAMED = 3


class Left(NamedTuple):
    """The best rate of any program in a category."""

    category: str
    best: float


class SuitePlateau(NamedTuple):
    """The best of the newest agents against the best before them; categories with the lowest best rates first."""

    agent: str
    before: str
    difference: float
    low: float
    high: float
    categories: list[Left]

    @property
    def sentence(self) -> str:
        said = (
            f"Success no longer moves: the best of the {NEWEST} newest agents, {self.agent}, differs by "
            f"{self.difference * 100:+.1f} points from the best before them, {self.before}; with 95 % confidence it is "
            f"better by {max(self.high, 0.0) * 100:.1f} points at most."
        )
        named = ", ".join(f"{one.category} (best agent {one.best:.0%})" for one in self.categories[:MOST_NAMED])
        return f"{said} Most is left to gain in: {named}." if named else said

    def as_json(self) -> dict[str, Any]:
        return {
            **self._asdict(),
            "categories": [one._asdict() for one in self.categories],
            "sentence": self.sentence,
        }


def plateau_of(counts: SuiteCounts) -> SuitePlateau | None:
    """The plateau of the programs in the order in which they were made known; None where there is none. No query."""
    programs = counts.of_programs()
    order = sorted(range(len(programs.agents)), key=lambda at: (programs.known_since[at], programs.agents[at]))
    hits, n = (table.sum(axis=1)[order].tolist() for table in (programs.success, programs.judged))
    found = plateau(hits, n)
    if found is None:
        return None
    newest, before = (programs.agents[order[at]] for at in (found.newest, found.before))
    return SuitePlateau(newest, before, found.difference, found.low, found.high, _categories(programs))


def _categories(programs: SuiteCounts) -> list[Left]:
    names, matrix = programs.columns(wording.category for wording in programs.wordings)
    hits, n = programs.success @ matrix, programs.judged @ matrix
    found = []
    for at, name in enumerate(names):
        enough = n[:, at] >= LEAST_IN_CATEGORY
        if enough.any():
            found.append(Left(name, float((hits[enough, at] / n[enough, at]).max())))
    return sorted(found, key=lambda one: (one.best, one.category))
