"""Chains: how a command goes, question by question, to the workers, and its form comes back together.

A command is a task that nobody is given itself (`is_whole`); what workers get are small tasks, its parts, one step each.
Where different workers do them (`MANY_WORKERS`), one chain is shared: a step's consensus makes the next steps, and
those that depend on no open answer go out together. Where one worker does the whole command (`ONE_WORKER`), each begins
with the same first step, and from there has a chain of their own whose steps are reserved for them; the forms of all
are put together step by step. Of a reference the right forms are known, and so is what is right at each of its steps.

Locks: everything here is called with the project's row locked.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from annotation import consensus, records
from annotation.aggregation import course
from annotation.claims import rewind
from annotation.logical_form.validate import faults_of
from annotation.logical_form.walk import Record, record_of, walk
from annotation.models import Annotation, Assignment, Chain, Consensus, Project, Step, Task, Truth
from annotation.tools import Json
from annotation.tools.parse.agreement import ANSWERS, voted, without_pointers
from annotation.tools.parse.steps import CONFIRM, ROOT, moved, open_steps
from common.values import canonical, digest

ONE_WORKER, MANY_WORKERS, EXPERTS = "one_worker", "many_workers", "experts"
GIVEN_TO = "given_to"
"""The setting of a project: who is given the steps of a command, or, experts, the whole of it."""
MOST_SENT_BACK = 4
"""A chain that was sent back more often goes to an expert: its questions do not fit the command."""
IDLE_AFTER = timedelta(hours=2)
"""A worker who has not gone on with a command for so long, and holds no step of it, has left it."""
KEY_ROOM = 100
_random = random.SystemRandom()


def given_to(project: Project) -> str:
    found: str = project.settings.get(GIVEN_TO, ONE_WORKER)
    return found


# Beginning -----------------------------------------------------------------------------------------------------


def begin(task: Task, *, at: datetime) -> None:
    """Make the first steps of a command that was just posted, its truth kept if it is a reference."""
    chain = Chain.objects.create(task=task, moved_at=at)
    if not task.is_reference:
        _ask(chain, at=at)
    elif given_to(task.project) == ONE_WORKER:
        _make(chain, ROOT, {}, truths=right_answers(_forms_of(task), {}, ROOT), at=at)
    else:
        # Other workers answer what follows, so all of it is asked from the start, each step beside what is true.
        for number, (key, record, truths) in enumerate(_known_steps(_forms_of(task))):
            _make(chain, key, record, truths=truths, round_=number, at=at)


def begin_anew(task: Task, *, at: datetime) -> None:
    """The same for a reference whose truth was changed or retired: its steps so far are asked no more, nor do they count."""
    for chain in task.chains.all():
        _withdraw(chain, keep=(), at=at)
        chain.delete()
    parts = task.parts.filter(retired_at=None)
    workers = set(Annotation.objects.filter(task__in=parts).values_list("worker", flat=True))
    parts.update(retired_at=at, open=False)
    if workers:
        records.judge_anew(workers=workers, project=task.project_id)
    if task.retired_at is None:
        begin(task, at=at)


def right_answers(forms: Sequence[Json], record: Record, key: str) -> list[Json]:
    """What is right at a step, given what was answered before; nothing if that has left every right form."""
    if key == CONFIRM:
        done = walk(record)
        return [{ANSWERS: {"right": any(_fits(form, record) for form in forms) and not done.open}}]
    found = [record_of(form).get(key) for form in forms if _fits(form, record)]
    distinct = {canonical(without_pointers(answers)): {ANSWERS: answers} for answers in found if answers is not None}
    return list(distinct.values())


def _fits(form: Json, record: Record) -> bool:
    """Whether all that is answered is what somebody who knows this form answers."""
    true = record_of(form)
    return all(
        key == CONFIRM or (key in true and without_pointers(true[key]) == without_pointers(answers))
        for key, answers in record.items()
    )


def _known_steps(forms: Sequence[Json]) -> Iterator[tuple[str, Json, list[Json]]]:
    """Each step that a right form leads to, with the record before it and what is right there, each once."""
    seen: set[str] = set()
    for form in forms:
        true, record = record_of(form), dict[str, Any]()
        while opened := open_steps(record):
            key = opened[0].key
            name = canonical([key, record])
            if name not in seen:
                seen.add(name)
                yield key, dict(record), right_answers(forms, record, key)
            record[key] = {"right": True} if key == CONFIRM else true[key]


def _forms_of(task: Task) -> list[Json]:
    return [answer["form"] for answer in task.truth.answers]


# Going on ------------------------------------------------------------------------------------------------------


def answered(annotation: Annotation, *, at: datetime) -> None:
    """Go on with the worker's own chain, where they have one; the shared chain waits for the consensus."""
    step = Step.objects.select_related("chain__task__project").filter(task=annotation.task_id).first()
    if step is None or given_to(step.chain.task.project) != ONE_WORKER:
        return
    chain = step.chain
    if chain.worker_id is None:
        chain, _ = Chain.objects.get_or_create(
            task=chain.task, worker_id=annotation.worker_id, defaults={"moved_at": at}
        )
    _advance(chain, step.key, annotation.answer, at=at)


