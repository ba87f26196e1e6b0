"""Claims: choosing the next task for a worker, and giving the worker a hold on it.

A claim happens exactly once under concurrency. The worker's enrolment row is locked first, so two tabs of one worker
wait for each other. The task's row is locked while one of its slots is taken; where the database can skip locked rows,
a claim skips the rows that another claim has locked. A constraint of the database refuses a second binding assignment
of one worker on one task. On SQLite every transaction takes the write lock at its start.

All code takes locks in one order, so that no transactions wait in a circle: project, enrolment, assignment, task,
record; of assignments and tasks one at a time. A claim never waits for a task: it tries again a moment later.

The cost is flat. A worker walks the queue (priority, then age) with a cursor, so a claim reads a handful of index rows
whatever the number of tasks and however many of them this worker has done. Only when nothing lies ahead of the cursor
does a claim look from the start again, for tasks that were released or expired behind the cursor.
"""

import logging
import random
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import ClassVar

from django.db import connection, transaction
from django.db.models import QuerySet

from annotation.models import Assignment, Enrolment, Project, Task
from annotation.offer.experiments import arm_for
from annotation.offer.instructions import instruction_version_id_for
from annotation.pay import budget
from annotation.tool_registry import OwnTasks, Parts, tool_named
from annotation.work.leases import expire_overdue
from annotation.work.reference_draw import fresh_reference
from lib.faults import Forbidden
from workforce.consent import has_agreed
from workforce.models import Grant, Worker

logger = logging.getLogger(__name__)

AHEAD = 1
"""The number of tasks that a worker may reserve beyond the present one."""
PAUSES_S = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
"""The pauses between the attempts of a claim while other claims have every free task locked."""
_OFFER = ("base_pay", "currency", "budget", "limit_per_worker", "experiment", "settings", "approve_after_s")
"""The columns of a project that define what work and pay it offers, and what follows when work is handed in."""
_system_random = random.SystemRandom()


class Refused(Forbidden):
    """The worker may not claim now. The code names the reason; the sentence says what the worker can do."""


class WorkerBlocked(Refused):
    code: ClassVar[str] = "worker_blocked"
    sentence = "You cannot take new tasks. What you handed in is paid. Write to us if you think this is wrong."


class Paused(Refused):
    code: ClassVar[str] = "paused"
    sentence = (
        "We paused your work on this project, because too many check tasks did not match. "
        "You are paid for what you did. Open this page again to see more, and to ask us to look again."
    )


class ConsentRequired(Refused):
    code: ClassVar[str] = "consent_required"
    sentence = "Please read the information page and agree to it first."


class QualificationRequired(Refused):
    code: ClassVar[str] = "qualification_required"
    sentence = "Please pass the short quiz first. Open this page again to take it."


class ProjectNotLive(Refused):
    code: ClassVar[str] = "project_not_live"
    sentence = (
        "This project is not running at the moment. You can close this page; everything that you handed in is kept."
    )


class LimitReached(Refused):
    code: ClassVar[str] = "limit_reached"
    sentence = "You have done all the tasks that one person may do here. Thank you."


class BudgetSpent(Refused):
    code: ClassVar[str] = "budget_spent"
    sentence = (
        "The money for this project is used up, so there are no more tasks. Everything that you handed in is paid."
    )


class _AllLocked(Exception):
    """Free tasks exist, but other claims have all of them locked at this moment."""


def check_may_claim(enrolment: Enrolment, *, at: datetime) -> None:
    """Check that this worker may claim tasks in this project. At most 3 queries.

    Raises:
        Refused: the first reason that applies, in the order of the contract.
    """
    worker, project = enrolment.worker, enrolment.project
    if worker.status == Worker.Status.BLOCKED:
        raise WorkerBlocked
    if enrolment.gate_actions.pauses().current().exists():
        raise Paused
    if project.consent_page and not has_agreed(worker, project.consent_page):
        raise ConsentRequired
    if (
        project.qualification_id
        and not Grant.objects.valid(at=at).filter(worker=worker, qualification_id=project.qualification_id).exists()
    ):
        raise QualificationRequired
    if not project.is_live:
        raise ProjectNotLive


def claim_next(
    *, enrolment: Enrolment, at: datetime, chance: Callable[[], float] = _system_random.random
) -> Assignment | None:
    """Return the worker's present hold, else a hold on a new task; None if no ordinary task is open to the worker.

    Args:
        chance: Draws from [0, 1). The draws decide whether a reference is served, of which class, from which place on,
            and which one; a first claim also draws the worker's arm of an experiment.

    Raises:
        Refused: the worker may not claim now.
    """
    return _hold(enrolment, at=at, chance=chance, beyond=0)


