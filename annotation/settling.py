"""Who is told when a task is settled, and when it is settled no more: apps above, that made a task and act on what it
came to."""

from collections.abc import Callable
from datetime import datetime

from annotation.models import Consensus, Task
from annotation.tools import tool_named

Listener = Callable[[Task, Consensus], None]
UnsettledListener = Callable[[Task, datetime], None]
_listeners: list[Listener] = []
_unsettled_listeners: list[UnsettledListener] = []


def on_settled(listener: Listener) -> Listener:
    """Have `listener` called with every task that is settled, in that transaction, again when its answer changes.

    For `AppConfig.ready`. Whoever made a task keeps its id; what stands in its payload anybody may post.
    """
    _listeners.append(listener)
    return listener


def on_unsettled(listener: UnsettledListener) -> UnsettledListener:
    """Have `listener` called with every task that has no settled answer any more, or that is asked otherwise without
    one: closed as unjudgeable, withdrawn, open again. In that transaction; the database has the task as it is now.

    For `AppConfig.ready`.
    """
    _unsettled_listeners.append(listener)
    return listener


def tell(task: Task, consensus: Consensus) -> None:
    """Let the tool, and whoever listens, act on what the task came to; `task` comes with its project."""
    tool_named(task.project.tool).settled(task, consensus)
    for listener in _listeners:
        listener(task, consensus)


def tell_unsettled(task: Task, *, at: datetime) -> None:
    """Let whoever listens take back what they did; `task` comes with its project.

    Its tool is not told: what it makes of several tasks together is put together anew with them (`Tool.assemble`).
    """
    for listener in _unsettled_listeners:
        listener(task, at)
