"""The ranking of agents on a suite, for pages and for the API (paper 000, section 3.4)."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from django.db.models import F, QuerySet

from agents.models import Agent
from annotation.models import Consensus, Project
from evaluation.figures.counts import GROUPINGS, SuiteCounts, read_counts
from evaluation.figures.raters import Raters, raters_of_outcome
from evaluation.models import Episode, Suite, Version
from lib.faults import Invalid
from lib.statistics.chance import WithoutChance
from lib.statistics.success_rate import SuccessRate, ranks, success_rate
from lib.statistics.suites.corrected_rate import CorrectedRate, corrected_rate
from lib.statistics.suites.estimands import ScenarioMean, scenario_means

__all__ = ["GROUPINGS", "Ranking", "RankingRow", "consensus_of_all", "marker_project", "rank_agents", "version_named"]


class GroupRate(NamedTuple):
    """An agent's rate within one group; `group` is None for the scenarios without a value."""

    group: str | None
    success: SuccessRate
    mean: ScenarioMean
    without_chance: WithoutChance | None


class WithoutOwn(NamedTuple):
    """An agent without the scenarios that were made of its own continuations or commands: picked for failures.

    `rank` is among the rates of all agents at the scenarios that are left; None where nothing of it was judged there.
    """

    left_out: int
    success: SuccessRate
    rank: int | None


class RankingRow(NamedTuple):
    """One agent in a ranking; `rank` is None where it has no rate, and for people and guessing.

    Attributes:
        kind: See `Agent.Kind`.
        success: The rate of the outcomes as people judged.
        mean: The mean of the rates at each scenario, with both standard errors.
        corrected: The rate without the raters' errors; None where it is withheld.
        without_chance: The rate without guessing; None where it is not known how often guessing succeeds.
        without_own: None where no scenario was made of the agent's own.
        is_corrected: Whether `rank` is by `corrected`.
    """

    agent: str
    kind: str
    rank: int | None
    success: SuccessRate
    mean: ScenarioMean
    corrected: CorrectedRate | None
    without_chance: WithoutChance | None
    without_own: WithoutOwn | None
    is_corrected: bool
    unjudged: int
    pending: int
    groups: tuple[GroupRate, ...]

    @property
    def ranked_by(self) -> SuccessRate | CorrectedRate | None:
        """The rate with its interval that gives the rank."""
        return self.corrected if self.is_corrected else self.success


class Ranking(NamedTuple):
    """Agents, best first, how good the outcomes are by which they are ranked, and what all of it was counted from."""

    project: Project | None
    rows: list[RankingRow]
    raters: Raters
    counts: SuiteCounts


def marker_project(suite: Suite, slug: str | None = None, *, among: QuerySet[Project] | None = None) -> Project | None:
    """The project whose consensus counts: the named one, else the oldest that takes the suite; None if none does.

    Args:
        among: The projects that the account may see; without it, all projects.

    Raises:
        Invalid: the named project does not take this suite.
    """
    known = Project.objects.all() if among is None else among
    feeding = known.filter(feed__suite=suite).order_by("created_at", "pk")
    if slug is None:
        return feeding.first()
    found = feeding.filter(slug=slug).first()
    if found is None:
        raise Invalid.at("#/project", f"No project {slug!r} takes episodes of this suite.")
    return found


def version_named(suite: Suite, slug: str | None) -> Version | None:
    """The version of the suite with this slug; None where no slug is given, which means all versions together.

    Raises:
        Invalid: the suite has no such version.
    """
    if slug is None:
        return None
    found = suite.versions.filter(slug=slug).first()
    if found is None:
        raise Invalid.at("#/version", f"The suite has no version {slug!r}.")
    return found


def rank_agents(
    *,
    suite: Suite,
    project: Project | None,
    version: Version | None = None,
    by: str | None = None,
    tag: str | None = None,
    is_once: bool = False,
    is_corrected: bool = False,
) -> Ranking:
    """The agents that have ready continuations in the suite, ranked by their share of successes.

    References are left out. An episode without a consensus outcome counts as `pending`, one that was closed as not
    judgeable as `unjudged`; neither enters the rate.

    Args:
        is_once: Count identical continuations once: of each group the judged one with the lowest number.
        is_corrected: Rank by the rates without the raters' errors.

    Costs: 5 queries at most, with `is_once` 8; in proportion to the tallies (agents times wordings), to the workers
    who answered references and to the references, however many episodes there are.
    """
    counts = read_counts(suite=suite, project=project, version=version, tag=tag, is_once=is_once)
    raters = raters_of_outcome(project)
    return Ranking(project, _ranking_rows(counts, raters, by, is_corrected), raters, counts)


