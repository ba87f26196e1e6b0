"""Tallies: the counts of continuations that rankings add up, kept true with each change.

A tally is changed in the transaction that changes what it counts: when an episode becomes ready, and when its task gets
an outcome, another one, or none. `EpisodeTask.counted_as` says what was counted, so nothing is counted twice.

Locks: the project's row, which whoever settles its tasks has locked; then tasks' links by id; then tallies by id of
revision and agent.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Case, Count, F, Model, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.consensus.signals import Changed
from annotation.models import Task
from evaluation.marker import marker
from evaluation.models import Episode, EpisodeTask, Tally

OUTCOMES = ("success", "failure", "unjudgeable")
"""The outcomes that a ranking counts, each a column of a tally. All other continuations that are ready are pending."""
_BATCH = 2000


class Cell(NamedTuple):
    """The names of a tally; no project: what is ready."""

    revision: int
    agent: int
    project: int | None


def count_ready(episode: Episode, *, step: int = 1) -> None:
    """Count an episode that has become ready; with the step -1, no longer count it, for it is archived. A reference is
    not ranked. Call it in the transaction that makes it so. Costs: 1 query, 4 for the first of an agent at a wording.
    """
    if episode.reference is None:
        _add(Cell(episode.revision_id, episode.agent_id, None), {"ready": step})


def tasks_changed(changes: Sequence[Changed], *, at: datetime) -> None:
    """See `annotation.consensus.signals.Follower`.

    Costs: none for tasks without episodes; else 1 query, 1 more for each changed outcome, 1 for each changed tally.
    """
    if marker.is_tool_of(changes[0].task.project):
        count_again([task.pk for task, _ in changes])


def count_again(tasks: Collection[int]) -> None:
    """Count these tasks as what the database says of them now. Call it with their project's row locked."""
    shown = own_links(EpisodeTask.objects.filter(task__in=tasks)).annotate(now=_outcome_now(Episode)).order_by("pk")
    added: dict[Cell, Counter[str]] = defaultdict(Counter)
    moved: dict[str, list[int]] = defaultdict(list)
    rows = shown.values_list("pk", "counted_as", "now", "episode__revision_id", "episode__agent_id", "task__project_id")
    for pk, before, now, *names in rows:
        if before == now:
            continue
        moved[now].append(pk)
        for outcome, step in ((before, -1), (now, 1)):
            if outcome:
                added[Cell(*names)][outcome] += step
    for now, pks in moved.items():
        EpisodeTask.objects.filter(pk__in=pks).update(counted_as=now)
    for cell in sorted(added):
        _add(cell, added[cell])


def own_links(links: QuerySet[Any]) -> QuerySet[Any]:
    """Those of these links whose outcome a ranking counts: an ordinary task that has the key of its episode, which is
    no reference itself."""
    return links.filter(task__is_reference=False, task__key=F("episode__external_id"), episode__reference__isnull=True)


def _has_archive(episodes: type[Model]) -> bool:
    """False in a migration that is older than archived episodes."""
    return any(field.name == "archived_at" for field in episodes._meta.fields)


def _outcome_now(episodes: type[Model]) -> Case:
    """The outcome as which a ranking counts a link's task. An open task may have a provisional consensus; it has no
    outcome, nor has the task of an archived episode."""
    said = "task__consensus__answer__outcome"
    archived = [When(episode__archived_at__isnull=False, then=Value(""))] if _has_archive(episodes) else []
    return Case(
        *archived,
        When(task__status=Task.Status.OPEN, then=Value("")),
        When(task__status=Task.Status.UNJUDGEABLE, then=Value("unjudgeable")),
        When(**{said: "success"}, then=Value("success")),
        When(**{said: "failure"}, then=Value("failure")),
        default=Value(""),
    )


def _add(cell: Cell, steps: "Counter[str] | dict[str, int]") -> None:
    """Add these steps to a tally, which is made if it is not there."""
    changes = {name: F(name) + step for name, step in steps.items() if step}
    rows = Tally.objects.filter(**_names(cell))
    if not changes or rows.update(**changes, changed_at=timezone.now()):
        return
    try:
        with transaction.atomic():
            Tally.objects.create(**_names(cell), **steps)
    except IntegrityError:
        # Another transaction has made it meanwhile.
        rows.update(**changes, changed_at=timezone.now())


def _names(cell: Cell) -> dict[str, Any]:
    return {"revision_id": cell.revision, "agent_id": cell.agent, "project_id": cell.project}


# Anew ----------------------------------------------------------------------------------------------------------------


def recount(links: type[Model] = EpisodeTask, episodes: type[Model] = Episode, tallies: type[Model] = Tally) -> int:
    """Count everything anew, in one transaction; returns how many tallies were not as they are now.

    Nothing else may settle tasks meanwhile: stop the server, or call it in a migration, with the models of that state.
    """
    with transaction.atomic():
        every = links._default_manager
        now = own_links(every.filter(pk=OuterRef("pk"))).annotate(now=_outcome_now(episodes)).values("now")
        every.update(counted_as=Coalesce(Subquery(now), Value("")))
        before = _kept(tallies)
        after = _counted(links, episodes)
        tallies._default_manager.all().delete()
        tallies._default_manager.bulk_create(
            [tallies(**_names(cell), **steps) for cell, steps in sorted(after.items(), key=str)], batch_size=_BATCH
        )
    return sum(before.get(cell, {}) != after.get(cell, {}) for cell in {*before, *after})


def _kept(tallies: type[Model]) -> dict[Cell, dict[str, int]]:
    """The tallies that count anything, with what they count."""
    rows = tallies._default_manager.values_list("revision_id", "agent_id", "project_id", "ready", *OUTCOMES)
    kept = {}
    for revision, agent, project, *counts in rows:
        steps = {name: n for name, n in zip(("ready", *OUTCOMES), counts, strict=True) if n}
        if steps:
            kept[Cell(revision, agent, project)] = steps
    return kept


def _counted(links: type[Model], episodes: type[Model]) -> dict[Cell, dict[str, int]]:
    counted: dict[Cell, dict[str, int]] = defaultdict(dict)
    ready = episodes._default_manager.filter(status=Episode.Status.READY, reference__isnull=True).order_by()
    if _has_archive(episodes):
        ready = ready.filter(archived_at=None)
    for revision, agent, n in ready.values_list("revision_id", "agent_id").annotate(n=Count("pk")):
        counted[Cell(revision, agent, None)]["ready"] = n
    judged = links._default_manager.exclude(counted_as="").order_by()
    columns = ("episode__revision_id", "episode__agent_id", "task__project_id", "counted_as")
    for *names, outcome, n in judged.values_list(*columns).annotate(n=Count("pk")):
        counted[Cell(*names)][outcome] = n
    return dict(counted)
