"""Assembly of a command: the common form of its chains, and the number of workers that it still needs.

Locks: call everything here with the project's row locked.
"""

from collections.abc import Sequence
from datetime import datetime

from annotation.consensus import consensus
from annotation.consensus.aggregation import completion_of
from annotation.consensus.votes import share_of
from annotation.models import Annotation, Chain, Consensus, Project, Task
from annotation.tool_registry import Json
from annotation.tools.parse.agreement import FORM, merged, voted
from annotation.tools.parse.settings import MANY_WORKERS, given_to
from annotation.tools.parse.steps import ROOT
from annotation.work.claims import rewind
from lib.logical_form.asking.walk import Record, record_of, walk
from lib.logical_form.normal import same
from lib.logical_form.validate import faults_of


def is_ended(task: Task) -> bool:
    """True if this command is ended: a reviewer gave its form or closed it, or it is withdrawn.

    At most 1 query.
    """
    if task.is_reference:
        return False
    adjudicated = Consensus.objects.filter(task=task, method=Consensus.Method.ADJUDICATED)
    return task.status in (Task.Status.UNJUDGEABLE, Task.Status.WITHDRAWN) or adjudicated.exists()


def assemble(task: Task, *, at: datetime) -> None:
    """Update the consensus of a command from its chains; ask more workers if these do not agree enough.

    A command that is ended stays as it is.
    """
    project = Project.objects.get(pk=task.project_id)
    task = Task.objects.select_related("consensus").get(pk=task.pk)
    task.project = project
    if is_ended(task):
        return
    if given_to(project) == MANY_WORKERS:
        _assemble_shared(task, at=at)
    else:
        _assemble_own(task, at=at)


def _assemble_shared(task: Task, *, at: datetime) -> None:
    """Take the form of the shared chain; its confidence is the smallest of its steps.

    The command is not done while a step is asked again, because an answer to that step does not count any more.
    """
    chain = task.chains.get(worker=None)
    if chain.status == Chain.Status.OPEN:
        consensus.set_assembled(task=task, answer=None, confidence=0.0, annotations=0, is_done=False, at=at)
        return
    steps = Consensus.objects.filter(task__step__chain=chain, task__status=Task.Status.DONE)
    latest = dict(steps.order_by("task_id").values_list("task__step__key", "confidence"))
    answers = Annotation.objects.counting().filter(task__step__chain=chain).count()
    form = _form_of(chain.record) if chain.status == Chain.Status.DONE else None
    known = [latest[key] for key in chain.record if key in latest]
    confidence = min(known, default=1.0) if form else 0.0
    is_done = not chain.steps.filter(task__status=Task.Status.OPEN).exists()
    consensus.set_assembled(
        task=task, answer={FORM: form}, confidence=confidence, annotations=answers, is_done=is_done, at=at
    )


def _assemble_own(task: Task, *, at: datetime) -> None:
    """Merge the chains of all workers; ask more workers as the project's rule requires."""
    rows = task.chains.filter(worker__isnull=False).select_related("worker").order_by("pk")
    weighted = [(chain, share_of(chain.worker.weighting)) for chain in rows if chain.worker]
    dropped = set(Annotation.objects.filter(task__part_of=task, is_dropped=True).values_list("worker_id", flat=True))
    counted = [(chain, share) for chain, share in weighted if share and chain.worker_id not in dropped]
    counting = [pair for pair in counted if pair[0].status in (Chain.Status.DONE, Chain.Status.UNKNOWN)]
    form, confidence = common_form(counting)
    rule = consensus.rule_of(task.project, task.own_redundancy)
    completion = completion_of(rule, n=len(counting), confidence=confidence)
    answer = {FORM: form} if counting else None
    consensus.set_assembled(
        task=task,
        answer=answer,
        confidence=confidence,
        annotations=len(counting),
        is_done=completion.is_done,
        at=at,
        with_guess=_rests_on_guesses(form, counting),
    )
    # Workers who left hold a slot of the first step and give no form. Workers who do not count hold none.
    left = sum(chain.status == Chain.Status.LEFT for chain, _ in counted)
    _set_wanted(task, completion.wanted + left, is_done=completion.is_done, at=at)


def _rests_on_guesses(form: Json | None, chains: Sequence[tuple[Chain, float]]) -> bool:
    """True if workers who began with a guess had a part in this form: those who began blank do not give it alone."""
    if not any(chain.with_guess for chain, _ in chains):
        return False
    alone, _ = common_form([(chain, share) for chain, share in chains if not chain.with_guess])
    return form is None or alone is None or not same(form, alone)


def common_form(chains: Sequence[tuple[Chain, float]]) -> tuple[Json | None, float]:
    """The form that the chains agree on. A worker who could not tell counts up to that step, and lowers the confidence.

    The vote is step by step, which may give a better form than any one chain. If the winning steps do not make a valid
    form, the form that most chains reached wins.
    """
    known = [(_plain(chain.record), share) for chain, share in chains if chain.status == Chain.Status.DONE]
    if not known:
        return None, 0.0
    total = sum(share for _, share in chains)
    records = [_plain(chain.record) if chain.status == Chain.Status.DONE else chain.record for chain, _ in chains]
    form, confidence = voted(records, [share for _, share in chains])
    if form is not None and not faults_of(form):
        return form, confidence * sum(share for _, share in known) / total
    whole = [({FORM: form}, share) for record, share in known if (form := _form_of(record))]
    if not whole:
        return None, 0.0
    found = merged([answer for answer, _ in whole], [share for _, share in whole])
    return found.answer[FORM], found.confidence * sum(share for _, share in whole) / total


def _plain(record: Record) -> Record:
    """The record by which its form would be asked for: equal for equal forms, whatever way led to them."""
    form = _form_of(record)
    return record if form is None else record_of(form)


def _form_of(record: Record) -> Json | None:
    walked = walk(record)
    return None if walked.open or faults_of(walked.form) else walked.form


def _set_wanted(task: Task, workers: int, *, is_done: bool, at: datetime) -> None:
    """Let this many workers begin the command, unless it is done."""
    first = Task.objects.filter(step__chain__task=task, step__chain__worker=None, step__key=ROOT).first()
    if first is None:
        return
    if is_done:
        ended = Task.objects.filter(pk=first.pk, status=Task.Status.OPEN)
        ended.update(open=False, status=Task.Status.DONE, closed_at=at)
        return
    slots = max(workers - consensus.slots_taken([first.pk]).get(first.pk, 0), 0)
    Task.objects.filter(pk=first.pk).update(
        wanted=workers, slots_left=slots, open=slots > 0, status=Task.Status.OPEN, closed_at=None
    )
    if slots:
        rewind(project=task.project, priority=first.priority)