def claim_ahead(
    *, enrolment: Enrolment, at: datetime, chance: Callable[[], float] = _system_random.random
) -> Assignment | None:
    """Return a hold on the task after the present one, so that a page can load it early. A later `claim_next` returns
    the same hold."""
    return _hold(enrolment, at=at, chance=chance, beyond=AHEAD)


def _hold(enrolment: Enrolment, *, at: datetime, chance: Callable[[], float], beyond: int) -> Assignment | None:
    check_may_claim(enrolment, at=at)
    expire_overdue(at=at, project=enrolment.project)
    for pause_s in PAUSES_S:
        try:
            return _try_to_hold(enrolment, at=at, chance=chance, beyond=beyond)
        except _AllLocked:
            time.sleep(pause_s)
    return None


def _try_to_hold(enrolment: Enrolment, *, at: datetime, chance: Callable[[], float], beyond: int) -> Assignment | None:
    project = enrolment.project
    tool = tool_named(project.tool)
    asks_in_parts, makes_its_own = isinstance(tool, Parts), isinstance(tool, OwnTasks)
    with transaction.atomic():
        locked = lock(enrolment, with_project=project.budget is not None or makes_its_own)
        held = list(holds_of(locked, at=at)[: AHEAD + 1])
        if len(held) > beyond:
            return held[beyond]
        if held and (asks_in_parts or makes_its_own):
            # The next task may depend on the answer to the held one, or is made when a worker asks for it.
            return None
        task = _reserved(locked, project) if asks_in_parts else None
        check_limits(locked, project, held=len(held), goes_on=task is not None)
        task = task or _pick(locked, project, held=len(held), chance=chance)
        if task is None and isinstance(tool, OwnTasks) and tool.make_more(project, at=at):
            task = _pick(locked, project, held=len(held), chance=chance)
        if task is None:
            return None
        locked.project = project
        arm = arm_for(locked, at=at, chance=chance)
        enrolment.arm = locked.arm
        assignment = Assignment.objects.create(
            task=task,
            worker_id=locked.worker_id,
            instruction_version_id=instruction_version_id_for(project, arm),
            claimed_at=at,
            lease_expires_at=at + timedelta(seconds=project.lease_s),
        )
    logger.info("assignment.claimed", extra={"assignment": assignment.pk, "task": task.pk})
    return assignment


def lock(enrolment: Enrolment, *, with_project: bool) -> Enrolment:
    """Return the enrolment as it is now, locked until the commit.

    Args:
        with_project: Lock the project before the enrolment, for a caller that counts the project's money or
            annotations. The project's offer is then read again. Never lock the project later: posting tasks locks the
            project first too, and enrolments after it.
    """
    if with_project:
        # The project may have changed since the request began: promises and pay must be those that the budget counts.
        enrolment.project.refresh_from_db(fields=_OFFER, from_queryset=Project.objects.select_for_update())
    return Enrolment.objects.select_for_update().get(pk=enrolment.pk)


def holds_of(enrolment: Enrolment, *, at: datetime) -> QuerySet[Assignment]:
    """The worker's current holds in the project, oldest first, tasks loaded. 1 query, the caller's."""
    return (
        Assignment.objects.current(at=at)
        .filter(worker_id=enrolment.worker_id, task__project_id=enrolment.project_id)
        .select_related("task")
        .order_by("pk")
    )


def check_limits(enrolment: Enrolment, project: Project, *, held: int, goes_on: bool = False) -> None:
    """Check that the limit and the budget allow one more task to the worker, who holds `held` tasks.

    With `goes_on` the task continues work that the worker has begun; then the limit does not stop it.

    Locks: the enrolment, and where there is a budget the project: two last claims must not share the last cent.

    Raises:
        LimitReached, BudgetSpent
    """
    limit, tool = project.limit_per_worker, tool_named(project.tool)
    if limit is not None and not goes_on:
        used_up = tool.used_up(enrolment) if isinstance(tool, OwnTasks) else 0
        if enrolment.submitted + held + used_up >= limit:
            raise LimitReached
    needed = budget.most_for_one(project) if project.budget is not None else None
    if not needed:
        return
    room = budget.room(project)
    if room is not None and needed > room:
        raise BudgetSpent


