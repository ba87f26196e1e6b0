"""Who is told when a task is settled: apps above, that made a task and act on what it came to."""

from collections.abc import Callable

from annotation.models import Consensus, Task
from annotation.tools import tool_named

Listener = Callable[[Task, Consensus], None]
_listeners: list[Listener] = []


def on_settled(listener: Listener) -> Listener:
    """Have `listener` called with every task that is settled, in that transaction, again when its answer changes.

    For `AppConfig.ready`. Whoever made a task keeps its id; what stands in its payload anybody may post.
    """
    _listeners.append(listener)
    return listener


def tell(task: Task, consensus: Consensus) -> None:
    """Let the tool, and whoever listens, act on what the task came to; `task` comes with its project."""
    tool_named(task.project.tool).settled(task, consensus)
    for listener in _listeners:
        listener(task, consensus)
