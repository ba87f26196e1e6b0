"""The plots of a project's masks: how like the references answers are, how like each other, and who is how good."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from annotation.models import Annotation, AnnotationQuerySet, Project
from annotation.tools.voxels.agreement import mask_of
from annotation.voxels.likeness import Likeness, Mean, ious_between, likest, mean_of
from annotation.voxels.mask import Keys
from common.charts import bar_plot
from common.figures import Figure
from common.plots import Measured, interval_plot
from workforce.models import Worker

NEWEST = 10_000
"""Answers whose kept score is looked at."""
NEWEST_MASKS = 1000
"""Answers whose masks are looked at: one has some hundred voxels, and each is held against others."""
MOST_ROWS = 30
BINS = 20
Named = Callable[[Worker], str]
Figures = Mapping[str, Callable[[], Figure]]


class OfWorker(NamedTuple):
    """A worker's answers to references: how like the truth, by the voxel and with a border of one block forgiven."""

    worker: Worker
    iou: Mean
    tolerant: Mean
    whole: int
    """How many are the truth to the voxel."""


def figures_of(project: Project, *, named: Named) -> Figures:
    """Every plot by its name in the address, made when asked for: 1 to 3 queries each."""
    return {
        "references": partial(references, project),
        "between-workers": partial(between_workers, project),
        "workers": lambda: workers(by_worker(project), named=named),
    }


def references(project: Project) -> Figure:
    """The IoU of answers to references: the score that was kept with them. 1 query."""
    scored = _counting(project).on_references().filter(score__isnull=False)
    scores = [
        score for score in scored.order_by("-number").values_list("score", flat=True)[:NEWEST] if score is not None
    ]
    return _distribution("IoU with the truth", "answers to references", "answers", scores)


def between_workers(project: Project) -> Figure:
    """The IoU of each two answers to one task. 1 query."""
    pairs = list(_pairs(project))
    return _distribution(
        "IoU between workers",
        f"pairs of answers to one task that is no reference, among the newest {NEWEST_MASKS:,} answers",
        "pairs",
        pairs,
    )


def by_worker(project: Project) -> list[OfWorker]:
    """The workers who met references among the newest NEWEST_MASKS answers to them, most first. 2 queries."""
    met = _counting(project).on_references().filter(task__truth__isnull=False).order_by("-number")
    found: dict[int, list[Likeness]] = {}
    for worker, answer, right in met.values_list("worker_id", "answer", "task__truth__answers")[:NEWEST_MASKS]:
        mask = mask_of(answer)
        truths = [truth for one in right if (truth := mask_of(one)) is not None]
        like = None if mask is None else likest(mask, truths)
        if like is not None:
            found.setdefault(worker, []).append(like)
    known = Worker.objects.in_bulk(found)
    of_workers = [
        OfWorker(
            known[pk],
            mean_of([one.iou for one in likes]),
            mean_of([one.tolerant for one in likes]),
            sum(one.iou == 1 for one in likes),
        )
        for pk, likes in found.items()
    ]
    return sorted(of_workers, key=lambda one: (-one.iou.n, one.worker.pk))


def workers(of_workers: Sequence[OfWorker], *, named: Named) -> Figure:
    """The mean IoU of each with the truth; the file has the tolerant one too."""
    measured = [
        Measured(named(one.worker), one.iou.value, one.iou.low, one.iou.high, n=one.iou.n)
        for one in of_workers[:MOST_ROWS]
    ]
    return Figure(
        "IoU with the truth by worker",
        f"Mean over the references that each met, with 95 % intervals: the {MOST_ROWS} who met the most.",
        interval_plot(measured),
        ["worker", "references", "iou", "low", "high", "tolerant_iou", "to_the_voxel"],
        [
            [named(one.worker), one.iou.n, one.iou.value, one.iou.low, one.iou.high, one.tolerant.value, one.whole]
            for one in of_workers
        ],
    )


def _counting(project: Project) -> AnnotationQuerySet:
    return Annotation.objects.counting().filter(project=project)


def _pairs(project: Project) -> Iterator[float]:
    said: dict[int, list[Keys]] = {}
    rows = _counting(project).on_tasks().order_by("-number").values_list("task_id", "answer")
    for task, answer in rows[:NEWEST_MASKS]:
        mask = mask_of(answer)
        if mask is not None:
            said.setdefault(task, []).append(mask)
    for masks in said.values():
        yield from ious_between(masks)


def _distribution(title: str, what: str, unit: str, values: Sequence[float]) -> Figure:
    counts = [0] * BINS
    for value in values:
        counts[min(int(value * BINS + 1e-9), BINS - 1)] += 1
    bins = [(number / BINS, (number + 1) / BINS, n) for number, n in enumerate(counts)]
    mean = mean_of(values)
    about = f"{mean.n:,} {what}."
    if mean.value is not None:
        whole, none = sum(value == 1 for value in values), sum(value == 0 for value in values)
        about += f" Mean {mean.value:.2f}; {whole:,} are the same to the voxel, {none:,} have no voxel in common."
    return Figure(
        title,
        about,
        bar_plot(
            # An empty bar at the right end leaves room for the number of the highest, which often is the last.
            [*((f"{low:.2f} to {high:.2f}", n) for low, high, n in bins), ("", 0)],
            edges=[(edge * BINS / (BINS + 1), f"{edge:g}") for edge in (0, 0.25, 0.5, 0.75, 1)],
        ),
        ["from", "to", unit],
        [list(one) for one in bins] if values else [],
    )
