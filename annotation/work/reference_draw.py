"""The draw of a reference: how often a worker meets one, and which one it is."""

from collections.abc import Callable
from functools import cache
from typing import Any

from django.db.models import BigIntegerField

from annotation.models import Assignment, Enrolment, Project, Task
from annotation.models.tasks import FromPlace, TaskQuerySet
from annotation.tool_registry import has_parts
from common.kept_query import KeptQuery

DRAWN_FROM = 32
"""The number of references of a class that a draw reads; projects seldom have more."""
EVEN = 0.5
EXPECTED = 500
"""The number of tasks for which a worker's references must suffice, where the project has as many."""
LEAST_EXPECTED = 50
"""The same for workers who have done more than `EXPECTED`."""
MOST_COUNTED = 1000
ENOUGH, NONE_LEFT = 1.0, 0.0


def rate_of_references(enrolment: Enrolment, project: Project, *, held: int) -> float:
    """The probability that a task is replaced by a reference when it is first drawn for this worker.

    It is the project's rate, or the one for a worker's first tasks, times the share that the references suffice for. A
    rate of 1 hides nothing, so references come first until none is left.
    """
    if project.start_reference_rate is not None and enrolment.submitted + held < project.start_tasks:
        rate = project.start_reference_rate
    else:
        rate = project.reference_rate
    if rate in (0.0, 1.0):
        return rate
    if enrolment.reference_share is None:
        enrolment.reference_share = _share(enrolment, project)
        Enrolment.objects.filter(pk=enrolment.pk).update(reference_share=enrolment.reference_share)
    return rate * enrolment.reference_share


def _share(enrolment: Enrolment, project: Project) -> float:
    """The share of the project's rates at which the worker's fresh references last for all tasks they may do, 0..1.

    A rate that stopped when the references run out would tell a worker that all later tasks are ordinary. 2 queries,
    each of at most `MOST_COUNTED` index rows.
    """
    fresh = _fresh(enrolment.worker_id, project=project.pk, has_steps=has_parts(project))
    stock = fresh[:MOST_COUNTED].count()
    tasks = Task.objects.ordinary().filter(project=project, open=True, reserved_for=None)[:MOST_COUNTED].count()
    expected = min(tasks + stock, max(EXPECTED - enrolment.submitted, LEAST_EXPECTED))
    if project.limit_per_worker is not None:
        expected = min(expected, max(project.limit_per_worker - enrolment.submitted, 1))
    first = min(max(project.start_tasks - enrolment.submitted, 0), expected)
    needed = first * (project.start_reference_rate or 0.0) + (expected - first) * project.reference_rate
    return ENOUGH if needed <= stock else stock / needed


def note_shortage(enrolment: Enrolment) -> None:
    """Note that the worker has met every reference, which staff are shown (`reference_health.stock`)."""
    Enrolment.objects.filter(pk=enrolment.pk).update(reference_share=NONE_LEFT)


def count_again(project: Project) -> None:
    """Let the next claim of each worker compute its share anew, since tasks, references or rates have changed."""
    Enrolment.objects.filter(project=project, reference_share__isnull=False).update(reference_share=None)


def _fresh(worker: Any, *, project: Any, has_steps: bool) -> TaskQuerySet:
    """The references that a worker never held, and whose original task the worker never held."""
    references = Task.objects.references().filter(project_id=project, open=True, reserved_for=None)
    held = Assignment.objects.filter(worker_id=worker)
    fresh = references.without(held).without(held, of="promoted_from")
    if has_steps:
        fresh = fresh.without(held, of="part_of", by="task__part_of")
        fresh = fresh.without(held, of="part_of__promoted_from", by="task__part_of")
    return fresh


@cache
def _fresh_of_class(truth_class: bool | None, *, has_steps: bool) -> FromPlace[int]:
    """The ids of these of one class."""
    # Not `truth_class=False`: that is NOT truth_class, which SQLite finds in no index, so it sorts all references.
    of_class = {"truth_class": None} if truth_class is None else {"truth_class__in": [truth_class]}

    def make(worker: Any, project: Any) -> Any:
        return _fresh(worker, project=project, has_steps=has_steps).filter(**of_class).values_list("pk", flat=True)

    return FromPlace(make, most=DRAWN_FROM, worker=BigIntegerField(), project=BigIntegerField())


_TASK = KeptQuery(lambda pk: Task.objects.filter(pk=pk), pk=BigIntegerField())


def fresh_reference(enrolment: Enrolment, *, chance: Callable[[], float], like: Task | None = None) -> Task | None:
    """A reference that this worker never held, and whose original task the worker never held; None if there is none.

    A fair coin chooses between references whose truth is yes and no, so workers meet both about equally, whatever the
    project has more of. If none of that class is fresh, the other class is tried, then references without a class. At
    most 7 queries, seldom more than 3; 2 more for a step of a whole.

    Args:
        like: The task in whose place it is shown. If that is a step of a whole, so is the reference: the one that comes
            as late among its steps.
    """
    first = chance() < EVEN
    for truth_class in (first, not first, None):
        found = _draw(enrolment, truth_class, chance=chance)
        if found is not None:
            return _step_like(found, like)
    return None


def _draw(enrolment: Enrolment, truth_class: bool | None, *, chance: Callable[[], float]) -> Task | None:
    """One of the worker's fresh references of a class, each about as likely.

    The draw reads `DRAWN_FROM` references from a random place of their index on, and chooses one of these. If the class
    has no more than that, each is exactly as likely. In a larger class a reference after a wide gap of the index is
    likelier than others, but so are the 31 after it: chances differ by 18 % (a standard deviation; 100 % if the first
    one were taken).

    Costs: 3 queries at most; index rows in proportion to the rows read, and to the references of the class that the
    worker has met.
    """
    fresh = _fresh_of_class(truth_class, has_steps=has_parts(enrolment.project))
    found = fresh.rows(chance(), worker=enrolment.worker_id, project=enrolment.project_id)
    return _TASK.first(pk=found[int(chance() * len(found))]) if found else None


# Steps of wholes -----------------------------------------------------------------------------------------------


def _open_steps(whole: int) -> TaskQuerySet:
    return Task.objects.references().filter(part_of=whole, open=True, reserved_for=None).order_by("pk")


def _step_like(reference: Task, task: Task | None) -> Task:
    """The step of the reference that comes as late among its steps as the task does among those of its whole."""
    if reference.part_of_id is None or task is None or task.part_of_id is None:
        return reference
    earlier = Task.objects.filter(part_of=task.part_of_id, pk__lt=task.pk).count()
    steps = list(_open_steps(reference.part_of_id)[: earlier + 1])
    return steps[-1] if steps else reference


def step_after(reference: Task, enrolment: Enrolment) -> Task | None:
    """The step that follows this one of a reference with steps, if the worker has not held it; else None.

    No query for a reference without steps, else 1.
    """
    if not reference.is_reference or reference.part_of_id is None:
        return None
    held = Assignment.objects.filter(worker_id=enrolment.worker_id)
    return _open_steps(reference.part_of_id).filter(pk__gt=reference.pk).without(held).first()
