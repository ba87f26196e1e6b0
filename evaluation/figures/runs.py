"""Runs: how far each agent is with the continuations that a version expects of it."""

from collections import Counter, defaultdict
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet

from evaluation.figures.counts import SuiteCounts, read_counts
from evaluation.figures.rank_intervals import Asked
from evaluation.models import Episode, Revision, Suite, Version

MOST_MISSING = 10_000
"""Missing continuations that are listed, of all agents together."""


class Missing(NamedTuple):
    """A continuation that was not posted, or that failed in preparation and may be posted anew."""

    scenario: str
    continuation: int


class Run(NamedTuple):
    """One agent on one version; without versions, on the present scenarios.

    Attributes:
        expected: Continuations that the suite wants, less those whose place a reference takes.
        received, ready, judged, unjudged: Continuations that were posted, are prepared, have an outcome, or were
            closed as not judgeable. There may be more of them than are expected.
        missing: The first of them; `missing_left` more are not listed.
    """

    agent: str
    version: str | None
    expected: int
    received: int
    ready: int
    judged: int
    unjudged: int
    missing: list[Missing]
    missing_left: int

    @property
    def missing_count(self) -> int:
        return len(self.missing) + self.missing_left

    @property
    def is_complete(self) -> bool:
        """Everything expected is there, and people have said of everything what it is."""
        return not self.missing and not self.missing_left and self.judged + self.unjudged == self.received

    def as_json(self) -> dict[str, Any]:
        return {
            **self._asdict(),
            "missing": [one._asdict() for one in self.missing],
            "complete": self.is_complete,
        }


def newest_version(suite: Suite) -> Version | None:
    """The version that was frozen last. 1 query."""
    return suite.versions.order_by("-pk").first()


def runs_of(asked: Asked) -> list[Run]:
    """The runs of the agents that have posted any continuation, by name. 7 queries at most.

    Costs: in proportion to agents times scenarios, and to the continuations of scenarios that are not complete.
    """
    counts = read_counts(**asked._asdict())
    wordings = wordings_of(asked)
    keys = dict(wordings.values_list("pk", "scenario__key"))
    episodes = Episode.objects.filter(revision__in=wordings.values("pk"), archived_at=None)
    received = dict(_by_agent(episodes.filter(reference__isnull=True)))
    missing = _missing(episodes, keys, set(received), asked.suite.continuations)
    taken = dict(_by_agent(episodes.filter(reference__isnull=False, continuation__lt=asked.suite.continuations)))
    judged = dict(zip(counts.agents, zip(*_sums(counts), strict=True), strict=True)) if counts.agents else {}
    runs, left = [], MOST_MISSING
    for agent in sorted(received):
        ready, with_outcome, unjudged = judged.get(agent, (0, 0, 0))
        listed = missing[agent][:left]
        left -= len(listed)
        runs.append(
            Run(
                agent=agent,
                version=asked.version.slug if asked.version else None,
                expected=len(keys) * asked.suite.continuations - taken.get(agent, 0),
                received=received[agent],
                ready=ready,
                judged=with_outcome,
                unjudged=unjudged,
                missing=listed,
                missing_left=len(missing[agent]) - len(listed),
            )
        )
    return runs


def _sums(counts: SuiteCounts) -> list[list[int]]:
    return [table.sum(axis=1).tolist() for table in (counts.ready, counts.judged, counts.unjudgeable)]


def wordings_of(asked: Asked) -> QuerySet[Revision]:
    """The wordings that the version froze; without a version the present ones."""
    if asked.version is not None:
        return Revision.objects.filter(versions=asked.version)
    return Revision.objects.filter(pk__in=asked.suite.scenarios.exclude(current=None).values("current"))


def _by_agent(episodes: QuerySet[Episode]) -> list[tuple[str, int]]:
    return list(episodes.order_by().values_list("agent__slug").annotate(n=Count("pk")))


def _missing(
    episodes: QuerySet[Episode], keys: dict[int, str], agents: set[str], wanted: int
) -> dict[str, list[Missing]]:
    """By agent, in the order of the scenarios. 2 queries."""
    there = episodes.exclude(status=Episode.Status.FAILED).filter(continuation__lt=wanted, agent__slug__in=agents)
    rows = there.order_by().values_list("agent__slug", "revision_id").annotate(n=Count("pk"))
    full: Counter[tuple[str, int]] = Counter({(agent, wording): n for agent, wording, n in rows})
    partly = Q()
    begun = defaultdict(list)
    for (agent, wording), n in full.items():
        if n < wanted:
            begun[agent].append(wording)
    for agent, wordings in begun.items():
        partly |= Q(agent__slug=agent, revision__in=wordings)
    known: dict[tuple[str, int], set[int]] = defaultdict(set)
    if begun:
        for agent, wording, number in there.filter(partly).values_list("agent__slug", "revision_id", "continuation"):
            known[agent, wording].add(number)
    found: dict[str, list[Missing]] = defaultdict(list)
    for agent in agents:
        for wording, key in sorted(keys.items(), key=lambda item: item[1]):
            if full[agent, wording] < wanted:
                posted = known.get((agent, wording), set())
                found[agent] += [Missing(key, number) for number in range(wanted) if number not in posted]
    return found
