"""Leases: the time for which a worker holds a task, and every end of a hold other than an answer.

The order of locks is that of `claims`: project, enrolment, assignment, task.
"""

import logging
import random
from datetime import datetime, timedelta
from functools import cache
from typing import Any, ClassVar

from django.db import transaction
from django.db.models import BigIntegerField, CharField, DateTimeField, QuerySet

from annotation.flagged_texts import flag_text
from annotation.models import Assignment, Enrolment, Project, Task
from annotation.tool_registry import Parts, tool_named
from annotation.work import answer_times
from common.kept_query import KeptQuery, KeptUpdate
from lib.faults import Conflict, NotFound

logger = logging.getLogger(__name__)

SLOT_DELAY_S = (60.0, 900.0)
"""How long the slot of a reference stays taken after its end, at random between these."""
_random = random.SystemRandom()


class LeaseLost(Conflict):
    """A worker sent a request for an assignment after its task went back to the pool."""

    code: ClassVar[str] = "lease_lost"
    sentence = "Your time for this task ended at {expired_at}, so someone else may have it now. Please take a new task."


class AlreadySubmitted(Conflict):
    """The worker submitted another answer for this assignment before."""

    code: ClassVar[str] = "already_submitted"
    sentence = "An answer was already submitted for this task and cannot be changed."


def assignment_for(enrolment: Enrolment, public_id: str, *, with_task: bool = True) -> Assignment:
    """The worker's own assignment in this project, task loaded unless a caller needs none; 404 for anyone else's. 1
    query."""
    own = _of_worker(with_task=with_task)
    found = own.first(public_id=public_id, worker=enrolment.worker_id, project=enrolment.project_id)
    if found is None:
        raise NotFound
    return found


@cache
def _of_worker(*, with_task: bool) -> KeptQuery[Assignment]:
    def make(public_id: Any, worker: Any, project: Any) -> QuerySet[Assignment]:
        own = Assignment.objects.filter(public_id=public_id, worker_id=worker, task__project_id=project)
        return own.select_related("task") if with_task else own

    return KeptQuery(make, public_id=CharField(), worker=BigIntegerField(), project=BigIntegerField())


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


def renew(*, assignment: Assignment, project: Project, at: datetime, **changes: Any) -> datetime:
    """Start the lease again, change these columns with it, and return its new end. One UPDATE decides between this and
    a sweep that runs at the same time."""
    until = at + timedelta(seconds=project.lease_s)
    if not _CURRENT.run({"lease_expires_at": until, **changes}, pk=assignment.pk, at=at):
        assignment.refresh_from_db()
        check_current(assignment, at=at)
        raise lease_lost(assignment)
    return until


_CURRENT = KeptUpdate(
    lambda pk, at: Assignment.objects.current(at=at).filter(pk=pk), pk=BigIntegerField(), at=DateTimeField()
)
"""An assignment that a worker holds, until its lease ends."""
_HELD = KeptUpdate(lambda pk: Assignment.objects.held().filter(pk=pk), pk=BigIntegerField())
"""The same, also when its lease is over and nobody took it back yet."""
HELD_OR_EXPIRED = KeptUpdate(lambda pk: Assignment.objects.filter(pk=pk), pk=BigIntegerField())


def save_draft(*, assignment: Assignment, project: Project, draft: object, at: datetime) -> None:
    """Save the worker's unfinished answer, and renew the lease."""
    renew(assignment=assignment, project=project, at=at, draft=draft)


def release(*, assignment: Assignment, at: datetime) -> None:
    """Give the task back; a repeat changes nothing. Releasing a reserved step also gives up the remaining steps of that
    command."""
    begun = answer_times.now()
    with transaction.atomic():
        _lock_project_of_reserved(assignment.task)
        if _close(assignment, Assignment.Status.RELEASED, at=at):
            _leave_reserved(assignment.task, at=at)
            answer_times.even_out(assignment.task.project, "release", since=begun)


def report(*, assignment: Assignment, problem: str, text: str, at: datetime) -> None:
    """Note that the worker cannot judge the task. The task never comes back to this worker, but is served to others."""
    task, begun = assignment.task, answer_times.now()
    with transaction.atomic():
        _lock_project_of_reserved(task)
        if not _close(assignment, Assignment.Status.REPORTED, at=at, problem=problem, problem_text=text):
            return
        _leave_reserved(task, at=at)
        if text:
            flag_text(assignment, text=text, project_id=task.project_id, at=at)
        answer_times.even_out(task.project, "report", since=begun)


def _lock_project_of_reserved(task: Task) -> None:
    if task.reserved_for_id is not None:
        Project.objects.select_for_update().values_list("pk").get(pk=task.project_id)


def _leave_reserved(task: Task, *, at: datetime) -> None:
    if task.reserved_for_id is None:
        return
    tool = tool_named(task.project.tool)
    if isinstance(tool, Parts):
        tool.left(task, at=at)


