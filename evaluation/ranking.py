"""The ranking of agents on a suite, for pages and for the API (paper 000, section 3.4)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import F, QuerySet

from annotation.models import Consensus, Project, Task
from annotation.quality.accuracy import raters_of
from evaluation.models import Episode, EpisodeTask, Suite, Version
from lib.faults import Invalid
from lib.statistics.success_rate import SuccessRate, ranks, success_rate

GROUPINGS = ("category", "skill", "tag", "prompt", "scenario")


class RankedEpisode(NamedTuple):
    """One ready episode as a ranking counts it. An outcome of None: there is no consensus yet."""

    agent: str
    groups: tuple[str | None, ...]
    outcome: bool | None
    is_unjudgeable: bool


class RankingRow(NamedTuple):
    """One agent in a ranking; `rank` is None where none of its episodes has an outcome."""

    agent: str
    rank: int | None
    success: SuccessRate
    unjudged: int
    pending: int
    groups: tuple[tuple[str | None, SuccessRate], ...]


class Ranking(NamedTuple):
    """Agents, best first, and the accuracy of the workers who judged them."""

    project: Project | None
    rows: list[RankingRow]
    rater: dict[str, Any] | None


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
) -> Ranking:
    """The agents that have ready continuations in the suite, ranked by their share of successes.

    References are left out. An episode without a consensus outcome counts as `pending`, one that was closed as not
    judgeable as `unjudged`; neither enters the rate.
    """
    episodes = _ranked_episodes(suite, project, version=version, by=by, tag=tag)
    return Ranking(project, _ranking_rows(episodes), _rater(project))


def _ranking_rows(episodes: Iterable[RankedEpisode]) -> list[RankingRow]:
    """One row for each agent of these episodes, best first, then by name."""
    by_agent: dict[str, list[RankedEpisode]] = defaultdict(list)
    for one in episodes:
        by_agent[one.agent].append(one)
    rates = {agent: _rate(ones) for agent, ones in by_agent.items()}
    places = ranks({agent: rate.rate for agent, rate in rates.items()})
    rows = [
        RankingRow(
            agent=agent,
            rank=places[agent],
            success=rates[agent],
            unjudged=sum(one.is_unjudgeable for one in ones),
            pending=sum(one.outcome is None and not one.is_unjudgeable for one in ones),
            groups=_groups(ones),
        )
        for agent, ones in by_agent.items()
    ]
    return sorted(rows, key=lambda row: (row.rank is None, row.rank or 0, row.agent))


def _rate(episodes: Iterable[RankedEpisode]) -> SuccessRate:
    outcomes = [one.outcome for one in episodes if one.outcome is not None]
    return success_rate(sum(outcomes), len(outcomes))


def _groups(episodes: list[RankedEpisode]) -> tuple[tuple[str | None, SuccessRate], ...]:
    grouped: dict[str | None, list[RankedEpisode]] = defaultdict(list)
    for one in episodes:
        for group in one.groups:
            grouped[group].append(one)
    return tuple(
        (group, _rate(grouped[group])) for group in sorted(grouped, key=lambda name: (name is None, name or ""))
    )


def _ranked_episodes(
    suite: Suite, project: Project | None, *, version: Version | None, by: str | None, tag: str | None
) -> list[RankedEpisode]:
    episodes = Episode.objects.ranked().filter(scenario__suite=suite)
    if version is not None:
        episodes = episodes.filter(revision__versions=version)
    rows = episodes.values(
        "pk",
        "agent__slug",
        "scenario__key",
        "revision__category",
        "revision__skill",
        "revision__prompt",
        "revision__tags",
    )
    ends = _ends(project)
    found = []
    for row in rows.iterator(chunk_size=2000):
        if tag is not None and tag not in row["revision__tags"]:
            continue
        status, outcome = ends.get(row["pk"], (None, None))
        is_unjudgeable = status == Task.Status.UNJUDGEABLE
        verdict = None if outcome is None or is_unjudgeable else outcome == "success"
        found.append(RankedEpisode(row["agent__slug"], _groups_of(row, by), verdict, is_unjudgeable))
    return found


def _ends(project: Project | None) -> dict[int, tuple[str, str | None]]:
    """The status and consensus outcome of the project's own task, by episode id."""
    if project is None:
        return {}
    rows = (
        EpisodeTask.objects.filter(task__project=project, task__is_reference=False, task__key=F("episode__external_id"))
        # An open task may have a provisional consensus; its episode is still pending.
        .exclude(task__status=Task.Status.OPEN)
        .values_list("episode_id", "task__status", "task__consensus__answer")
    )
    return {episode: (status, (answer or {}).get("outcome")) for episode, status, answer in rows}


def consensus_of_all(episodes: Sequence[Episode]) -> dict[int, dict[str, Any]]:
    """For each episode, by its id, the consensus of the project that ranks its suite. 2 queries."""
    suites = {episode.scenario.suite_id for episode in episodes}
    # Newest first, so that the oldest project of a suite overwrites the others in the dictionary.
    feeding = Project.objects.filter(feed__suite__in=suites).order_by("-created_at", "-pk")
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


def _groups_of(row: Mapping[str, Any], by: str | None) -> tuple[str | None, ...]:
    match by:
        case None:
            return ()
        case "tag":
            return tuple(dict.fromkeys(row["revision__tags"]))
        case "scenario":
            return (row["scenario__key"],)
        case _:
            return (row[f"revision__{by}"] or None,)


def _rater(project: Project | None) -> dict[str, Any] | None:
    if project is None:
        return None
    accuracy = raters_of(project).accuracy
    if not accuracy.n:
        return None
    return {"n": accuracy.n, "sensitivity": accuracy.sensitivity, "specificity": accuracy.specificity}


def show_ranking(ranking: Ranking) -> dict[str, Any]:
    """The ranking as the API answers it; fields that are not computed yet are null."""
    return {
        "agents": [
            {
                "agent": row.agent,
                "n": row.success.n,
                "successes": row.success.successes,
                "rate": row.success.rate,
                "standard_error": row.success.standard_error,
                "se_suite": None,
                "se_population": None,
                "low": row.success.low,
                "high": row.success.high,
                "rank": row.rank,
                "rank_low": None,
                "rank_high": None,
                "corrected": None,
                "unjudged": row.unjudged,
                "pending": row.pending,
                "groups": [
                    {
                        "group": group,
                        "n": success.n,
                        "successes": success.successes,
                        "rate": success.rate,
                        "standard_error": success.standard_error,
                    }
                    for group, success in row.groups
                ],
            }
            for row in ranking.rows
        ],
        "rater": ranking.rater,
    }
