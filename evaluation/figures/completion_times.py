"""Time to completion of each agent at a suite, from the takeover on."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from annotation.models import Project
from evaluation.figures.counts import SuiteCounts, read_counts
from evaluation.figures.kept import kept_figure
from evaluation.figures.rank_intervals import Asked
from evaluation.models import EpisodeTask, Revision
from evaluation.tallies import own_links
from lib.statistics.suites.completion import (
    FAILURE,
    SUCCESS,
    CurvePoint,
    among_successes,
    cumulative_incidence,
    thinned,
)

SUCCESSES, INCIDENCE = "successes", "incidence"
KINDS = (SUCCESSES, INCIDENCE)
MOST_POINTS = 500
"""A curve with more points than this is thinned evenly."""
MANY_CONTINUATIONS = 20_000
"""From this number of judged continuations on, the curves are kept until a count of the suite changes."""


class Curve(NamedTuple):
    """The curve of one agent. `n` counts the continuations behind it: successes alone, or all that have a moment."""

    agent: str
    n: int
    points: list[CurvePoint]

    def as_json(self) -> dict[str, Any]:
        return {"agent": self.agent, "n": self.n, "points": [point._asdict() for point in self.points]}


def completion_curves(asked: Asked, *, kind: str) -> list[Curve]:
    """The curves of the agents that have ready continuations, by name.

    A failure is an event at its own moment: a continuation that never succeeds was marked at its end. An outcome
    without a moment, which a weighted consensus may have, is left out.

    Costs: 4 queries; in proportion to the judged continuations, or where these are many, to the tallies.
    """
    counts = read_counts(**asked._asdict())
    if asked.project is None:
        return [Curve(agent, 0, []) for agent in counts.agents]
    project = asked.project
    if counts.judged.sum() < MANY_CONTINUATIONS:
        return _curves(_moments(project, asked), counts, kind)
    names = ["completion", kind, project.pk, counts.digest()]
    kept = kept_figure(names, lambda: [list(one) for one in _curves(_moments(project, asked), counts, kind)])
    return [Curve(agent, n, [CurvePoint(*point) for point in points]) for agent, n, points in kept]


Moments = dict[str, tuple[list[float], list[int]]]


def _moments(project: Project, asked: Asked) -> Moments:
    """By agent: the seconds from the takeover to each outcome, and its kind. 1 query."""
    revisions = Revision.objects.filter(scenario__suite=asked.suite)
    if asked.version is not None:
        revisions = revisions.filter(versions=asked.version)
    shown = own_links(EpisodeTask.objects.filter(task__project=project, counted_as__in=("success", "failure")))
    rows = shown.filter(episode__revision__in=revisions.values("pk")).values_list(
        "episode__agent__slug",
        "counted_as",
        "task__consensus__answer__time_s",
        "episode__takeover_s",
        "episode__revision__tags",
    )
    found: Moments = defaultdict(lambda: ([], []))
    for agent, outcome, time_s, takeover_s, tags in rows.iterator(chunk_size=2000):
        if time_s is not None and (asked.tag is None or asked.tag in tags):
            times, events = found[agent]
            # The frame of the takeover may begin a little before it.
            times.append(max(float(time_s) - takeover_s, 0.0))
            events.append(SUCCESS if outcome == "success" else FAILURE)
    return found


def _curves(moments: Moments, counts: SuiteCounts, kind: str) -> list[Curve]:
    none: tuple[list[float], list[int]] = ([], [])
    return [_curve(agent, *moments.get(agent, none), kind) for agent in counts.agents]


def _curve(agent: str, times: Sequence[float], events: Sequence[int], kind: str) -> Curve:
    if kind == INCIDENCE:
        return Curve(agent, len(times), thinned(cumulative_incidence(times, events), MOST_POINTS))
    successes = [time for time, event in zip(times, events, strict=True) if event == SUCCESS]
    return Curve(agent, len(successes), thinned(among_successes(successes), MOST_POINTS))