def _close(assignment: Assignment, status: Assignment.Status, *, at: datetime, **facts: Any) -> bool:
    """End the hold with this status; False if it has ended with this status before."""
    if end_hold(_HELD, assignment, status, at=at, **facts):
        logger.info(f"assignment.{status.value}", extra={"assignment": assignment.pk})
        return True
    assignment.refresh_from_db()
    if assignment.status != status:
        check_current(assignment, at=at)
    return False


def end_hold(
    among: KeptUpdate, assignment: Assignment, status: Assignment.Status, *, at: datetime, **facts: Any
) -> bool:
    """End the hold with an answer, a report or a release, and its slot with it; False if it is not among these.

    The slot of an ordinary task stays taken by an answer, and is given back at once after a report. An answer or a
    report about a reference gives the slot that it took back at a random time from now on: at once would tell others
    that a task which they see open again was not answered. In a project that serves nothing but references there is
    nothing to tell, so the slot is given back at once. A release gives back any slot at once.

    Costs: 1 query for an answer, else 4; 1 more to give back the slot of a reference at once.
    """
    slot, free_at = slot_id(assignment), None
    if status != Assignment.Status.RELEASED and slot != assignment.task_id:
        delay_s = _random.uniform(*SLOT_DELAY_S) if assignment.task.project.hides_references else 0.0
        free_at = at + timedelta(seconds=delay_s)
    # A caller's transaction needs no savepoint here: what fails is not caught before its end.
    with transaction.atomic(savepoint=False):
        changes = {"status": status, "closed_at": at, "slot_free_at": free_at, **facts}
        if not among.run(changes, pk=assignment.pk):
            return False
        if free_at == at:
            free_slot(slot, worker=assignment.worker_id)
        elif status != Assignment.Status.SUBMITTED:
            _reopen(slot)
    return True


def expire_overdue(*, at: datetime, project: Project | None = None, limit: int = 20) -> int:
    """Take back all overdue holds of the project, and some of other projects, where perhaps nobody claims.

    Returns:
        The number of holds that were taken back. 1 query when there are none.
    """
    found = dict(_first_overdue(limit).rows(at=at))
    if project is not None and len(found) == limit:
        found |= dict(_overdue(at).filter(task__project=project))
    for pk, slot_of in found.items():
        # One transaction each: with two tasks locked, two sweeps could wait for each other for ever.
        with transaction.atomic():
            if Assignment.objects.overdue(at=at).filter(pk=pk).update(status=Assignment.Status.EXPIRED, closed_at=at):
                _reopen(slot_of)
    return len(found)


def _overdue(at: Any) -> QuerySet[Assignment, tuple[int, int]]:
    return Assignment.objects.overdue(at=at).order_by("lease_expires_at").values_list("pk", "slot_of_id")


@cache
def _first_overdue(limit: int) -> KeptQuery[tuple[int, int]]:
    return KeptQuery(lambda at: _overdue(at)[:limit], at=DateTimeField())


def free_slots(*, at: datetime, limit: int = 500) -> int:
    """Give back the slots of references whose time has come; return their number."""
    due = Assignment.objects.filter(slot_free_at__lte=at).order_by("slot_free_at")
    found = list(due.values_list("slot_of_id", "worker_id")[:limit])
    for slot_of, worker in found:
        # One transaction each, as for holds that are overdue.
        with transaction.atomic():
            free_slot(slot_of, worker=worker)
    return len(found)


def free_slot(slot_of: int, *, worker: int) -> None:
    """Give back the slot that a reference took in the place of this task; the worker has not met the task then."""
    if unbind(slot_of, worker=worker):
        _reopen(slot_of)


def unbind(slot_of: int, *, worker: int) -> int:
    """Forget which reference the worker was shown in the place of this task; return the number of holds."""
    shown = Assignment.objects.filter(slot_of=slot_of, worker=worker).exclude(task=slot_of)
    return shown.exclude(status=Assignment.Status.CLAIMED).update(slot_of=None, slot_free_at=None)


def slot_id(assignment: Assignment) -> int:
    """The id of the task whose slot the assignment takes, or took until a lease ended."""
    assert assignment.slot_of_id is not None  # noqa: S101 - a constraint of the database for all that are held
    return assignment.slot_of_id


def slots_left(task: Task) -> int:
    """The free slots of a task: counted, not added up, since the redundancy may have changed while one was held."""
    return max(task.wanted - Assignment.objects.taking_slots().filter(slot_of=task).count(), 0)


def _reopen(task_id: int) -> None:
    """Count the free slots of a task again after a hold on one of them has ended."""
    task = Task.objects.select_for_update().get(pk=task_id)
    slots = slots_left(task)
    Task.objects.filter(pk=task_id).update(slots_left=slots, open=slots > 0 and task.status == Task.Status.OPEN)
