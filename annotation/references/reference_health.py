"""Figures on a project's references: right answers, truths that workers disagree with, and workers who have few fresh
ones left."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Count, Exists, ExpressionWrapper, F, FloatField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Coalesce, NullIf

from annotation.models import Annotation, Assignment, Enrolment, Project, Record, Task
from annotation.quality.accuracy import HALF
from annotation.tool_registry import YesNo, tool_named
from lib.statistics.intervals import Interval, wilson
from workforce.models import Worker

GOOD, GOOD_FROM = 0.75, 8
"""A good rater has at least this balanced accuracy, on at least this number of references of the project."""
DOUBTED_BELOW, DOUBTED_FROM = 0.6, 5
"""Workers disagree with a truth if a smaller share of the good raters answered so, of at least this number."""
FEW = 5
"""A worker with fewer fresh references of a class than this soon meets none of it."""
MOST_ACTIVE = 10


def with_figures(project: Project, *, only_doubted: bool = False) -> QuerySet[Task]:
    """The project's references with `n` answers, `right` of them, their `share`, and the same of good raters.

    Good raters are those with such a record now; their answer to the reference itself is part of the record. Retired
    references have no figures, because their answers count nowhere. The figures of a reference that is asked in parts
    are those of the answers to its parts.

    Args:
        only_doubted: Only references with whose truth workers disagree.
    """
    good = Record.objects.filter(project=project, references__gte=GOOD_FROM, balanced_accuracy__gte=GOOD)
    # Each answer looks for the record of its worker: a list of all good raters would be made for every page.
    answers = "parts__annotations" if are_asked_in_parts(project) else "annotations"
    scored = Q(**{f"{answers}__score__isnull": False, f"{answers}__superseded_by": None})
    right = scored & Q(**{f"{answers}__score__gte": HALF})
    by_good = Exists(good.filter(worker=OuterRef(f"{answers}__worker")))
    rows = Task.objects.references().posted().filter(project=project).select_related("truth")
    counted = rows.annotate(
        n=Count(answers, filter=scored),
        right=Count(answers, filter=right),
        good_n=Count(answers, filter=scored & Q(by_good)),
        good_right=Count(answers, filter=right & Q(by_good)),
    )
    # Null, and not 0, where there is no answer: 0 would say that all were wrong.
    share = ExpressionWrapper(F("right") * 1.0 / NullIf(F("n"), Value(0)), output_field=FloatField())
    found = counted.annotate(share=share)
    if only_doubted:
        return found.filter(good_n__gte=DOUBTED_FROM, good_right__lt=F("good_n") * DOUBTED_BELOW)
    return found


def with_figure(rows: QuerySet[Task], name: str, *, in_parts: bool) -> QuerySet[Task]:
    """These references with `n` or `share`, as `with_figures` has it, by an index: so thousands can be ordered by it.

    Args:
        in_parts: As `are_asked_in_parts` says.
    """
    reference = "task__part_of" if in_parts else "task"
    scored = Annotation.objects.scored().filter(**{reference: OuterRef("pk")}).order_by().values(reference)
    # As floats: PostgreSQL's exact decimals are not equal to the number that the place of a page is.
    right, count = (Cast(one, FloatField()) for one in (Count("pk", filter=Q(score__gte=HALF)), Count("pk")))
    share = right / count
    found = Subquery(scored.annotate(found=share if name == "share" else Count("pk")).values("found"))
    return rows.annotate(**{name: found if name == "share" else Coalesce(found, 0)})


def are_asked_in_parts(project: Project) -> bool:
    """True if the project's references are wholes, so that workers answer their parts. 1 query."""
    # `IN`, because SQLite uses no index for a boolean column alone, and reads every task of the project instead.
    return Task.objects.filter(is_reference__in=[True], project=project, is_whole=True).exists()


def has_classes(project: Project) -> bool:
    """True if the truth of the project's references is a yes or a no."""
    return isinstance(tool_named(project.tool), YesNo)


class ReferenceFigures(NamedTuple):
    """One reference of the table: the number of right answers, the 95 % Wilson interval, and whether workers doubt the
    truth."""

    task: Task
    n: int
    right: int
    share: float | None
    interval: Interval | None
    good_n: int
    good_right: int
    is_doubted: bool


def figures_of(rows: Iterable[Task]) -> list[ReferenceFigures]:
    """The figures of rows that `with_figures` made. 1 query, the caller's."""
    return [_figures_of_row(row) for row in rows]


def _figures_of_row(row: Task) -> ReferenceFigures:
    n, right, good_n, good_right = (int(getattr(row, name)) for name in ("n", "right", "good_n", "good_right"))
    return ReferenceFigures(
        task=row,
        n=n,
        right=right,
        share=right / n if n else None,
        interval=wilson(right, n) if n else None,
        good_n=good_n,
        good_right=good_right,
        is_doubted=good_n >= DOUBTED_FROM and good_right < DOUBTED_BELOW * good_n,
    )


