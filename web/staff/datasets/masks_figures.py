"""The plots of a project's masks: IoU of answers with references, IoU between workers, and results by worker."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from annotation.models import Annotation, AnnotationQuerySet, Project
from annotation.tools.voxels.agreement import mask_of
from lib.plots.charts import bar_plot
from lib.plots.intervals import Measured, interval_plot
from lib.voxels.likeness import Likeness, Mean, ious_between, likest, mean_of
from lib.voxels.mask import Keys
from web.staff.figure_files import Figure
from workforce.models import Worker

NEWEST = 10_000
"""The number of newest answers whose stored score is read."""
NEWEST_MASKS = 1000
"""The number of newest answers whose masks are read: a mask has some hundred voxels, and is compared to others."""
MOST_ROWS = 30
BINS = 20
Named = Callable[[Worker], str]
Figures = Mapping[str, Callable[[], Figure]]


class OfWorker(NamedTuple):
    """A worker's mean IoU on references, exact and with a tolerance of one block at the border."""

    worker: Worker
    iou: Mean
    tolerant: Mean
    whole: int
    """The number of answers that equal the truth in every voxel."""


def figures_of(project: Project, *, named: Named) -> Figures:
    """All plots by their names in the address. Each is computed when it is called: 1 to 3 queries."""
    return {
        "references": partial(references, project),
        "between-workers": partial(between_workers, project),
        "workers": lambda: workers(by_worker(project), named=named),
    }


def references(project: Project) -> Figure:
    """The IoU of answers with references, from their stored scores. 1 query."""
    scored = _counting(project).on_references().filter(score__isnull=False)
    scores = [
        score for score in scored.order_by("-number").values_list("score", flat=True)[:NEWEST] if score is not None
    ]
    return _distribution("IoU with the truth", "answers to references", "answers", scores)


def between_workers(project: Project) -> Figure:
    """The IoU of every pair of answers to one task. 1 query."""
    pairs = list(_pairs(project))
    return _distribution(
        "IoU between workers",
        f"pairs of answers to one task that is no reference, among the newest {NEWEST_MASKS:,} answers",
        "pairs",
        pairs,
    )


def by_worker(project: Project) -> list[OfWorker]:
    """The workers among the newest NEWEST_MASKS answers to references, those with the most answers first. 2 queries."""
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
    """Each worker's mean IoU with the truth. The file also has the tolerant IoU."""
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
            # An empty bar at the right end leaves room for the label of the highest bar, which is often the last.
            [*((f"{low:.2f} to {high:.2f}", n) for low, high, n in bins), ("", 0)],
            edges=[(edge * BINS / (BINS + 1), f"{edge:g}") for edge in (0, 0.25, 0.5, 0.75, 1)],
        ),
        ["from", "to", unit],
        [list(one) for one in bins] if values else [],
    )
