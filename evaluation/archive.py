"""Archiving suites and episodes: hidden from lists and offered to nobody, and put back at will.

An archived episode leaves the rankings. After the grace, a nightly job deletes what was archived and never used: an
episode that nobody was ever given to judge, a suite without episodes. All else stays archived.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Any

from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Exists, OuterRef, ProtectedError

from annotation.models import Annotation, Assignment, Project, Task
from annotation.projects.archive import GRACE, RULE
from annotation.work import posting
from audit.changes import changes
from audit.log import Subject, record
from evaluation import tallies
from evaluation.models import Episode, EpisodeTask, Feed, Film, Suite, Upload
from evaluation.project_feeds import post_to_projects
from evaluation.repeats.resemblances import hand_on
from lib.faults import Conflict
from lib.number_words import number_of

# Suites -------------------------------------------------------------------------------------------------------------


def archive_suite(*, suite: Suite, by: str, at: datetime) -> None:
    """Hide the suite; nothing is posted to it any more. A repeat changes nothing.

    Raises:
        Conflict: a project that is neither closed nor archived takes its episodes.
    """
    with transaction.atomic():
        found = Suite.objects.select_for_update().get(pk=suite.pk)
        if found.archived_at is None:
            takers = _takers(found)
            if takers:
                raise Conflict(f"The project {takers[0]!r} takes its episodes. Close or archive that project first.")
            _change(found, archived_at=at, subject=Subject("suite", found.slug), by=by, at=at)


def restore_suite(*, suite: Suite, by: str, at: datetime) -> None:
    """Put an archived suite back. A repeat changes nothing."""
    with transaction.atomic():
        found = Suite.objects.select_for_update().get(pk=suite.pk)
        if found.archived_at is not None:
            _change(found, archived_at=None, subject=Subject("suite", found.slug), by=by, at=at)


def _takers(suite: Suite) -> list[str]:
    feeds = Feed.objects.filter(suite=suite, project__archived_at=None).exclude(project__status=Project.Status.CLOSED)
    return list(feeds.order_by("project_id").values_list("project__slug", flat=True))


def what_archiving_a_suite_does(suite: Suite) -> list[str]:
    """The consequences of archiving the suite, in sentences with counts. 1 query."""
    episodes = Episode.objects.filter(scenario__suite=suite).count()
    said = ["It is no longer in the lists, and takes no new scenarios and episodes. Its ranking stays."]
    if episodes:
        return [*said, f"It has {number_of(episodes, 'episode')}, so it is never deleted."]
    return [*said, f"It has no episodes: it is deleted after {GRACE.days} days, unless it is put back."]


# Episodes -----------------------------------------------------------------------------------------------------------


def archive_episode(*, episode: Episode, by: str, at: datetime) -> None:
    """Hide the episode, take back its open tasks, and leave it out of rankings. A repeat changes nothing.

    Raises:
        Conflict: it is being prepared, or is served as a reference.
    """
    with transaction.atomic():
        tasks = _locked_tasks(episode)
        found = Episode.objects.select_for_update().get(pk=episode.pk)
        if found.archived_at is not None:
            return
        if found.status == Episode.Status.PREPARING:
            raise Conflict("Its video is being prepared. Archive it when that has ended.")
        served = [task for task in tasks if task.is_reference and task.open]
        if served:
            raise Conflict(f"It is a reference in the project {served[0].project.slug!r}. Retire that reference first.")
        for task in tasks:
            # Its closing time tells the tasks that are taken back here from those that were before.
            posting.withdraw(task=task, at=at)
        _change(found, archived_at=at, subject=_subject(found), by=by, at=at)
        _count(found, tasks, step=-1)


def restore_episode(*, episode: Episode, by: str, at: datetime) -> None:
    """Put an archived episode back, with the tasks that were taken back. A repeat changes nothing."""
    with transaction.atomic():
        tasks = _locked_tasks(episode)
        found = Episode.objects.select_for_update().get(pk=episode.pk)
        if found.archived_at is None:
            return
        taken_back = [task for task in tasks if task.closed_at == found.archived_at]
        _change(found, archived_at=None, subject=_subject(found), by=by, at=at)
        for task in taken_back:
            posting.restore(task=task, at=at)
        _count(found, tasks, step=1)
        if found.status == Episode.Status.READY:
            # A project may take the suite's episodes since.
            post_to_projects(episode=found, at=at)


def _locked_tasks(episode: Episode) -> list[Task]:
    """The tasks that show the episode. Locks: their projects, as whoever settles tasks does."""
    shown = Task.objects.filter(shown__episode=episode)
    projects = Project.objects.filter(pk__in=shown.values("project")).order_by("pk").select_for_update()
    list(projects.values_list("pk"))
    return list(shown.select_related("project").order_by("pk"))


def _count(episode: Episode, tasks: Iterable[Task], *, step: int) -> None:
    """Count the episode in rankings again (1), or no longer (-1)."""
    if episode.status == Episode.Status.READY:
        tallies.count_ready(episode, step=step)
        tallies.count_again([task.pk for task in tasks])


def what_archiving_an_episode_does(episode: Episode) -> list[str]:
    """The consequences of archiving the episode, in sentences with counts. 3 queries."""
    tasks = Task.objects.filter(shown__episode=episode)
    open_tasks = tasks.ordinary().filter(status=Task.Status.OPEN).count()
    answers = Annotation.objects.filter(task__in=tasks).count()
    said = ["It is no longer in the lists and in rankings."]
    if open_tasks:
        said.append(f"{number_of(open_tasks, 'open task')} of it will be taken back.")
    if answers:
        return [*said, f"It has {number_of(answers, 'answer')}, so it is never deleted."]
    if Assignment.objects.filter(task__in=tasks).exists():
        return [*said, "Somebody was given it to judge, so it is never deleted."]
    return [*said, f"Nobody has judged it: it is deleted after {GRACE.days} days, unless it is put back."]


def _subject(episode: Episode) -> Subject:
    return Subject("episode", episode.external_id)


# Both ---------------------------------------------------------------------------------------------------------------


def _change(row: Suite | Episode, *, archived_at: datetime | None, subject: Subject, by: str, at: datetime) -> None:
    is_archived = archived_at is not None
    row.archived_at = archived_at
    row.save(update_fields=["archived_at"])
    verb = f"{subject.kind}.{'archived' if is_archived else 'restored'}"
    record(
        verb=verb, actor=by, subject=subject, at=at, **changes({"archived": not is_archived}, {"archived": is_archived})
    )


def delete_unused(at: datetime) -> int:
    """Delete the episodes, and then the suites, that were archived before the grace and never used; returns how
    many."""
    given = Assignment.objects.filter(task__shown__episode=OuterRef("pk"))
    episodes = Episode.objects.filter(~Exists(given), archived_at__lt=at - GRACE)
    deleted = sum(_delete_episode(pk, at=at) for pk in list(episodes.values_list("pk", flat=True)))
    suites = Suite.objects.filter(archived_at__lt=at - GRACE, scenarios__episodes=None, feeds=None).distinct()
    return deleted + sum(_delete_suite(pk, at=at) for pk in list(suites.values_list("pk", flat=True)))


def _delete_episode(pk: int, *, at: datetime) -> bool:
    try:
        with transaction.atomic():
            episode = Episode.objects.select_for_update().filter(pk=pk, archived_at__lt=at - GRACE).first()
            if episode is None or Assignment.objects.filter(task__shown__episode=episode).exists():
                return False
            files = _files_of(episode)
            Task.objects.filter(pk__in=EpisodeTask.objects.filter(episode=episode).values("task")).delete()
            Upload.objects.filter(file__in=files).delete()
            hand_on(episode)
            episode.delete()
            names: dict[str, Any] = {"agent": episode.agent.slug, "scenario": episode.scenario.key}
            record(verb="episode.deleted", actor=RULE, subject=_subject(episode), at=at, **changes(names, {}))
            for name in files:
                transaction.on_commit(partial(default_storage.delete, name))
    except ProtectedError:
        return False
    return True


def _files_of(episode: Episode) -> list[str]:
    """The stored files that belong to this episode alone."""
    film = Film.objects.filter(episode=episode).first()
    files = [film.proxy, film.poster, *film.filmstrip["sheets"]] if film else []
    if not Episode.objects.filter(source=episode.source).exclude(pk=episode.pk).exists():
        files.append(episode.source)
    return [name for name in (*files, episode.trajectory) if name]


def _delete_suite(pk: int, *, at: datetime) -> bool:
    try:
        with transaction.atomic():
            suite = Suite.objects.select_for_update().filter(pk=pk, archived_at__lt=at - GRACE).first()
            if suite is None:
                return False
            before = {"title": suite.title, "description": suite.description}
            # Versions hold wordings and scenarios their present one: they go before what they name.
            suite.scenarios.update(current=None)
            suite.delete()
            record(verb="suite.deleted", actor=RULE, subject=Subject("suite", suite.slug), at=at, **changes(before, {}))
    except ProtectedError:
        return False
    return True
