"""The words and pictures of each tool on the staff pages of projects and references: one table for all tools."""

from collections.abc import Callable
from typing import NamedTuple

from django.http import HttpRequest
from django.urls import reverse

from annotation.models import Project, Task
from annotation.review.masks import masks_of
from annotation.review.side_by_side import side_by_side
from annotation.tool_registry import Json
from annotation.tools.parse.guess_figures import Kind, kinds_of
from annotation.tools.voxels.tool import voxels
from web.staff.review.scene_picture import picture_of


class Link(NamedTuple):
    """A link to a page that only projects of one tool have."""

    text: str
    address: str


Links = Callable[[Project], list[Link]]


def _none(project: Project) -> list[Link]:
    return []


class ToolPage(NamedTuple):
    """The words of one tool.

    Attributes:
        things: The name of its tasks in the plural, used where references have no classes.
        asks: The question to the worker, used where the task itself holds no question.
        all_about: The text of the link to the page with everything about one task.
        payload: An example of a task's payload in JSON, as the API takes it.
        reference: An example of a whole reference in JSON.
        right: How a right answer is written in JSON.
        correcting: What changes when a reference's right answer is corrected.
        pages: The tool's own pages about a project.
        experiment_pages: Its pages that compare the arms of a project's experiment.
        disagreement_pages: Its pages that show which commands workers read differently.
        guesses: Compares answers that were given with a guess in view with those that were not.
        picture: Makes the data from which an island draws a task, for pages that include `staff/_parts/_scene.html`.
    """

    things: str
    asks: str
    all_about: str
    payload: str
    reference: str
    right: str = ""
    correcting: str = ""
    pages: Links = _none
    experiment_pages: Links = _none
    disagreement_pages: Links = _none
    guesses: Callable[[Project], list[Kind]] | None = None
    picture: Callable[[HttpRequest, Task], Json] | None = None


def page_of(project: Project) -> ToolPage:
    """The words of the project's tool."""
    return _PAGES.get(project.tool, _ANY)


def guess_kinds_of(project: Project) -> list[Kind]:
    """The figures of answers with a guess in view and without; empty where no worker is shown guesses."""
    compare = page_of(project).guesses
    return compare(project) if compare else []


def picture(request: HttpRequest, task: Task) -> Json | None:
    """The data from which an island draws the task; None where its tool has no picture.

    The task comes with its project, consensus and truth.

    Costs: about 10 queries for a tool with a picture, however many answers there are.
    """
    draw = page_of(task.project).picture
    return draw(request, task) if draw else None


def _scene(request: HttpRequest, task: Task) -> Json:
    seen = side_by_side(task)
    return picture_of(request.user, seen, masks_of(seen))


def _pages_of_commands(project: Project) -> list[Link]:
    return [
        Link("Commands: what each has come to, in words", reverse("staff-commands", args=[project.slug])),
        Link("Logical forms: what is in them, files, import", reverse("staff-forms", args=[project.slug])),
    ]


def _pages_of_masks(project: Project) -> list[Link]:
    text = "Masks: what each phrase has come to, files, import"
    return [Link(text, reverse("staff-masks", args=[project.slug]))] if voxels.marks_in(project) else []


def _pages_of_sessions(project: Project) -> list[Link]:
    return [Link("Sessions: who is live, replays", f"{reverse('staff-sessions')}?project={project.slug}")]


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
        pages=_pages_of_commands,
        disagreement_pages=lambda project: [Link("the logical forms", reverse("staff-forms", args=[project.slug]))],
        guesses=kinds_of,
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
        pages=_pages_of_masks,
        picture=_scene,
    ),
    "interaction": ToolPage(
        things="sessions",
        asks="What shall the assistant do?",
        all_about="The session",
        payload='{"agent": "builder"}',
        reference="A session has no right answer, so none can be a reference.",
        pages=_pages_of_sessions,
        experiment_pages=lambda project: [
            Link("compare them", f"{reverse('staff-efficiency')}?project={project.slug}")
        ],
    ),
}
