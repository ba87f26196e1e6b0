"""The tasks of a project as a pipeline lists them; taking back those that nobody answered, and putting them back."""

from datetime import datetime

from django.db import transaction
from django.db.models import Count, Q, QuerySet

from annotation.models import Annotation, Project, Task
from annotation.references.references import retire
from annotation.work.posting import restore, withdraw
from audit.changes import changes
from audit.log import Subject, record
from lib.faults import Conflict, NotFound

WITHDRAWN = Q(status=Task.Status.WITHDRAWN) | Q(retired_at__isnull=False)
"""A reference is withdrawn by retiring it."""


def posted_tasks(project: Project, *, status: str | None = None) -> QuerySet[Task]:
    """The tasks that were posted to the project, or those of this status, with their truths."""
    rows = project.tasks.posted().select_related("truth")
    if status is None:
        return rows
    if status == Task.Status.WITHDRAWN:
        return rows.filter(WITHDRAWN)
    return rows.filter(status=status, retired_at=None)


def status_of(task: Task) -> str:
    """The status of a posted task, as lists of tasks show it."""
    return Task.Status.WITHDRAWN.value if task.retired_at else task.status


def answers_on(tasks: list[Task]) -> dict[int, int]:
    """The number of counting answers on each of these tasks, by task id. 1 query."""
    rows = Annotation.objects.current().filter(task__in=tasks).order_by().values_list("task_id")
    return dict(rows.annotate(Count("pk")))


def withdraw_unanswered(*, project: Project, key: str, by: str, at: datetime) -> None:
    """Take back a task that nobody answered; a repeat changes nothing. Who holds it may still hand it in, and is paid.

    Raises:
        NotFound: no task of this key was posted.
        Conflict: it has answers, or it is done.
    """
    with transaction.atomic():
        # Whoever hands in an answer has the project locked, so no answer comes between the look and the withdrawal.
        Project.objects.select_for_update().get(pk=project.pk)
        task = project.tasks.posted().select_related("project").filter(key=key).first()
        if task is None:
            raise NotFound
        if status_of(task) == Task.Status.WITHDRAWN:
            return
        if Annotation.objects.filter(Q(task=task) | Q(task__part_of=task)).exists():
            raise Conflict("This task has answers, which stay with it. Only a task that nobody answered is withdrawn.")
        if task.is_reference:
            retire(reference=task, reason="Withdrawn before anybody answered it.", by=by, at=at)
            return
        if task.status != Task.Status.OPEN:
            raise Conflict("This task is closed already, so it is not withdrawn.")
        withdraw(task=task, at=at)
        _note("task.withdrawn", task, Task.Status.OPEN, Task.Status.WITHDRAWN, by=by, at=at)


def put_back(*, project: Project, key: str, by: str, at: datetime) -> None:
    """Offer a withdrawn task to workers again; nothing happens to one that is not withdrawn.

    Raises:
        NotFound: no task of this key was posted.
        Conflict: it is a retired reference, which stays retired.
    """
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        task = project.tasks.posted().select_related("project").filter(key=key).first()
        if task is None:
            raise NotFound
        if task.retired_at is not None:
            raise Conflict("This reference is retired, and stays so. Post it anew under another key.")
        if task.status == Task.Status.WITHDRAWN:
            restore(task=task, at=at)
            _note("task.restored", task, Task.Status.WITHDRAWN, Task.Status.OPEN, by=by, at=at)


def _note(verb: str, task: Task, before: Task.Status, after: Task.Status, *, by: str, at: datetime) -> None:
    record(
        verb=verb,
        actor=by,
        subject=Subject("task", str(task.pk)),
        project=task.project.slug,
        at=at,
        task=task.key,
        **changes({"status": before.value}, {"status": after.value}),
    )
