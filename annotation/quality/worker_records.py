"""Records: figures on each worker's work, as rows by which a list of 100,000 workers is sorted and filtered.

A record is computed from the annotations each time, never added up. The figures on references are computed with each
answer to one, in its transaction; the rest (agreement, speed, reports) in the background, for workers who are
`outdated`. The records over all projects are combined from those of the projects, and read from the annotations where
sums are not enough.
"""

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import BigIntegerField, Count, F, Q, QuerySet, Sum

from annotation.models import Annotation, Assignment, Enrolment, Project, Record
from annotation.quality.accuracy import Confusion, ReferenceAnswer, answers_on_references, confusion_in
from annotation.tool_registry import tool_named, verdict_of
from common.kept_query import KeptUpdate
from lib.statistics.answer_times import log_times, robust_z
from lib.statistics.marker_errors import marker_errors
from lib.statistics.sequential import balanced_cusum, cusum, plan_for

MOST_AT_ONCE = 500
"""The number of records of a project that one tick measures; those that waited longest come first."""
PROJECT_TIMES = 2000
"""The number of a project's latest times with which a worker's times are compared."""
BOTH = 2
"""The number of a worker's records that one submission touches: of the project, and over all."""
SEVERAL = 2
"""From this number of annotations on, agreement with a consensus says something, because others took part in it."""
DRIFT = plan_for(0.7)
"""The test for drift in records: accuracy .7 against .9, whatever gates a project has."""
Facts = dict[str, Any]
_NEVER = datetime(2000, 1, 1, tzinfo=UTC)
_random = random.SystemRandom()


def create_records(*, worker: int, project: int) -> None:
    """Create empty records for a worker who is new in a project, if there are none. 1 query."""
    Record.objects.bulk_create(
        [Record(worker_id=worker, project_id=where, measured_at=_NEVER) for where in (project, None)],
        ignore_conflicts=True,
    )


def note_submission(*, enrolment: Enrolment, at: datetime) -> None:
    """Note in both of the worker's records that they handed something in; the background measures them. 1 query."""
    both: dict[str, Any] = {"worker": enrolment.worker_id, "project": enrolment.project_id}
    if _BOTH.run({"last_at": at}, more={"submitted": 1}, **both) < BOTH:
        create_records(**both)
        _BOTH_NEW.run({"last_at": at}, more={"submitted": 1}, **both)


def _both(worker: Any, project: Any) -> QuerySet[Record]:
    return Record.objects.filter(Q(project=project) | Q(project=None), worker=worker)


_OF_WORKER = {"worker": BigIntegerField(), "project": BigIntegerField()}
_BOTH = KeptUpdate(_both, **_OF_WORKER)
_BOTH_NEW = KeptUpdate(lambda worker, project: _both(worker, project).filter(last_at=None), **_OF_WORKER)


def keep_references(*, worker: int, project: int, answers: Sequence[ReferenceAnswer]) -> None:
    """Write the figures on references into the worker's records: of this project, and over all. 2 queries.

    Args:
        answers: All of the worker's, in every project, as `accuracy.answers_on_references` reads them.
    """
    begun = Record.objects.filter(worker=worker)
    begun.filter(project=project).update(**_from_references([one for one in answers if one.project == project]))
    begun.filter(project=None).update(**_from_references(answers))


def judge_again(*, workers: Iterable[int], project: int) -> None:
    """Write the figures on references again, for workers whose references were corrected or retired. 3 queries a
    worker.

    Locks: each worker's enrolment and records, in the order of the workers' ids, so that no transactions wait in a
    circle.
    """
    for worker in sorted(workers):
        with transaction.atomic():
            # Against a submission at the same time, which reads and writes the same.
            Enrolment.objects.select_for_update().filter(project=project, worker=worker).first()
            keep_references(worker=worker, project=project, answers=answers_on_references(worker))