def _ranking_rows(counts: SuiteCounts, raters: Raters, by: str | None, is_corrected: bool) -> list[RankingRow]:
    """One row for each agent of these counts, best first, then by name."""
    found = counts.by_scenario()
    means = scenario_means(found.successes, found.n)
    hits, n = counts.success.sum(axis=1).tolist(), counts.judged.sum(axis=1).tolist()
    unjudged = counts.unjudgeable.sum(axis=1).tolist()
    pending = (counts.ready - counts.judged - counts.unjudgeable).sum(axis=1).tolist()
    rates = [success_rate(k, size) for k, size in zip(hits, n, strict=True)]
    corrected = [_corrected(rate, raters) for rate in rates]
    shown = [one.rate if one is not None else None for one in (corrected if is_corrected else rates)]
    ranked = [rate if kind == Agent.Kind.AGENT else None for rate, kind in zip(shown, counts.kinds, strict=True)]
    places = ranks(dict(zip(counts.agents, ranked, strict=True)))
    everywhere = range(len(counts.wordings))
    harvested = {wording.source_agent for wording in counts.wordings}
    groups = _groups(counts, by) if by else [()] * len(counts.agents)
    rows = [
        RankingRow(
            agent,
            counts.kinds[at],
            places[agent],
            rates[at],
            means[at],
            corrected[at],
            counts.without_chance(at, everywhere),
            _without_own(counts, at) if agent in harvested else None,
            is_corrected,
            unjudged[at],
            pending[at],
            groups[at],
        )
        for at, agent in enumerate(counts.agents)
    ]
    return sorted(rows, key=lambda row: (row.rank is None, row.rank or 0, row.agent))


def _without_own(counts: SuiteCounts, agent: int) -> WithoutOwn:
    own = set(counts.own_places(agent))
    left = [at for at in range(len(counts.wordings)) if at not in own]
    hits, n = counts.success[:, left].sum(axis=1).tolist(), counts.judged[:, left].sum(axis=1).tolist()
    rates = {
        slug: k / size if size and kind == Agent.Kind.AGENT else None
        for slug, kind, k, size in zip(counts.agents, counts.kinds, hits, n, strict=True)
    }
    left_out = len({counts.wordings[at].scenario for at in own})
    return WithoutOwn(left_out, success_rate(hits[agent], n[agent]), ranks(rates)[counts.agents[agent]])


def _corrected(success: SuccessRate, raters: Raters) -> CorrectedRate | None:
    if not success.n or raters.withheld or raters.outcome is None:
        return None
    return corrected_rate(success.successes, success.n, raters.outcome)


def _groups(counts: SuiteCounts, by: str) -> list[tuple[GroupRate, ...]]:
    """For each agent its rates within the groups at whose scenarios it was tried, by name."""
    members: dict[str | None, list[int]] = {}
    for at, wording in enumerate(counts.wordings):
        for group in wording.groups(by):
            members.setdefault(group, []).append(at)
    found: list[list[GroupRate]] = [[] for _ in counts.agents]
    for group in sorted(members, key=lambda name: (name is None, name or "")):
        places = members[group]
        _, matrix = counts.columns(counts.wordings[at].scenario for at in places)
        hits, n = counts.success[:, places], counts.judged[:, places]
        means = scenario_means(hits @ matrix, n @ matrix)
        for at in np.flatnonzero(counts.ready[:, places].sum(axis=1)).tolist():
            rate = success_rate(int(hits[at].sum()), int(n[at].sum()))
            found[at].append(GroupRate(group, rate, means[at], counts.without_chance(at, places)))
    return [tuple(mine) for mine in found]


def consensus_of_all(episodes: Sequence[Episode], *, among: QuerySet[Project]) -> dict[int, dict[str, Any]]:
    """For each episode, by its id, the consensus of the oldest of these projects that takes its suite. 2 queries."""
    suites = {episode.scenario.suite_id for episode in episodes}
    # Newest first, so that the oldest project of a suite overwrites the others in the dictionary.
    feeding = among.filter(feed__suite__in=suites).order_by("-created_at", "-pk")
    ranking = dict(feeding.values_list("feed__suite_id", "pk"))
    found = (
        Consensus.objects.settled()
        .filter(
            task__project__in=ranking.values(),
            task__shown__episode__in=[episode.pk for episode in episodes],
            task__key=F("task__shown__episode__external_id"),
        )
        .select_related("task__shown")
    )
    by_episode = {(row.task.project_id, row.task.shown.episode_id): row.as_answer() for row in found}
    keys = {episode.pk: (ranking.get(episode.scenario.suite_id, 0), episode.pk) for episode in episodes}
    return {pk: by_episode[key] for pk, key in keys.items() if key in by_episode}
