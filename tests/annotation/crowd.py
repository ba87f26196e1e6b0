"""A crowd at work: tasks by the hundred, threads that start together, and what must hold whatever they did."""

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import timedelta
from decimal import Decimal
from itertools import count
from typing import Any

from django.db import connections

from annotation.models import Annotation, Assignment, Consensus, Enrolment, Project, Task
from annotation.tasks import TaskBody, post_tasks
from tests.builders import NOON, annotate, make_enrolment, make_episode, make_worker
from workforce.models import Worker

PATIENCE_S = 120
PAY = Decimal("0.30")
_number = count(1)


def post_many(
    project: Project,
    number: int,
    *,
    episode: str = "",
    priority: int = 0,
    redundancy: int | None = None,
    truth: str | None = None,
) -> list[Task]:
    """Post `number` tasks that all show one episode; with a `truth` ("success", "failure") they are references."""
    episode = episode or make_episode().external_id
    bodies = []
    for _ in range(number):
        body = TaskBody(
            key=f"one-of-many-{next(_number)}",
            payload={"episode": episode},
            priority=priority,
            redundancy=redundancy,
        )
        if truth is not None:
            body["reference"] = {"answers": [{"outcome": truth}]}
        bodies.append(body)
    post_tasks(project=project, bodies=bodies, at=NOON)
    return list(Task.objects.filter(project=project, key__in=[body["key"] for body in bodies]).order_by("pk"))


def make_enrolments(project: Project, number: int) -> list[Enrolment]:
    return [make_enrolment(project, make_worker()) for _ in range(number)]


def fresh(enrolment: Enrolment) -> Enrolment:
    """The enrolment as the next request loads it."""
    return Enrolment.objects.select_related("project__consent_page", "worker").get(pk=enrolment.pk)


def race(*acts: Callable[[], Any]) -> list[Any]:
    """Run all acts at the same moment, each in a thread with a database connection of its own.

    Returns:
        What each act returned, or the exception that ended it, in the order of the acts.
    """
    results: list[Any] = [None] * len(acts)
    start = threading.Barrier(len(acts))

    def run(index: int, act: Callable[[], Any]) -> None:
        try:
            connections["default"].ensure_connection()
            start.wait(PATIENCE_S)
            results[index] = act()
        except Exception as error:
            results[index] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=pair, daemon=True) for pair in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    return results


def succeed(results: Sequence[Any]) -> list[Any]:
    """The same results; the first error among them is raised."""
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return list(results)


def check(project: Project, *, restored: Collection[int] = ()) -> None:
    """What must hold after any schedule of claims, submissions and returns.

    Args:
        restored: Tasks of which an answer was dropped and counts again; others may have answered meanwhile.
    """
    takers = Assignment.objects.taking_slots().filter(task__project=project)
    by_task = Counter(takers.values_list("task", flat=True))
    for task in Task.objects.ordinary().filter(project=project):
        taken = by_task[task.pk]
        if task.pk not in restored:
            assert taken <= task.wanted, f"{taken} workers share the {task.wanted} slots of {task}"
        if task.status == Task.Status.OPEN:
            assert task.slots_left == max(task.wanted - taken, 0), f"{task} has lost count of its slots"
            assert task.open == (task.slots_left > 0), f"{task} is shut with {task.slots_left} slots left"
        else:
            assert not task.open
    binding = Assignment.objects.binding().filter(task__project=project).values_list("task", "worker")
    assert max(Counter(binding).values(), default=1) == 1, "one worker has a task twice"
    numbers = list(Annotation.objects.filter(project=project).order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1)), "the numbers have a gap"


def check_drained(project: Project, *, redundancy: int) -> None:
    """Every ordinary task has exactly the annotations that it wanted, each from another worker, and its consensus."""
    check(project)
    tasks = Task.objects.ordinary().filter(project=project).order_by("pk")
    by_task = Counter(Annotation.objects.on_tasks().filter(project=project).values_list("task", flat=True))
    assert [by_task[task.pk] for task in tasks] == [redundancy] * len(tasks)
    assert {task.status for task in tasks} == {Task.Status.DONE}
    settled = (
        Consensus.objects.settled().filter(task__project=project).values_list("task", "annotations").order_by("task")
    )
    assert list(settled) == [(task.pk, redundancy) for task in tasks]


def hold_on(task: Task, worker: Worker) -> Assignment:
    """The worker's hold on this very task, past the queue, on a slot of it that is free."""
    task.refresh_from_db()
    assert task.open, f"{task} is shut"
    slots = task.slots_left - 1
    Task.objects.filter(pk=task.pk).update(slots_left=slots, open=slots > 0)
    lease = NOON + timedelta(seconds=task.project.lease_s)
    return Assignment.objects.create(task=task, worker=worker, claimed_at=NOON, lease_expires_at=lease)


def say(task: Task, *outcomes: str, frame: int = 20) -> list[Annotation]:
    """An answer of a new worker each to this very task, handed in as every answer is."""
    return [annotate(hold_on(task, make_worker()), outcome=outcome, frame=frame) for outcome in outcomes]


def insert_answers(project: Project, said: Iterable[tuple[Task, Worker, str]]) -> None:
    """Many answers at once, past the queue and without a consensus: what a fit begins from."""
    numbers = count(Project.objects.values_list("annotation_count", flat=True).get(pk=project.pk) + 1)
    rows = list(said)
    holds = Assignment.objects.bulk_create(
        Assignment(
            task=task,
            worker=worker,
            status=Assignment.Status.SUBMITTED,
            claimed_at=NOON,
            lease_expires_at=NOON,
            closed_at=NOON,
        )
        for task, worker, _ in rows
    )
    Annotation.objects.bulk_create(
        Annotation(
            project=project,
            number=next(numbers),
            assignment=hold,
            task=task,
            worker=worker,
            answer={"outcome": outcome, "frame": 20, "time_s": 2.0},
            claimed_at=NOON,
            submitted_at=NOON,
        )
        for hold, (task, worker, outcome) in zip(holds, rows, strict=True)
    )
    Project.objects.filter(pk=project.pk).update(annotation_count=next(numbers) - 1)