def _reserved(enrolment: Enrolment, project: Project) -> Task | None:
    """The next task that is reserved for this worker, its slot taken. Work that the worker has begun comes before all
    other tasks."""
    kept = Task.objects.filter(reserved_for=enrolment.worker_id, project_id=project.pk, open=True)
    theirs = Assignment.objects.filter(worker_id=enrolment.worker_id)
    task = kept.without(theirs.binding()).order_by("pk").first()
    # The UPDATE decides: it may have been withdrawn in this moment.
    if task is None or not Task.objects.filter(pk=task.pk, open=True).update(slots_left=0, open=False):
        return None
    return task


def _pick(enrolment: Enrolment, project: Project, *, held: int, chance: Callable[[], float]) -> Task | None:
    """The task to serve, its slot taken. An ordinary task must be open even where a reference is served.

    The same queries run and the same rows are written in both cases, so that the duration of a claim does not give a
    reference away.
    """
    task = _next_ordinary(enrolment, project)
    if task is None:
        return None
    rate = _rate_of_references(enrolment, project, held=held)
    wants_reference = chance() < rate
    reference = fresh_reference(enrolment, chance=chance) if rate else None
    if wants_reference and reference is not None:
        Task.objects.filter(pk=task.pk).update(slots_left=task.slots_left, open=True)
        Enrolment.objects.filter(pk=enrolment.pk).update(
            cursor_priority=enrolment.cursor_priority, cursor_task=enrolment.cursor_task
        )
        return reference
    slots = task.slots_left - 1
    Task.objects.filter(pk=task.pk).update(slots_left=slots, open=slots > 0)
    Enrolment.objects.filter(pk=enrolment.pk).update(cursor_priority=task.priority, cursor_task=task.pk)
    return task


def _rate_of_references(enrolment: Enrolment, project: Project, *, held: int) -> float:
    """The probability that the next task is a reference. A project may set another rate for a worker's first tasks."""
    if project.start_reference_rate is not None and enrolment.submitted + held < project.start_tasks:
        return project.start_reference_rate
    return project.reference_rate


def _next_ordinary(enrolment: Enrolment, project: Project) -> Task | None:
    queue = Task.objects.ordinary().filter(project_id=enrolment.project_id, open=True, reserved_for=None)
    theirs = Assignment.objects.filter(worker_id=enrolment.worker_id)
    if project.reference_rate or project.start_reference_rate:
        # A task may have become a reference under another key, which they met, and have been opened again since.
        queue = queue.without(theirs, by="task__promoted_from")
        if isinstance(tool_named(project.tool), Parts):
            queue = queue.without(theirs, of="part_of", by="task__part_of__promoted_from")
    fresh = queue.without(theirs)
    if enrolment.cursor_priority is not None:
        level = fresh.filter(priority=enrolment.cursor_priority, pk__gt=enrolment.cursor_task)
        below = fresh.filter(priority__lt=enrolment.cursor_priority)
        ahead = _first(level.order_by("pk")) or _first(below.order_by("-priority", "pk"))
        if ahead is not None:
            return ahead
    # From the start: fresh ones that opened again behind the cursor first, then what this worker gave back.
    free = queue.without(theirs.binding())
    return _first_or_none(fresh.order_by("-priority", "pk")) or _first_or_none(free.order_by("-priority", "pk"))


def _first(queue: QuerySet[Task]) -> Task | None:
    """The first task that no other claim has locked; it is locked now."""
    if connection.features.has_select_for_update:
        queue = queue.select_for_update(skip_locked=True, of=("self",))
    return queue.first()


def _first_or_none(queue: QuerySet[Task]) -> Task | None:
    """The first task that no other claim has locked; None only if there is no task, locked or not.

    Raises:
        _AllLocked: there are only locked ones. Waiting for them here could deadlock: this transaction also keeps locked
            the rows that it looked at and found taken, and a transaction that changes many tasks may need those.
    """
    found = _first(queue)
    if found is None and connection.features.has_select_for_update and queue.exists():
        raise _AllLocked
    return found


def rewind(*, project: Project, priority: int) -> None:
    """Send workers whose cursor has passed `priority` back to the start of the queue, because tasks of it were added.

    Call in the transaction that adds the tasks, with the project locked.
    """
    enrolments = Enrolment.objects.filter(project=project)
    if Task.objects.ordinary().filter(project=project, open=True, priority__lt=priority).exists():
        # A claim that runs now does not see the new tasks, and may be about to move a cursor below them: wait for it.
        list(enrolments.select_for_update().order_by("pk").values_list("pk"))
    enrolments.filter(cursor_priority__lt=priority).update(cursor_priority=None, cursor_task=0)
