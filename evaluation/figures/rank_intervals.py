"""Intervals of ranks in a ranking: computed with the answer where that is quick, else by a job, and kept."""

import json
from typing import Any, NamedTuple

from annotation.models import Project
from evaluation.figures.counts import SuiteCounts, read_counts
from evaluation.figures.kept import figure_key, found_figure, keep_figure
from evaluation.models import Suite, Version
from jobs.models import Job
from jobs.outbox import Running, enqueue
from lib.statistics.suites.rank_intervals import RESAMPLES, SEED, RankInterval, RankIntervals, rank_intervals

COMPUTE = "evaluation.rank_intervals"
QUICK = 16_000_000
"""Up to this number of resamples times agents times (clusters + agents), an answer waits for its intervals: 0.2 s."""


class Asked(NamedTuple):
    """The scope of a ranking; `is_once`: identical continuations count once."""

    suite: Suite
    project: Project | None
    version: Version | None
    tag: str | None
    is_once: bool = False

    def as_subject(self) -> str:
        ids = [self.suite.pk, self.project.pk if self.project else None, self.version.pk if self.version else None]
        return json.dumps([*ids, self.tag, *([True] if self.is_once else [])])


class FoundIntervals(NamedTuple):
    """The intervals by the agents' slugs, and the groups of tied agents; `is_pending` while a job computes them."""

    intervals: dict[str, RankInterval | None]
    ties: list[list[str]]
    is_pending: bool

    def bootstrap(self) -> dict[str, Any]:
        return {"seed": SEED, "resamples": RESAMPLES, "pending": self.is_pending}


def intervals_of(counts: SuiteCounts, asked: Asked) -> FoundIntervals:
    """The rank intervals of the programs among these agents. No query where they are quick; else 1, and 2 more to queue
    their job."""
    counts = counts.of_programs()
    hits, n = counts.by_cluster()
    clusters, agents = hits.shape
    if RESAMPLES * agents * (clusters + agents) <= QUICK:
        return _named(rank_intervals(hits, n), counts.agents)
    kept = found_figure(_key(counts))
    if kept is None:
        subject = asked.as_subject()
        enqueue(COMPUTE, subject, unique_key=f"{COMPUTE}@{figure_key([subject])}")
        return FoundIntervals({}, [], is_pending=True)
    return _named(_from_json(kept), counts.agents)


def compute(running: Running) -> None:
    """Job handler: computes the intervals of the counts as they are now, unless they are kept already."""
    suite, project, version, tag, *is_once = json.loads(running.subject)
    # What changes from here on is for another job.
    running.free_key()
    counts = read_counts(
        suite=Suite.objects.get(pk=suite),
        project=Project.objects.filter(pk=project).first(),
        version=Version.objects.filter(pk=version).first(),
        tag=tag,
        is_once=bool(is_once),
    ).of_programs()
    key = _key(counts)
    if found_figure(key) is None:
        hits, n = counts.by_cluster()
        found = rank_intervals(hits, n, report=running.report)
        keep_figure(key, {"intervals": found.intervals, "ties": found.ties})


def progress_of(asked: Asked) -> float:
    """The share that is done of the intervals that a job computes. 1 query."""
    jobs = Job.objects.filter(kind=COMPUTE, subject=asked.as_subject()).order_by("-pk")
    return jobs.values_list("progress", flat=True).first() or 0.0


def _key(counts: SuiteCounts) -> str:
    return figure_key([COMPUTE, RESAMPLES, SEED, counts.digest()])


def _from_json(kept: dict[str, Any]) -> RankIntervals:
    intervals = [None if one is None else RankInterval(*one) for one in kept["intervals"]]
    return RankIntervals(intervals, kept["ties"])


def _named(found: RankIntervals, agents: list[str]) -> FoundIntervals:
    ties = [[agents[place] for place in group] for group in found.ties]
    return FoundIntervals(dict(zip(agents, found.intervals, strict=True)), ties, is_pending=False)
