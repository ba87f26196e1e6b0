"""Corrections: within the project's grace period a worker may change the answer that they submitted last or before.

A correction is a new annotation that supersedes the first; both are kept. Everything that counts answers counts the
newest one, once: the pay stays with the first (`Annotation.pay_id`), while score, records, consensus and gates are
computed again. Answers to references and to other tasks take the same path and are refused for the same reasons, so
that a correction tells nothing of what the task was.
"""

import logging
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.db import transaction

from annotation.consensus.consensus import settle
from annotation.models import Annotation, Approval, Assignment, Enrolment, Project
from annotation.pay.approvals import RULE
from annotation.quality import gates, worker_records
from annotation.quality.accuracy import answers_on_references
from annotation.tool_registry import GRACE_S, FollowUp, tool_named
from annotation.work import answer_times
from annotation.work.claims import lock
from annotation.work.submissions import check_answer, score
from lib.canonical_json import canonical
from lib.faults import Conflict

logger = logging.getLogger(__name__)


class NotSubmitted(Conflict):
    """There is no answer to correct: the worker holds the task, or gave it back."""

    code: ClassVar[str] = "not_submitted"
    sentence = "You have not submitted an answer to this task, so there is nothing to correct."


class GraceOver(Conflict):
    """The project allows no corrections, or its grace period has passed."""

    code: ClassVar[str] = "grace_over"
    sentence = "The time in which this answer could be changed is over. Your answer is kept as you submitted it."


class NoticeGiven(Conflict):
    """A gate has warned or paused the worker since the answer."""

    code: ClassVar[str] = "notice_given"
    sentence = "You have had a message about your work since then, so earlier answers can no longer be changed."


class AnswerDecided(Conflict):
    """A person has approved or rejected the answer."""

    code: ClassVar[str] = "answer_decided"
    sentence = "Somebody has looked at this answer already, so it can no longer be changed."


class OneStep(Conflict):
    """The task is one of several steps, and the next ones follow from the answer."""

    code: ClassVar[str] = "one_step"
    sentence = "This was one step of a longer task, and the next steps follow from it. Go back there to change it."


def grace_of(project: Project) -> timedelta:
    """The time after submitting in which an answer may be corrected; 0 where corrections are not allowed."""
    return timedelta(seconds=project.settings.get(GRACE_S, 0))


def correct(*, enrolment: Enrolment, assignment: Assignment, answer: Any, at: datetime) -> Annotation:
    """Supersede the answer of an assignment.

    The answer that stands already is returned again, at any time. The grace period begins when the first answer was
    submitted, so corrections do not prolong it.

    Raises:
        Invalid: the tool refuses the answer.
        NotSubmitted, OneStep, GraceOver, NoticeGiven, AnswerDecided
    """
    task, project = assignment.task, enrolment.project
    task.project = project
    tool = tool_named(project.tool)
    checked = check_answer(tool, task, answer, shows_guess=assignment.shows_guess)
    with transaction.atomic():
        # Locked before the answer is read, so that of two corrections the second supersedes the first.
        locked = lock(enrolment, with_project=True)
        assignment.refresh_from_db(fields=["status", "closed_at"])
        if assignment.status != Assignment.Status.SUBMITTED:
            raise NotSubmitted
        before = Annotation.objects.select_related("approval").get(assignment=assignment)
        if canonical(before.answer) == canonical(checked):
            return before
        _check_may_correct(before, assignment, locked, project, at=at)
        task.refresh_from_db(fields=["status", "wanted", "slots_left", "is_reference", "retired_at"])
        begun = answer_times.now()
        annotation = _supersede(before, assignment, project, answer=checked, score=score(tool, task, checked), at=at)
        annotation.task = task
        worker_records.outdate(workers=[enrolment.worker_id], project=project.pk)
        if annotation.score is not None or before.score is not None:
            answers = answers_on_references(enrolment.worker_id)
            worker_records.keep_references(worker=enrolment.worker_id, project=project.pk, answers=answers)
            gates.look_again(locked, project=project, at=at)
        settle(task=task, at=at)
        if isinstance(tool, FollowUp):
            tool.corrected(before, annotation)
        answer_times.even_out(project, "correct", since=begun)
    logger.info("annotation.corrected", extra={"annotation": annotation.pk, "task": task.pk})
    return annotation


def _check_may_correct(
    before: Annotation, assignment: Assignment, enrolment: Enrolment, project: Project, *, at: datetime
) -> None:
    first_at = assignment.closed_at
    if first_at is None:
        raise NotSubmitted
    if assignment.task.part_of_id is not None:
        raise OneStep
    if at > first_at + grace_of(project):
        raise GraceOver
    if gates.has_acted_since(enrolment, since=first_at):
        raise NoticeGiven
    if before.is_decided and before.approval.by != RULE:
        raise AnswerDecided


def _supersede(
    before: Annotation, assignment: Assignment, project: Project, *, answer: Any, score: float | None, at: datetime
) -> Annotation:
    """Write the new answer over the standing one, and give it the assignment and the approval of that. 5 to 7 queries.

    Locks: call with the project locked, so that numbers follow the order of commit.
    """
    project.annotation_count += 1
    Project.objects.filter(pk=project.pk).update(annotation_count=project.annotation_count)
    annotation = Annotation(
        project=project,
        number=project.annotation_count,
        task_id=before.task_id,
        worker_id=before.worker_id,
        answer=answer,
        score=score,
        instruction_version_id=before.instruction_version_id,
        with_guess=before.with_guess,
        claimed_at=before.claimed_at,
        submitted_at=at,
        active_s=before.active_s,
        is_decided=before.is_decided,
        is_dropped=before.is_dropped,
        first_id=before.pay_id,
        # Only a superseded answer may be without an assignment, and the standing one has it until the next statement.
        # The first answer supersedes none, so no other answer names it.
        superseded_by=before
        if not before.first_id
        else Annotation.objects.get(project=project, public_id=before.first_id),
    )
    annotation.save(force_insert=True)
    Annotation.objects.filter(pk=before.pk).update(superseded_by=annotation, assignment=None, is_decided=True)
    annotation.assignment, annotation.superseded_by = assignment, None
    annotation.save(update_fields=["assignment", "superseded_by"])
    if before.is_decided:
        Approval.objects.filter(annotation=before).update(annotation=annotation)
    return annotation
