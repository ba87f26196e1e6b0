"""The last step: what is missing before a draft goes live, and the button that makes it live."""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.access.roles import Role, project_for
from annotation.models import Project, Task
from annotation.pay.budget import room
from annotation.projects.projects import set_status
from annotation.tool_registry import OwnTasks, tool_named
from annotation.tools.marker.tool import Marker
from evaluation.models import Episode, Feed
from lib.faults import Conflict, Invalid
from lib.number_words import number_of
from web.staff.decorators import staff_actor, staff_only
from web.staff.setup.api_call import put_call
from web.staff.setup.expected_pay import Expected, expected_of
from web.staff.setup.project_body import body_of
from web.staff.setup.steps import address_of, steps_of


class State(StrEnum):
    """The effect of a point of the list on going live."""

    DONE = "done"
    MISSING = "missing"
    ADVICE = "advice"


class Point(NamedTuple):
    """One point of the list, with the page on which it is mended."""

    state: State
    text: str
    address: str
    link: str = "Change"


def points_of(project: Project) -> list[Point]:
    """The points of a project, in the order of the steps. About 12 queries."""
    expected = expected_of(project)
    return [
        *_material(project),
        *_words(project),
        *_quality(project),
        *_money(project, expected),
    ]


def _material(project: Project) -> Iterator[Point]:
    page = address_of(project, "material")
    counts = project.tasks.posted().ordinary()
    tasks = counts.filter(status=Task.Status.OPEN).count()
    feed = Feed.objects.select_related("suite").filter(project=project).first()
    preparing = failed = 0
    if feed is not None:
        episodes = Episode.objects.filter(scenario__suite=feed.suite_id)
        preparing = episodes.filter(status=Episode.Status.PREPARING).count()
        failed = episodes.filter(status=Episode.Status.FAILED).count()
    if isinstance(tool_named(project.tool), OwnTasks):
        try:
            tool_named(project.tool).check_settings(project.settings, project, is_live=True)
            yield Point(State.DONE, f"{project.settings.get('sessions', 0)} sessions are wanted.", page)
        except Invalid as error:
            missing = " ".join(f"{fault.pointer.split('/')[-1]}: {fault.detail}" for fault in error.faults)
            yield Point(State.MISSING, f"The sessions are not set up. {missing}", page, "Set them up")
    elif tasks:
        yield Point(State.DONE, f"{tasks} task{'s are' if tasks > 1 else ' is'} there.", page, "Add more")
    elif preparing:
        yield Point(State.ADVICE, f"{preparing} videos are being prepared; tasks follow by themselves.", page, "Look")
    else:
        yield Point(State.MISSING, "There is nothing to judge yet.", page, "Add material")
    if failed:
        many = f"{failed} videos" if failed > 1 else "1 video"
        yield Point(State.ADVICE, f"{many} could not be prepared. See why, and upload them again.", page, "See why")


def _words(project: Project) -> Iterator[Point]:
    page = address_of(project, "words")
    if any(text.strip() for text in project.instructions):
        count = len(project.instructions)
        yield Point(State.DONE, f"Workers read {number_of(count, 'page')} of instructions.", page)
    else:
        yield Point(State.MISSING, "There are no instructions.", page, "Write them")
    settings_page = reverse("staff-project-settings", args=[project.slug])
    if project.consent_page is None:
        text = "Workers agree to no information page. Many ethics boards ask for one."
        yield Point(State.ADVICE, text, settings_page, "Write one")
    else:
        yield Point(State.DONE, "Workers agree to an information page first.", settings_page)


def _quality(project: Project) -> Iterator[Point]:
    page = address_of(project, "quality")
    if project.qualification is None:
        yield Point(State.ADVICE, "Anybody with a link may begin: there is no quiz.", page, "Choose one")
    else:
        yield Point(State.DONE, f"Workers pass the quiz “{project.qualification.title}” first.", page)
    references = project.tasks.references().posted().count()
    is_of_videos = isinstance(tool_named(project.tool), Marker) and project.status == Project.Status.DRAFT
    here = address_of(project, "material") if is_of_videos else reverse("staff-references", args=[project.slug])
    if references:
        yield Point(State.DONE, f"{references} references measure the workers.", here, "See them")
    elif project.serves_references or project.gates:
        text = (
            "There are no references yet, so nobody's accuracy is known and no gate can act. Bring some tasks whose "
            "answer you know, or make references of settled tasks later."
        )
        yield Point(State.ADVICE, text, here, "Add references")
    many = f"{project.redundancy} people judge" if project.redundancy > 1 else "One person judges"
    yield Point(State.DONE, f"{many} each task.", page)


def _money(project: Project, expected: Expected) -> Iterator[Point]:
    page = address_of(project, "money")
    if expected.hourly is None:
        yield Point(State.ADVICE, "Nobody is paid.", page, "Set the pay")
        return
    hour = f"An hour earns about {expected.hourly} {expected.currency}"
    if expected.is_low:
        yield Point(State.ADVICE, f"{hour}, less than the floor of {expected.floor}.", page, "Pay more")
    else:
        yield Point(State.DONE, f"{hour}; the floor is {expected.floor}.", page)
    left = room(project)
    if left is None:
        text = f"There is no budget. All tasks cost about {expected.total} {expected.currency}."
        yield Point(State.ADVICE, text, page, "Set one")
    elif expected.total is not None and left < expected.total:
        text = f"The budget has room for {left} {expected.currency}; all tasks cost about {expected.total}."
        yield Point(State.ADVICE, text, page, "Raise it")
    else:
        yield Point(State.DONE, f"The budget is enough: {left} {expected.currency} are left.", page)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def checklist(request: HttpRequest, slug: str) -> HttpResponse:
    """The points; a posted form makes the project live."""
    project = project_for(request.user, slug, Role.ADMIN)
    points, error, status = points_of(project), "", 200
    if request.method == "POST":
        missing = [point for point in points if point.state == State.MISSING]
        try:
            if project.status != Project.Status.DRAFT:
                raise Conflict(f"This project is {project.status} already. Its page has the buttons.")
            if missing:
                raise Invalid(missing[0].text)
            set_status(project=project, status=Project.Status.LIVE, by=staff_actor(request), at=timezone.now())
            messages.success(request, f"✓ {project.title} is live. Make a link for each worker below.")
            return redirect("staff-project", slug)
        except (Invalid, Conflict) as refusal:
            status = refusal.status
            error = refusal.reasons
    ctx = {
        "section": "projects",
        "project": project,
        "steps": steps_of(project, "check"),
        "points": points,
        "is_missing": any(point.state == State.MISSING for point in points),
        "error": error,
        "call": put_call(request, f"projects/{slug}/", {**body_of(project), "status": "live"}),
    }
    return render(request, "staff/setup/checklist.html", ctx, status=status)
