"""What the staff's pages of projects and references say and show of each tool; pages of any tool ask here."""

from collections.abc import Callable
from typing import NamedTuple

from django.http import HttpRequest

from annotation.models import Project, Task
from annotation.review.masks import masks_of
from annotation.review.side_by_side import side_by_side
from annotation.staff.scene_picture import picture_of
from annotation.tools import Json


class ToolPage(NamedTuple):
    """The words of one tool.

    Attributes:
        things: What its tasks are, in the plural, where references have no classes.
        asks: What is asked where no words of the task say it.
        all_about: Of a task: what the page holds where all about it is seen.
        payload: A task's payload as the API takes it, as an example in JSON.
        reference: A whole reference, as an example in JSON.
        right: How a right answer is written, and `correcting` what follows from another one.
        picture: What an island draws of a task, for a page that includes `staff/_scene.html`.
    """

    things: str
    asks: str
    all_about: str
    payload: str
    reference: str
    right: str = ""
    correcting: str = ""
    picture: Callable[[HttpRequest, Task], Json] | None = None


def page_of(project: Project) -> ToolPage:
    """What is said of the tool of a project."""
    return _PAGES.get(project.tool, _ANY)


def register(tool: str, page: ToolPage) -> None:
    """Say what a tool of an app above is; from an `AppConfig.ready`."""
    _PAGES[tool] = page


def picture(request: HttpRequest, task: Task) -> Json | None:
    """What an island draws of a task that comes with its project, consensus and truth; None where there is no picture.

    Costs: about 10 queries where there is one, whatever was answered.
    """
    draw = page_of(task.project).picture
    return draw(request, task) if draw else None


def _scene(request: HttpRequest, task: Task) -> Json:
    seen = side_by_side(task)
    return picture_of(request.user, seen, masks_of(seen))


_ANY = ToolPage(
    things="tasks",
    asks="",
    all_about="All about the task",
    payload="{}",
    reference='{"key": "ref-1", "payload": {}, "reference": {"answers": [{}]}}',
)
_PAGES = {
    "marker": ToolPage(
        things="videos",
        asks="When does it succeed, or fail?",
        all_about="All markers on the video",
        payload='{"episode": "my-episode"}',
        reference='{"key": "ref-1", "payload": {"episode": "my-episode"}, '
        '"reference": {"answers": [{"outcome": "success", "time_s": 12.4}], "tolerance_s": 1.0}}',
    ),
    "parse": ToolPage(
        things="commands",
        asks="What does it ask for?",
        all_about="Everything about the command",
        payload='{"text": "build a small red house here"}',
        reference='{"key": "ref-1", "payload": {"text": "go away"}, "reference": {"answers": [{"form": '
        '{"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "MOVE", "location": '
        '{"relative_direction": "AWAY", "reference_object": {"special_reference": {"fixed_value": "SPEAKER"}}}}]}}]}}',
        right='a form each, as {"form": {…}}; any of them will do.',
        correcting="Its steps are asked anew, and what was answered to the old ones counts no more.",
    ),
    "voxels": ToolPage(
        things="scenes",
        asks="What is there in this scene?",
        all_about="The scene with all that was marked in it",
        payload='{"phrase": "the red block", "scene": {"size": [8, 8, 8], "blocks": [[4, 0, 4, 60]], '
        '"agent": null, "player": null}}',
        reference='{"key": "ref-1", "payload": {"phrase": "the red block", "scene": {"size": [8, 8, 8], '
        '"blocks": [[4, 0, 4, 60]], "agent": null, "player": null}}, '
        '"reference": {"answers": [{"voxels": [[4, 0, 4]]}]}}',
        right='{"voxels": [[x, y, z], …]} or {"absent": true}; where objects are named, '
        '{"phrase": "…"} or {"nothing": true}.',
        correcting="Of several the one that fits an answer best is held against it.",
        picture=_scene,
    ),
}
