"""How a project's references stand: who got them right, which truths workers disagree with, for whom they run short."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Count, ExpressionWrapper, F, FloatField, Q, QuerySet, Value
from django.db.models.functions import NullIf

from annotation.models import Assignment, Enrolment, Project, Record, Task
from annotation.quality import HALF
from common.statistics import Interval, wilson
from workforce.models import Worker

GOOD, GOOD_FROM = 0.75, 8
"""A good rater has at least this balanced accuracy, on at least so many references of the project."""
DOUBTED_BELOW, DOUBTED_FROM = 0.6, 5
"""Workers disagree with a truth that fewer of the good raters get right, of at least so many."""
FEW = 5
"""With fewer fresh references of a class left than this, a worker soon meets none of it."""
MOST_ACTIVE = 10


def with_figures(project: Project, *, only_doubted: bool = False) -> QuerySet[Task]:
    """The project's references with `n` answers, `right` of them, their `share`, and the same of good raters.

    Good raters are those of whom the records say so now; their answer to the reference itself is in that. Retired
    references have no figures: their answers count nowhere.

    Args:
        only_doubted: Those with whose truth workers disagree.
    """
    good = Record.objects.filter(project=project, references__gte=GOOD_FROM, balanced_accuracy__gte=GOOD)
    scored = Q(annotations__score__isnull=False, annotations__superseded_by=None)
    right = scored & Q(annotations__score__gte=HALF)
    by_good = Q(annotations__worker__in=good.values("worker"))
    rows = Task.objects.references().filter(project=project).select_related("truth")
    counted = rows.annotate(
        n=Count("annotations", filter=scored),
        right=Count("annotations", filter=right),
        good_n=Count("annotations", filter=scored & by_good),
        good_right=Count("annotations", filter=right & by_good),
    )
    # Null, and not 0, where there is no answer: 0 would say that all were wrong.
    share = ExpressionWrapper(F("right") * 1.0 / NullIf(F("n"), Value(0)), output_field=FloatField())
    found = counted.annotate(share=share)
    if only_doubted:
        return found.filter(good_n__gte=DOUBTED_FROM, good_right__lt=F("good_n") * DOUBTED_BELOW)
    return found


class Standing(NamedTuple):
    """One reference of the table: how many got it right, with the 95 % Wilson interval, and whether that is odd."""

    task: Task
    n: int
    right: int
    share: float | None
    interval: Interval | None
    good_n: int
    good_right: int
    is_doubted: bool


def standings(rows: Iterable[Task]) -> list[Standing]:
    """The figures of rows that `with_figures` made. 1 query, the caller's."""
    return [_standing(row) for row in rows]


def _standing(row: Task) -> Standing:
    n, right, good_n, good_right = (int(getattr(row, name)) for name in ("n", "right", "good_n", "good_right"))
    return Standing(
        task=row,
        n=n,
        right=right,
        share=right / n if n else None,
        interval=wilson(right, n) if n else None,
        good_n=good_n,
        good_right=good_right,
        is_doubted=good_n >= DOUBTED_FROM and good_right < DOUBTED_BELOW * good_n,
    )


# Enough for everyone? ------------------------------------------------------------------------------------------


class ClassStock(NamedTuple):
    """References of one class (None: of no class): how many are served, and how many workers have few fresh ones."""

    truth_class: bool | None
    served: int
    short: int


class Left(NamedTuple):
    """How many fresh references of each class a worker has left, in the order of the classes."""

    worker: Worker
    submitted: int
    fresh: list[int]


class Stock(NamedTuple):
    """What the page says of a project's stock: by class, and for those who work most."""

    workers: int
    classes: list[ClassStock]
    active: list[Left]


def stock(project: Project) -> Stock:
    """How far the project's references reach. 7 queries at most, however many workers and references there are."""
    served = dict(
        Task.objects.references()
        .filter(project=project, open=True)
        .order_by()
        .values_list("truth_class")
        .annotate(Count("pk"))
    )
    classes: list[bool | None] = [one for one in (True, False, None) if one is not None or one in served]
    workers = Enrolment.objects.filter(project=project).count()
    return Stock(
        workers=workers,
        classes=[
            ClassStock(one, served.get(one, 0), _short(project, one, served=served.get(one, 0), workers=workers))
            for one in classes
        ],
        active=_active(project, classes, served),
    )


def _met(project: Project) -> QuerySet[Assignment]:
    """Holds, of whatever became of them, on references that are served: they are fresh no more."""
    return Assignment.objects.filter(task__project=project, task__is_reference=True, task__open=True).order_by()


def _short(project: Project, truth_class: bool | None, *, served: int, workers: int) -> int:
    """How many workers of the project have fewer than `FEW` fresh references of the class left."""
    if served < FEW:
        return workers
    met = _met(project).filter(task__truth_class=truth_class).values("worker")
    return met.annotate(n=Count("task", distinct=True)).filter(n__gt=served - FEW).count()


def _active(project: Project, classes: list[bool | None], served: dict[bool | None, int]) -> list[Left]:
    records = Record.objects.filter(project=project, submitted__gt=0).select_related("worker")
    busiest = list(records.order_by("-project_id", "-submitted", "-id")[:MOST_ACTIVE])
    met: dict[int, dict[bool | None, int]] = defaultdict(dict)
    rows = _met(project).filter(worker__in=[record.worker_id for record in busiest])
    for worker, one, n in rows.values_list("worker", "task__truth_class").annotate(n=Count("task", distinct=True)):
        met[worker][one] = n
    return [
        Left(
            record.worker,
            record.submitted,
            [served.get(one, 0) - met[record.worker_id].get(one, 0) for one in classes],
        )
        for record in busiest
    ]
