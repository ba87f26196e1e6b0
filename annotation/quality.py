"""Whom to trust: each worker against the references they met."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from annotation.models import Annotation, AnnotationQuerySet, Project
from annotation.tools import tool_named
from common.statistics import BalancedAccuracy, balanced_accuracy
from workforce.models import Worker


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


def confusion_of(worker: Worker, *, project: Project | None = None) -> Confusion:
    """The worker on references, in one project or everywhere. 1 query."""
    return confusions([worker], project=project).get(worker.pk, Confusion())


def confusions(workers: Iterable[Worker], *, project: Project | None = None) -> dict[int, Confusion]:
    """The same for many workers at once, by worker id. 1 query."""
    rows = Annotation.objects.filter(worker__in=list(workers))
    return _tally(rows if project is None else rows.filter(project=project))


def _tally(annotations: AnnotationQuerySet) -> dict[int, Confusion]:
    counts: dict[int, list[int]] = {}
    rows = annotations.standing().on_references()
    for worker_id, tool_name, answer, truths in rows.values_list(
        "worker_id", "project__tool", "answer", "task__truth__answers"
    ).iterator(chunk_size=2000):
        tool = tool_named(tool_name)
        said = tool.verdict(answer)
        true = {tool.verdict(truth) for truth in truths}
        # Where both outcomes are accepted there is no class to be right or wrong about.
        if said is None or len(true) != 1 or None in true:
            continue
        cell = (0 if true == {True} else 2) + (0 if said else 1)
        counts.setdefault(worker_id, [0, 0, 0, 0])[cell] += 1
    return {worker_id: Confusion(*cells) for worker_id, cells in counts.items()}


def reference_record(confusion: Confusion) -> dict[str, Any]:
    """The record as the API shows it."""
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
    """All workers of a project together on its references. 1 query."""
    tallies = _tally(Annotation.objects.filter(project=project)).values()
    return Confusion(*(sum(column) for column in zip(*tallies, strict=True)))


def work_record(worker: Worker) -> list[dict[str, Any]]:
    """What the worker did in each project: annotations, earnings. 1 query."""
    return [
        {
            "project": enrolment.project.slug,
            "annotations": enrolment.submitted,
            "earned": enrolment.earned,
            "currency": enrolment.project.currency,
        }
        for enrolment in worker.enrolments.select_related("project").order_by("pk")
    ]
