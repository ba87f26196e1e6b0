"""The events about settled tasks for programs outside: `task.settled`, and `project.done` after the last one."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import BigIntegerField, QuerySet

from annotation.models import Consensus, Project, Task
from annotation.tool_registry import OwnTasks, tool_named
from common.kept_query import KeptQuery
from events.log import Happened, note_all


def announce(changes: Sequence[tuple[Task, Consensus | None]], *, at: datetime) -> None:
    """Write the events of these changes of one project, in the transaction that settles its tasks.

    The steps of a longer task are not told of, nor are answers: a program reads them where it may.

    Costs: none where no task is settled; else 1 query, 1 or 2 more where one is settled for the first time.
    """
    settled = [(task, found) for task, found in changes if found is not None and task.part_of_id is None]
    if not settled:
        return
    project = settled[0][0].project
    told = [_settled(task, found, project) for task, found in settled]
    if any(found.settled_at == at for _, found in settled) and is_done(project):
        told.append(Happened("project.done", project.slug, {"project": project.slug}, project=project.slug))
    note_all(told, at=at)


def is_done(project: Project) -> bool:
    """Whether the project is live, and has settled all tasks that it wants. 1 or 2 queries."""
    if project.status != Project.Status.LIVE:
        return False
    if _FIRST_OPEN.rows(project=project.pk):
        return False
    tool = tool_named(project.tool)
    closed = [Task.Status.DONE, Task.Status.UNJUDGEABLE]
    return not isinstance(tool, OwnTasks) or _own(project.pk).filter(status__in=closed).count() >= tool.wanted(project)


def _own(project: Any) -> QuerySet[Task]:
    return Task.objects.posted().filter(project=project, is_reference__in=[False])


_FIRST_OPEN: KeptQuery[int] = KeptQuery(
    lambda project: _own(project).filter(status=Task.Status.OPEN).order_by().values_list("pk", flat=True)[:1],
    project=BigIntegerField(),
)


def _settled(task: Task, consensus: Consensus, project: Project) -> Happened:
    data = {
        "project": project.slug,
        "task": task.key,
        "method": str(consensus.method),
        "confidence": consensus.confidence,
        "annotations": consensus.annotations,
    }
    return Happened("task.settled", task.key, data, project=project.slug)
