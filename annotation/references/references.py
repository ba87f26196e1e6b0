"""References: making them from settled tasks or from a file, correcting and retiring them, and renewing what depends on
them.

A change of a truth changes which answers were right: scores, records and the evidence of gates follow, and each change
of a score is stored. No worker is paused or freed by it; a person looks again at pauses that rested on it.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.consensus.consensus import ask_for_fit
from annotation.models import Annotation, Method, Project, ScoreChange, Task, Truth
from annotation.quality import pauses, worker_records
from annotation.tool_registry import Json, Parts, Tool, tool_named
from annotation.work.posting import Posted, ReferenceBody, TaskBody, class_of, post_tasks
from annotation.work.serializers import TaskBody as TaskSerializer
from annotation.work.submissions import score
from audit.changes import changes
from audit.log import Subject, record
from audit.models import AuditEvent
from common.serializers import read
from jobs.outbox import Running, enqueue
from lib.faults import Conflict, CrosswalkError, Fault, Invalid, TooLarge, moved
from lib.strict_json import parse_json

RESCORE = "annotation.rescore"
"""The kind of the background job that applies a change of a truth to many answers."""
AT_ONCE = 100
"""Up to this number of answers is judged again in the request; more are judged in the background."""
BATCH = 200
KEY_LENGTH = 128


def subject_of(reference: Task) -> Subject:
    """The reference as the audit log names it."""
    return Subject("reference", str(reference.pk))


# Making them ---------------------------------------------------------------------------------------------------


def note_import(*, project: Project, created: int, by: str, at: datetime) -> None:
    """Write in the audit log the number of references that were imported; nothing where none was new."""
    if created:
        subject = project.audit_subject
        record(verb="reference.imported", actor=by, subject=subject, project=project.slug, at=at, created=created)


def may_promote(task: Task) -> bool:
    """True if the task can become a reference: an ordinary one, done, with a settled answer that no worker gave with a
    guess in view. At most 1 query."""
    consensus = getattr(task, "consensus", None)
    return (
        not task.is_reference
        and task.status == Task.Status.DONE
        and consensus is not None
        and consensus.settled_at is not None
        and not consensus.with_guess
        and tool_named(task.project.tool).truth_of(consensus.answer) is not None
        and task.part_of_id is None
        and not task.promotions.exists()
    )


def promote(*, task: Task, confirmed: Json, tolerance_s: float | None, reason: str, by: str, at: datetime) -> Task:
    """Make a new reference with the task's payload, and the settled answer of `task` as its truth. `task` stays in the
    rankings.

    Args:
        confirmed: The answer that the person saw; nothing is made if another has been settled meanwhile.

    Raises:
        Invalid: no reason.
        Conflict: the task is not settled, is a reference already or became one, or has another answer now.
    """
    _check_reason(reason)
    with transaction.atomic():
        project = Project.objects.select_for_update().get(pk=task.project_id)
        task = Task.objects.select_related("consensus", "project").get(pk=task.pk)
        if not may_promote(task):
            raise Conflict(
                "Only a task with a settled answer can become a reference, and only once. "
                "Answers that were given with a guess in view make no reference."
            )
        truth = tool_named(project.tool).truth_of(task.consensus.answer)
        if truth is None or truth != confirmed:
            raise Conflict("The answer has changed since you looked. Please look again.")
        key = _free_key(project, f"ref:{task.key}")
        body = TaskBody(
            key=key,
            payload=task.payload,
            reference=ReferenceBody(answers=[truth], tolerance_s=tolerance_s),
        )
        post_tasks(project=project, bodies=[body], at=at)
        reference = Task.objects.get(project=project, key=key)
        reference.promoted_from = task
        reference.save(update_fields=["promoted_from"])
        record(
            verb="reference.promoted",
            actor=by,
            subject=subject_of(reference),
            project=project.slug,
            reason=reason,
            at=at,
            task=task.key,
            truth=truth,
            tolerance_s=tolerance_s,
        )
        _fit_again(project)
    return reference


def _free_key(project: Project, wanted: str) -> str:
    """`wanted`, shortened and numbered where needed."""
    taken = set(
        Task.objects.filter(project=project, key__startswith=wanted[: KEY_LENGTH - 8]).values_list("key", flat=True)
    )
    key, number = wanted[:KEY_LENGTH], 2
    while key in taken:
        ending = f":{number}"
        key, number = wanted[: KEY_LENGTH - len(ending)] + ending, number + 1
    return key


# Changing them -------------------------------------------------------------------------------------------------


def correct(
    *, reference: Task, answers: Sequence[Json], tolerance_s: float | None, reason: str, by: str, at: datetime
) -> None:
    """Change the truth of a reference, and judge its answers again.

    Raises:
        Invalid: no reason, or a right answer that the tool refuses (`#/answers/INDEX/FIELD`).
        Conflict: it is retired.
    """
    _check_reason(reason)
    tool = tool_named(reference.project.tool)
    right = _checked(tool, reference, answers)
    if tolerance_s is not None and tolerance_s < 0:
        raise Invalid.at("#/tolerance_s", "A tolerance is not negative.")
    with transaction.atomic():
        project, task = _locked(reference)
        before = task.truth
        if (before.answers, before.tolerance_s) == (right, tolerance_s):
            return
        event = record(
            verb="reference.corrected",
            actor=by,
            subject=subject_of(task),
            project=project.slug,
            reason=reason.strip(),
            at=at,
            task=task.key,
            before={"answers": before.answers, "tolerance_s": before.tolerance_s},
            after={"answers": right, "tolerance_s": tolerance_s},
        )
        Truth.objects.filter(pk=before.pk).update(answers=right, tolerance_s=tolerance_s)
        Task.objects.filter(pk=task.pk).update(truth_class=class_of(tool, right))
        _call_tool(task, at=at)
        _follow(task, project, event, by=by, reason=reason, at=at)


def retire(*, reference: Task, reason: str, by: str, at: datetime) -> None:
    """Stop serving and counting a reference. Workers who hold it may still hand it in, and are paid.

    Raises:
        Invalid: no reason.
        Conflict: it is retired already.
    """
    _check_reason(reason)
    with transaction.atomic():
        project, task = _locked(reference)
        event = record(
            verb="reference.retired",
            actor=by,
            subject=subject_of(task),
            project=project.slug,
            reason=reason.strip(),
            at=at,
            task=task.key,
            **changes({"retired": False}, {"retired": True}),
        )
        Task.objects.filter(pk=task.pk).update(retired_at=at, open=False)
        _call_tool(task, at=at)
        _follow(task, project, event, by=by, reason=reason, at=at)


def _locked(reference: Task) -> tuple[Project, Task]:
    """The project and the reference as they are now, locked in the order of `claims`."""
    project = Project.objects.select_for_update().get(pk=reference.project_id)
    task = Task.objects.references().select_for_update(of=("self",)).select_related("truth").get(pk=reference.pk)
    if task.retired_at is not None:
        raise Conflict("This reference is retired already.")
    if task.part_of_id is not None:
        raise Conflict("What is right here follows from the whole command: correct or retire that.")
    return project, task


def _checked(tool: Tool, reference: Task, answers: Sequence[Json]) -> list[Json]:
    faults: list[Fault] = []
    right: list[Json] = []
    for index, answer in enumerate(answers):
        try:
            right.append(tool.check_truth(reference.payload, read(tool.truth, answer)))
        except Invalid as error:
            faults += moved(error.faults, f"#/answers/{index}")
    if not answers:
        faults.append(Fault("#/answers", "A reference has at least one right answer."))
    if faults:
        raise Invalid(faults=faults)
    return right


def _check_reason(reason: str) -> None:
    if not reason.strip():
        raise Invalid.at("#/reason", "A change of a reference needs a reason that a person can read.")


# What follows --------------------------------------------------------------------------------------------------


def _call_tool(reference: Task, *, at: datetime) -> None:
    """Let the tool act on the changed truth, if it has parts."""
    task = Task.objects.select_related("truth", "project").get(pk=reference.pk)
    tool = tool_named(task.project.tool)
    if isinstance(tool, Parts):
        tool.truth_changed(task, at=at)


def _follow(reference: Task, project: Project, event: AuditEvent, *, by: str, reason: str, at: datetime) -> None:
    """Judge the answers again, now or in the background, and mark pauses that rested on the reference for a person."""
    pauses.question_pauses(reference=reference, by=by, reason=reason.strip(), at=at)
    _fit_again(project)
    answers = _answers_to(reference)
    if answers.count() <= AT_ONCE:
        _judge(project, list(answers), event)
    else:
        enqueue(RESCORE, str(event.pk), unique_key=f"{RESCORE}@{event.pk}")


def _fit_again(project: Project) -> None:
    if project.consensus_method != Method.MAJORITY:
        ask_for_fit(project=project)


def rescore(running: Running) -> None:
    """Job handler: judge again all answers to the reference that an audit event names.

    It may run again after a crash: answers that have their new score stay as they are.
    """
    event = AuditEvent.objects.get(pk=running.subject)
    reference = Task.objects.select_related("project").get(pk=event.subject)
    answers = _answers_to(reference)
    total, done, last = answers.count(), 0, 0
    while batch := list(answers.filter(pk__gt=last)[:BATCH]):
        _judge(reference.project, batch, event)
        last, done = batch[-1].pk, done + len(batch)
        running.report(done / max(total, 1))


def _answers_to(reference: Task) -> QuerySet[Annotation]:
    """All answers to the reference or to its parts, the truths of these loaded, in order."""
    asked = Annotation.objects.filter(Q(task=reference) | Q(task__part_of=reference))
    return asked.select_related("task__truth").order_by("pk")


def _judge(project: Project, annotations: list[Annotation], event: AuditEvent) -> None:
    """Give these answers the scores that follow from the present truths; each change is stored."""
    tool = tool_named(project.tool)
    scores = [score(tool, annotation.task, annotation.answer) for annotation in annotations]
    changed = [pair for pair in zip(annotations, scores, strict=True) if pair[0].score != pair[1]]
    with transaction.atomic():
        ScoreChange.objects.bulk_create(
            ScoreChange(annotation=annotation, before=annotation.score, after=after, event=event)
            for annotation, after in changed
        )
        for annotation, after in changed:
            annotation.score = after
        Annotation.objects.bulk_update([annotation for annotation, _ in changed], ["score"])
    # All of them: where only the class has changed, no score has, and the confusion has.
    worker_records.judge_again(workers={annotation.worker_id for annotation in annotations}, project=project.pk)


MOST_LINES = 5000


MOST_BYTES = 10_000_000


def import_references(*, project: Project, content: bytes, by: str, at: datetime) -> Posted:
    """Make the references of the file that do not exist yet; all, or none if one line is wrong.

    Raises:
        Invalid: with pointers `#/LINE` and below, lines counted from 1.
        Conflict: a key exists with other content, pointers the same.
        TooLarge: too many lines or bytes.
    """
    numbers, bodies = _read(content)
    try:
        posted = post_tasks(project=project, bodies=bodies, at=at)
    except (Invalid, Conflict) as error:
        raise type(error)(faults=[_at_line(fault, numbers) for fault in error.faults]) from None
    note_import(project=project, created=posted.created, by=by, at=at)
    return posted


def _read(content: bytes) -> tuple[list[int], list[TaskBody]]:
    """The tasks, and the numbers of their lines; empty lines are skipped."""
    if len(content) > MOST_BYTES:
        raise TooLarge(f"A file has at most {MOST_BYTES} bytes.")
    lines = [(number, line) for number, line in enumerate(content.splitlines(), start=1) if line.strip()]
    if len(lines) > MOST_LINES:
        raise TooLarge(f"A file has at most {MOST_LINES} references; this one has {len(lines)}.")
    if not lines:
        raise Invalid.at("#", "There is no line in this file.")
    bodies: list[TaskBody] = []
    faults: list[Fault] = []
    for number, line in lines:
        try:
            bodies.append(_task(line))
        except CrosswalkError as error:
            faults += moved(error.faults or [Fault("#", error.detail)], f"#/{number}")
    if faults:
        raise Invalid(faults=faults)
    return [number for number, _ in lines], bodies


def _task(line: bytes) -> TaskBody:
    try:
        parsed: Any = parse_json(line)
    except ValueError as error:
        raise Invalid.at("#", f"This line is not JSON: {error}.") from None
    body = read(TaskSerializer, parsed)
    if not body.get("reference"):
        raise Invalid.at("#/reference", "A reference needs its right answers.")
    return cast(TaskBody, body)


def _at_line(fault: Fault, numbers: list[int]) -> Fault:
    """The fault with the pointer `#/LINE/…` in place of `#/tasks/INDEX/…`."""
    index, slash, rest = fault.pointer.removeprefix("#/tasks/").partition("/")
    detail = re.sub(r"#/tasks/(\d+)", lambda found: f"line {numbers[int(found[1])]}", fault.detail)
    return Fault(f"#/{numbers[int(index)]}{slash}{rest}", detail) if index.isdigit() else fault
