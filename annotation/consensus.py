"""The consensus of a task: made when it has the annotations that it wanted."""

from datetime import datetime

from annotation.models import Annotation, Consensus, Task
from annotation.tools import tool_named


def settle(*, task: Task, at: datetime) -> Consensus | None:
    """Close `task` with its consensus if it has enough annotations; None if not yet.

    References never settle: their truth is known. Call with the project's row locked, so that of two last annotations
    exactly one sees both.
    """
    if task.is_reference or task.status == Task.Status.UNJUDGEABLE:
        return None
    answers = list(Annotation.objects.standing().filter(task=task).order_by("number").values_list("answer", flat=True))
    if len(answers) < task.wanted:
        return None
    tool = tool_named(task.project.tool)
    merged = tool.merge(answers)
    consensus, _ = Consensus.objects.update_or_create(
        task=task,
        defaults={
            "project_id": task.project_id,
            "answer": merged.answer,
            "method": Consensus.Method.MAJORITY,
            "confidence": merged.confidence,
            "annotations": len(answers),
            "updated_at": at,
            "settled_at": at,
        },
    )
    Task.objects.filter(pk=task.pk).update(status=Task.Status.DONE, open=False, closed_at=at)
    tool.settled(task, consensus)
    return consensus


def unsettle(*, task: Task) -> None:
    """Take the consensus back: the task wants more annotations now."""
    Consensus.objects.filter(task=task).delete()
    Task.objects.filter(pk=task.pk).update(status=Task.Status.OPEN, closed_at=None, open=task.slots_left > 0)


def close_as_unjudgeable(*, task: Task, at: datetime) -> None:
    """A person has seen that nobody can judge this task: it stops, and is counted apart."""
    Consensus.objects.filter(task=task).delete()
    Task.objects.filter(pk=task.pk).update(status=Task.Status.UNJUDGEABLE, open=False, closed_at=at)


def reopen(*, task: Task, at: datetime) -> None:
    """Take `close_as_unjudgeable` back."""
    unsettle(task=task)
    task.refresh_from_db()
    settle(task=task, at=at)
