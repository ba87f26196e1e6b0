"""One command with everything that workers made of it: their forms, the differences, and the answers to each step."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from annotation.models import Annotation, Chain, Consensus, Step, Task
from annotation.tools.parse.readout import (
    AnsweredQuestion,
    Reading,
    agent_reading,
    answered_questions,
    differences_between,
    label_of,
    reading,
    step_of,
)
from lib.logical_form.asking.walk import walk
from lib.logical_form.english.differences import Difference
from lib.logical_form.spans import tokenise
from lib.logical_form.validate import Fault
from workforce.models import Worker

MOST_STEPS = 400
MOST_ANSWERS = 2000
"""Limits of the page of one command: a page must end, and real chains are far shorter."""
CHAIN = "chain-"
"""The name of a form in an address begins so if the form comes from a chain; else it is the name of its annotation."""


class Answered(NamedTuple):
    """One worker's answer to a step."""

    annotation: Annotation
    said: list[AnsweredQuestion]

    @property
    def is_current(self) -> bool:
        return self.annotation.superseded_by_id is None


class Asked(NamedTuple):
    """One step as it was asked; `state` says why nobody needs to answer it any more, and is empty otherwise."""

    task: Task
    label: str
    state: str
    consensus: Consensus | None
    answers: list[Answered]

    @property
    def is_disputed(self) -> bool:
        """True if the current answers differ."""
        return len({str(one.said) for one in self.answers if one.is_current}) > 1


class CandidateForm(NamedTuple):
    """One candidate for the form of a command: a worker's own, or the common one (`worker` is None).

    Attributes:
        name: The name by which a reviewer chooses this form to continue from; "" if there is no form.
        differs: How the command's result differs from this form; `from_agent`: how the agent's own parse differs.
    """

    number: int
    worker: Worker | None
    status: str
    sent_back: int
    name: str
    reading: Reading
    differs: list[Difference]
    from_agent: list[Difference]
    steps: list[Asked]

    @property
    def is_complete(self) -> bool:
        return bool(self.name)


class Command(NamedTuple):
    """A command with everything made of it. `result` is its consensus or, of a reference, the first truth."""

    task: Task
    text: str
    tokens: list[str]
    context: list[dict[str, Any]]
    agent: Reading
    agent_faults: list[Fault]
    result: Reading
    truths: list[Reading]
    agent_differs: list[Difference]
    candidates: list[CandidateForm]

    @property
    def has_steps(self) -> bool:
        return any(candidate.steps for candidate in self.candidates)


def command_of(task: Task) -> Command:
    """The command of a posted task whose project, consensus and truth are loaded. 4 queries."""
    payload, tokens = task.payload, tokenise(task.payload["text"])
    agent, agent_faults = agent_reading(payload)
    truth, found = getattr(task, "truth", None), getattr(task, "consensus", None)
    truths = [reading(answer.get("form"), tokens) for answer in truth.answers] if truth else []
    result = truths[0] if truths else reading(found.answer.get("form") if found else None, tokens)
    return Command(
        task=task,
        text=payload["text"],
        tokens=tokens,
        context=payload.get("context", []),
        agent=agent,
        agent_faults=agent_faults,
        result=result,
        truths=truths,
        agent_differs=differences_between(agent.form, result.form, tokens) if agent.words else [],
        candidates=_candidates(task, tokens, result=result, agent=agent),
    )


def form_named(task: Task, name: str) -> dict[str, Any] | None:
    """The candidate form with this name; None if there is none. 1 query."""
    if name.startswith(CHAIN):
        pk = name.removeprefix(CHAIN)
        chain = Chain.objects.filter(task=task, pk=int(pk)).first() if pk.isdecimal() else None
        return _form_of(chain) if chain else None
    given = Annotation.objects.filter(task=task, public_id=name).first()
    return given.answer.get("form") if given else None


def _form_of(chain: Chain) -> dict[str, Any]:
    return dict(walk(chain.record).form)


def _candidates(task: Task, tokens: list[str], *, result: Reading, agent: Reading) -> list[CandidateForm]:
    chains = list(Chain.objects.filter(task=task).select_related("worker").order_by("pk")[:MOST_STEPS])
    asked = _asked(task, tokens)
    candidates: list[CandidateForm] = []

    def add(worker: Worker | None, form: dict[str, Any], *, name: str, status: str, **rest: Any) -> None:
        made = reading(form, tokens)
        candidates.append(
            CandidateForm(
                number=len(candidates) + 1,
                worker=worker,
                status=status,
                sent_back=rest.get("sent_back", 0),
                name=name,
                reading=made,
                differs=differences_between(made.form, result.form, tokens) if name else [],
                from_agent=differences_between(made.form, agent.form, tokens) if name and agent.words else [],
                steps=rest.get("steps", []),
            )
        )

    for chain in chains:
        is_done = chain.status == Chain.Status.DONE
        add(
            chain.worker,
            _form_of(chain),
            name=f"{CHAIN}{chain.pk}" if is_done else "",
            status=chain.status,
            sent_back=chain.sent_back,
            steps=asked.get(chain.pk, []),
        )
    for whole in Annotation.objects.current().filter(task=task).select_related("worker").order_by("number"):
        form = whole.answer.get("form")
        add(whole.worker, form or {}, name=whole.public_id if form else "", status="done" if form else "unknown")
    return candidates


def _asked(task: Task, tokens: list[str]) -> dict[int, list[Asked]]:
    """The steps of the command's chains by chain, in the order in which they were asked. 2 queries."""
    rows = list(
        Step.objects.filter(chain__task=task)
        .select_related("task__consensus", "chain")
        .order_by("task_id")[:MOST_STEPS]
    )
    given = Annotation.objects.filter(task__in=[row.task_id for row in rows]).select_related("worker")
    by_task: dict[int, list[Annotation]] = defaultdict(list)
    for annotation in given.order_by("number")[:MOST_ANSWERS]:
        by_task[annotation.task_id].append(annotation)
    later: dict[tuple[int, str], int] = {}
    for row in rows:
        later[row.chain_id, row.key] = max(row.round, later.get((row.chain_id, row.key), 0))
    found: dict[int, list[Asked]] = defaultdict(list)
    for row in rows:
        is_repeated = later[row.chain_id, row.key] > row.round and not task.is_reference
        found[row.chain_id].append(_one(row.task, by_task.get(row.task_id, []), tokens, is_repeated=is_repeated))
    return found


def _one(task: Task, answers: Sequence[Annotation], tokens: list[str], *, is_repeated: bool) -> Asked:
    step = step_of(task.payload)
    return Asked(
        task=task,
        label=label_of(task.payload),
        state=_state(task, is_repeated=is_repeated),
        consensus=getattr(task, "consensus", None),
        answers=[Answered(one, answered_questions(step, one.answer, tokens)) for one in answers],
    )


def _state(task: Task, *, is_repeated: bool) -> str:
    if task.retired_at is not None:
        return "retired"
    if task.status == Task.Status.WITHDRAWN:
        return "withdrawn"
    return "asked again" if is_repeated else ""
