"""The state of a report, always worked out anew from the tasks that its command became."""

from datetime import datetime

from annotation.models import Consensus, Task
from routing.models import ErrorReport, Sending
from routing.task_payloads import is_usable

State = ErrorReport.State
_NEVER = (Task.Status.UNJUDGEABLE, Task.Status.WITHDRAWN)
"""States of tasks that nobody will answer any more."""


def renew_state(report: ErrorReport, *, at: datetime, is_known: bool = False) -> None:
    """Bring the state of a report up to date. Locks: call with the report locked. 2 queries, 1 more to write.

    Args:
        is_known: The true form came with the command.
    """
    if report.state != State.DISMISSED:
        set_state(report, state_of(report, is_known=is_known), at=at)


def state_of(report: ErrorReport, *, is_known: bool) -> ErrorReport.State:
    """The state that the report would have if nobody had dismissed it."""
    sent = Sending.objects.filter(command=report.command_id, task__isnull=False)
    tasks = dict(sent.values_list("task", "task__status"))
    if not tasks:
        return State.ANNOTATED if is_known else State.NEW
    settled = Consensus.objects.settled().filter(task__in=tasks).select_related("task__project")
    repaired = {one.task_id for one in settled if is_usable(one.task.project, one.answer)}
    awaited = {task for task, status in tasks.items() if status not in _NEVER}
    if not awaited | repaired:
        # All its tasks are given up: it waits for somebody to send it elsewhere, or to dismiss it.
        return State.NEW
    return State.ANNOTATED if awaited <= repaired else State.ROUTED


def set_state(report: ErrorReport, state: ErrorReport.State, *, at: datetime) -> None:
    if report.state != state:
        report.state, report.state_at = state, at
        report.save(update_fields=["state", "state_at"])
