"""How consistent each agent is from one continuation of a scenario to the next (paper 000, figure 9)."""

from typing import Any, NamedTuple

from evaluation.figures.counts import read_counts
from evaluation.figures.rank_intervals import Asked
from lib.statistics.suites.consistency import Consistency, consistency_of


class AgentConsistency(NamedTuple):
    """One agent; `always` and `never` count the scenarios at which all or none of its two or more continuations
    succeeded, `mixed` those between."""

    agent: str
    found: Consistency | None
    always: int
    mixed: int
    never: int

    @property
    def sentence(self) -> str | None:
        """Why there is no figure; None where there is one."""
        return None if self.found else "No scenario has two judged continuations of this agent."

    def as_json(self) -> dict[str, Any]:
        found = self.found
        return {
            "agent": self.agent,
            "scenarios": found.scenarios if found else 0,
            "consistency": found.value if found else None,
            "low": found.low if found else None,
            "high": found.high if found else None,
            "expected": found.expected if found else None,
            "always": self.always,
            "mixed": self.mixed,
            "never": self.never,
            "sentence": self.sentence,
        }


def consistencies(asked: Asked) -> list[AgentConsistency]:
    """The agents that have ready continuations, by name. 3 queries."""
    counts = read_counts(**asked._asdict())
    found = counts.by_scenario()
    rows = []
    for at, agent in enumerate(counts.agents):
        hits, n = found.successes[at], found.n[at]
        several = n > 1
        always, never = int((hits == n)[several].sum()), int((hits == 0)[several].sum())
        rows.append(
            AgentConsistency(agent, consistency_of(hits, n), always, int(several.sum()) - always - never, never)
        )
    return rows
