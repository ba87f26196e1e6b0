"""Chains: the way of a command, question by question, through its workers, until its form is assembled.

A command is a task that no worker is given itself (`is_whole`); workers get small tasks, its parts, one step each. With
`MANY_WORKERS` one chain is shared: a step's consensus makes the next steps, and steps that depend on no open answer are
asked at the same time. With `ONE_WORKER` every worker begins with the same first step and then has a chain of their
own, whose steps are reserved for them; the forms of all are merged step by step (`assembly`). The right forms of a
reference are known, and so are the right answers to each of its steps (`known_steps`).

Locks: call everything here with the project's row locked, unless a function says otherwise.
"""

import random
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotation.consensus import consensus
from annotation.models import Annotation, Assignment, Chain, Consensus, Project, Step, Task, Truth
from annotation.tool_registry import Json
from annotation.tools.parse.agreement import ACCEPT, ANSWERS, BACK, GUESS, UNKNOWN, WRONG
from annotation.tools.parse.assembly import assemble, is_ended
from annotation.tools.parse.guesses import guess_of, make_guesses, renew_guess
from annotation.tools.parse.known_steps import known_steps, right_answers, right_first_answers
from annotation.tools.parse.settings import MANY_WORKERS, ONE_WORKER, given_to
from annotation.tools.parse.steps import CONFIRM, ROOT, after_answer, after_guess, open_steps, step_named
from annotation.work.claims import rewind
from lib.canonical_json import canonical, digest
from lib.logical_form.asking.correcting import filled
from lib.logical_form.asking.questions import Step as Asked
from lib.logical_form.asking.walk import Record, walk

MOST_SENT_BACK = 4
"""A chain that was sent back more often goes to a reviewer: its questions do not fit the command."""
MOST_CORRECTED = 20
"""The same for a chain that began with a guess, which may be wrong in many parts."""
MOST_ASKED = 150
"""A worker who undoes answers until this many steps were asked goes no further with the command."""
IDLE_AFTER = timedelta(hours=2)
"""A worker who has not continued a command for so long, and holds no step of it, has left it."""
KEY_ROOM = 100
_random = random.SystemRandom()


# Beginning -----------------------------------------------------------------------------------------------------


def begin(wholes: Sequence[Task], *, at: datetime) -> None:
    """Make the first steps of commands that were just posted; the truths of references are stored before.

    Costs: as many queries for a thousand commands as for ten, but for references of which all steps are known.
    """
    project = wholes[0].project if wholes else None
    guesses = make_guesses(wholes, project=project) if project else {}
    asks_at_once: list[Chain] = []
    asks_first: list[Chain] = []
    for chain in Chain.objects.bulk_create(Chain(task=whole, moved_at=at) for whole in wholes):
        is_known = chain.task.is_reference and given_to(chain.task.project) == MANY_WORKERS
        (asks_at_once if is_known else asks_first).append(chain)
    for chain in asks_at_once:
        _ask_all_known(chain, at=at)
    tasks = Task.objects.bulk_create(_task_of(chain, ROOT, {}, number=1, at=at) for chain in asks_first)
    first = list(zip(asks_first, tasks, strict=True))
    Truth.objects.bulk_create(
        Truth(task=task, answers=right_first_answers(_forms_of(chain.task), guesses.get(chain.task_id)))
        for chain, task in first
        if task.is_reference
    )
    Step.objects.bulk_create(Step(task=task, chain=chain, key=ROOT, round=0) for chain, task in first)


def _ask_all_known(chain: Chain, *, at: datetime) -> None:
    """Ask each step of a reference that is not asked yet; each follows right answers to the steps before it."""
    parts = list(chain.task.parts.order_by("pk").values_list("step__key", "payload"))
    asked = {canonical([key, payload["record"]]) for key, payload in parts}
    for number, (key, record, truths) in enumerate(known_steps(_forms_of(chain.task)), len(parts)):
        if canonical([key, record]) not in asked:
            _make(chain, key, record, truths=truths, round_=number, number=number + 1, at=at)


