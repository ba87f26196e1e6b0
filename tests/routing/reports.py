"""Error reports, routes and what they made, for tests that do not ask how these came about."""

from datetime import timedelta
from itertools import count
from typing import Any

from annotation.models import KeptScene, Project, Task
from annotation.voxels.scene import read_scene
from annotation.voxels.store import keep
from routing.models import ErrorReport, Route, Sending, TreeVersion
from routing.versions import make_first, tree_named
from tests.annotation.tools.markers_of_voxels import scene
from tests.annotation.tools.parsers import post_commands
from tests.builders import NOON, make_agent, make_project, make_worker

_number = count(1)
PATH = [{"node": "done", "choice": 1}]
FORM = {"dialogue_type": "HUMAN_GIVE_COMMAND", "action_sequence": [{"action_type": "DIG"}]}


def kept_scene() -> KeptScene:
    """The scene of the voxel annotator's tests: a red tower and a blue block."""
    (digest,) = keep([read_scene(scene())], at=NOON)
    return KeptScene.objects.get(digest=digest)


def default_tree() -> TreeVersion:
    make_first(at=NOON)
    return tree_named("default")


def make_report(project: Project | None = None, *, text: str = "dig a hole", **changes: Any) -> ErrorReport:
    """A new report of a misunderstood command; later ones are marked later."""
    number = next(_number)
    at = NOON + timedelta(seconds=number)
    fields = {
        "command": f"command-{number}",
        "agent": make_agent("robot"),
        "outcome": "nlu_error",
        "status": "done",
        "form": FORM,
        "form_in_words": "It digs something.",
        "at": at,
        "state_at": at,
    }
    if "worker" not in changes:
        changes["worker"] = make_worker(f"worker-of-{number}")
    return ErrorReport.objects.create(project=project or make_project(), text=text, **{**fields, **changes})


def make_route(to: Project, slug: str = "", **changes: Any) -> Route:
    fields = {"outcome": "*", "created_at": NOON}
    return Route.objects.create(slug=slug or f"route-{next(_number)}", project=to, **{**fields, **changes})


def make_repair(to: Project, text: str = "dig a hole") -> Task:
    """A task of the parse annotator."""
    (task,) = post_commands(to, {f"repair-{next(_number)}": text})
    return task


def make_sending(report: ErrorReport, to: Project, **changes: Any) -> Sending:
    """What became of the command of a report; a task unless it says why not."""
    fields: dict[str, Any] = {"report": report, "command": report.command, "project": report.project, "at": NOON}
    if not changes.get("why_not") and "task" not in changes:
        changes["task"] = make_repair(to, report.text)
    return Sending.objects.create(to=to, **{**fields, **changes})
