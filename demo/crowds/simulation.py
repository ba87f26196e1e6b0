"""Simulated workers in a project: check, enrol, look up the truth of their tasks, report the results.

They use the same API as people and are marked `is_simulated`. The truth of an ordinary task is unknown, so the caller
provides it; the truth of a reference comes from the reference.
"""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from annotation.models import Annotation, Consensus, GateAction, Project, Task
from annotation.quality.accuracy import confusion_of
from annotation.tool_registry import tool_named, verdict_of
from annotation.work.enrolments import Link, enrol, make_link
from evaluation.marker import marker
from lib.faults import Conflict
from workforce.blocking import worker_on
from workforce.models import Worker
from workforce.qualifications import give

PLATFORM = "simulated"
BY = "system"
NAME_PREFIX = "crowd-"
"""Workers with random truths have this before their names. Other simulated workers know the real truths."""


def check_may_simulate(project: Project) -> None:
    """Check that a simulated crowd does no harm in this project.

    Raises:
        Conflict: The project uses another tool, is not live, or has answers of people.
    """
    if not marker.is_tool_of(project):
        raise Conflict(f"Simulated workers can only mark; this project is of the tool {project.tool}.")
    if not project.is_live:
        raise Conflict(f"The project is {project.status}, so nobody may claim in it. Make it live first.")
    if Annotation.objects.filter(project=project, worker__is_simulated=False).exists():
        raise Conflict(
            "People have answered in this project, and simulated answers would mix with theirs. "
            "Put a project of its own over the same suite, and simulate there."
        )


def enrol_simulated(*, project: Project, name: str, at: datetime) -> Link:
    """A link for the simulated worker of this name, already qualified, because a program learns nothing from a quiz."""
    worker = worker_on(PLATFORM, name, at=at, is_simulated=True)
    if project.qualification is not None:
        give(worker=worker, qualification=project.qualification, by=BY, at=at)
    return make_link(enrolment=enrol(project=project, worker=worker, at=at), by="system", at=at)


class TaskTruth(NamedTuple):
    """The truth of an assignment's task; `truth` is None unless the task is a reference with a class."""

    key: str
    truth: bool | None
    moment_s: float | None


def task_truth(assignment: str) -> TaskTruth:
    """The truth of the task of this assignment. 1 query."""
    task = Task.objects.select_related("truth").get(assignments__public_id=assignment)
    if task.truth_class is None:
        return TaskTruth(task.key, None, None)
    return TaskTruth(task.key, task.truth_class, task.truth.answers[0].get("time_s"))


class WorkerResult(NamedTuple):
    """The results of one simulated worker."""

    name: str
    answers: int
    references: int
    balanced_accuracy: float | None
    paused_after: int | None
    """The number of references before the gate paused them."""


def worker_results(project: Project, names: list[str]) -> list[WorkerResult]:
    """The results of these workers, in their order. 4 or 5 queries for each."""
    found = []
    for name in names:
        worker = Worker.objects.get(platform=PLATFORM, external_id=name)
        accuracy = confusion_of(worker, project=project).accuracy
        mine = Annotation.objects.filter(worker=worker, project=project)
        pause = GateAction.objects.pauses().filter(enrolment__worker=worker, enrolment__project=project).first()
        found.append(
            WorkerResult(
                name=name,
                answers=mine.count(),
                references=accuracy.n,
                balanced_accuracy=accuracy.value,
                paused_after=None if pause is None else mine.scored().filter(submitted_at__lte=pause.at).count(),
            )
        )
    return found


class TaskResults(NamedTuple):
    """The results of the tasks: `right` of the `settled` ones agree with the truth; `annotations` counts theirs.

    Tasks that other workers have answered too count only in `tasks`, because their truth is not known here.
    """

    tasks: int
    settled: int
    right: int
    annotations: int
    needs_review: int
    cost: Decimal
    currency: str


def task_results(project: Project, truth_of: Callable[[str], bool]) -> TaskResults:
    """The results of the ordinary tasks, given the truth by key. 3 queries."""
    verdict_in = verdict_of(tool_named(project.tool))
    others = Annotation.objects.filter(project=project).exclude(worker__external_id__startswith=NAME_PREFIX)
    rows = Consensus.objects.settled().filter(project=project, task__is_reference=False)
    rows = rows.exclude(task__in=others.values("task"))
    settled = list(rows.values_list("task__key", "answer", "annotations", "needs_review"))
    return TaskResults(
        tasks=Task.objects.ordinary().filter(project=project).count(),
        settled=len(settled),
        right=sum(verdict_in(answer) is truth_of(key) for key, answer, _, _ in settled),
        annotations=sum(annotations for _, _, annotations, _ in settled),
        needs_review=sum(needs_review for *_, needs_review in settled),
        cost=Project.objects.values_list("spent", flat=True).get(pk=project.pk),
        currency=project.currency,
    )
