"""Claims: choosing the next task for a worker, and giving the worker a hold on it.

A claim happens exactly once under concurrency. The worker's enrolment row is locked first, so two tabs of one worker
wait for each other. The task's row is locked while one of its slots is taken; where the database can skip locked rows,
a claim skips the rows that another claim has locked. A constraint of the database refuses a second binding assignment
of one worker on one task. On SQLite every transaction takes the write lock at its start.

All code takes locks in one order, so that no transactions wait in a circle: project, enrolment, assignment, task,
record; of assignments and tasks one at a time. A claim never waits for a task: it tries again a moment later.

Which task a worker is served is the matter of `next_task`.
"""

import logging
import random
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from math import ceil
from typing import Any, ClassVar

from django.conf import settings
from django.db import transaction
from django.db.models import BigIntegerField, DateTimeField, Exists, Q, QuerySet

from annotation.models import Assignment, Enrolment, GateAction, Project, Task
from annotation.offer.experiments import arm_for
from annotation.offer.instructions import instruction_version_id_for
from annotation.pay import budget
from annotation.tool_registry import Guesses, OwnTasks, Parts, tool_named
from annotation.work.leases import expire_overdue
from annotation.work.next_task import Served, serve_next
from annotation.work.task_queue import AllLocked
from audit.log import record
from common.kept_query import KeptInsert, KeptQuery, KeptRefresh
from lib.faults import Forbidden
from workforce.blocking import subject_of
from workforce.models import Consent, Grant, Worker

logger = logging.getLogger(__name__)

AHEAD = 1
"""The number of tasks that a worker may reserve beyond the present one."""
PAUSES_S = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
"""The pauses between the attempts of a claim while other claims have every free task locked."""
HOUR = timedelta(hours=1)
ID = BigIntegerField()
NO_ID = 0
"""The id of no row."""
_random = random.SystemRandom()


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


class TooManyReturns(Refused):
    code: ClassVar[str] = "too_many_returns"
    sentence = (
        "You gave back {most} tasks within an hour, so there is a pause until {until}. "
        "You can hand in what you hold, and all that you handed in is paid."
    )

    def __init__(self, *, until: datetime, at: datetime) -> None:
        super().__init__(most=settings.RETURNS_PER_HOUR, until=f"{until:%H:%M} UTC")
        self.wait = ceil((until - at).total_seconds())
        """Seconds after which the worker may claim again."""


def _standings(enrolment: Any, worker: Any, page: Any, qualification: Any, at: Any) -> Any:
    """Whether the worker is paused, has agreed to this information page, and has this qualification."""
    return Enrolment.objects.filter(pk=enrolment).values_list(
        Exists(GateAction.objects.pauses().current().filter(enrolment=enrolment)),
        Exists(Consent.objects.current().filter(worker=worker, page=page)),
        Exists(Grant.objects.valid(at=at).filter(worker=worker, qualification=qualification)),
    )


_STANDING: KeptQuery[tuple[bool, bool, bool]] = KeptQuery(
    _standings, enrolment=ID, worker=ID, page=ID, qualification=ID, at=DateTimeField()
)


def check_may_claim(enrolment: Enrolment, *, at: datetime) -> None:
    """Check that this worker may claim tasks in this project. 1 query.

    Raises:
        Refused: the first reason that applies, in the order of the contract.
    """
    worker, project = enrolment.worker, enrolment.project
    if worker.status == Worker.Status.BLOCKED:
        raise WorkerBlocked
    page, qualification = project.consent_page_id, project.qualification_id
    [(is_paused, has_agreed, is_qualified)] = _STANDING.rows(
        enrolment=enrolment.pk, worker=worker.pk, page=page or NO_ID, qualification=qualification or NO_ID, at=at
    )
    if is_paused:
        raise Paused
    if page is not None and not has_agreed:
        raise ConsentRequired
    if qualification is not None and not is_qualified:
        raise QualificationRequired
    if not project.is_live:
        raise ProjectNotLive


def claim_next(*, enrolment: Enrolment, at: datetime, chance: Callable[[], float] | None = None) -> Assignment | None:
    """Return the worker's present hold, else a hold on a new task; None if no ordinary task is open to the worker.

    Args:
        chance: Draws from [0, 1), at random unless given. The draws decide which task is served, whether a reference is
            shown in its place, and which one; a first claim also draws the worker's arm of an experiment.

    Raises:
        Refused: the worker may not claim now.
    """
    return _hold(enrolment, at=at, chance=chance or _random.random, beyond=0)


def claim_ahead(*, enrolment: Enrolment, at: datetime, chance: Callable[[], float] | None = None) -> Assignment | None:
    """Return a hold on the task after the present one, so that a page can load it early. A later `claim_next` returns
    the same hold."""
    return _hold(enrolment, at=at, chance=chance or _random.random, beyond=AHEAD)


def _hold(enrolment: Enrolment, *, at: datetime, chance: Callable[[], float], beyond: int) -> Assignment | None:
    check_may_claim(enrolment, at=at)
    expire_overdue(at=at, project=enrolment.project)
    for pause_s in PAUSES_S:
        try:
            return _try_to_hold(enrolment, at=at, chance=chance, beyond=beyond)
        except AllLocked:
            time.sleep(pause_s)
        except TooManyReturns:
            _flag_returns(enrolment, at=at)
            raise
    return None


