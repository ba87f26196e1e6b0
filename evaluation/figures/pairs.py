"""Continuations of two agents at the same scenarios, side by side: those first where the agents differ most."""

from collections import defaultdict
from typing import NamedTuple

from evaluation.figures.rank_intervals import Asked
from evaluation.models import Episode, EpisodeTask, Revision
from evaluation.tallies import own_links

JUDGED = ("success", "failure")


class Try(NamedTuple):
    """A continuation with the outcome that the project gave it; "" without one."""

    episode: int
    external_id: str
    continuation: int
    outcome: str


class Pair(NamedTuple):
    """A continuation of each agent at one scenario; `apart` is the difference of their rates there."""

    scenario: str
    a: Try
    b: Try
    apart: float | None

    @property
    def differs(self) -> bool:
        """Whether one succeeded and the other failed."""
        return {self.a.outcome, self.b.outcome} == set(JUDGED)


def pairs_of(asked: Asked, *, a: str, b: str) -> list[Pair]:
    """All pairs: by the distance of the agents' rates at the scenario, then those with different outcomes first.

    The continuations of an agent at a scenario are paired in their order, each once.

    Costs: 4 queries; in proportion to the continuations of both agents.
    """
    tries = {slug: _tries(asked, slug) for slug in (a, b)}
    found = []
    for scenario in sorted(set(tries[a]) & set(tries[b])):
        mine, theirs = tries[a][scenario], tries[b][scenario]
        rates = [_rate(group) for group in (mine, theirs)]
        apart = None if rates[0] is None or rates[1] is None else rates[0] - rates[1]
        found += [Pair(scenario, first, second, apart) for first, second in zip(mine, theirs, strict=False)]
    found.sort(key=lambda one: (one.apart is None, -abs(one.apart or 0.0), one.scenario, not one.differs))
    return found


def _rate(tries: list[Try]) -> float | None:
    judged = [one.outcome == "success" for one in tries if one.outcome in JUDGED]
    return sum(judged) / len(judged) if judged else None


def _tries(asked: Asked, agent: str) -> dict[str, list[Try]]:
    """The ready continuations of an agent by scenario, in their order, those with an outcome first. 1 or 2 queries."""
    revisions = Revision.objects.filter(scenario__suite=asked.suite)
    if asked.version is not None:
        revisions = revisions.filter(versions=asked.version)
    episodes = Episode.objects.ranked().filter(agent__slug=agent, revision__in=revisions.values("pk"))
    outcomes = {}
    if asked.project is not None:
        links = own_links(EpisodeTask.objects.filter(task__project=asked.project, episode__agent__slug=agent))
        judged = links.filter(episode__scenario__suite=asked.suite, counted_as__in=JUDGED)
        outcomes = dict(judged.values_list("episode_id", "counted_as"))
    found = defaultdict(list)
    rows = episodes.order_by("continuation", "pk").values_list("scenario__key", "pk", "external_id", "continuation")
    for scenario, pk, external_id, continuation in rows:
        found[scenario].append(Try(pk, external_id, continuation, outcomes.get(pk, "")))
    for tries in found.values():
        tries.sort(key=lambda one: not one.outcome)
    return found