def outdate(*, workers: "Collection[int] | QuerySet[Any]", project: int) -> None:
    """Have the background measure these workers again, because an answer of theirs was judged again. 1 query.

    Locks: their records of this project alone, which is locked already; their records over all follow.
    """
    # Never the same moment twice: a measuring that runs now sees the change, and leaves the record outdated.
    moment = _NEVER + timedelta(microseconds=_random.randrange(10**12))
    Record.objects.filter(project=project, worker__in=workers).update(measured_at=moment)


def outdate_annotators(*, tasks: Iterable[int], project: int) -> None:
    """Have the background measure the workers again who answered these tasks of one project. 1 query, if there are any
    tasks."""
    changed = list(tasks)
    if not changed:
        return
    answered = Annotation.objects.current().filter(task__in=changed)
    outdate(workers=answered.values("worker"), project=project)


def _from_references(answers: Sequence[ReferenceAnswer]) -> Facts:
    confusion = confusion_in(answers)
    offsets = [answer.offset_s for answer in answers if answer.offset_s is not None]
    errors = marker_errors(offsets, [0.0] * len(offsets))
    return {
        **confusion_columns(confusion),
        "moments": errors.n,
        "moment_offset_s": errors.median_offset_s,
        "moment_error_s": errors.median_absolute_s,
        "drift": _drift(answers),
    }


def confusion_columns(confusion: Confusion) -> Facts:
    """The columns of a record that a confusion fills."""
    accuracy = confusion.accuracy
    return {
        **confusion._asdict(),
        "references": accuracy.n,
        "balanced_accuracy": accuracy.value,
        "low": accuracy.low,
        "high": accuracy.high,
    }


def _drift(answers: Sequence[ReferenceAnswer]) -> float | None:
    """The statistic of the test for drift after the last answer; None before the first."""
    classed = [(answer.truth, answer.is_right) for answer in answers if answer.truth is not None]
    if classed:
        path = balanced_cusum([truth for truth, _ in classed], [is_right for _, is_right in classed], DRIFT)
    else:
        path = cusum([DRIFT.right if answer.is_right else DRIFT.wrong for answer in answers])
    return float(path[-1]) if len(path) else None


# In the background ---------------------------------------------------------------------------------------------


def measure_outdated(*, at: datetime, limit: int = MOST_AT_ONCE) -> int:
    """Measure the workers who handed something in since their last measuring; return the number of projects' records.

    Costs: 6 queries, 4 for each project, 2 for each record of one, 3 for each worker.
    """
    wanted = Record.objects.outdated().filter(project__isnull=False).order_by("measured_at", "pk")[:limit]
    by_project: dict[int, list[Record]] = defaultdict(list)
    for record in wanted:
        by_project[record.project_id or 0].append(record)
    projects = Project.objects.in_bulk(by_project)
    for pk, outdated in by_project.items():
        _measure_in(projects[pk], outdated, at=at)
    workers = {record.worker_id for outdated in by_project.values() for record in outdated}
    # And those whose record over all changed while it was measured the last time.
    alone = Record.objects.outdated().filter(project=None).order_by("measured_at").values_list("worker_id", flat=True)
    _measure_over_all(workers | set(alone[:limit]), at=at)
    return sum(map(len, by_project.values()))


def _measure_in(project: Project, outdated: list[Record], *, at: datetime) -> None:
    workers = [record.worker_id for record in outdated]
    annotations = Annotation.objects.current().filter(project=project)
    theirs = annotations.filter(worker__in=workers)
    times: dict[int, list[float]] = defaultdict(list)
    for worker, *moments in theirs.values_list("worker", *_MOMENTS):
        times[worker].append(_spent_s(*moments))
    usual = log_times(
        [_spent_s(*row) for row in annotations.order_by("-number").values_list(*_MOMENTS)[:PROJECT_TIMES]]
    )
    agreed = _agreement(project, workers)
    reported = _reports(workers, project=project)
    for record in outdated:
        own = log_times(times[record.worker_id])
        compared, agreement = agreed.get(record.worker_id, (0, None))
        facts = {
            **_from_references(answers_on_references(record.worker_id, project=project.pk)),
            "submitted": len(times[record.worker_id]),
            "reported": reported.get(record.worker_id, 0),
            "compared": compared,
            "agreement": agreement,
            "median_s": float(np.median(times[record.worker_id])) if own else None,
            "speed_z": robust_z([own.median_s], usual)[0] if own and usual else None,
        }
        _keep(record, facts, at=at)


