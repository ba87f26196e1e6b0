"""The rule by which a truth is sure enough for a test set.

A truth that staff gave, or that was posted, stands by itself. One that workers annotated needs two of them who saw no
guess of the agent, and where they differ an adjudication: repeat annotators agree on about 69 % of commands (Srinet et
al. 2020's data), so the truth of a single one would bound every measured accuracy.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Q

from annotation.models import Annotation, Chain, Consensus, Task
from annotation.tools.parse.settings import MANY_WORKERS, given_to

ANNOTATORS = 2
"""How many workers a test item needs."""
AGREED = 1 - 1e-9
"""The confidence of a consensus in which nobody differed."""


def answers_behind(tasks: Sequence[Task]) -> Mapping[int, list[Annotation]]:
    """The counting answers to these tasks and their parts, by the posted task. 1 query."""
    pks = [task.pk for task in tasks]
    found: dict[int, list[Annotation]] = defaultdict(list)
    rows = Annotation.objects.counting().filter(Q(task__in=pks) | Q(task__part_of__in=pks))
    for row in rows.select_related("task__step").defer("task__payload", "answer").order_by("pk"):
        found[row.task.part_of_id or row.task_id].append(row)
    return found


def saw_guess(task: Task, answer: Annotation) -> bool:
    """Whether the worker saw the agent's own answer before giving theirs.

    An expert gets a whole command with the agent's form in it; an answer to a step says whether a guess was in view.
    """
    return answer.with_guess or (answer.task_id == task.pk and bool(task.payload.get("form")))


def form_may_test(task: Task, answers: Sequence[Annotation]) -> bool:
    """Whether the consensus form of a command is sure enough for a test set. At most 1 query."""
    if task.is_reference:
        return True
    # Steps may begin with a guess too: the consensus then says of itself that it is no truth.
    if getattr(task.consensus, "with_guess", False) or any(saw_guess(task, answer) for answer in answers):
        return False
    by_step: dict[str, set[int]] = defaultdict(set)
    for answer in answers:
        step = getattr(answer.task, "step", None)
        by_step[step.key if step else ""].add(answer.worker_id)
    if given_to(task.project) == MANY_WORKERS:
        record = Chain.objects.filter(task=task, worker=None).values_list("record", flat=True).first() or {}
        asked: Iterable[set[int]] = [by_step[key] for key in record] or by_step.values()
        fewest = min((len(workers) for workers in asked), default=0)
    else:
        fewest = len(set().union(*by_step.values()))
        if task.consensus.method == Consensus.Method.ASSEMBLED:
            # Of workers who began the command, it counts those who came to its end.
            fewest = min(fewest, task.consensus.annotations)
    return fewest >= ANNOTATORS and _is_agreed(task)


def _is_agreed(task: Task) -> bool:
    found = task.consensus
    return found.method == Consensus.Method.ADJUDICATED or found.confidence >= AGREED
