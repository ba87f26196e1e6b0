"""Progress of projects, and about how many tasks are left for a worker."""

from collections.abc import Iterable
from typing import TypedDict

from django.db.models import Count, Q

from annotation.models import Annotation, Assignment, Enrolment, Project, Task
from annotation.tool_registry import Parts, has_parts, tool_named


class Progress(TypedDict):
    """Counts of a project's posted tasks. References count in `references` and in nothing else."""

    tasks: int
    open: int
    done: int
    unjudgeable: int
    annotations: int
    references: int


def progress_of_all(projects: Iterable[Project]) -> dict[int, Progress]:
    """The progress of each project, by project id. 2 queries, however many projects there are."""
    wanted = [project.pk for project in projects]
    ordinary = Q(is_reference=False)
    counts = Task.objects.posted().filter(project__in=wanted).order_by().values("project")
    tasks = {
        row["project"]: row
        for row in counts.annotate(
            tasks=Count("pk", filter=ordinary & ~Q(status=Task.Status.WITHDRAWN)),
            waiting=Count("pk", filter=ordinary & Q(status=Task.Status.OPEN)),
            done=Count("pk", filter=ordinary & Q(status=Task.Status.DONE)),
            unjudgeable=Count("pk", filter=ordinary & Q(status=Task.Status.UNJUDGEABLE)),
            references=Count("pk", filter=Q(is_reference=True)),
        )
    }
    standing = Annotation.objects.current().on_tasks().filter(project__in=wanted).order_by()
    annotations = dict(standing.values_list("project").annotate(Count("pk")))
    nothing = dict.fromkeys(("tasks", "waiting", "done", "unjudgeable", "references"), 0)
    return {
        pk: Progress(
            tasks=row["tasks"],
            open=row["waiting"],
            done=row["done"],
            unjudgeable=row["unjudgeable"],
            annotations=annotations.get(pk, 0),
            references=row["references"],
        )
        for pk, row in ((pk, tasks.get(pk, nothing)) for pk in wanted)
    }


def progress_for(enrolment: Enrolment) -> tuple[int, int]:
    """The worker's progress: what is done, and about how much is left.

    Where the worker goes through a whole task part by part, both count wholes: one that is begun is still to be done.
    3 to 5 queries.
    """
    tool, left = tool_named(enrolment.project.tool), remaining_for(enrolment)
    wholes = tool.wholes_of(enrolment) if isinstance(tool, Parts) else None
    return (enrolment.submitted, left) if wholes is None else (wholes.finished, left + wholes.begun - wholes.finished)


MOST_COUNTED = 200
"""About the greatest number that a worker is shown."""


def remaining_for(enrolment: Enrolment) -> int:
    """About how many tasks are left for this worker, with the references among them; about `MOST_COUNTED` at most.

    The number falls by one with each of the worker's answers, and nothing else that the worker does changes it. A count
    of the open tasks would fall after an ordinary task and stay after a reference, so it would show which is which.
    Tasks that are reserved for one worker are parts of a task that the worker has begun, so they are not counted.
    3 queries, 4 for a tool with parts.
    """
    project = enrolment.project
    theirs = Assignment.objects.binding().filter(
        worker_id=enrolment.worker_id, task__project=project, task__reserved_for=None
    )
    handed_in = enrolment.submitted
    if has_parts(project):
        handed_in = theirs.filter(status=Assignment.Status.SUBMITTED).count()
    most = handed_in + MOST_COUNTED
    tasks = Task.objects.filter(project=project, reserved_for=None)
    still_open = tasks.ordinary().filter(open=True)[:most].count()
    # By the slots that they take: that of a reference is the slot of the task in whose place it is shown.
    taken = theirs.filter(slot_of__open=False)
    ordinary = min(still_open + taken[:most].count(), most)
    rate = min(project.reference_rate, 0.99)
    mixed_in = min(round(ordinary * rate / (1 - rate)), tasks.references().filter(open=True)[:most].count())
    remaining = max(0, ordinary + mixed_in - handed_in)
    limit = project.limit_per_worker
    return remaining if limit is None else max(0, min(remaining, limit - enrolment.submitted))
