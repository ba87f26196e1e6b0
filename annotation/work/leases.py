"""Leases: the time for which a worker holds a task, and every end of a hold other than an answer.

The order of locks is that of `claims`: project, enrolment, assignment, task.
"""

import logging
from datetime import datetime, timedelta
from typing import ClassVar

from django.db import transaction
from django.db.models import Q

from annotation.flagged_texts import flag_text
from annotation.models import Assignment, Enrolment, Project, Task
from annotation.tool_registry import Parts, tool_named
from lib.faults import Conflict, NotFound

logger = logging.getLogger(__name__)


class LeaseLost(Conflict):
    """A worker sent a request for an assignment after its task went back to the pool."""

    code: ClassVar[str] = "lease_lost"
    sentence = "Your time for this task ended at {expired_at}, so someone else may have it now. Please take a new task."


class AlreadySubmitted(Conflict):
    """The worker submitted another answer for this assignment before."""

    code: ClassVar[str] = "already_submitted"
    sentence = "An answer was already submitted for this task and cannot be changed."


def assignment_for(enrolment: Enrolment, public_id: str) -> Assignment:
    """The worker's own assignment in this project, task loaded; 404 for anyone else's. 1 query."""
    found = (
        Assignment.objects.filter(
            public_id=public_id, worker_id=enrolment.worker_id, task__project_id=enrolment.project_id
        )
        .select_related("task")
        .first()
    )
    if found is None:
        raise NotFound
    return found


def check_current(assignment: Assignment, *, at: datetime) -> None:
    """Check that the worker still holds the assignment.

    Raises:
        AlreadySubmitted, LeaseLost
    """
    if assignment.status == Assignment.Status.SUBMITTED:
        raise AlreadySubmitted
    if not assignment.is_current(at=at):
        raise lease_lost(assignment)


def lease_lost(assignment: Assignment) -> LeaseLost:
    ended = assignment.closed_at or assignment.lease_expires_at
    return LeaseLost(expired_at=f"{min(ended, assignment.lease_expires_at):%H:%M} UTC")


def renew(*, assignment: Assignment, project: Project, at: datetime) -> datetime:
    """Start the lease again and return its new end. One UPDATE decides between this and a sweep that runs at the same
    time."""
    until = at + timedelta(seconds=project.lease_s)
    renewed = Assignment.objects.current(at=at).filter(pk=assignment.pk).update(lease_expires_at=until)
    if not renewed:
        assignment.refresh_from_db()
        check_current(assignment, at=at)
        raise lease_lost(assignment)
    return until


def save_draft(*, assignment: Assignment, project: Project, draft: object, at: datetime) -> None:
    """Save the worker's unfinished answer, and renew the lease."""
    renew(assignment=assignment, project=project, at=at)
    Assignment.objects.filter(pk=assignment.pk).update(draft=draft)


def release(*, assignment: Assignment, at: datetime) -> None:
    """Give the task back; a repeat changes nothing. Releasing a reserved step also gives up the remaining steps of that
    command."""
    with transaction.atomic():
        _lock_project_of_reserved(assignment.task)
        if _close(assignment, Assignment.Status.RELEASED, at=at):
            _leave_reserved(assignment.task, at=at)


def report(*, assignment: Assignment, problem: str, text: str, at: datetime) -> None:
    """Note that the worker cannot judge the task. The task never comes back to this worker, but is served to others."""
    task = assignment.task
    with transaction.atomic():
        _lock_project_of_reserved(task)
        if not _close(assignment, Assignment.Status.REPORTED, at=at, problem=problem, problem_text=text):
            return
        _leave_reserved(task, at=at)
        if text:
            flag_text(assignment, text=text, project_id=task.project_id, at=at)


def _lock_project_of_reserved(task: Task) -> None:
    if task.reserved_for_id is not None:
        Project.objects.select_for_update().values_list("pk").get(pk=task.project_id)


def _leave_reserved(task: Task, *, at: datetime) -> None:
    if task.reserved_for_id is None:
        return
    tool = tool_named(task.project.tool)
    if isinstance(tool, Parts):
        tool.left(task, at=at)


def _close(assignment: Assignment, status: Assignment.Status, *, at: datetime, **facts: str) -> bool:
    """End the hold with this status; False if it has ended with this status before."""
    with transaction.atomic():
        closed = Assignment.objects.held().filter(pk=assignment.pk).update(status=status, closed_at=at, **facts)
        if closed:
            _reopen(assignment.task_id)
            logger.info(f"assignment.{status.value}", extra={"assignment": assignment.pk})
            return True
    assignment.refresh_from_db()
    if assignment.status != status:
        check_current(assignment, at=at)
    return False


def expire_overdue(*, at: datetime, project: Project | None = None, limit: int = 20) -> int:
    """Take back all overdue holds of the project, and some of other projects, where perhaps nobody claims.

    Returns:
        The number of holds that were taken back. 1 query when there are none.
    """
    overdue = Assignment.objects.overdue(at=at).order_by("lease_expires_at").values_list("pk", "task_id")
    found = dict(overdue[:limit])
    if project is not None and len(found) == limit:
        found |= dict(overdue.filter(task__project=project))
    for pk, task_id in found.items():
        # One transaction each: with two tasks locked, two sweeps could wait for each other for ever.
        with transaction.atomic():
            if Assignment.objects.overdue(at=at).filter(pk=pk).update(status=Assignment.Status.EXPIRED, closed_at=at):
                _reopen(task_id)
    return len(found)


def _reopen(task_id: int) -> None:
    """Count the free slots of a task again after a hold on it has ended. A reference that every worker may get has no
    slots to count."""
    counted = Q(is_reference=False) | Q(reserved_for__isnull=False)
    task = Task.objects.select_for_update().filter(counted, pk=task_id).first()
    if task is None:
        return
    # Counted, not added up: the redundancy may have changed while this was held.
    taken = Assignment.objects.taking_slots().filter(task=task).count()
    slots = max(task.wanted - taken, 0)
    Task.objects.filter(pk=task_id).update(slots_left=slots, open=slots > 0 and task.status == Task.Status.OPEN)