_MOMENTS = ("active_s", "claimed_at", "submitted_at")


def _spent_s(active_s: float | None, claimed_at: datetime, submitted_at: datetime) -> float:
    """The active time that the page counted, else the time from the claim to the answer."""
    return max((submitted_at - claimed_at).total_seconds(), 0.0) if active_s is None else active_s


def _agreement(project: Project, workers: list[int]) -> dict[int, tuple[int, float]]:
    """By worker: answers on tasks with a settled consensus of several, ties aside; the share that agrees. 1 query."""
    tool = tool_named(project.tool)
    verdict_in = verdict_of(tool)
    rows = (
        Annotation.objects.current()
        .on_tasks()
        .filter(
            project=project,
            worker__in=workers,
            task__consensus__settled_at__isnull=False,
            task__consensus__annotations__gte=SEVERAL,
        )
        .values_list("worker", "answer", "task__consensus__answer")
    )
    agreed: dict[int, list[float]] = defaultdict(list)
    for worker, answer, consensus in rows.iterator(chunk_size=2000):
        is_tie = verdict_in(answer) is not None and verdict_in(consensus) is None
        if not is_tie:
            agreed[worker].append(tool.agree(answer, consensus))
    return {worker: (len(shares), sum(shares) / len(shares)) for worker, shares in agreed.items()}


def _reports(workers: list[int], *, project: Project) -> dict[int, int]:
    """By worker: the number of tasks that they reported as impossible to judge. 1 query."""
    reported = Assignment.objects.filter(
        worker__in=workers, task__project=project, status=Assignment.Status.REPORTED
    ).order_by()
    return dict(reported.values_list("worker").annotate(Count("pk")))


def _measure_over_all(workers: Collection[int], *, at: datetime) -> None:
    own = Record.objects.filter(worker__in=workers, project__isnull=False).order_by()
    rows = own.values_list("worker").annotate(
        total_submitted=Sum("submitted"),
        total_reported=Sum("reported"),
        total_compared=Sum("compared"),
        agreed=Sum(F("agreement") * F("compared")),
        speed=Sum(F("speed_z") * F("submitted")),
        with_speed=Sum("submitted", filter=Q(speed_z__isnull=False)),
    )
    totals = {worker: _Totals(*(number or 0 for number in numbers)) for worker, *numbers in rows}
    for record in Record.objects.filter(worker__in=totals, project=None):
        total = totals[record.worker_id]
        times = Annotation.objects.current().filter(worker=record.worker_id).values_list(*_MOMENTS)
        spent = [_spent_s(*row) for row in times]
        facts = {
            **_from_references(answers_on_references(record.worker_id)),
            "submitted": total.submitted,
            "reported": total.reported,
            "compared": total.compared,
            "agreement": total.agreed / total.compared if total.compared else None,
            "median_s": float(np.median(spent)) if spent else None,
            # Seconds of different projects do not compare; how unusual they are in each does.
            "speed_z": total.speed_z / total.with_speed if total.with_speed else None,
        }
        _keep(record, facts, at=at)


class _Totals(NamedTuple):
    """The sums of a worker's records of projects; `agreed` and `speed_z` weighted by the answers that they rest on."""

    submitted: int
    reported: int
    compared: int
    agreed: float
    speed_z: float
    with_speed: int


def _keep(record: Record, facts: Facts, *, at: datetime) -> None:
    """Write the measured figures, unless the worker handed in or was judged again meanwhile: then the next tick writes
    them."""
    unchanged = Record.objects.filter(pk=record.pk, measured_at=record.measured_at, last_at=record.last_at)
    unchanged.update(**facts, measured_at=at)
