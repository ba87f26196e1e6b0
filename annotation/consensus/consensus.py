"""The consensus of a task: provisional from its first counting answer on, settled while the task is done.

`aggregation.py` merges answers, `votes.py` chooses the answers that count, `rater_fit.py` estimates the raters of a
project. This module keeps the stored consensus up to date: after each answer for that task alone, in the transaction
that takes the answer; and for many tasks at once after a new fit, a change of a worker's weight, or a change of the
project's rule.

Locks: all code that writes a consensus, or closes and opens tasks by it, locks the project's row first, then tasks.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import BigIntegerField, Count, Q, QuerySet

from annotation.consensus import aggregation, signals
from annotation.consensus.aggregation import MOVED, Aggregate, Completion, Rule
from annotation.consensus.votes import raters_of, votes_of
from annotation.models import Annotation, Assignment, Consensus, Method, Project, Task
from annotation.quality.worker_records import SEVERAL, outdate_annotators
from annotation.tool_registry import Parts, Tool, tool_named, verdict_of
from common.kept_query import KeptForOne, KeptInsert, KeptUpdate
from jobs.models import Job
from jobs.outbox import enqueue
from lib.faults import Conflict

FIT = "annotation.fit"
"""The kind of job that estimates a project's raters again and renews what depends on them (`rater_fit.run`)."""
FIT_AFTER = timedelta(seconds=10)
"""The time for which a project gathers answers before its next fit; one second more for each thousand answers it
has."""
_ADJUDICATED = Consensus.Method.ADJUDICATED
_COLUMNS = (
    "project",
    "answer",
    "method",
    "confidence",
    "probability",
    "low",
    "high",
    "annotations",
    "with_guess",
    "needs_review",
    "updated_at",
    "settled_at",
    "accepted_at",
)


def settle(*, task: Task, at: datetime) -> Consensus | None:
    """Renew the task's consensus after an annotation, and return it if it is settled now; None while it is not.

    References never settle, for their truth is known; nor do tasks that the tool closes itself. Call with the project's
    row locked, so that of two last annotations exactly one sees both, and with `task.project` as that row is now.

    Costs: 3 queries, 2 more to read the raters, 1 or 2 to ask for a fit, 2 or 3 more where the task closes or grows.
    """
    project = task.project
    method = project.consensus_method
    if method == Method.DAWID_SKENE or (method == Method.WEIGHTED and task.is_reference):
        ask_for_fit(project=project)
    if task.is_reference or not votes_on(tool_named(project.tool), task, project):
        return None
    found = renew(project_id=project.pk, project=project, tasks=[task.pk], at=at).get(task.pk)
    return found if found and found.settled_at else None


def votes_on(tool: Tool, task: Task, project: Project) -> bool:
    """True if the answers to this task are merged to a consensus of its own. A tool with parts decides it by
    `votes_on`."""
    return not isinstance(tool, Parts) or tool.votes_on(task, project)


