"""The accuracy of workers on the references that they answered.

The figures of some workers are read from their annotations, those of a whole project from the records that
`worker_records.py` keeps of the same answers in the same transactions.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet, Sum

from annotation.models import Annotation, AnnotationQuerySet, Project, Record
from annotation.tool_registry import Json, tool_named, verdict_of
from lib.statistics.accuracy import BalancedAccuracy, balanced_accuracy
from workforce.models import Worker

HALF = 0.5
"""From this score on, an answer to a reference without yes or no counts as right."""


class Confusion(NamedTuple):
    """Counts of annotations on references, by truth (first word) and answer (second)."""

    success_success: int = 0
    success_failure: int = 0
    failure_success: int = 0
    failure_failure: int = 0

    @property
    def accuracy(self) -> BalancedAccuracy:
        return balanced_accuracy(
            tp=self.success_success, fn=self.success_failure, tn=self.failure_failure, fp=self.failure_success
        )

    def as_dict(self) -> dict[str, dict[str, int]]:
        """Truth outside, answer inside."""
        return {
            "success": {"success": self.success_success, "failure": self.success_failure},
            "failure": {"success": self.failure_success, "failure": self.failure_failure},
        }


class ReferenceAnswer(NamedTuple):
    """One answer to a reference, against the truth as it is now.

    Attributes:
        truth: The truth as yes or no; None where the tool has no yes and no, or both are right.
        said: The answer as yes or no.
        is_right: True if these are equal; where there is no yes or no, if the answer scored at least `HALF`.
        offset_s: Seconds from the true moment to the answer's; None unless the answer is right and both have a moment.
    """

    annotation: str
    project: int
    task: int
    key: str
    truth: bool | None
    said: bool | None
    is_right: bool
    offset_s: float | None
    at: datetime


def answers_on_references(worker: int, *, project: int | None = None) -> list[ReferenceAnswer]:
    """A worker's answers to references that count, oldest first. 1 query.

    Costs: in proportion to the worker's answers on references, not to all their answers.
    """
    rows = Annotation.objects.scored().on_references().filter(worker=worker)
    if project is not None:
        rows = rows.filter(project=project)
    found = rows.order_by("project_id", "number").values_list(
        "public_id",
        "project_id",
        "project__tool",
        "task_id",
        "task__key",
        "task__truth_class",
        "task__truth__answers",
        "answer",
        "score",
        "submitted_at",
    )
    return sorted((_against_truth(*row) for row in found), key=lambda answer: answer.at)


def _against_truth(
    annotation: str,
    project: int,
    tool_name: str,
    task: int,
    key: str,
    truth: bool | None,
    truths: list[Json],
    answer: Json,
    score: float | None,
    at: datetime,
) -> ReferenceAnswer:
    verdict_in = verdict_of(tool_named(tool_name))
    said = verdict_in(answer)
    is_right = (score or 0.0) >= HALF if truth is None else said == truth
    moments = [right.get("time_s") for right in truths if verdict_in(right) == said]
    marked = answer.get("time_s")
    offsets = [marked - moment for moment in moments if moment is not None] if marked is not None else []
    return ReferenceAnswer(
        annotation=annotation,
        project=project,
        task=task,
        key=key,
        truth=truth,
        said=said,
        is_right=is_right,
        offset_s=min(offsets, key=abs) if is_right and offsets else None,
        at=at,
    )


def confusion_in(answers: Iterable[ReferenceAnswer]) -> Confusion:
    """The counts of those of these answers that have a class."""
    counts = [0, 0, 0, 0]
    for answer in answers:
        if answer.truth is not None and answer.said is not None:
            counts[_cell(answer.truth, answer.said)] += 1
    return Confusion(*counts)


def confusion_of(
    worker: Worker, *, project: Project | None = None, among: QuerySet[Project] | None = None
) -> Confusion:
    """The worker's confusion on references: in one project, among some, or everywhere. 1 query."""
    return confusions([worker], project=project, among=among).get(worker.pk, Confusion())


def confusions(
    workers: Iterable[Worker], *, project: Project | None = None, among: QuerySet[Project] | None = None
) -> dict[int, Confusion]:
    """The confusion of each of these workers, by worker id. 1 query."""
    rows = Annotation.objects.filter(worker__in=list(workers))
    if among is not None:
        rows = rows.filter(project__in=among)
    return _tally(rows if project is None else rows.filter(project=project))


def _tally(annotations: AnnotationQuerySet) -> dict[int, Confusion]:
    counts: dict[int, list[int]] = {}
    # Where both outcomes are accepted there is no class to be right or wrong about.
    rows = annotations.scored().on_references().filter(task__truth_class__isnull=False)
    for worker_id, tool_name, answer, truth in rows.values_list(
        "worker_id", "project__tool", "answer", "task__truth_class"
    ).iterator(chunk_size=2000):
        said = verdict_of(tool_named(tool_name))(answer)
        if said is not None and truth is not None:
            counts.setdefault(worker_id, [0, 0, 0, 0])[_cell(truth, said)] += 1
    return {worker_id: Confusion(*cells) for worker_id, cells in counts.items()}


def _cell(truth: bool, said: bool) -> int:
    return (0 if truth else 2) + (0 if said else 1)


def reference_record(confusion: Confusion) -> dict[str, Any]:
    """The figures of a confusion as the API shows them."""
    accuracy = confusion.accuracy
    return {
        "n": accuracy.n,
        "balanced_accuracy": accuracy.value,
        "low": accuracy.low,
        "high": accuracy.high,
        "sensitivity": accuracy.sensitivity,
        "specificity": accuracy.specificity,
        "confusion": confusion.as_dict(),
    }


def raters_of(project: Project) -> Confusion:
    """The confusion of all workers of a project together, added up from their records. 1 query."""
    records = Record.objects.filter(project=project, references__gt=0)
    sums = records.aggregate(**{name: Sum(name) for name in Confusion._fields})
    return Confusion(**{name: n or 0 for name, n in sums.items()})


def work_record(worker: Worker) -> list[dict[str, Any]]:
    """The worker's number of annotations and earnings in each project. 1 query."""
    return [
        {
            "project": enrolment.project.slug,
            "annotations": enrolment.submitted,
            "earned": enrolment.earned,
            "currency": enrolment.project.currency,
        }
        for enrolment in worker.enrolments.select_related("project").order_by("pk")
    ]
