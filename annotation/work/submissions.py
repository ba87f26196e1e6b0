"""Handing in: an answer becomes an annotation, is scored if its task is a reference, is paid, and may settle the
task."""

import logging
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import BigIntegerField, Case, F, Value, When

from annotation.consensus.consensus import settle
from annotation.models import Annotation, Assignment, Enrolment, Project, Task
from annotation.offer.experiments import base_pay_of
from annotation.pay.approvals import approve_at_once
from annotation.pay.budget import BASE
from annotation.quality import gates, worker_records
from annotation.quality.accuracy import answers_on_references
from annotation.tool_registry import Bonus, FollowUp, Guesses, Tool, tool_named
from annotation.work import answer_times
from annotation.work.claims import Refused, check_limits, holds_of, lock
from annotation.work.leases import HELD_OR_EXPIRED, AlreadySubmitted, end_hold, lease_lost, slot_id
from common.kept_query import KeptInsert, KeptRefresh, KeptUpdate
from common.serializers import read
from lib.canonical_json import canonical
from lib.faults import Invalid
from workforce.ledger import owe
from workforce.models import LedgerEntry

logger = logging.getLogger(__name__)


def submit(
    *, enrolment: Enrolment, assignment: Assignment, answer: Any, active_s: float | None, at: datetime
) -> Annotation:
    """Close the assignment with an answer.

    The same answer again returns the first annotation. After the end of the lease an answer still counts while a slot
    is free, and while the project's limit and budget would allow the worker to claim the task again.

    Raises:
        Invalid: the tool refuses the answer; the worker keeps the hold.
        AlreadySubmitted: the worker submitted another answer before.
        LeaseLost: the lease ended, and another worker has taken the slot, or the money for it.
    """
    task, project = assignment.task, enrolment.project
    task.project = project
    tool = tool_named(project.tool)
    checked = check_answer(tool, task, answer, shows_guess=assignment.shows_guess)
    with_guess = assignment.shows_guess and isinstance(tool, Guesses) and not tool.sets_guess_aside(task, answer)
    with transaction.atomic():
        locked = lock(enrolment, with_project=True)
        # Locked too, so that a sweep cannot end the hold between this look at it and the closing.
        _LOCKED_HOLD.read(assignment)
        if assignment.status == Assignment.Status.SUBMITTED:
            return _same_again(assignment, checked)
        if assignment.status != Assignment.Status.CLAIMED:
            _take_slot_again(assignment, locked, project, at=at)
        end_hold(HELD_OR_EXPIRED, assignment, Assignment.Status.SUBMITTED, at=at)
        # The truth may have been corrected or retired since the claim; that locks the project too.
        _TASK_NOW.read(task)
        # The project's row stays locked until the commit, so numbers follow the order of commit, and an export that
        # continues after number N misses nothing.
        project.annotation_count += 1
        begun = answer_times.now()
        annotation = Annotation(
            project=project,
            number=project.annotation_count,
            assignment=assignment,
            task=task,
            worker_id=assignment.worker_id,
            answer=checked,
            score=score(tool, task, checked),
            instruction_version_id=assignment.instruction_version_id,
            claimed_at=assignment.claimed_at,
            submitted_at=at,
            active_s=active_s,
            with_guess=with_guess,
        )
        _ANNOTATION.run(annotation)
        _count_and_pay(enrolment, annotation, assignment, at=at)
        worker_records.note_submission(enrolment=enrolment, at=at)
        if annotation.score is not None:
            answers = answers_on_references(enrolment.worker_id)
            worker_records.keep_references(worker=enrolment.worker_id, project=project.pk, answers=answers)
        gates.look(locked, project=project, is_scored=annotation.score is not None, at=at)
        settle(task=task, at=at)
        if isinstance(tool, FollowUp):
            tool.answered(annotation)
        if project.approve_after_s == 0:
            approve_at_once(annotation, at=at)
        answer_times.even_out(project, "submit", since=begun)
    logger.info("annotation.submitted", extra={"annotation": annotation.pk, "task": task.pk})
    return annotation


