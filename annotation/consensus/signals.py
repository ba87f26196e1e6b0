"""What follows when a task is settled, and when it is settled no more.

The followers are one list, `settings.TASK_FOLLOWERS`, called in its order inside the transaction that settles the task:
if one of them fails, nothing of it is kept. They are apps above this one that make tasks and act on the answers.
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

    A follower keeps the ids of the tasks that it made; anybody may post any payload.
    """

    def settled(self, task: Task, consensus: Consensus) -> None:
        """Act on the settled answer of a task; called again whenever the answer changes."""

    def unsettled(self, task: Task, *, at: datetime) -> None:
        """Take back what rests on the answer of a task: it has no settled answer any more.

        Called too where a task is asked in another way without one: closed as unjudgeable, withdrawn, open again. The
        database has the task as it is now.
        """


def followers() -> Iterator[Follower]:
    """The followers in their order."""
    return (cast(Follower, import_module(name)) for name in settings.TASK_FOLLOWERS)


def task_settled(task: Task, consensus: Consensus) -> None:
    """Have the tool and the followers act on the settled answer; `task` comes with its project."""
    tool = tool_named(task.project.tool)
    if isinstance(tool, Parts):
        tool.settled(task, consensus)
    for follower in followers():
        follower.settled(task, consensus)


def task_unsettled(task: Task, *, at: datetime) -> None:
    """Have the followers take back what rests on the answer; `task` comes with its project.

    The tool is not called: a whole that it assembled of several tasks is assembled anew with them (`Parts.assemble`).
    """
    for follower in followers():
        follower.unsettled(task, at=at)
