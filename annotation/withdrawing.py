"""Tasks that nobody need answer any more, since what they were made of is dropped; and their way back.

What is done stays done. What is held may still be handed in, and is paid.

Locks: call with the project's row locked.
"""

from datetime import datetime

from annotation import settling
from annotation.consensus import renew_alone, withdraw_parts
from annotation.models import Consensus, Task


def withdraw(*, task: Task, at: datetime) -> None:
    """Ask this task, which is open, of nobody any more; one that is closed stays as it is. `task` has its project."""
    opened = Task.objects.ordinary().filter(pk=task.pk, part_of=None, status=Task.Status.OPEN)
    if opened.update(status=Task.Status.WITHDRAWN, open=False, closed_at=at):
        Consensus.objects.filter(task=task).delete()
        withdraw_parts(task, at=at)
        settling.tell_unsettled(task, at=at)


def restore(*, task: Task, at: datetime) -> None:
    """Take `withdraw` back: the answers that are there count, and it is asked of whom it still needs."""
    withdrawn = Task.objects.ordinary().filter(pk=task.pk, part_of=None, status=Task.Status.WITHDRAWN)
    if withdrawn.update(status=Task.Status.OPEN, closed_at=None):
        renew_alone(task, at=at)