class RightAnswers(NamedTuple):
    """The number of a worker's answers to references, and of the right ones, where truths have no class."""

    n: int
    right: int

    @property
    def share(self) -> float:
        return self.right / self.n

    @property
    def interval(self) -> Interval:
        return wilson(self.right, self.n)


def right_answers_of(workers: Iterable[Worker], projects: Iterable[Project]) -> dict[int, RightAnswers]:
    """The right answers of many workers over these projects, by worker id; only workers who met such a reference. 1
    query."""
    rows = Annotation.objects.scored().on_references().filter(task__truth_class=None)
    counted = rows.filter(worker__in=list(workers), project__in=projects).order_by().values_list("worker")
    found = counted.annotate(n=Count("pk"), right=Count("pk", filter=Q(score__gte=HALF)))
    return {worker: RightAnswers(n, right) for worker, n, right in found}


# Enough for everyone? ------------------------------------------------------------------------------------------


class ClassStock(NamedTuple):
    """References of one class (None: of no class): the number served, and the number of workers who have few fresh
    ones."""

    truth_class: bool | None
    served: int
    short: int


class FreshReferences(NamedTuple):
    """The number of fresh references of each class that a worker has left, in the order of the classes."""

    worker: Worker
    submitted: int
    fresh: list[int]


class Stock(NamedTuple):
    """A project's stock of references, as the page shows it: by class, and for the workers who work most.

    `lowered` is the number of workers whose rate is below the project's, so that the references last for them.
    """

    workers: int
    lowered: int
    classes: list[ClassStock]
    active: list[FreshReferences]


def stock(project: Project) -> Stock:
    """The stock of the project's references. 9 queries at most, however many workers and references there are."""
    unit = "part_of" if are_asked_in_parts(project) else "pk"
    served = dict(
        Task.objects.references()
        .filter(project=project, open=True, reserved_for=None)
        .order_by()
        .values_list("truth_class")
        .annotate(Count(unit, distinct=True))
    )
    classes: list[bool | None] = [one for one in (True, False, None) if one is not None or one in served]
    if not has_classes(project):
        classes = [None]
    enrolments = Enrolment.objects.filter(project=project)
    workers = enrolments.count()
    return Stock(
        workers=workers,
        lowered=enrolments.filter(reference_share__lt=1).count(),
        classes=[
            ClassStock(
                one, served.get(one, 0), _short(project, one, served=served.get(one, 0), workers=workers, unit=unit)
            )
            for one in classes
        ],
        active=_active(project, classes, served, unit=unit),
    )


def _met(project: Project) -> QuerySet[Assignment]:
    """Holds, in whatever state, on references that are served: these are not fresh for the holder."""
    # `IN`, as in `are_asked_in_parts`.
    return Assignment.objects.filter(task__project=project, task__is_reference__in=[True], task__open=True).order_by()


def _column(unit: str) -> str:
    """The column of an assignment that names the reference: the task itself, or the whole that it is a part of."""
    return "task__part_of" if unit == "part_of" else "task"


def _short(project: Project, truth_class: bool | None, *, served: int, workers: int, unit: str) -> int:
    """The number of workers of the project with fewer than `FEW` fresh references of the class."""
    if served < FEW:
        return workers
    met = _met(project).filter(task__truth_class=truth_class).values("worker")
    # Whoever has held that many times comes first: to count the references themselves takes three times as long.
    busy = met.annotate(holds=Count("pk")).filter(holds__gt=served - FEW).values("worker")
    met = met.filter(worker__in=busy)
    return met.annotate(n=Count(_column(unit), distinct=True)).filter(n__gt=served - FEW).count()


def _active(
    project: Project, classes: list[bool | None], served: dict[bool | None, int], *, unit: str
) -> list[FreshReferences]:
    records = Record.objects.filter(project=project, submitted__gt=0).select_related("worker")
    busiest = list(records.order_by("-project_id", "-submitted", "-id")[:MOST_ACTIVE])
    met: dict[int, dict[bool | None, int]] = defaultdict(dict)
    rows = _met(project).filter(worker__in=[record.worker_id for record in busiest])
    counted = rows.values_list("worker", "task__truth_class").annotate(n=Count(_column(unit), distinct=True))
    for worker, one, n in counted:
        met[worker][one] = n
    return [
        FreshReferences(
            record.worker,
            record.submitted,
            [served.get(one, 0) - met[record.worker_id].get(one, 0) for one in classes],
        )
        for record in busiest
    ]
