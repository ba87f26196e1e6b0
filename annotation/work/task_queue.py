"""The open ordinary tasks of a project as one worker may be served them, and random draws from them.

The cost of a draw is flat: it reads one window of an index, whatever the number of tasks and however many of them the
worker has met. Only a worker who has met nearly all that is open at a priority makes it read further.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import BigIntegerField, IntegerField

from annotation.models import Assignment, Enrolment, Project, Task
from annotation.models.tasks import FromPlace, TaskQuerySet, one_of
from annotation.models.work import AssignmentQuerySet
from annotation.tool_registry import has_parts
from annotation.work.leases import slots_left, unbind
from common.kept_query import KeptQuery

WINDOW = 32
"""The number of open tasks that a draw reads; it chooses one of those that the worker has not met."""
Chance = Callable[[], float]


class AllLocked(Exception):
    """Free tasks exist, but other claims have all of them locked at this moment."""


class _Known(NamedTuple):
    """Assignments that make a task known to a worker; `of` and `by` as for `TaskQuerySet.without`."""

    assignments: AssignmentQuerySet
    of: str
    by: str


class _Knowing(NamedTuple):
    """The assignments that keep a worker from a task: all on its slot, or those that were not given back; and where
    tasks become references, all on a reference that was made of it, under another key."""

    returned_too: bool
    references: bool
    steps_of_references: bool

    def by(self, worker: Any) -> list[_Known]:
        """These assignments of a worker, whose id may be left open as in `KeptQuery`."""
        theirs = Assignment.objects.filter(worker_id=worker)
        known = [_Known(theirs if self.returned_too else theirs.binding(), "pk", "slot_of")]
        if self.references:
            known.append(_Known(theirs, "pk", "task__promoted_from"))
        if self.steps_of_references:
            known.append(_Known(theirs, "part_of", "task__part_of__promoted_from"))
        return known

    def not_known_to(self, worker: Any, *, project: Any) -> TaskQuerySet:
        tasks = _open_in(project)
        for one in self.by(worker):
            tasks = tasks.without(one.assignments, of=one.of, by=one.by)
        return tasks


def _open_in(project: Any) -> TaskQuerySet:
    return Task.objects.ordinary().filter(project_id=project, open=True, reserved_for=None)


_AT_PRIORITY = {"worker": BigIntegerField(), "project": BigIntegerField(), "priority": IntegerField()}


@cache
def _windows(knowing: _Knowing) -> FromPlace[tuple[Any, ...]]:
    """The open tasks of a priority: the id of each, and of any assignment that makes it known, a column for each kind
    of them."""

    def make(worker: Any, project: Any, priority: Any) -> Any:
        marks = {
            f"known_{n}": one_of(one.assignments, of=one.of, by=one.by) for n, one in enumerate(knowing.by(worker))
        }
        return _open_in(project).filter(priority=priority).annotate(**marks).values_list("pk", *marks)

    return FromPlace(make, most=WINDOW, **_AT_PRIORITY)


@cache
def _behind_windows(knowing: _Knowing) -> FromPlace[int]:
    """The id of the first open task of a priority that is not known."""

    def make(worker: Any, project: Any, priority: Any) -> Any:
        return knowing.not_known_to(worker, project=project).filter(priority=priority).values_list("pk", flat=True)

    return FromPlace(make, most=1, **_AT_PRIORITY)


def _unless_locked(tasks: TaskQuerySet) -> TaskQuerySet:
    """These tasks, locked until the commit, without those that another transaction has locked."""
    if connection.features.has_select_for_update:
        return tasks.select_for_update(skip_locked=True, of=("self",))
    return tasks


_STILL_OPEN = KeptQuery(
    lambda pk, project: _unless_locked(_open_in(project).filter(pk=pk)), pk=BigIntegerField(), project=BigIntegerField()
)


@dataclass(frozen=True)
class TaskQueue:
    """The tasks that one worker may be served next.

    "Met" is a task of which the worker holds or held a slot, under its own content or under that of a reference; a slot
    that was given back after the reference was answered or reported does not count.
    """

    enrolment: Enrolment
    project: Project

    @property
    def _theirs(self) -> AssignmentQuerySet:
        return Assignment.objects.filter(worker_id=self.enrolment.worker_id)

    def _knowing(self, *, returned_too: bool = True) -> _Knowing:
        references = self.project.serves_references
        return _Knowing(returned_too, references, references and has_parts(self.project))

    # Draws -----------------------------------------------------------------------------------------------------------

    def draw_unmet(self, chance: Chance, *, beside: list[int]) -> Task | None:
        """A random task that the worker has not met, of the highest priority that has one; locked.

        The worker stays at the priority of their last task until nothing unmet is left there. Then come those below,
        and at last those above that have opened again.

        Args:
            beside: Waiting tasks (see `waiting`) that are drawn like unmet ones.

        Raises:
            AllLocked
        """
        unmet = self._knowing()
        present = self.enrolment.cursor_priority
        if present is not None:
            found = self._window(unmet, present, chance) or self._highest(unmet, chance, below=present)
            if found:
                return self._draw(found + beside, chance, waiting=beside)
        found = self._highest(unmet, chance)
        return self._draw(found + beside, chance, waiting=beside)

    def draw_returned(self, chance: Chance) -> Task | None:
        """A random task that the worker gave back, of the highest priority that has one; locked.

        Raises:
            AllLocked
        """
        return self._draw(self._highest(self._knowing(returned_too=False), chance), chance)

    def draw_waiting(self, waiting: list[int], chance: Chance) -> Task | None:
        """One of the tasks of `waiting`; locked."""
        return self._draw(waiting, chance, waiting=waiting)

    def _highest(self, knowing: _Knowing, chance: Chance, *, below: int | None = None) -> list[int]:
        """Some tasks that are not known, of the highest priority that has one, or the highest below another."""
        tasks = knowing.not_known_to(self.enrolment.worker_id, project=self.project.pk)
        if below is not None:
            tasks = tasks.filter(priority__lt=below)
        priority = tasks.order_by("-priority", "shuffle").values_list("priority", flat=True).first()
        return [] if priority is None else self._window(knowing, priority, chance)

    def _window(self, knowing: _Knowing, priority: int, chance: Chance) -> list[int]:
        """Those tasks that are not known in a window of the open tasks of a priority, from a random place on; where
        there is none in it, the next one after it."""
        place = chance()
        of = {"worker": self.enrolment.worker_id, "project": self.project.pk, "priority": priority}
        window = _windows(knowing).rows(place, **of)
        found = [pk for pk, *marked in window if not any(marked)]
        if found or len(window) < WINDOW:
            return found
        return _behind_windows(knowing).rows(place, **of)

    def _draw(self, tasks: list[int], chance: Chance, *, waiting: list[int] | None = None) -> Task | None:
        """One of these tasks, each as likely as another; locked. Those in `waiting` need not be open."""
        left = list(tasks)
        while left:
            pk = left.pop(-1 - int(chance() * len(left)))
            if pk in (waiting or ()):
                task = _unless_locked(Task.objects.filter(pk=pk)).first()
            else:
                task = _STILL_OPEN.first(pk=pk, project=self.project.pk)
            if task:
                return task
        if tasks:
            raise AllLocked
        return None

    # The worker's slots ----------------------------------------------------------------------------------------------

    def bound_to(self, task: Task) -> Task | None:
        """The reference that this worker is shown in the place of a task which they gave back; None if it is shown
        itself. At most 2 queries."""
        held = self._theirs.filter(slot_of=task).exclude(task=task)
        last = held.select_related("task").order_by("-pk").first()
        if last is None or last.task.open:
            return last.task if last else None
        # It was retired meanwhile: the worker meets the task itself, for the first time.
        unbind(task.pk, worker=self.enrolment.worker_id)
        return None

    def waiting(self) -> dict[int, Task]:
        """The references that the worker answered or reported and whose slot is still taken, by the task of that slot.

        The slot is free for others after a delay. This worker may be served the task before that: the next step of a
        reference that has steps, else the task itself, when nothing else is left for them. At most 1 query.
        """
        if not self.project.serves_references:
            return {}
        held = self._theirs.filter(slot_free_at__isnull=False, slot_of__status=Task.Status.OPEN)
        rows = held.filter(slot_of__project_id=self.project.pk).select_related("task").order_by("slot_of")[:WINDOW]
        return {row.slot_of_id: row.task for row in rows if row.slot_of_id is not None}

    def free_slot(self, task: Task) -> bool:
        """Give back the slot of a waiting task, which is locked; False if none is free even so, because the task needs
        fewer workers now. 2 queries."""
        unbind(task.pk, worker=self.enrolment.worker_id)
        task.slots_left = slots_left(task)
        return task.slots_left > 0

    def last_met_of(self, whole: int) -> Assignment | None:
        """The worker's last hold of a slot of a step of this whole; None if there is none. 1 query."""
        steps = self._theirs.filter(slot_of__part_of=whole).select_related("task")
        return steps.order_by("-pk").first()
