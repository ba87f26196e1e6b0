"""What a worker calls a task of each tool, from `task_nouns.json`, which the front end reads too."""

import json
from pathlib import Path
from typing import Any, NamedTuple

_NOUNS: dict[str, Any] = json.loads((Path(__file__).parent / "task_nouns.json").read_text())


class TaskNoun(NamedTuple):
    """A worker's word for one task, and for many."""

    one: str
    many: str

    def counted(self, count: int) -> str:
        """So many of them.

        >>> task_noun("marker").counted(1), task_noun("marker").counted(0)
        ('1 video', '0 videos')
        """
        return f"{count} {self.one if count == 1 else self.many}"


def task_noun(tool: str) -> TaskNoun:
    """The words of a tool; of one that has none, they are “task” and “tasks”.

    >>> task_noun("parse"), task_noun("another")
    (TaskNoun(one='command', many='commands'), TaskNoun(one='task', many='tasks'))
    """
    return TaskNoun(**_NOUNS.get(tool, {"one": "task", "many": "tasks"}))
