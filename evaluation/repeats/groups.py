"""Groups of identical continuations, pairs that look alike, and what a ranking that counts each group once omits."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from annotation.models import Project
from evaluation.models import Episode, EpisodeTask, Resemblance, Revision
from evaluation.tallies import own_links

KINDS = IDENTICAL, NEAR = Resemblance.Kind.IDENTICAL.value, Resemblance.Kind.NEAR.value
JUDGED = ("success", "failure")
MOST_PAIRS = 10_000
"""How many pairs that only look the same are told, in the order of agents and scenarios."""


class Repeat(NamedTuple):
    """A continuation of an agent at a scenario that is the same as one with a lower number, or looks the same."""

    agent: str
    kind: str
    scenario: str
    continuation: int
    same_as: int


def repeats_in(revisions: QuerySet[Revision]) -> list[Repeat]:
    """The continuations that repeat others, by agent; the identical ones first, each with the lowest number that it
    repeats; then the pairs that only look the same. 3 queries."""
    found = []
    for group in _groups(revisions):
        first, *others = sorted(group, key=lambda one: one.continuation)
        found += [Repeat(one.agent, IDENTICAL, one.scenario, one.continuation, first.continuation) for one in others]
    return sorted([*found, *_pairs(revisions)])


def _pairs(revisions: QuerySet[Revision]) -> list[Repeat]:
    """The first pairs that look the same, but are not identical. 1 query."""
    rows = _links(revisions, NEAR).filter(later__archived_at=None, earlier__archived_at=None)
    pairs = rows.order_by("later__agent__slug", "later__scenario__key", "pk").values_list(
        "later__agent__slug", "later__scenario__key", "later__continuation", "earlier__continuation"
    )
    return [Repeat(agent, NEAR, scenario, max(a, b), min(a, b)) for agent, scenario, a, b in pairs[:MOST_PAIRS]]


Cell = tuple[int, int]
"""The ids of agent and wording."""


def repeats_by_cell(revisions: QuerySet[Revision], project: Project | None) -> dict[Cell, Counter[str]]:
    """For each agent at each wording: how many continuations are repeats (`ready`), and what a ranking counts them as.

    Of each group of identical continuations the judged one with the lowest number counts, or if none is judged, the one
    with the lowest number. 3 queries.
    """
    groups = _groups(revisions)
    outcomes = _outcomes(project, (one.pk for group in groups for one in group))
    found: dict[Cell, Counter[str]] = defaultdict(Counter)
    for group in groups:
        kept = min(group, key=lambda one: (outcomes.get(one.pk) not in JUDGED, one.continuation))
        for one in group:
            if one is not kept:
                counted = found[one.agent_id, one.revision_id]
                counted["ready"] += 1
                if outcomes.get(one.pk):
                    counted[outcomes[one.pk]] += 1
    return found


class _Member(NamedTuple):
    pk: int
    agent_id: int
    revision_id: int
    agent: str
    scenario: str
    continuation: int


def _groups(revisions: QuerySet[Revision]) -> list[list[_Member]]:
    """Groups of two or more identical continuations that are counted. 2 queries.

    A may equal B by its video, and B equal C by its trajectory: then all three are one group, also where B is archived.
    """
    links = _links(revisions, IDENTICAL)
    root: dict[int, int] = {}

    def root_of(pk: int) -> int:
        while (above := root.setdefault(pk, pk)) != pk:
            root[pk] = pk = root[above]
        return pk

    for later, earlier in links.values_list("later_id", "earlier_id"):
        root[root_of(later)] = root_of(earlier)
    if not root:
        return []
    linked = Q(pk__in=links.values("later")) | Q(pk__in=links.values("earlier"))
    columns = ("pk", "agent_id", "revision_id", "agent__slug", "scenario__key", "continuation")
    groups: dict[int, list[_Member]] = defaultdict(list)
    for row in Episode.objects.ranked().filter(linked).values_list(*columns):
        if row[0] in root:
            groups[root_of(row[0])].append(_Member(*row))
    return [group for group in groups.values() if len(group) > 1]


def _links(revisions: QuerySet[Revision], kind: str) -> QuerySet[Resemblance]:
    return Resemblance.objects.filter(kind=kind, later__revision__in=revisions.values("pk"))


def _outcomes(project: Project | None, episodes: Iterable[int]) -> dict[int, Any]:
    """As what a ranking of this project counts each of these. 1 query for each 2000 of them."""
    if project is None:
        return {}
    known = list(episodes)
    found: dict[int, Any] = {}
    for at in range(0, len(known), 2000):
        links = own_links(EpisodeTask.objects.filter(task__project=project, episode__in=known[at : at + 2000]))
        found.update(links.values_list("episode_id", "counted_as"))
    return found
