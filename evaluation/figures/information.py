"""The information curve of a suite, the agents on its scale, and the scenarios that would widen what it can tell."""

from typing import Any, NamedTuple

from evaluation.figures.counts import read_counts
from evaluation.figures.rank_intervals import Asked
from evaluation.models import Revision
from lib.statistics.suites.information import InformationPoint, apart_at, gains, information_curve
from lib.statistics.suites.rasch import Placed, fit_rasch

MOST_WIDENING = 20
REACH = 1.0
"""A suite reaches the abilities at which it tells agents apart that differ by so much, in log-odds: near a rate of one
half, by a quarter."""


class AgentAbility(NamedTuple):
    agent: str
    place: Placed


class Widening(NamedTuple):
    """A scenario that is not in the version, and the share by which it raises the information on one of the agents."""

    scenario: str
    difficulty: float
    gain: float


class Information(NamedTuple):
    """The curve with the agents on it.

    Attributes:
        reach: The lowest and the highest ability at which it tells agents apart that differ by `REACH`; None where it
            does at none.
        beyond: Agents at whose ability it does not.
        widening: Scenarios outside of the version, those that add most first.
        sentence: Why there is no curve; None where there is one.
    """

    points: list[InformationPoint]
    agents: list[AgentAbility]
    reach: tuple[float, float] | None
    beyond: list[str]
    widening: list[Widening]
    sentence: str | None

    def as_json(self) -> dict[str, Any]:
        return {
            "points": [one._asdict() for one in self.points],
            "agents": [{"agent": one.agent, "ability": one.place.value, **_ends(one.place)} for one in self.agents],
            "reach": {"low": self.reach[0], "high": self.reach[1]} if self.reach else None,
            "beyond": self.beyond,
            "widening": [one._asdict() for one in self.widening],
            "sentence": self.sentence,
        }


def information_of(asked: Asked, *, continuations: int | None = None) -> Information:
    """The information of the version, or without one of all scenarios, with so many continuations of each.

    Difficulties and abilities are fitted on all that was judged in the suite, so that scenarios outside of the version
    have places on the same scale. 4 queries.

    Args:
        continuations: Default: those that the suite expects.
    """
    counts = read_counts(**asked._replace(version=None)._asdict())
    found = counts.by_scenario()
    fit = fit_rasch(found.successes, found.n)
    # An agent or scenario without a place has outcomes of one kind only.
    hard = {key: one.value for key, one in zip(found.scenarios, fit.difficulties, strict=True) if one}
    agents = [AgentAbility(slug, one) for slug, one in zip(counts.agents, fit.abilities, strict=True) if one]
    members = _members(asked, hard)
    inside = {key: value for key, value in hard.items() if key in members}
    if not inside:
        sentence = "No scenario has a difficulty yet: that takes two agents with mixed outcomes at the same scenarios."
        return Information([], [], None, [], [], sentence)
    abilities = [one.place.value for one in agents]
    levels, each = list(inside.values()), continuations or asked.suite.continuations
    points = information_curve(levels, continuations=each, abilities=abilities)
    reached = [one.ability for one in points if one.apart <= REACH]
    reach = (reached[0], reached[-1]) if reached else None
    # Between easy and hard scenarios the reach may have a gap.
    apart = apart_at(abilities, levels, each)
    beyond = [one.agent for one, difference in zip(agents, apart, strict=True) if difference > REACH]
    outside = {key: value for key, value in hard.items() if key not in inside}
    added = gains(list(outside.values()), abilities, difficulties=levels)
    widening = [Widening(key, value, gain) for (key, value), gain in zip(outside.items(), added, strict=True)]
    widening.sort(key=lambda one: (-one.gain, one.scenario))
    return Information(points, agents, reach, beyond, widening[:MOST_WIDENING], None)


def _members(asked: Asked, known: dict[str, float]) -> set[str]:
    """The keys of the scenarios of the version; without a version, all that are known. 1 query at most."""
    if asked.version is None:
        return set(known)
    return set(Revision.objects.filter(versions=asked.version).values_list("scenario__key", flat=True))


def _ends(place: Placed) -> dict[str, float]:
    return {"low": place.low, "high": place.high}