def truth_changed(task: Task, *, at: datetime) -> None:
    """Compute the right answers to the steps of a reference again, after a reviewer corrected or retired it.

    Workers who have begun it continue unchanged. A step that leads to no right form any more is asked of nobody else,
    and no answer to it counts.
    """
    forms = _forms_of(task)
    renew_guess(task)
    guess = guess_of(task.pk)
    for part in task.parts.select_related("truth", "step").order_by("pk"):
        part.truth.answers = _right(forms, part.payload, guess)
        part.truth.save(update_fields=["answers"])
        if part.reserved_for_id is None and not part.truth.answers and part.retired_at is None:
            Task.objects.filter(pk=part.pk).update(retired_at=at, open=False)
    if task.retired_at is None and given_to(task.project) == MANY_WORKERS:
        _ask_all_known(task.chains.get(worker=None), at=at)


def _right(forms: list[Json], payload: Json, guess: Json | None) -> list[Json]:
    """The right answers to the small task with this payload."""
    record, key = payload["record"], payload["step"]
    if key == ROOT and not payload["own"]:
        return right_first_answers(forms, guess)
    return right_answers(forms, record, key, with_guess=payload.get("with_guess", False))


def _forms_of(task: Task) -> list[Json]:
    return [] if task.retired_at else [answer["form"] for answer in task.truth.answers]


# Going on ------------------------------------------------------------------------------------------------------


def answered(annotation: Annotation, *, at: datetime) -> None:
    """Continue the worker's own chain, if there is one; a shared chain waits for the consensus."""
    step = Step.objects.select_related("chain__task__project").filter(task=annotation.task_id).first()
    if step is None or given_to(step.chain.task.project) != ONE_WORKER:
        return
    chain = step.chain
    if chain.worker_id is None:
        chain, is_new = Chain.objects.get_or_create(
            task=chain.task,
            worker_id=annotation.worker_id,
            defaults={"moved_at": at, "with_guess": annotation.with_guess},
        )
    else:
        is_new = False
        Task.objects.filter(pk=annotation.task_id).update(
            open=False, slots_left=0, status=Task.Status.DONE, closed_at=at
        )
    if chain.status == Chain.Status.OPEN and is_new == (step.chain.worker_id is None):
        _advance(chain, step.key, annotation.answer, at=at)


def settled(task: Task, found: Consensus, *, at: datetime) -> None:
    """Continue the shared chain after one of its steps got a consensus, or another consensus than before."""
    step = Step.objects.select_related("chain__task__project").filter(task=task.pk).first()
    if step is None or step.chain.worker_id is not None or given_to(step.chain.task.project) != MANY_WORKERS:
        return
    chain = step.chain
    if chain.steps.filter(key=step.key, round__gt=step.round).exists():
        return
    if _is_known(chain, step.key, found.answer):
        if chain.status != Chain.Status.OPEN:
            assemble(chain.task, at=at)
        return
    _advance(chain, step.key, found.answer, at=at)


def _is_known(chain: Chain, key: str, answer: Json) -> bool:
    """True if the chain has continued from exactly this answer."""
    if answer.get(UNKNOWN):
        return chain.status == Chain.Status.UNKNOWN
    return key in chain.record and chain.record[key] == answer.get(ANSWERS)


def _advance(chain: Chain, key: str, answer: Json, *, at: datetime) -> None:
    if ACCEPT in answer or WRONG in answer:
        # The guess may have been renewed since it was shown, so the answer brings the one that was.
        after = after_guess(answer[GUESS], answer)
    else:
        after = after_answer(chain.record, key, answer, hints=chain.hints)
    chain.record = after.record
    if chain.worker_id is not None:
        chain.hints = dict(after.hints)
        chain.record = filled(chain.record, chain.hints)
    chain.sent_back += after.is_sent_back and BACK not in answer
    chain.moved_at = at
    most = MOST_CORRECTED if chain.with_guess else MOST_SENT_BACK
    is_lost = after.is_unknown or chain.sent_back > most or (BACK in answer and chain.steps.count() > MOST_ASKED)
    chain.status = Chain.Status.UNKNOWN if is_lost else Chain.Status.OPEN
    _ask(chain, at=at)