_LOCKED_HOLD = KeptRefresh(
    Assignment.objects.select_for_update(), "status", "lease_expires_at", "closed_at", "slot_of_id"
)
_TASK_NOW = KeptRefresh(Task.objects.all(), "status", "wanted", "slots_left", "is_reference", "retired_at")


def check_answer(tool: Tool, task: Task, answer: Any, *, shows_guess: bool = False) -> dict[str, Any]:
    """The answer, checked and completed by the tool.

    Args:
        shows_guess: Its worker was served a guess with the task.

    Raises:
        Invalid: with pointers below `#/answer`.
    """
    try:
        known = read(tool.answer, answer)
    except Invalid as error:
        raise error.below("#/answer") from None
    if isinstance(tool, Guesses):
        about_guess = tool.check_about_guess(task, known, shows_guess=shows_guess)
        if about_guess is not None:
            return about_guess
    return tool.check(task.payload, known)


def _same_again(assignment: Assignment, answer: dict[str, Any]) -> Annotation:
    current = Annotation.objects.get(assignment=assignment)
    earlier = [current]
    if current.first_id:
        # A repeat that arrives after a correction repeats the first answer.
        earlier.append(Annotation.objects.get(project=current.project_id, public_id=current.first_id))
    for found in earlier:
        if canonical(found.answer) == canonical(answer):
            return found
    raise AlreadySubmitted


def _take_slot_again(assignment: Assignment, enrolment: Enrolment, project: Project, *, at: datetime) -> None:
    """Take a free slot for a hold that had expired. Locks: call with all but the task locked."""
    if assignment.status != Assignment.Status.EXPIRED or assignment.slot_of_id is None:
        raise lease_lost(assignment)
    others = Assignment.objects.binding().filter(slot_of=assignment.slot_of_id, worker=assignment.worker_id)
    if others.exists():
        # The worker has claimed the same task again since: that hold counts, not this one.
        raise lease_lost(assignment)
    goes_on = assignment.task.reserved_for_id is not None
    try:
        check_limits(enrolment, project, held=holds_of(enrolment, at=at).count(), goes_on=goes_on)
    except Refused:
        raise lease_lost(assignment) from None
    free = Task.objects.filter(pk=slot_id(assignment), slots_left__gt=0, status=Task.Status.OPEN)
    is_still_open = Case(When(slots_left__gt=1, then=Value(True)), default=Value(False))
    if not free.update(slots_left=F("slots_left") - 1, open=is_still_open):
        raise lease_lost(assignment)


def score(tool: Tool, task: Task, answer: dict[str, Any]) -> float | None:
    """The best score against any of the right answers; None where the task is no reference that counts.

    The score is also None where no right answer is known (a part of a reference after an answer that led away from it),
    and where the answer is not about the matter.
    """
    if not task.is_reference or task.retired_at is not None:
        return None
    truth = task.truth
    scores = [tool.score(answer, right, truth.tolerance_s) for right in truth.answers]
    return max((one for one in scores if one is not None), default=None)


def _count_and_pay(enrolment: Enrolment, annotation: Annotation, assignment: Assignment, *, at: datetime) -> None:
    project = enrolment.project
    tool, promised = tool_named(project.tool), base_pay_of(enrolment)
    if isinstance(tool, Bonus):
        promised = tool.base_pay_of(assignment, promised)
    pay = promised or Decimal(0)
    _PROJECT.run({"annotation_count": annotation.number}, more={"spent": pay} if pay else {}, pk=project.pk)
    if pay:
        owe(
            worker=enrolment.worker,
            kind=LedgerEntry.Kind.BASE,
            reason=f"{BASE}{annotation.public_id}",
            amount=pay,
            currency=project.currency,
            at=at,
            account=project.slug,
            is_first=True,
        )
    _ENROLMENT.run({}, more={"submitted": 1, "earned": pay}, pk=enrolment.pk)


_ANNOTATION = KeptInsert(Annotation)
_PROJECT = KeptUpdate(lambda pk: Project.objects.filter(pk=pk), pk=BigIntegerField())
_ENROLMENT = KeptUpdate(lambda pk: Enrolment.objects.filter(pk=pk), pk=BigIntegerField())
