"""Scenarios to look at: those that nobody passes, that no longer tell agents apart, or on which raters disagree."""

from collections import defaultdict
from typing import NamedTuple

from django.db.models import Count, Q

from annotation.models import Annotation, Project
from evaluation.figures.counts import SuiteCounts, read_counts
from evaluation.figures.kept import kept_figure
from evaluation.figures.rank_intervals import Asked
from evaluation.figures.runs import wordings_of
from evaluation.models import EpisodeTask, Revision
from evaluation.tallies import own_links
from lib.statistics.intervals import wilson
from lib.statistics.suites.separation import Separation, separations

NOBODY_PASSES, DOES_NOT_SEPARATE, WEAKER_ARE_BETTER, RATERS_DISAGREE = KINDS = (
    "nobody_passes",
    "does_not_separate",
    "weaker_are_better",
    "raters_disagree",
)
LEAST_FAILURES = 20
"""With fewer judged continuations, none of which succeeded, it is too early to say that nobody passes."""
LITTLE = 0.1
"""A scenario no longer separates where the stronger agents are better by this at most, with 95 % confidence."""
LEAST_COMMON = 5
"""With fewer continuations of several answers, nothing is said of the raters."""
MUCH = 0.2
"""Raters disagree where they do so on more than this share of the continuations, with 95 % confidence."""
MANY_CONTINUATIONS = 20_000
"""From this number of judged continuations on, the disagreements are kept until a count of the suite changes."""


class Note(NamedTuple):
    """Something to look at, with its evidence: a share or a difference with its 95 % interval, from n continuations."""

    scenario: str
    kind: str
    n: int
    value: float
    low: float
    high: float
    sentence: str


def notes_of(asked: Asked) -> list[Note]:
    """The notes on the scenarios of the version, by scenario; without a version on all. 4 queries.

    People and guessing do not count among the agents.

    Costs: in proportion to the tallies, and to the continuations of several answers where these are not kept.
    """
    counts = read_counts(**asked._asdict())
    programs = counts.of_programs().by_scenario()
    notes = []
    apart = separations(programs.successes, programs.n)
    hits, n = programs.successes.sum(axis=0), programs.n.sum(axis=0)
    for at, scenario in enumerate(programs.scenarios):
        if n[at] >= LEAST_FAILURES and not hits[at]:
            notes.append(_nobody_passes(scenario, int(n[at])))
        elif (found := apart[at]) is not None and (note := _separation(scenario, found)) is not None:
            notes.append(note)
    criteria = _with_criteria(asked)
    for scenario, (split, common) in _disagreements(asked, counts).items():
        if common >= LEAST_COMMON and wilson(split, common).low > MUCH:
            notes.append(_disagreement(scenario, split, common, scenario in criteria))
    return sorted(notes)


def _nobody_passes(scenario: str, n: int) -> Note:
    low, high = wilson(0, n)
    sentence = f"Nobody passes: none of {n} continuations succeeded, so at most {high:.0%} would."
    return Note(scenario, NOBODY_PASSES, n, 0.0, low, high, sentence)


def _separation(scenario: str, found: Separation) -> Note | None:
    n = found.n_strong + found.n_weak
    numbers = (n, found.difference, found.low, found.high)
    points = f"{found.difference * 100:+.0f} points ({found.low * 100:+.0f} to {found.high * 100:+.0f})"
    if found.high < 0:
        sentence = f"Weaker agents do better here: the stronger half differs by {points} on {n} continuations."
        return Note(scenario, WEAKER_ARE_BETTER, *numbers, sentence)
    if found.high <= LITTLE:
        sentence = f"No longer tells agents apart: the stronger half differs by {points} on {n} continuations."
        return Note(scenario, DOES_NOT_SEPARATE, *numbers, sentence)
    return None


def _disagreement(scenario: str, split: int, common: int, has_criteria: bool) -> Note:
    low, high = wilson(split, common)
    sentence = f"Raters disagree on {split} of {common} continuations that several judged."
    sentence += " Its criteria may leave something open." if has_criteria else " It has no criteria of success."
    return Note(scenario, RATERS_DISAGREE, common, split / common, low, high, sentence)


def _with_criteria(asked: Asked) -> set[str]:
    """The keys of the scenarios whose wording, in this version, says what counts. 1 query."""
    return set(wordings_of(asked).exclude(criteria="").values_list("scenario__key", flat=True))


def _disagreements(asked: Asked, counts: SuiteCounts) -> dict[str, tuple[int, int]]:
    """By scenario: the continuations on which answers differ, and those that have several answers."""
    if asked.project is None:
        return {}
    project = asked.project
    if counts.judged.sum() < MANY_CONTINUATIONS:
        return _count(project, asked)
    names = ["disagreements", project.pk, counts.digest()]
    kept = kept_figure(names, lambda: {key: list(pair) for key, pair in _count(project, asked).items()})
    return {key: (split, common) for key, (split, common) in kept.items()}


def _count(project: Project, asked: Asked) -> dict[str, tuple[int, int]]:
    """2 queries."""
    revisions = Revision.objects.filter(scenario__suite=asked.suite)
    if asked.version is not None:
        revisions = revisions.filter(versions=asked.version)
    shown = own_links(EpisodeTask.objects.filter(task__project=project, counted_as__in=("success", "failure")))
    shown = shown.filter(episode__revision__in=revisions.values("pk"))
    answers = (
        Annotation.objects.counting()
        .on_tasks()
        .filter(project=project)
        .order_by()
        .values_list("task_id")
        .annotate(n=Count("pk"), said=Count("pk", filter=Q(answer__outcome="success")))
        .filter(n__gt=1)
    )
    several = {task: 0 < said < n for task, n, said in answers.iterator(chunk_size=2000)}
    found: dict[str, list[bool]] = defaultdict(list)
    for task, key in shown.values_list("task_id", "episode__scenario__key").iterator(chunk_size=2000):
        if task in several:
            found[key].append(several[task])
    return {key: (sum(mine), len(mine)) for key, mine in found.items()}