def _ask(chain: Chain, *, at: datetime) -> None:
    """Make the steps that can be asked now and are not asked yet; without any, the chain is done."""
    steps = [] if chain.status == Chain.Status.UNKNOWN else open_steps(chain.record)
    if chain.worker_id is not None:
        # Only the next step, because a page shows one at a time.
        steps = steps[:1]
    if not steps and chain.status == Chain.Status.OPEN:
        chain.status = Chain.Status.DONE
    chain.save(update_fields=["record", "hints", "sent_back", "moved_at", "status"])
    if is_ended(chain.task):
        return
    waiting = _withdraw_outdated(chain, steps, at=at)
    fresh = [step for step in steps if step.key not in waiting]
    for step in fresh:
        _make(chain, step.key, chain.record, at=at)
    if fresh and chain.worker_id is None:
        rewind(project=chain.task.project, priority=chain.task.priority)
    if not chain.task.is_reference and (not steps or chain.task.status == Task.Status.DONE):
        assemble(chain.task, at=at)


def _withdraw_outdated(chain: Chain, steps: Sequence[Asked], *, at: datetime) -> set[str]:
    """The keys of those of these steps that are already asked as they must be asked now.

    Other steps, and those that the chain has left, are withdrawn: nobody is asked them, and no later change of their
    answers moves the chain.
    """
    wanted = {step.key: step for step in steps}
    reached = {step.key for step in walk(chain.record).done} | {CONFIRM} & set(chain.record)
    asked = chain.steps.filter(task__status__in=[Task.Status.OPEN, Task.Status.DONE])
    if chain.worker_id is not None:
        asked = asked.filter(task__status=Task.Status.OPEN)
    waiting: set[str] = set()
    gone: list[int] = []
    for key, task, status, payload in asked.values_list("key", "task", "task__status", "task__payload"):
        is_open = status == Task.Status.OPEN
        if key in wanted and is_open and _is_same(wanted[key], payload["record"], chain.record):
            waiting.add(key)
        elif key in wanted or (key not in reached and (is_open or chain.status != Chain.Status.UNKNOWN)):
            gone.append(task)
    _withdraw(Task.objects.filter(pk__in=gone), at=at)
    return waiting


def _is_same(step: Asked, before: Record, now: Record) -> bool:
    """True if a step asked with the record `before` asks and shows the same with `now`, but for other parts."""
    if step.key == CONFIRM:
        return canonical(dict(before)) == canonical(dict(now))
    return step_named(before, step.key) == step


def resume(task: Task, *, at: datetime) -> None:
    """Ask the open steps of a command again after a reviewer took back the decision that ended it."""
    for chain in task.chains.select_related("task__project").filter(status=Chain.Status.OPEN):
        is_first_of_many = chain.worker_id is None and given_to(chain.task.project) == ONE_WORKER
        if is_first_of_many or chain.steps.filter(task__status=Task.Status.OPEN).exists():
            continue
        if chain.worker_id is not None or not _ask_again(chain, at=at):
            _ask(chain, at=at)


def _ask_again(chain: Chain, *, at: datetime) -> bool:
    """Reopen the steps that were withdrawn with the command, so that their answers count; False if there are none."""
    wanted = {step.key: step for step in open_steps(chain.record)}
    latest = {step.key: step.task for step in chain.steps.select_related("task").order_by("round")}
    found = [
        task.pk
        for key, task in latest.items()
        if key in wanted
        and task.status == Task.Status.WITHDRAWN
        and _is_same(wanted[key], task.payload["record"], chain.record)
    ]
    if not found or is_ended(chain.task):
        return False
    Task.objects.filter(pk__in=found).update(status=Task.Status.OPEN, closed_at=None)
    consensus.renew(project_id=chain.task.project_id, tasks=found, at=at, count_slots=True)
    rewind(project=chain.task.project, priority=chain.task.priority)
    return True


