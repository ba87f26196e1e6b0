"""The calls that follow when tasks get a settled answer, and when they lose it.

The followers are one list, `settings.TASK_FOLLOWERS`, called in its order inside the transaction that settles the
tasks: if one of them fails, the whole transaction is undone. They are apps above this one that make tasks and act on
the answers.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from importlib import import_module
from typing import NamedTuple, Protocol, cast

from django.conf import settings

from annotation.consensus.announcements import announce
from annotation.models import Consensus, Task
from annotation.tool_registry import Parts, tool_named


class Changed(NamedTuple):
    """A task, which comes with its project, and its settled answer; None: it has no settled answer any more."""

    task: Task
    consensus: Consensus | None


class Follower(Protocol):
    """A module that is named in `settings.TASK_FOLLOWERS`.

    A follower keeps the ids of the tasks that it made, because any pipeline may post any payload.
    """

    def tasks_changed(self, changes: Sequence[Changed], *, at: datetime) -> None:
        """Act on the settled answers of these tasks of one project, in their order; called again whenever one changes.

        Where a task has no settled answer any more, undo everything that rests on its answer. So it is too for a task
        that is closed as unjudgeable, withdrawn or opened again, even if it had no answer. The database holds the new
        states of the tasks.
        """


def followers() -> Iterator[Follower]:
    """The followers in their order."""
    return (cast(Follower, import_module(name)) for name in settings.TASK_FOLLOWERS)


def task_settled(task: Task, consensus: Consensus) -> None:
    """Let the tool and the followers act on the settled answer; `task` comes with its project."""
    tasks_changed([Changed(task, consensus)], at=consensus.updated_at)


def task_unsettled(task: Task, *, at: datetime) -> None:
    """Let the followers undo everything that rests on the answer; `task` comes with its project."""
    tasks_changed([Changed(task, None)], at=at)


def tasks_changed(changes: Sequence[Changed], *, at: datetime) -> None:
    """Let the tool and the followers act on the changes of tasks of one project.

    The tool is called for settled answers only: where one is gone, it assembles the wholes of these tasks again by
    `Parts.assemble`.
    """
    for task, consensus in changes:
        tool = tool_named(task.project.tool)
        if consensus is not None and isinstance(tool, Parts):
            tool.settled(task, consensus)
    if changes:
        announce(changes, at=at)
        for follower in followers():
            follower.tasks_changed(changes, at=at)