def settled(task: Task, found: Consensus, *, at: datetime) -> None:
    """Go on with the shared chain after the consensus of one of its steps, or after another consensus than before."""
    step = Step.objects.select_related("chain__task__project").filter(task=task.pk).first()
    if step is None or step.chain.worker_id is not None or given_to(step.chain.task.project) != MANY_WORKERS:
        return
    chain = step.chain
    asked_again = chain.steps.filter(key=step.key, round__gt=step.round).exists()
    if asked_again or chain.record.get(step.key) == found.answer.get(ANSWERS):
        return
    _advance(chain, step.key, found.answer, at=at)


def _advance(chain: Chain, key: str, answer: Json, *, at: datetime) -> None:
    after = moved(chain.record, key, answer)
    chain.record = after.record
    chain.sent_back += after.is_sent_back
    chain.moved_at = at
    is_lost = after.is_unknown or chain.sent_back > MOST_SENT_BACK
    chain.status = Chain.Status.UNKNOWN if is_lost else Chain.Status.OPEN
    _ask(chain, at=at)


def _ask(chain: Chain, *, at: datetime) -> None:
    """Make the steps that can be asked now and are not asked yet; where there are none, the chain is at its end."""
    steps = [] if chain.status == Chain.Status.UNKNOWN else open_steps(chain.record)
    if chain.worker_id is not None or given_to(chain.task.project) == ONE_WORKER:
        # One worker has one step at a time; and where each has a chain of their own, all of them share the first.
        steps = steps[:1]
    _withdraw(chain, keep=[step.key for step in steps], at=at)
    if not steps and chain.status == Chain.Status.OPEN:
        chain.status = Chain.Status.DONE
    chain.save()
    waiting = set(chain.steps.filter(task__status=Task.Status.OPEN).values_list("key", flat=True))
    for step in steps:
        if step.key not in waiting:
            _make(chain, step.key, chain.record, truths=None, at=at)
    is_known = chain.task.is_reference
    if not is_known and (not steps or chain.task.status == Task.Status.DONE):
        assemble(chain.task, at=at)


