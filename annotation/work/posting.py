"""Posting tasks: all of a batch or none, and a repeat changes nothing."""

import random
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple, NotRequired, TypedDict

from django.db import transaction
from django.db.models import Case, Count, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce, Greatest

from annotation.consensus import signals
from annotation.consensus.consensus import renew, renew_alone, withdraw_parts
from annotation.models import Annotation, Assignment, Consensus, Project, Task, Truth
from annotation.tool_registry import Parts, Tool, tool_named, verdict_of
from annotation.work.claims import rewind
from common.serializers import read
from lib.canonical_json import digest
from lib.faults import Conflict, Fault, Invalid, UnknownField, moved

MOST_AT_ONCE = 1000
BATCH = 500
"""The number of tasks whose consensus is renewed together."""
_random = random.SystemRandom()


class ReferenceBody(TypedDict):
    """The right answers that make a task a reference."""

    answers: list[dict[str, Any]]
    tolerance_s: NotRequired[float | None]


class TaskBody(TypedDict):
    """A task as a pipeline posts it."""

    key: str
    payload: dict[str, Any]
    priority: NotRequired[int]
    redundancy: NotRequired[int | None]
    reference: NotRequired[ReferenceBody | None]


class Posted(NamedTuple):
    """The number of tasks that were made, and of those that existed already with equal content."""

    created: int
    unchanged: int


def post_tasks(*, project: Project, bodies: Sequence[TaskBody], at: datetime) -> Posted:
    """Make the tasks that do not exist yet.

    Raises:
        Invalid: a payload or a right answer is not valid; nothing is made.
        Conflict: a key exists with other content; nothing is made.
    """
    tool = tool_named(project.tool)
    _check_bodies(tool, bodies)
    with transaction.atomic():
        project = Project.objects.select_for_update().get(pk=project.pk)
        known = dict(
            Task.objects.filter(project=project, key__in=[body["key"] for body in bodies]).values_list("key", "digest")
        )
        fresh = [(index, body) for index, body in enumerate(bodies) if body["key"] not in known]
        _refuse_changed(bodies, known)
        tasks = Task.objects.bulk_create(_row(project, body, at=at) for _, body in fresh)
        try:
            tool.made(tasks)
            _keep_truths(tool, tasks, [body for _, body in fresh])
            if isinstance(tool, Parts):
                tool.begun(tasks)
        except Invalid as error:
            raise _at_index(error, [index for index, _ in fresh]) from None
        if tasks:
            rewind(project=project, priority=max(task.priority for task in tasks))
    return Posted(created=len(tasks), unchanged=len(bodies) - len(tasks))


def _check_bodies(tool: Tool, bodies: Sequence[TaskBody]) -> None:
    faults: list[Fault] = []
    first_seen: dict[str, int] = {}
    unknown = False
    for index, body in enumerate(bodies):
        if body["key"] in first_seen:
            faults.append(Fault(f"#/tasks/{index}/key", f"The same key is at #/tasks/{first_seen[body['key']]}."))
        first_seen.setdefault(body["key"], index)
        parts = [("payload", tool.payload, body["payload"])]
        reference = body.get("reference")
        truths = reference["answers"] if reference else []
        parts += [(f"reference/answers/{i}", tool.truth, truth) for i, truth in enumerate(truths)]
        for name, serializer, value in parts:
            try:
                read(serializer, value)
            except Invalid as error:
                unknown = unknown or isinstance(error, UnknownField)
                faults += moved(error.faults, f"#/tasks/{index}/{name}")
    if faults:
        raise (UnknownField if unknown else Invalid)(faults=faults)


def _refuse_changed(bodies: Sequence[TaskBody], known: dict[str, str]) -> None:
    changed = [
        Fault(f"#/tasks/{index}/key", f"The task {body['key']!r} is there already with other content.")
        for index, body in enumerate(bodies)
        if known.get(body["key"], content_digest(body)) != content_digest(body)
    ]
    if changed:
        raise Conflict("Some keys are there with other content, so nothing was created; see `errors`.", faults=changed)


def content_digest(body: TaskBody) -> str:
    """The digest by which two posts of one key are compared. It covers everything but the key, with defaults
    applied."""
    reference = body.get("reference")
    return digest(
        {
            "payload": body["payload"],
            "priority": body.get("priority", 0),
            "redundancy": body.get("redundancy"),
            "reference": {"answers": reference["answers"], "tolerance_s": reference.get("tolerance_s")}
            if reference
            else None,
        }
    )


def _row(project: Project, body: TaskBody, *, at: datetime) -> Task:
    own = body.get("redundancy")
    wanted = own or project.redundancy
    return Task(
        project=project,
        key=body["key"],
        payload=body["payload"],
        digest=content_digest(body),
        priority=body.get("priority", 0),
        own_redundancy=own,
        wanted=wanted,
        slots_left=wanted,
        is_reference=bool(body.get("reference")),
        shuffle=_random.random(),
        created_at=at,
    )


