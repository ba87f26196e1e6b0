"""Episodes: the recording, all answers on one timeline, and closing tasks that nobody can judge."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Account, Role
from annotation.models import Annotation, Assignment, Consensus, Project, Task
from annotation.review import adjudication
from annotation.tools.marker.tool import TOLERANCE_S
from annotation.tools.parse.tool import parse
from evaluation.episodes import episode_named
from evaluation.models import Episode, EpisodeTask, Film
from evaluation.picture_notes import words_of
from evaluation.video_addresses import video_address
from lib.faults import NotFound
from lib.plots.timeline import Mark, Timeline, timeline
from web.staff.addresses import command_page, task_page
from web.staff.decorators import paged, staff_only
from web.staff.projects.projects import answers_on

MOST_REPORTS = 50


class Judged(NamedTuple):
    """A task that shows the episode, with the number of counting answers and its consensus, even a provisional one."""

    task: Task
    answers: int
    consensus: Consensus | None


def consensus_on(episodes: Iterable[Episode], among: QuerySet[Project]) -> dict[int, Consensus]:
    """The settled consensus on each episode, by its id, from the oldest of these projects that has one. 4 queries."""
    # Not one join: SQLite would begin with all tasks of the projects.
    links = dict(EpisodeTask.objects.filter(episode__in=list(episodes)).values_list("task_id", "episode_id"))
    begun = dict(among.order_by().values_list("pk", "created_at"))
    settled = Consensus.objects.settled().filter(task__in=links).values_list("project_id", "task_id")
    newest_first = sorted(((begun[project], task) for project, task in settled if project in begun), reverse=True)
    oldest = {links[task]: task for _, task in newest_first}
    found = Consensus.objects.in_bulk(oldest.values())
    return {episode: found[task] for episode, task in oldest.items()}


@staff_only
@require_safe
def episode(request: HttpRequest, external_id: str) -> HttpResponse:
    """One episode. Every role sees the recording; tasks, answers and reports are those of the account's projects."""
    found = episode_named(external_id)
    film: Film | None = getattr(found, "film", None)
    tasks = list(tasks_showing(found, roles.projects_for(request.user)))
    answers = Annotation.objects.filter(task__in=tasks).select_related("worker", "project").order_by("pk")
    page = paged(request, answers)
    reports = Assignment.objects.filter(task__in=tasks, status=Assignment.Status.REPORTED)
    counts = answers_on(tasks)
    hold = f"episode:{found.external_id}"
    ctx = {
        "section": "episodes",
        "episode": found,
        "film": film,
        "picture_notes": words_of(film),
        "video_url": video_address(hold, "video.mp4") if film else "",
        "poster_url": video_address(hold, "poster.jpg") if film else "",
        "timeline": _timeline(request.user, found, film, tasks, page) if film else None,
        "judged": [Judged(task, counts.get(task.pk, 0), getattr(task, "consensus", None)) for task in tasks],
        "page": page,
        "may_close": roles.may_everywhere(request.user, Role.ADMIN),
        "reports": reports.select_related("worker", "task__project").order_by("-pk")[:MOST_REPORTS],
    }
    return render(request, "staff/evaluation/episode.html", ctx)


def tasks_showing(episode: Episode, among: QuerySet[Project]) -> QuerySet[Task]:
    """The tasks of these projects that show the episode; the project that ranks it comes first."""
    return (
        Task.objects.filter(shown__episode=episode, project__in=among)
        .select_related("project", "consensus", "truth")
        .order_by("project__created_at", "pk")
    )


def _timeline(
    user: Account, episode: Episode, film: Film, tasks: list[Task], answers: Iterable[Annotation]
) -> Timeline:
    return timeline(
        duration_s=film.duration_s,
        takeover_s=episode.takeover_s,
        deadline_s=episode.deadline_s,
        marks=marks_on(user, episode, tasks, answers),
    )


def marks_on(user: Account, episode: Episode, tasks: list[Task], answers: Iterable[Annotation]) -> list[Mark]:
    """The truth, the consensus and the standing answers on the tasks of an episode, in this order."""
    marks = [mark for task in tasks for mark in (*_truths(task), *_agreed(task))]
    if not any(mark.kind == "truth" for mark in marks) and episode.reference:
        # A reference that no project has taken over yet.
        marks.insert(0, _truth(episode.reference, episode.reference.get("tolerance_s")))
    return marks + [_mark(user, answer) for answer in answers if answer.superseded_by_id is None]


def _truths(task: Task) -> list[Mark]:
    truth = getattr(task, "truth", None)
    return [_truth(answer, truth.tolerance_s) for answer in truth.answers] if truth else []


def _truth(answer: dict[str, Any], tolerance_s: float | None) -> Mark:
    tolerance = TOLERANCE_S if tolerance_s is None else tolerance_s
    return Mark("truth", "Truth", answer["outcome"], answer.get("time_s"), tolerance)


def _agreed(task: Task) -> list[Mark]:
    consensus = getattr(task, "consensus", None)
    if consensus is None or consensus.settled_at is None:
        return []
    answer = consensus.answer
    return [Mark("consensus", "Consensus", answer.get("outcome"), answer.get("time_s"), note=task.project.title)]


def _mark(user: Account, annotation: Annotation) -> Mark:
    return Mark(
        "answer",
        roles.name_of(user, annotation.worker),
        annotation.answer.get("outcome"),
        annotation.answer.get("time_s"),
        href=reverse("staff-worker", args=[annotation.worker_id]),
    )


@staff_only
@require_safe
def task(request: HttpRequest, pk: int) -> HttpResponse:
    """Redirect to the page of a task: its command, or its episode, or its review page."""
    visible = Task.objects.filter(project__in=roles.projects_for(request.user)).select_related("project")
    found = visible.filter(pk=pk).first()
    if found is None:
        raise NotFound
    if parse.is_tool_of(found.project):
        return redirect(command_page(found))
    shown = EpisodeTask.objects.filter(task=found).values_list("episode__external_id", flat=True).first()
    return redirect(task_page(pk)) if shown is None else redirect("staff-episode", shown)


def _episode_shown(user: Account, task: int) -> str:
    """The external id of the task's episode; None if it has none. 404 if the account may not see the task. 1 query."""
    theirs = EpisodeTask.objects.filter(task__project__in=roles.projects_for(user))
    shown = theirs.filter(task_id=task).values_list("episode__external_id", flat=True).first()
    if shown is None:
        raise NotFound
    return shown


@staff_only
@require_POST
def close_task(request: HttpRequest, pk: int) -> HttpResponse:
    """Close a task that nobody can judge: it leaves the ranking and is counted separately."""
    shown = _episode_shown(request.user, pk)
    roles.check_everywhere(request.user, Role.ADMIN)
    reason = request.POST.get("reason", "").strip() or "Closed on the page of its episode."
    adjudication.close(task=_task(pk), reason=reason, by=_user(request), at=timezone.now())
    messages.success(request, "Closed as not judgeable: it is counted apart in rankings, and no worker gets it again.")
    return redirect("staff-episode", shown)


@staff_only
@require_POST
def reopen_task(request: HttpRequest, pk: int) -> HttpResponse:
    shown = _episode_shown(request.user, pk)
    roles.check_everywhere(request.user, Role.ADMIN)
    adjudication.reopen(task=_task(pk), by=_user(request), at=timezone.now())
    messages.success(request, "Opened again: the answers that there are count as before.")
    return redirect("staff-episode", shown)


def _task(pk: int) -> Task:
    return Task.objects.select_related("project").get(pk=pk)


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - staff_only has seen to it
    return request.user
