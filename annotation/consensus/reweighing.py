"""The effect of a changed weight of a worker on every task that the worker answered."""

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import groupby

from django.db import transaction
from django.utils import timezone

from annotation.consensus.consensus import ask_for_fit, renew
from annotation.models import Annotation, Assignment, Method, Project
from jobs.outbox import Running

BATCH = 200
"""The number of tasks renewed in one transaction."""
_TAKERS = (Assignment.Status.CLAIMED, Assignment.Status.SUBMITTED)


def run(running: Running) -> None:
    """Job handler: renew the tasks of the worker named by the subject."""
    # First: another change of weight while this runs must be followed too.
    running.free_key()
    reweigh(worker_id=int(running.subject), at=timezone.now(), report=running.report)


def reweigh(*, worker_id: int, at: datetime, report: Callable[[float], None] = lambda _: None) -> int:
    """Renew the consensus of every task that the worker holds or answered, by the worker's present weight.

    The slots of dropped answers are free again, so a task that they had settled opens for as many new ones; half votes
    and whole ones change the winner and the confidence. Projects that fit their raters are fitted again afterwards. A
    repeat changes nothing.

    Returns:
        The number of tasks that were looked at.
    """
    held = Assignment.objects.filter(worker=worker_id, status__in=_TAKERS, task__is_reference=False)
    rows = list(held.order_by("task__project_id", "task_id").values_list("task__project_id", "task_id"))
    done = 0
    for project_id, batch in _batches(rows):
        with transaction.atomic():
            Project.objects.select_for_update().values_list("pk").get(pk=project_id)
            renew(project_id=project_id, tasks=batch, at=at, count_slots=True)
        done += len(batch)
        report(done / len(rows))
    worked_in = Annotation.objects.filter(worker=worker_id).order_by().values("project")
    fitted = Project.objects.filter(pk__in=worked_in).exclude(consensus_method=Method.MAJORITY)
    for project_id in fitted.values_list("pk", flat=True):
        with transaction.atomic():
            ask_for_fit(project=Project.objects.select_for_update().get(pk=project_id))
    return done


def _batches(rows: list[tuple[int, int]]) -> Iterator[tuple[int, list[int]]]:
    for project_id, group in groupby(rows, key=lambda row: row[0]):
        tasks = [task for _, task in group]
        for start in range(0, len(tasks), BATCH):
            yield project_id, tasks[start : start + BATCH]
