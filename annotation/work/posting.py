"""Posting tasks: all of a batch or none, and a repeat changes nothing."""

import random
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, NotRequired, TypedDict

from django.db import transaction
from django.db.models import Case, Count, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce, Greatest

from annotation.consensus import signals
from annotation.consensus.consensus import renew, renew_alone, withdraw_parts
from annotation.models import Annotation, Assignment, Consensus, Enrolment, Project, Task, Truth
from annotation.tool_registry import Parts, Tool, has_parts, tool_named, verdict_of
from annotation.work.claims import rewind
from annotation.work.reference_draw import count_again
from common.data.bulk_insert import insert_rows
from common.quick_checks import errors_of_each
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
    digests = [content_digest(body) for body in bodies]
    with transaction.atomic():
        project = Project.objects.select_for_update().get(pk=project.pk)
        posted = Task.objects.filter(project=project, key__among=[body["key"] for body in bodies])
        known = dict(posted.values_list("key", "digest"))
        _refuse_changed(bodies, digests, known)
        fresh = [index for index, body in enumerate(bodies) if body["key"] not in known]
        if fresh:
            try:
                _make(project, tool, [bodies[index] for index in fresh], [digests[index] for index in fresh], at=at)
            except Invalid as error:
                raise _at_index(error, fresh) from None
            # References are handed out beside the queue, so they move no worker's place in it.
            ordinary = [bodies[index].get("priority", 0) for index in fresh if not _answers(bodies[index])]
            if ordinary and _may_be_below(project, max(ordinary)):
                rewind(project=project, priority=max(ordinary))
            count_again(project)
    return Posted(created=len(fresh), unchanged=len(bodies) - len(fresh))


def _check_bodies(tool: Tool, bodies: Sequence[TaskBody]) -> None:
    """Check all that needs no database: the keys, and the shapes of the payloads and of the right answers."""
    keys = [body["key"] for body in bodies]
    truths = [(index, number) for index, body in enumerate(bodies) for number in range(len(_answers(body)))]
    wrong_payloads = errors_of_each(tool.payload, [body["payload"] for body in bodies])
    wrong_truths = errors_of_each(tool.truth, [_answers(bodies[index])[number] for index, number in truths])
    if not wrong_payloads and not wrong_truths and len(set(keys)) == len(keys):
        return
    faults: list[list[Fault]] = [[] for _ in bodies]
    first_seen: dict[str, int] = {}
    for index, key in enumerate(keys):
        if first_seen.setdefault(key, index) != index:
            faults[index].append(Fault(f"#/tasks/{index}/key", f"The same key is at #/tasks/{first_seen[key]}."))
    for index, error in wrong_payloads.items():
        faults[index] += moved(error.faults, f"#/tasks/{index}/payload")
    for place, error in wrong_truths.items():
        index, number = truths[place]
        faults[index] += moved(error.faults, f"#/tasks/{index}/reference/answers/{number}")
    errors = [*wrong_payloads.values(), *wrong_truths.values()]
    unknown = any(isinstance(error, UnknownField) for error in errors)
    raise (UnknownField if unknown else Invalid)(faults=[fault for found in faults for fault in found])


def _answers(body: TaskBody) -> list[dict[str, Any]]:
    """The right answers of a reference; none for an ordinary task."""
    reference = body.get("reference")
    return reference["answers"] if reference else []


def _may_be_below(project: Project, priority: int) -> bool:
    """True if a worker's cursor may be below this priority, now or in a moment; else `rewind` has nothing to do, and
    would look for a lower task among all of the project. 2 queries, each of a few rows of an index."""
    lower = Task.objects.ordinary().filter(project=project, open=True, reserved_for=None, priority__lt=priority)
    return lower.exists() or Enrolment.objects.filter(project=project, cursor_priority__lt=priority).exists()