def _make(
    chain: Chain, key: str, record: Record, *, truths: list[Json] | None, at: datetime, round_: int | None = None
) -> Task:
    """The small task that asks a step; `truths` is what is right there, looked up for a reference if it is None."""
    whole = chain.task
    if truths is None and whole.is_reference:
        truths = right_answers(_forms_of(whole), record, key)
    is_own = chain.worker_id is not None
    payload = {
        "text": whole.payload["text"],
        "context": whole.payload.get("context", []),
        "step": key,
        "record": dict(record),
        "own": is_own,
    }
    wanted = 1 if is_own else whole.own_redundancy or whole.project.redundancy
    task = Task.objects.create(
        project=whole.project,
        key=f"{whole.key[:KEY_ROOM]}~{whole.parts.count() + 1}",
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
    if whole.is_reference:
        Truth.objects.create(task=task, answers=truths or [])
    if round_ is None:
        round_ = chain.steps.filter(key=key).count()
    Step.objects.create(task=task, chain=chain, key=key, round=round_)
    if not is_own:
        rewind(project=whole.project, priority=task.priority)
    return task


def _withdraw(chain: Chain, *, keep: Sequence[str], at: datetime) -> None:
    """Ask no more what is asked now, but for the steps of these keys."""
    asked = Task.objects.filter(step__chain=chain, status=Task.Status.OPEN).exclude(step__key__in=keep)
    asked.update(open=False, status=Task.Status.WITHDRAWN, closed_at=at)


# Leaving -------------------------------------------------------------------------------------------------------


def leave(task: Task, *, at: datetime) -> None:
    """A worker will not go on with the chain of this step: somebody else begins the command anew."""
    step = Step.objects.select_related("chain__task__project").filter(task=task.pk).first()
    if step is None or step.chain.worker_id is None or step.chain.status != Chain.Status.OPEN:
        return
    chain = step.chain
    _withdraw(chain, keep=(), at=at)
    chain.status = Chain.Status.LEFT
    chain.save()
    if not chain.task.is_reference:
        assemble(chain.task, at=at)


def leave_idle(*, at: datetime, limit: int = 200) -> int:
    """End the chains that their workers have left; how many there were."""
    waiting = Chain.objects.filter(status=Chain.Status.OPEN, worker__isnull=False, moved_at__lt=at - IDLE_AFTER)
    found = 0
    for chain in waiting.select_related("task").order_by("moved_at")[:limit]:
        with transaction.atomic():
            Project.objects.select_for_update().get(pk=chain.task.project_id)
            open_step = Task.objects.filter(step__chain=chain, status=Task.Status.OPEN).first()
            if open_step and Assignment.objects.current(at=at).filter(task=open_step).exists():
                continue
            if open_step:
                leave(open_step, at=at)
                found += 1
    return found


# The end -------------------------------------------------------------------------------------------------------


def assemble(task: Task, *, at: datetime) -> None:
    """Make the consensus of a command what its chains say now; ask more workers where they do not agree enough."""
    project = Project.objects.get(pk=task.project_id)
    task = Task.objects.select_related("consensus").get(pk=task.pk)
    task.project = project
    if getattr(task, "consensus", None) and task.consensus.method == Consensus.Method.ADJUDICATED:
        return
    if given_to(project) == MANY_WORKERS:
        _assemble_shared(task, at=at)
    else:
        _assemble_own(task, at=at)


def _assemble_shared(task: Task, *, at: datetime) -> None:
    """The form of the one chain; as sure as the least sure of its steps."""
    chain = task.chains.get(worker=None)
    steps = Consensus.objects.filter(task__step__chain=chain, task__status=Task.Status.DONE)
    latest: dict[str, float] = {}
    for key, confidence in steps.order_by("task_id").values_list("task__step__key", "confidence"):
        latest[key] = confidence
    answers = Annotation.objects.counting().filter(task__step__chain=chain).count()
    if chain.status == Chain.Status.OPEN:
        consensus.set_assembled(task=task, answer=None, confidence=0.0, annotations=answers, is_done=False, at=at)
        return
    form = _form_of(chain.record) if chain.status == Chain.Status.DONE else None
    known = [latest[key] for key in chain.record if key in latest]
    confidence = min(known, default=1.0) if form else 0.0
    consensus.set_assembled(
        task=task, answer={"form": form}, confidence=confidence, annotations=answers, is_done=True, at=at
    )


def _assemble_own(task: Task, *, at: datetime) -> None:
    """What the chains of all workers come to; more of them are asked as the project's rule has it."""
    rows = list(task.chains.filter(worker__isnull=False).select_related("worker").order_by("pk"))
    ended = [chain for chain in rows if chain.status in (Chain.Status.DONE, Chain.Status.UNKNOWN)]
    weighed = [(chain, consensus.share_of(chain.worker.weighting)) for chain in ended if chain.worker]
    counting = [(chain, share) for chain, share in weighed if share]
    form, confidence = _voted(counting)
    rule = consensus.rule_of(task.project, task.own_redundancy)
    way = course(rule, n=len(counting), confidence=confidence)
    answer = {"form": form} if counting else None
    consensus.set_assembled(
        task=task, answer=answer, confidence=confidence, annotations=len(counting), is_done=way.is_done, at=at
    )
    lost = len(rows) - len(counting) - sum(chain.status == Chain.Status.OPEN for chain in rows)
    _want(task, way.wanted + lost, is_done=way.is_done)


def _voted(chains: Sequence[tuple[Chain, float]]) -> tuple[Json | None, float]:
    """The form that the chains which reached one agree on; whoever could not tell counts against it."""
    known = [(chain, share) for chain, share in chains if chain.status == Chain.Status.DONE]
    if not known:
        return None, 0.0
    form, confidence = voted([chain.record for chain, _ in known], [share for _, share in known])
    of_all = sum(share for _, share in known) / sum(share for _, share in chains)
    if form is None or faults_of(form):
        return None, 0.0
    return form, confidence * of_all


def _form_of(record: Record) -> Json | None:
    walked = walk(record)
    return None if walked.open or faults_of(walked.form) else walked.form


def _want(task: Task, workers: int, *, is_done: bool) -> None:
    """Let as many workers begin the command, if it is not done."""
    first = Task.objects.filter(step__chain__task=task, step__chain__worker=None, step__key=ROOT).first()
    if first is None:
        return
    if is_done:
        Task.objects.filter(pk=first.pk, status=Task.Status.OPEN).update(open=False)
        return
    slots = max(workers - consensus.slots_taken([first.pk]).get(first.pk, 0), 0)
    Task.objects.filter(pk=first.pk).update(
        own_redundancy=workers,
        wanted=workers,
        slots_left=slots,
        open=slots > 0,
        status=Task.Status.OPEN if slots else first.status,
        closed_at=None if slots else first.closed_at,
    )
    if slots:
        rewind(project=task.project, priority=first.priority)


def close(task: Task, *, at: datetime) -> None:
    """A person has given the form of a command: nothing of it is asked any more."""
    for chain in task.chains.filter(status=Chain.Status.OPEN):
        Task.objects.filter(step__chain=chain, status=Task.Status.OPEN).update(
            open=False, status=Task.Status.WITHDRAWN, closed_at=at
        )
