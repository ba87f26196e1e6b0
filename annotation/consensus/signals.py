"""The calls that follow when a task gets a settled answer, and when it loses it.

The followers are one list, `settings.TASK_FOLLOWERS`, called in its order inside the transaction that settles the task:
if one of them fails, the whole transaction is undone. They are apps above this one that make tasks and act on the
answers.
"""

from collections.abc import Iterator
from datetime import datetime
from importlib import import_module
from typing import Protocol, cast

from django.conf import settings

from annotation.models import Consensus, Task
from annotation.tool_registry import Parts, tool_named


class Follower(Protocol):
    """A module that is named in `settings.TASK_FOLLOWERS`. The tasks come with their projects.

    A follower keeps the ids of the tasks that it made, because any pipeline may post any payload.
    """

    def settled(self, task: Task, consensus: Consensus) -> None:
        """Act on the settled answer of a task; called again whenever the answer changes."""

    def unsettled(self, task: Task, *, at: datetime) -> None:
        """Undo everything that rests on the answer of a task, which has no settled answer any more.

        Also called for a task without one that is closed as unjudgeable, withdrawn or opened again. The database holds
        the task's new state.
        """


def followers() -> Iterator[Follower]:
    """The followers in their order."""
    return (cast(Follower, import_module(name)) for name in settings.TASK_FOLLOWERS)


def task_settled(task: Task, consensus: Consensus) -> None:
    """Let the tool and the followers act on the settled answer; `task` comes with its project."""
    tool = tool_named(task.project.tool)
    if isinstance(tool, Parts):
        tool.settled(task, consensus)
    for follower in followers():
        follower.settled(task, consensus)


def task_unsettled(task: Task, *, at: datetime) -> None:
    """Let the followers undo everything that rests on the answer; `task` comes with its project.

    The tool is not called: it assembles the wholes of these tasks again by `Parts.assemble`.
    """
    for follower in followers():
        follower.unsettled(task, at=at)
