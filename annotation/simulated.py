"""Simulated workers in a project: whether they may, letting one in, what is true of their tasks, what came of it.

They come through the same doors as people and are marked `is_simulated`. What is true of an ordinary task nobody knows,
so whoever runs the crowd says it; of a reference it is what the reference says.
"""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from annotation.access import Link, enrol, make_link
from annotation.models import Annotation, Consensus, GateAction, Project, Task
from annotation.quality import confusion_of
from annotation.tools import tool_named
from common.errors import Conflict
from workforce.models import Worker
from workforce.qualifications import give
from workforce.standing import worker_on

PLATFORM = "simulated"
TOOL = "marker"
"""The only tool whose answers they can give."""
BY = "system"
NAMED = "crowd-"
"""How the names of those begin who answer by truths that were drawn; others, as the demo's, know better."""


def check_may_simulate(project: Project) -> None:
    """Whether a simulated crowd does no harm here.

    Raises:
        Conflict: it is of another tool, not live, or people have answered in it.
    """
    if project.tool != TOOL:
        raise Conflict(f"Simulated workers can only mark; this project is of the tool {project.tool}.")
    if not project.is_live:
        raise Conflict(f"The project is {project.status}, so nobody may claim in it. Make it live first.")
    if Annotation.objects.filter(project=project, worker__is_simulated=False).exists():
        raise Conflict(
            "People have answered in this project, and simulated answers would mix with theirs. "
            "Put a project of its own over the same suite, and simulate there."
        )


def let_in(*, project: Project, name: str, at: datetime) -> Link:
    """A link for the simulated worker of this name, qualified already: a program learns nothing from a quiz."""
    worker = worker_on(PLATFORM, name, at=at, is_simulated=True)
    if project.qualification is not None:
        give(worker=worker, qualification=project.qualification, by=BY, at=at)
    return make_link(enrolment=enrol(project=project, worker=worker, at=at), at=at)


class Known(NamedTuple):
    """What is known of the task of an assignment; `truth` is None unless it is a reference with a class."""

    key: str
    truth: bool | None
    moment_s: float | None


def known_of(assignment: str) -> Known:
    """What is known of the task that this assignment shows. 1 query."""
    task = Task.objects.select_related("truth").get(assignments__public_id=assignment)
    if task.truth_class is None:
        return Known(task.key, None, None)
    return Known(task.key, task.truth_class, task.truth.answers[0].get("time_s"))


class Came(NamedTuple):
    """What came of one simulated worker."""

    name: str
    answers: int
    references: int
    balanced_accuracy: float | None
    paused_after: int | None
    """References until the gate paused them."""


def workers_of(project: Project, names: list[str]) -> list[Came]:
    """What came of these workers, in their order. 4 or 5 queries a worker."""
    found = []
    for name in names:
        worker = Worker.objects.get(platform=PLATFORM, external_id=name)
        accuracy = confusion_of(worker, project=project).accuracy
        mine = Annotation.objects.filter(worker=worker, project=project)
        pause = GateAction.objects.pauses().filter(enrolment__worker=worker, enrolment__project=project).first()
        found.append(
            Came(
                name=name,
                answers=mine.count(),
                references=accuracy.n,
                balanced_accuracy=accuracy.value,
                paused_after=None if pause is None else mine.scored().filter(submitted_at__lte=pause.at).count(),
            )
        )
    return found


class Settled(NamedTuple):
    """What came of the tasks: `right` of the `settled` ones say what was true; `annotations` are on these.

    Tasks that others have answered too are only in `tasks`: what these went by is not known here.
    """

    tasks: int
    settled: int
    right: int
    annotations: int
    needs_review: int
    cost: Decimal
    currency: str


def tasks_of(project: Project, truth_of: Callable[[str], bool]) -> Settled:
    """What came of the ordinary tasks, given what is true of them by key. 3 queries."""
    tool = tool_named(project.tool)
    others = Annotation.objects.filter(project=project).exclude(worker__external_id__startswith=NAMED)
    rows = Consensus.objects.settled().filter(project=project, task__is_reference=False)
    rows = rows.exclude(task__in=others.values("task"))
    settled = list(rows.values_list("task__key", "answer", "annotations", "needs_review"))
    return Settled(
        tasks=Task.objects.ordinary().filter(project=project).count(),
        settled=len(settled),
        right=sum(tool.verdict(answer) is truth_of(key) for key, answer, _, _ in settled),
        annotations=sum(annotations for _, _, annotations, _ in settled),
        needs_review=sum(needs_review for *_, needs_review in settled),
        cost=Project.objects.values_list("spent", flat=True).get(pk=project.pk),
        currency=project.currency,
    )
