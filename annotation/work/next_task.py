"""The task that a worker is served next: an ordinary one, or a reference in its place.

A reference must not show by when, where or how often it is served. So an ordinary task is drawn first, always by one
rule, and all that the worker can see follows from that task ("shadow substitution", docs/decisions/0012):

- A claim draws from a random place among the open tasks of the highest priority that the worker has not met. No two
  workers meet tasks in an order that they share.
- When a task is drawn for a worker for the first time, an independent coin decides whether a reference is shown in its
  place. The reference takes the task's slot. After a release or an expiry it comes back whenever the task would.
- Some time after the reference was answered or reported, its slot is free again (`leases`), and the task is one that
  the worker has not met.

Where the posted tasks are wholes whose steps are served one by one (commands), a worker who met the first step of a
reference gets its later steps in the place of the whole's later steps.
"""

from typing import NamedTuple

from django.db.models import BigIntegerField

from annotation.models import Enrolment, Project, Task
from annotation.tool_registry import has_parts
from annotation.work import reference_draw
from annotation.work.task_queue import Chance, TaskQueue
from common.kept_query import KeptUpdate


class Served(NamedTuple):
    """The task that the worker is shown, and the ordinary task whose slot it takes; both are the same unless the task
    shown is a reference."""

    shown: Task
    slot_of: Task


def serve_next(enrolment: Enrolment, project: Project, *, held: int, chance: Chance) -> Served | None:
    """Choose the worker's next task and take its slot; None if no ordinary task is open to the worker.

    A first drawing makes the same queries and writes the same rows whether a reference is shown or not, so that the
    duration of a claim does not give a reference away.

    Locks: call with the enrolment locked. The task whose slot is taken is locked here.

    Raises:
        AllLocked: other claims have every free task locked.
    """
    queue = TaskQueue(enrolment, project)
    waiting = queue.waiting() if has_parts(project) else {}
    next_steps = {
        pk: step for pk, answered in waiting.items() if (step := reference_draw.step_after(answered, enrolment))
    }
    task = queue.draw_unmet(chance, beside=list(next_steps))
    if task is None and (task := queue.draw_returned(chance)) is not None:
        return _take(enrolment, queue.bound_to(task) or task, slot_of=task)
    if task is None:
        waiting = waiting or queue.waiting()
        task = queue.draw_waiting(list(waiting), chance)
    if task is None or (task.pk in waiting and not queue.free_slot(task)):
        return None
    shown = next_steps.get(task.pk) or _shown_first(queue, task, held=held, chance=chance)
    return _take(enrolment, shown, slot_of=task)


def _shown_first(queue: TaskQueue, task: Task, *, held: int, chance: Chance) -> Task:
    """The task that the worker is shown when this one is drawn for them for the first time."""
    enrolment = queue.enrolment
    rate = reference_draw.rate_of_references(enrolment, queue.project, held=held)
    is_reference = chance() < rate
    reference = reference_draw.fresh_reference(enrolment, like=task, chance=chance) if rate else None
    if task.part_of_id is not None and (last := queue.last_met_of(task.part_of_id)):
        # Another step of the same whole was met, or a step of the reference that stands in the place of the whole.
        return task if last.task_id == last.slot_of_id else reference_draw.step_after(last.task, enrolment) or task
    if is_reference and reference is None:
        reference_draw.note_shortage(enrolment)
    return reference if is_reference and reference is not None else task


def _take(enrolment: Enrolment, shown: Task, *, slot_of: Task) -> Served:
    slots = slot_of.slots_left - 1
    _TASK.run({"slots_left": slots, "open": slots > 0}, pk=slot_of.pk)
    if enrolment.cursor_priority != slot_of.priority:
        Enrolment.objects.filter(pk=enrolment.pk).update(cursor_priority=slot_of.priority)
    return Served(shown, slot_of)


_TASK = KeptUpdate(lambda pk: Task.objects.filter(pk=pk), pk=BigIntegerField())