def _refuse_changed(bodies: Sequence[TaskBody], digests: Sequence[str], known: dict[str, str]) -> None:
    changed = [
        Fault(f"#/tasks/{index}/key", f"The task {body['key']!r} is there already with other content.")
        for index, (body, own) in enumerate(zip(bodies, digests, strict=True))
        if known.get(body["key"], own) != own
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


def _make(project: Project, tool: Tool, bodies: Sequence[TaskBody], digests: Sequence[str], *, at: datetime) -> None:
    """Make tasks and all that belongs to them. Their rows are written as values, without an object for each: a
    pipeline posts them by the million. Costs: as many queries for a thousand tasks as for one.

    Raises:
        Invalid: pointers begin with `#/tasks/INDEX`, an index of `bodies`.
    """
    payloads = tool.keep_payloads(project, [body["payload"] for body in bodies], at=at)
    references = {index: known for index, body in enumerate(bodies) if (known := body.get("reference"))}
    _refuse_practised(tool, {index: payloads[index] for index in references}, project.practice_payload)
    truths = {index: _checked(tool, payloads[index], known, at=index) for index, known in references.items()}
    own = [body.get("redundancy") for body in bodies]
    wanted = [redundancy or project.redundancy for redundancy in own]
    are_wholes = isinstance(tool, Parts) and tool.are_wholes(project)
    newest = Task.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    insert_rows(
        Task,
        {
            "key": [body["key"] for body in bodies],
            "payload": payloads,
            "digest": digests,
            "priority": [body.get("priority", 0) for body in bodies],
            "own_redundancy": own,
            "wanted": wanted,
            "slots_left": wanted,
            "is_reference": [i in truths for i in range(len(bodies))],
            "truth_class": [class_of(tool, truths[i]) if i in truths else None for i in range(len(bodies))],
            "shuffle": [_random.random() for _ in bodies],
        },
        project_id=project.pk,
        is_whole=are_wholes,
        open=not are_wholes,
        created_at=at,
    )
    # With the project locked, nobody else adds tasks to it.
    ids = dict(Task.objects.filter(project=project, pk__gt=newest).values_list("key", "pk"))
    tool.link({ids[body["key"]]: payload for body, payload in zip(bodies, payloads, strict=True)})
    insert_rows(
        Truth,
        {
            "task_id": [ids[bodies[index]["key"]] for index in truths],
            "answers": list(truths.values()),
            "tolerance_s": [known.get("tolerance_s") for known in references.values()],
        },
    )
    if isinstance(tool, Parts) and are_wholes:
        wholes = Task.objects.filter(pk__in=ids.values()).select_related("truth").order_by("pk")
        for whole in wholes:
            whole.project = project
        tool.begin(list(wholes), at=at)


def _refuse_practised(
    tool: Tool, references: Mapping[int, dict[str, Any]], practice_payload: Mapping[str, Any]
) -> None:
    """Refuse references about what the project's practice is about: there, a worker learns the right answer."""
    practised = practice_payload.get(tool.matter)
    if practised is None:
        return
    faults = [
        Fault(
            f"#/tasks/{index}/payload/{tool.matter}", "The practice task is about this, and it shows the right answer."
        )
        for index, payload in references.items()
        if payload[tool.matter] == practised
    ]
    if faults:
        raise Invalid(faults=faults)


def _checked(tool: Tool, payload: dict[str, Any], reference: ReferenceBody, *, at: int) -> list[dict[str, Any]]:
    """The right answers of a reference, checked against the payload of the task at this index, and completed.

    Raises:
        Invalid: with the faults of the first wrong one.
    """
    found = []
    for number, answer in enumerate(reference["answers"]):
        try:
            found.append(tool.check_truth(payload, answer))
        except Invalid as error:
            raise Invalid(faults=moved(error.faults, f"#/tasks/{at}/reference/answers/{number}")) from None
    return found


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
    taken = Assignment.objects.taking_slots().filter(slot_of=OuterRef("pk")).order_by().values("slot_of")
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
    if has_parts(project):
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