def _keep_truths(tool: Tool, tasks: list[Task], bodies: list[TaskBody]) -> None:
    truths = []
    for index, (task, body) in enumerate(zip(tasks, bodies, strict=True)):
        reference = body.get("reference")
        if not reference:
            continue
        answers = []
        for number, answer in enumerate(reference["answers"]):
            try:
                answers.append(tool.check_truth(task.payload, answer))
            except Invalid as error:
                raise Invalid(
                    faults=[
                        Fault(f"#/tasks/{index}/reference/answers/{number}{fault.pointer[1:]}", fault.detail)
                        for fault in error.faults
                    ]
                ) from None
        task.truth_class = class_of(tool, answers)
        truths.append(Truth(task=task, answers=answers, tolerance_s=reference.get("tolerance_s")))
    Truth.objects.bulk_create(truths)
    Task.objects.bulk_update([truth.task for truth in truths], ["truth_class"])


def class_of(tool: Tool, answers: Sequence[dict[str, Any]]) -> bool | None:
    """The yes or no that the right answers of a reference say; None where both are right, or where the tool has no yes
    and no."""
    said = set(map(verdict_of(tool), answers))
    return said.pop() if len(said) == 1 else None


def _at_index(error: Invalid, positions: list[int]) -> Invalid:
    """The same error with pointers `#/tasks/N` that count among all posted tasks, not among the new ones only."""
    faults = []
    for fault in error.faults:
        head, number, *rest = fault.pointer.removeprefix("#/").split("/")
        faults.append(Fault("/".join(["#", head, str(positions[int(number)]), *rest]), fault.detail))
    return type(error)(faults=faults)


def change_redundancy(*, project: Project, redundancy: int, at: datetime) -> None:
    """Make tasks without a redundancy of their own want `redundancy` annotations. Call with the project locked.

    A task that had grown because its annotations disagreed starts from `redundancy`, and grows again if they still do.
    """
    Project.objects.filter(pk=project.pk).update(redundancy=redundancy)
    following = Task.objects.ordinary().filter(project=project, own_redundancy=None, is_whole=False)
    Task.objects.references().filter(project=project, own_redundancy=None).update(
        wanted=redundancy, slots_left=redundancy
    )
    # Counted again, not shifted by the difference: after lowering, more may be held or done than is wanted.
    taken = Assignment.objects.taking_slots().filter(task=OuterRef("pk")).order_by().values("task")
    counted = Coalesce(Subquery(taken.annotate(n=Count("pk")).values("n")), 0)
    following.update(open=False)
    following.update(slots_left=Greatest(redundancy - counted, 0), wanted=redundancy)
    following.filter(status=Task.Status.OPEN).update(
        open=Case(When(slots_left__gt=0, then=Value(True)), default=Value(False))
    )
    counting = Annotation.objects.counting().filter(task=OuterRef("pk")).order_by().values("task")
    got = Coalesce(Subquery(counting.annotate(n=Count("pk")).values("n")), 0)
    too_few = Q(status=Task.Status.DONE, got__lt=redundancy)
    enough = Q(status=Task.Status.OPEN, got__gte=redundancy)
    changed = list(following.annotate(got=got).filter(too_few | enough).order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(changed), BATCH):
        renew(project_id=project.pk, tasks=changed[start : start + BATCH], at=at)
    if isinstance(tool_named(project.tool), Parts):
        # Those that nobody has been through yet follow by their steps, which were changed above.
        wholes = project.tasks.ordinary().filter(is_whole=True, own_redundancy=None).order_by("pk")
        begun = wholes.filter(Q(status=Task.Status.DONE) | Q(chains__worker__isnull=False))
        pks = list(begun.distinct().values_list("pk", flat=True))
        for start in range(0, len(pks), BATCH):
            renew(project_id=project.pk, tasks=pks[start : start + BATCH], at=at)


# Withdrawing ---------------------------------------------------------------------------------------------------


def withdraw(*, task: Task, at: datetime) -> None:
    """Stop asking workers for this open task. A closed task stays as it is. `task` comes with its project."""
    opened = Task.objects.ordinary().filter(pk=task.pk, part_of=None, status=Task.Status.OPEN)
    if opened.update(status=Task.Status.WITHDRAWN, open=False, closed_at=at):
        Consensus.objects.filter(task=task).delete()
        withdraw_parts(task, at=at)
        signals.task_unsettled(task, at=at)


def restore(*, task: Task, at: datetime) -> None:
    """Undo `withdraw`: the task's annotations count again, and the task is open for those that it still needs."""
    withdrawn = Task.objects.ordinary().filter(pk=task.pk, part_of=None, status=Task.Status.WITHDRAWN)
    if withdrawn.update(status=Task.Status.OPEN, closed_at=None):
        renew_alone(task, at=at)