def _make(
    chain: Chain,
    key: str,
    record: Record,
    *,
    at: datetime,
    truths: list[Json] | None = None,
    round_: int | None = None,
    number: int | None = None,
) -> Task:
    """Make the small task of a step; `truths` are its right answers, computed for a reference if None."""
    whole = chain.task
    task = _task_of(chain, key, record, number=number or whole.parts.count() + 1, at=at)
    task.save()
    if whole.is_reference:
        known = _right(_forms_of(whole), task.payload, None) if truths is None else truths
        Truth.objects.create(task=task, answers=known)
    round_ = chain.steps.filter(key=key).count() if round_ is None else round_
    Step.objects.create(task=task, chain=chain, key=key, round=round_)
    return task


def _task_of(chain: Chain, key: str, record: Record, *, number: int, at: datetime) -> Task:
    """The small task of a step, not stored yet: the `number`th of its command."""
    whole = chain.task
    is_own = chain.worker_id is not None
    payload = {
        "text": whole.payload["text"],
        "context": whole.payload.get("context", []),
        "step": key,
        "record": dict(record),
        "own": is_own,
        **({"hints": dict(chain.hints), "with_guess": chain.with_guess} if is_own else {}),
    }
    wanted = 1 if is_own else whole.own_redundancy or whole.project.redundancy
    return Task(
        project=whole.project,
        key=_key(whole, number),
        payload=payload,
        digest=digest(payload),
        priority=whole.priority,
        own_redundancy=1 if is_own else whole.own_redundancy,
        wanted=wanted,
        slots_left=wanted,
        is_reference=whole.is_reference,
        part_of=whole,
        reserved_for=chain.worker,
        shuffle=_random.random(),
        created_at=at,
    )


def _key(whole: Task, number: int) -> str:
    """A key that no posted task can have. Long keys may begin alike, so the task's number tells them apart."""
    name = whole.key if len(whole.key) <= KEY_ROOM else f"{whole.key[: KEY_ROOM // 2]}~{whole.pk}"
    return f"{name}~{number}"


def _withdraw(tasks: QuerySet[Task], *, at: datetime) -> None:
    """Ask these steps of nobody any more."""
    tasks.update(open=False, status=Task.Status.WITHDRAWN, closed_at=at)


# Leaving -------------------------------------------------------------------------------------------------------


def leave(task: Task, *, at: datetime) -> None:
    """Give up a worker's own chain, to which this step belongs: another worker begins the command anew."""
    step = Step.objects.select_related("chain__task__project").filter(task=task.pk).first()
    if step is not None and step.chain.worker_id is not None and step.chain.status == Chain.Status.OPEN:
        _leave(step.chain, at=at)


def _leave(chain: Chain, *, at: datetime) -> None:
    _withdraw(Task.objects.filter(step__chain=chain, status=Task.Status.OPEN), at=at)
    Chain.objects.filter(pk=chain.pk).update(status=Chain.Status.LEFT)
    if not chain.task.is_reference:
        assemble(chain.task, at=at)


def leave_idle(*, at: datetime, limit: int = 200) -> int:
    """End the chains that their workers have left; return their number.

    Locks: the project of each chain, then its open step, so that nobody is given the step at this moment.
    """
    held = Assignment.objects.current(at=at)
    idle = Chain.objects.filter(status=Chain.Status.OPEN, worker__isnull=False, moved_at__lt=at - IDLE_AFTER)
    waiting = idle.exclude(Exists(held.filter(task__step__chain=OuterRef("pk")))).order_by("moved_at")
    found = 0
    for pk, project in list(waiting.values_list("pk", "task__project")[:limit]):
        with transaction.atomic():
            Project.objects.select_for_update().values_list("pk").get(pk=project)
            chain = idle.select_related("task__project").filter(pk=pk).first()
            if chain is None:
                continue
            steps = Task.objects.filter(step__chain=chain, status=Task.Status.OPEN).select_for_update(of=("self",))
            if held.filter(task__in=list(steps)).exists():
                continue
            _leave(chain, at=at)
            found += 1
    return found