def ask_for_fit(*, project: Project) -> None:
    """Enqueue a fit of the project's raters, which also renews every consensus that depends on them.

    Call it after any change of the input of a fit (answers, references, weights, the method), in the transaction of the
    change, with the project's row locked: a fit that runs already then either sees the change or leaves room for
    another. Costs: 1 query where a fit waits already.
    """
    key = f"{FIT}@{project.pk}"
    if not Job.objects.unfinished().filter(unique_key=key).exists():
        after = FIT_AFTER + timedelta(seconds=project.annotation_count // 1000)
        enqueue(FIT, str(project.pk), unique_key=key, after=after)


def close_as_unjudgeable(*, task: Task, at: datetime) -> None:
    """Close a task that a person found impossible to judge; it is counted apart.

    Raises:
        Conflict: it is one step of several.
    """
    if task.part_of_id is not None:
        raise Conflict("This is one step of a longer task: close the whole, or answer the step.")
    Consensus.objects.filter(task=task).delete()
    Task.objects.filter(pk=task.pk).update(status=Task.Status.UNJUDGEABLE, open=False, closed_at=at)
    withdraw_parts(task, at=at)
    signals.task_unsettled(task, at=at)


def withdraw_parts(task: Task, *, at: datetime) -> None:
    """Withdraw the open steps of a whole that a person has ended. Workers who hold one may still hand it in."""
    if task.is_whole:
        asked = Task.objects.filter(part_of=task, status=Task.Status.OPEN)
        asked.update(open=False, status=Task.Status.WITHDRAWN, closed_at=at)


def reopen(*, task: Task, at: datetime) -> None:
    """Undo `close_as_unjudgeable`."""
    Task.objects.filter(pk=task.pk).update(status=Task.Status.OPEN, closed_at=None)
    renew_alone(task, at=at)


def renew_alone(task: Task, *, at: datetime) -> Consensus | None:
    """`renew` this task. The followers are called also if it has no settled answer. `task` comes with its project."""
    found = renew(project_id=task.project_id, tasks=[task.pk], at=at, count_slots=True).get(task.pk)
    if not Consensus.objects.settled().filter(task=task).exists():
        signals.task_unsettled(task, at=at)
    return found


def set_adjudicated(*, task: Task, answer: dict[str, Any], at: datetime) -> Consensus:
    """Make a reviewer's answer the consensus, whatever the annotations say now or later; the task is done.

    Call with the project's row locked.

    Raises:
        Conflict: the task is one of several steps, and only the whole has a consensus.
    """
    tool = tool_named(task.project.tool)
    if not votes_on(tool, task, task.project):
        raise Conflict("This is one step on the way of one worker: answer the whole instead.")
    verdict = verdict_of(tool)(answer)
    probability = None if verdict is None else float(verdict)
    consensus = Consensus(
        task=task,
        project_id=task.project_id,
        answer=answer,
        method=_ADJUDICATED,
        confidence=1.0,
        probability=probability,
        low=probability,
        high=probability,
        annotations=Annotation.objects.counting().filter(task=task).count(),
        updated_at=at,
        settled_at=at,
    )
    _store([consensus])
    outdate_annotators(tasks=[task.pk], project=task.project_id)
    Task.objects.filter(pk=task.pk).update(status=Task.Status.DONE, open=False, closed_at=at)
    withdraw_parts(task, at=at)
    signals.task_settled(task, consensus)
    return consensus


def set_assembled(
    *,
    task: Task,
    answer: dict[str, Any] | None,
    confidence: float,
    annotations: int,
    is_done: bool,
    at: datetime,
    with_guess: bool = False,
) -> None:
    """Store the answer that the parts of a whole make together as its consensus; None: they make none yet.

    Nothing is written where nothing has changed. Call with the project's row locked.
    """
    before: Consensus | None = getattr(task, "consensus", None)
    before_it, status = (Task.Status.OPEN, Task.Status.DONE) if is_done else (Task.Status.DONE, Task.Status.OPEN)
    Task.objects.filter(pk=task.pk, status=before_it).update(status=status, closed_at=at if is_done else None)
    if answer is None:
        Consensus.objects.filter(task=task).delete()
    else:
        project = task.project
        found = Aggregate(answer, confidence, is_bare=answer.get("form", answer) is None)
        method = Consensus.Method.ASSEMBLED
        after = _row(task, found, project, n=annotations, is_settled=is_done, before=before, method=method, at=at)
        after.with_guess = with_guess
        if before is None or _differs(before, after):
            _store([after])
            if is_done:
                signals.task_settled(task, after)
    if before is not None and before.settled_at and (answer is None or not is_done):
        signals.task_unsettled(task, at=at)


def drop_adjudicated(*, task: Task, at: datetime) -> Consensus | None:
    """Undo `set_adjudicated`: the annotations make the consensus again, if there are any; the task may open again.

    Call with the project's row locked.
    """
    Consensus.objects.filter(task=task, method=_ADJUDICATED).delete()
    return renew_alone(task, at=at)


def renew(
    *,
    project_id: int,
    tasks: Collection[int],
    at: datetime,
    count_slots: bool = False,
    outdate: bool = True,
    project: Project | None = None,
) -> dict[int, Consensus]:
    """Compute the consensus of these tasks from their present annotations; close, open and grow the tasks accordingly.

    Nothing is written where nothing has changed. An adjudicated consensus, a reference, and an unjudgeable or withdrawn
    task stay as they are. The tool assembles the consensus of wholes. Call with the project's row locked.

    Args:
        tasks: Ids of tasks of this project; some hundreds at most, because other transactions wait for the lock.
        count_slots: Count the free slots again too, since the weight of a worker's answers has changed.
        outdate: Mark the records of the tasks' annotators for measuring; False if the caller does it for all at once.
        project: The project as its locked row is now, if the caller has read it.

    Returns:
        By task id, for those tasks that have a consensus, changed or not.

    Costs: 4 queries, 1 more to read the raters, 2 or 3 more where tasks close, open or grow; however many tasks there
    are.
    """
    project = project or Project.objects.select_related("fit").defer("instructions", "gates").get(pk=project_id)
    tool = tool_named(project.tool)
    rows = [task for task in _JUDGED.rows(tasks) if votes_on(tool, task, project)]
    votes, with_uncounted = votes_of(tasks)
    raters, prior = raters_of(project, votes)
    kept: dict[int, Consensus] = {}
    changed: list[Consensus] = []
    alone: set[int] = set()
    emptied: list[int] = []
    to_announce: list[signals.Changed] = []
    completions: dict[int, Completion] = {}
    answered = [task.pk for task in rows if votes.get(task.pk)]
    merged = aggregation.aggregate_all(tool, [votes[pk] for pk in answered], raters=raters, prior=prior)
    aggregates = dict(zip(answered, merged, strict=True))
    for task in rows:
        before: Consensus | None = getattr(task, "consensus", None)
        if before is not None and before.method == _ADJUDICATED:
            kept[task.pk] = before
            continue
        found, n = aggregates.get(task.pk), len(votes.get(task.pk, ()))
        rule = rule_of(project, task.own_redundancy)
        completion = aggregation.completion_of(rule, n=n, confidence=found.confidence if found else 0.0)
        is_same = (completion.is_done, completion.wanted) == (task.status == Task.Status.DONE, task.wanted)
        if not is_same or count_slots or task.pk in with_uncounted:
            completions[task.pk] = completion
        if found is None:
            if before is not None:
                emptied.append(task.pk)
                to_announce += [signals.Changed(task, None)] if before.settled_at else []
            continue
        after = _row(task, found, project, n=n, is_settled=completion.is_done, before=before, at=at)
        kept[task.pk] = after if before is None or _differs(before, after) else before
        if kept[task.pk] is after:
            changed.append(after)
            if after.settled_at or (before is not None and before.settled_at):
                to_announce.append(signals.Changed(task, after if after.settled_at else None))
            if max(after.annotations, before.annotations if before else 0) < SEVERAL:
                alone.add(task.pk)
    _store(changed)
    if emptied:
        Consensus.objects.filter(task__in=emptied).delete()
    _update_tasks(completions, at=at)
    # The records of the annotators are compared with these consensus rows, so they are measured again.
    judged = [row.task_id for row in changed if outdate and row.task_id not in alone]
    outdate_annotators(tasks=judged, project=project.pk)
    for task, _ in to_announce:
        task.project = project
    signals.tasks_changed(sorted(to_announce, key=lambda one: _lock_order(one.task)), at=at)
    if isinstance(tool, Parts):
        _assemble(tool, tasks, with_parts=count_slots, at=at)
    return kept


def _lock_order(task: Task) -> tuple[str, int]:
    """Sort posted tasks by their keys: two projects with equal tasks then call the followers in the same order, and
    their transactions do not wait for each other in a circle."""
    return ("" if task.part_of_id else task.key, task.pk)


def rule_of(project: Project, own_redundancy: int | None) -> Rule:
    """The rule by which a task of this project is done."""
    return Rule(
        redundancy=own_redundancy or project.redundancy,
        confidence=project.confidence_wanted,
        least=project.least_annotations,
        most=project.most_annotations,
    )


def _assemble(tool: Parts, tasks: Collection[int], *, with_parts: bool, at: datetime) -> None:
    """Let the tool assemble the wholes among these tasks and, with `with_parts`, the wholes that some of them are parts
    of."""
    wanted = Q(pk__in=tasks)
    if with_parts:
        wanted |= Q(pk__in=Task.objects.filter(pk__in=tasks).values("part_of"))
    for whole in Task.objects.ordinary().filter(wanted, is_whole=True).order_by("pk"):
        tool.assemble(whole, at=at)


def _judged() -> QuerySet[Task]:
    """Tasks whose consensus follows their answers."""
    stopped = [Task.Status.UNJUDGEABLE, Task.Status.WITHDRAWN]
    found = Task.objects.ordinary().exclude(status__in=stopped).filter(is_whole=False)
    columns = ("project", "key", "status", "wanted", "own_redundancy", "is_reference", "part_of")
    return found.select_related("consensus").only(*columns, *(f"consensus__{name}" for name in _COLUMNS))


_JUDGED = KeptForOne(_judged, by="pk")


def _row(
    task: Task,
    found: Aggregate,
    project: Project,
    *,
    n: int,
    is_settled: bool,
    before: Consensus | None,
    at: datetime,
    method: str = "",
) -> Consensus:
    """The task's new consensus. It keeps the time of settling, and the acceptance while the answer is the accepted
    one."""
    accepted_at = before.accepted_at if before and is_settled and before.answer == found.answer else None
    asks = is_settled and accepted_at is None and aggregation.needs_review(found, project.confidence_wanted)
    return Consensus(
        task=task,
        project_id=project.pk,
        answer=found.answer,
        method=method or project.consensus_method,
        confidence=found.confidence,
        probability=found.probability,
        low=found.low,
        high=found.high,
        annotations=n,
        needs_review=asks,
        updated_at=at,
        settled_at=(before.settled_at if before and before.settled_at else at) if is_settled else None,
        accepted_at=accepted_at,
    )


def _differs(before: Consensus, after: Consensus) -> bool:
    plain = ("answer", "method", "annotations", "with_guess", "needs_review", "settled_at", "accepted_at")
    if any(getattr(before, name) != getattr(after, name) for name in plain):
        return True
    return moved(before.probability, after.probability) or moved(before.confidence, after.confidence)


def moved(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is not after
    return abs(before - after) > MOVED


def _store(rows: Sequence[Consensus]) -> None:
    """Write these rows over the stored consensus of their tasks. 1 query for some hundred."""
    if len(rows) == 1:
        _CONSENSUS.run(rows[0])
    elif rows:
        Consensus.objects.bulk_create(rows, update_conflicts=True, unique_fields=["task"], update_fields=_COLUMNS)


_CONSENSUS = KeptInsert(Consensus, over="task", changes=_COLUMNS)


def _update_tasks(completions: Mapping[int, Completion], *, at: datetime) -> None:
    """Close, open and grow tasks, and count their free slots. 1 query, 1 more to lock the tasks where rows have locks,
    and 1 for each group of tasks with equal results."""
    if not completions:
        return
    if connection.features.has_select_for_update:
        # In the order of their ids: claims change the slots without the project's lock.
        list(Task.objects.select_for_update().filter(pk__in=completions).order_by("pk").values_list("pk"))
    taken = slots_taken(completions)
    alike: dict[tuple[Completion, int], list[int]] = defaultdict(list)
    for pk, completion in completions.items():
        alike[completion, max(completion.wanted - taken.get(pk, 0), 0)].append(pk)
    for (completion, slots), tasks in alike.items():
        is_done = completion.is_done
        changes = {
            "wanted": completion.wanted,
            "slots_left": slots,
            "open": not is_done and slots > 0,
            "status": Task.Status.DONE if is_done else Task.Status.OPEN,
            **({} if is_done else {"closed_at": None}),
        }
        _change(tasks, changes, where_null={"closed_at": at} if is_done else {})


def _change(tasks: Sequence[int], changes: Mapping[str, Any], *, where_null: Mapping[str, Any]) -> None:
    """Change these tasks alike; for a single one, as after each answer, with kept SQL. 1 query."""
    if len(tasks) == 1:
        _TASK.run(changes, where_null=where_null, pk=tasks[0])
    else:
        KeptUpdate(lambda: Task.objects.filter(pk__in=tasks)).run(changes, where_null=where_null)


_TASK = KeptUpdate(lambda pk: Task.objects.filter(pk=pk), pk=BigIntegerField())


def slots_taken(tasks: Collection[int]) -> dict[int, int]:
    """The number of slots of each task that are held or filled, by task id. 1 query."""
    return dict(_SLOTS_TAKEN.rows(tasks))


_SLOTS_TAKEN: KeptForOne[tuple[int, int]] = KeptForOne(
    lambda: Assignment.objects.taking_slots().order_by().values_list("slot_of_id").annotate(Count("pk")), by="slot_of"
)