def _try_to_hold(enrolment: Enrolment, *, at: datetime, chance: Callable[[], float], beyond: int) -> Assignment | None:
    project = enrolment.project
    tool = tool_named(project.tool)
    asks_in_parts, makes_its_own = isinstance(tool, Parts), isinstance(tool, OwnTasks)
    with transaction.atomic():
        locked = lock(enrolment, with_project=project.budget is not None or makes_its_own)
        held, returned_at = _held_and_returned(locked, at=at)
        if len(held) > beyond:
            return Assignment.objects.select_related("task").get(pk=held[beyond])
        if held and (asks_in_parts or makes_its_own):
            # The next task may depend on the answer to the held one, or is made when a worker asks for it.
            return None
        task = _reserved(locked, project) if asks_in_parts else None
        check_limits(locked, project, held=len(held), goes_on=task is not None)
        _check_returns(returned_at, at=at)
        locked.project = project
        served = Served(task, task) if task else serve_next(locked, project, held=len(held), chance=chance)
        if served is None and isinstance(tool, OwnTasks) and tool.make_more(project, at=at):
            served = serve_next(locked, project, held=len(held), chance=chance)
        if served is None:
            return None
        arm = arm_for(locked, at=at, chance=chance)
        enrolment.arm = locked.arm
        assignment = Assignment(
            task=served.shown,
            slot_of=served.slot_of,
            worker_id=locked.worker_id,
            instruction_version_id=instruction_version_id_for(project, arm),
            claimed_at=at,
            lease_expires_at=at + timedelta(seconds=project.lease_s),
            shows_guess=isinstance(tool, Guesses)
            and tool.draws_guess(project=project, worker=locked.worker_id, shown=served.shown, slot_of=served.slot_of),
        )
        _ASSIGNMENT.run(assignment)
    logger.info("assignment.claimed", extra={"assignment": assignment.pk, "task": served.shown.pk})
    return assignment


_ASSIGNMENT = KeptInsert(Assignment)


def lock(enrolment: Enrolment, *, with_project: bool) -> Enrolment:
    """Return the enrolment as it is now, locked until the commit.

    Args:
        with_project: Lock the project before the enrolment, for a caller that counts the project's money or
            annotations. Its offer, its rules and its count of annotations are then read again. Never lock the project
            later: posting tasks locks the project first too, and enrolments after it.
    """
    if with_project:
        # The project may have changed since the request began: promises and pay must be those that the budget counts.
        _LOCKED_PROJECT.read(enrolment.project)
    [locked] = _LOCKED.rows(pk=enrolment.pk)
    return locked


_OFFER = ("base_pay", "currency", "budget", "limit_per_worker", "experiment", "settings", "approve_after_s")
"""The columns of a project that define what work and pay it offers, and what follows when work is handed in."""
_RULES = ("redundancy", "consensus_method", "confidence_wanted", "least_annotations", "most_annotations")
"""The columns that define when a task is done."""
_LOCKED_PROJECT = KeptRefresh(Project.objects.select_for_update(), *_OFFER, *_RULES, "annotation_count")
_LOCKED = KeptQuery(lambda pk: Enrolment.objects.select_for_update().filter(pk=pk), pk=ID)


def holds_of(enrolment: Enrolment, *, at: datetime) -> QuerySet[Assignment]:
    """The worker's current holds in the project."""
    return Assignment.objects.current(at=at).filter(
        worker_id=enrolment.worker_id, task__project_id=enrolment.project_id
    )


def _holds_and_returns(worker: Any, project: Any, at: Any, since: Any) -> Any:
    theirs = Assignment.objects.filter(worker_id=worker, task__project_id=project)
    # Not one query with OR: that would walk all assignments of the worker, while each of these two has its index.
    both = theirs.current(at=at).union(theirs.returned().filter(closed_at__gt=since), all=True)
    return both.values_list("pk", "closed_at")


_HOLDS_AND_RETURNS: KeptQuery[tuple[int, datetime | None]] = KeptQuery(
    _holds_and_returns, worker=ID, project=ID, at=DateTimeField(), since=DateTimeField()
)


def _held_and_returned(enrolment: Enrolment, *, at: datetime) -> tuple[list[int], list[datetime]]:
    """The ids of the worker's current holds in the project, oldest first, and the times at which holds of the last hour
    ended without an answer. 1 query."""
    rows = _HOLDS_AND_RETURNS.rows(worker=enrolment.worker_id, project=enrolment.project_id, at=at, since=at - HOUR)
    held = sorted(pk for pk, closed_at in rows if closed_at is None)
    return held, [closed_at for _, closed_at in rows if closed_at is not None]


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


def _check_returns(returned_at: list[datetime], *, at: datetime) -> None:
    """Check that the worker has not given back too many tasks of the project within an hour, by the times of these.

    Raises:
        TooManyReturns
    """
    most = settings.RETURNS_PER_HOUR
    if len(returned_at) >= most:
        raise TooManyReturns(until=sorted(returned_at)[-most] + HOUR, at=at)


def _flag_returns(enrolment: Enrolment, *, at: datetime) -> None:
    """Show staff that the worker gave back too many tasks; once an hour at most."""
    first = Q(many_returns_at=None) | Q(many_returns_at__lte=at - HOUR)
    with transaction.atomic():
        if Enrolment.objects.filter(first, pk=enrolment.pk).update(many_returns_at=at):
            record(
                verb="worker.too_many_returns",
                actor="rule:returns",
                subject=subject_of(enrolment.worker),
                project=enrolment.project.slug,
                at=at,
                most=settings.RETURNS_PER_HOUR,
            )


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


def rewind(*, project: Project, priority: int) -> None:
    """Send workers who are below `priority` back to the highest one, because tasks of it were added.

    Call in the transaction that adds the tasks, with the project locked.
    """
    enrolments = Enrolment.objects.filter(project=project)
    if Task.objects.ordinary().filter(project=project, open=True, priority__lt=priority).exists():
        # A claim that runs now does not see the new tasks, and may be about to move a cursor below them: wait for it.
        list(enrolments.select_for_update().order_by("pk").values_list("pk"))
    enrolments.filter(cursor_priority__lt=priority).update(cursor_priority=None)
