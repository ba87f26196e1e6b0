"""Judged commands as routing sees them. The apps above have them, and say here how one is asked for.

A command is named by its project and its name there; routing keeps no id of theirs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from agents.models import Agent
from annotation.models import Project
from annotation.voxels.scene import Scene
from routing.models import TreeVersion
from routing.trees.engine import FoundObject, Turn
from workforce.models import Worker


@dataclass(frozen=True)
class Case:
    """One judged command, with all that its repair needs.

    Attributes:
        fault: Why it is no valid command (`routing.wording.fault_of`), "" where it is one.
        scene: Makes the world as it was when the command was given, with both poses; None: there was none.
        truth: The true form, where it is known already.
        dropped: Why its data counts nowhere, as a sentence; "" where it counts.
        versions: Of agent and models, by name.
    """

    project: Project
    command: str
    text: str
    plain_text: str
    fault: str
    outcome: str
    at: datetime
    path: Sequence[Turn] = ()
    feedback: str = ""
    status: str = ""
    why_failed: str = ""
    form: Any = None
    form_in_words: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    objects_found: Sequence[FoundObject] = ()
    tree: TreeVersion | None = None
    worker: Worker | None = None
    agent: Agent | None = None
    truth: Any = None
    dropped: str = ""
    scene: Callable[[], Scene] | None = None


Find = Callable[[int, str], Case | None]
Learn = Callable[[int, str, Any, datetime], None]
Hold = Callable[[int, str], None]
_find: list[Find] = []
_learn: list[Learn] = []
_hold: list[Hold] = []


def comes_from(find: Find, learn: Learn, hold: Hold) -> None:
    """Say where commands are, from an `AppConfig.ready`.

    Args:
        find: The judged command of a project (its primary key) and a name; None where there is none.
        learn: Called with project, name, the true form and the time, whenever it is known or changes; in that
            transaction.
        hold: Called with project and name before something is read that decides on the command: locks it until the
            commit, so that of two who decide at once the later one sees what the first has done.
    """
    _find.append(find)
    _learn.append(learn)
    _hold.append(hold)


def case_of(project: int, command: str) -> Case | None:
    """The judged command of this name."""
    return next((case for find in _find if (case := find(project, command)) is not None), None)


def hold(project: int, command: str) -> None:
    """Lock the command until the commit, wherever it is."""
    for one in _hold:
        one(project, command)


def learned(project: int, command: str, form: Any, at: datetime) -> None:
    """Tell whoever has the command what its true form is."""
    for learn in _learn:
        learn(project, command, form, at)
