"""Projects: progress, workers and tasks; the buttons to start, pause and close, and links for workers."""

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from django.contrib import messages
from django.db.models import Count, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Annotation, GateAction, Project, Task
from annotation.pay import hourly_rate
from annotation.projects.projects import set_status
from annotation.quality import accuracy
from annotation.references.reference_health import has_classes as has_classes_in
from annotation.references.reference_health import right_answers_of
from annotation.tool_registry import OwnTasks, Tool, tool_named
from annotation.work.enrolments import enrol, make_link
from evaluation.project_feeds import feed_of
from lib.faults import Conflict, Invalid
from lib.name_patterns import EXTERNAL_ID
from lib.statistics.accuracy import BalancedAccuracy
from web.staff.decorators import chosen, paged, staff_actor, staff_only
from web.staff.figure_files import file_asked
from web.staff.projects import tool_texts
from web.staff.projects.figures import figures_of_project
from workforce.blocking import DIRECT, worker_on
from workforce.models import Worker

MOST_WORKERS = 20
"""The number of workers on a project's page. The list of workers shows all."""


class Counts(NamedTuple):
    """The tasks of a project by status. References are counted only as references."""

    tasks: int = 0
    open: int = 0
    done: int = 0
    unjudgeable: int = 0
    references: int = 0
    wanted: int = 0

    @property
    def closed(self) -> int:
        return self.done + self.unjudgeable


class Standing(NamedTuple):
    """A project with its counts, its answers in the last hour, and the hours until it is done at that pace."""

    project: Project
    counts: Counts
    last_hour: int
    hours_left: float | None


def standings(projects: Iterable[Project], *, at: datetime) -> list[Standing]:
    """The projects with their progress. 3 queries."""
    known = list(projects)
    counts, answers = _counts(known), _answers_since(known, at - timedelta(hours=1))
    return [
        Standing(
            project=project,
            counts=(mine := counts.get(project.pk, Counts())),
            last_hour=(pace := answers.get(project.pk, 0)),
            hours_left=mine.wanted / pace if pace and mine.open else None,
        )
        for project in known
    ]


def _counts(projects: list[Project]) -> dict[int, Counts]:
    """Posted tasks by status, and the free slots of open tasks. 2 queries.

    The counts are exact, so the cost grows with the number of tasks. Only columns of one index are read, which takes a
    tenth of the time for 200,000 tasks. Rows are read only for open tasks, for their slots.
    """
    found: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    tasks = Task.objects.filter(project__in=projects).order_by()
    by_status = tasks.posted().values_list("project_id", "is_reference", "status").annotate(n=Count("*"))
    for project, is_reference, status, n in by_status:
        mine = found[project]
        if is_reference:
            mine["references"] += n
        elif status != Task.Status.WITHDRAWN:
            mine["tasks"] += n
            mine[status] += n
    # `IN`, because SQLite uses no index for a boolean column alone.
    unfinished = tasks.filter(is_reference__in=[False], status=Task.Status.OPEN, is_whole=False)
    for project, slots in unfinished.values_list("project_id").annotate(n=Sum("slots_left")):
        found[project]["wanted"] = slots
    for one in projects:
        tool = tool_named(one.tool)
        if isinstance(tool, OwnTasks) and (unmade := tool.wanted(one) - found[one.pk]["tasks"]) > 0:
            # It makes them when workers come.
            for name in ("tasks", "open", "wanted"):
                found[one.pk][name] += unmade
    return {project: Counts(**mine) for project, mine in found.items()}


def _answers_since(projects: list[Project], since: datetime) -> dict[int, int]:
    rows = (
        Annotation.objects.current()
        .on_tasks()
        .filter(project__in=projects, submitted_at__gte=since)
        .values_list("project_id")
        .annotate(n=Count("pk"))
    )
    return dict(rows)


@staff_only
@require_safe
def project(request: HttpRequest, slug: str) -> HttpResponse:
    return _project_page(request, roles.project_for(request.user, slug))


@staff_only
@require_safe
def project_quality(request: HttpRequest, slug: str) -> HttpResponse:
    """The plots of a project, each also as CSV and SVG."""
    found, now = roles.project_for(request.user, slug), timezone.now()
    every = figures_of_project(
        found,
        named=partial(roles.name_of, request.user),
        wanted=standings([found], at=now)[0].counts.wanted,
        at=now,
    )
    if (file := file_asked(request, every)) is not None:
        return file
    ctx = {
        "section": "projects",
        "project": found,
        "disagreement_pages": tool_texts.page_of(found).disagreement_pages(found),
        "figures": [(name, make()) for name, make in every.items()],
    }
    return render(request, "staff/projects/project_quality.html", ctx)


def _project_page(
    request: HttpRequest, found: Project, *, asked: str = "", error: str = "", status: int = 200
) -> HttpResponse:
    task_status = chosen(request, "status", Task.Status.values)
    kind = chosen(request, "kind", ["ordinary", "reference"])
    search = request.GET.get("q", "").strip()
    page = paged(request, _tasks(found, status=task_status, kind=kind, search=search))
    answers = answers_on(page)
    enrolments = found.enrolments.select_related("worker").order_by("-submitted", "pk")
    shown = list(enrolments[:MOST_WORKERS])
    accuracies = accuracies_of([enrolment.worker for enrolment in shown], project=found)
    has_classes = has_classes_in(found)
    pauses = dict(GateAction.objects.pauses().current().filter(enrolment__in=shown).values_list("enrolment", "pk"))
    tool = tool_named(found.tool)
    rights = {} if has_classes else right_answers_of([enrolment.worker for enrolment in shown], [found])
    ctx = {
        "section": "projects",
        "project": found,
        "may_change": roles.may_in(request.user, found, Role.ADMIN),
        "may_review": roles.may_in(request.user, found, Role.REVIEWER),
        "standing": standings([found], at=timezone.now())[0],
        "hourly": hourly_rate.hourly_rate_of(found),
        "feed": feed_of(found),
        "workers": [
            (one, accuracies.get(one.worker_id), rights.get(one.worker_id), pauses.get(one.pk)) for one in shown
        ],
        "has_classes": has_classes,
        "worker_count": enrolments.count(),
        "page": page,
        "tasks": [(task, answers.get(task.pk, 0)) for task in page],
        "fit_for_truth": _fit_for_truth(tool, page),
        "tool": tool_texts.page_of(found),
        "tool_pages": tool_texts.page_of(found).pages(found),
        "guess_kinds": tool_texts.guess_kinds_of(found),
        "experiment_pages": tool_texts.page_of(found).experiment_pages(found),
        "status": task_status,
        "statuses": Task.Status.choices,
        "kind": kind,
        "q": search,
        "asked": asked,
        "error": error,
    }
    return render(request, "staff/projects/project.html", ctx, status=status)


def _fit_for_truth(tool: Tool, tasks: Iterable[Task]) -> set[int]:
    """Those of the tasks whose consensus may become a truth: it is no tie, and complete.

    The tasks come with their consensus.
    """
    come_to = {task.pk: getattr(task, "consensus", None) for task in tasks}
    return {pk for pk, found in come_to.items() if found is not None and tool.truth_of(found.answer) is not None}


def _tasks(project: Project, *, status: str, kind: str, search: str) -> QuerySet[Task]:
    rows = project.tasks.posted().select_related("consensus").order_by("pk")
    if status:
        rows = rows.filter(status=status)
    if kind:
        rows = rows.filter(is_reference=kind == "reference")
    if search:
        rows = rows.filter(key__contains=search)
    return rows


def answers_on(tasks: Iterable[Task]) -> dict[int, int]:
    """The number of counting answers on each task, by task id. 1 query."""
    rows = Annotation.objects.current().filter(task__in=list(tasks)).values_list("task_id").annotate(n=Count("pk"))
    return dict(rows)


def accuracies_of(
    workers: Iterable[Worker], *, project: Project | None = None, among: QuerySet[Project] | None = None
) -> dict[int, BalancedAccuracy]:
    """The balanced accuracy of each worker with answers on references, by worker id, over these projects. 1 query."""
    found = accuracy.confusions(workers, project=project, among=among)
    return {worker: confusion.accuracy for worker, confusion in found.items()}


@staff_only
@require_POST
def change_status(request: HttpRequest, slug: str) -> HttpResponse:
    """Start, pause, resume or close."""
    found = roles.project_for(request.user, slug, Role.ADMIN)
    wanted = request.POST.get("status", "")
    if wanted not in {Project.Status.LIVE, Project.Status.PAUSED, Project.Status.CLOSED}:
        raise Invalid("A project can be made live, paused or closed.")
    if found.status == Project.Status.CLOSED:
        # Episodes that became ready in the meantime were not offered to the project; a PUT through the API offers them.
        raise Conflict("This project is closed. Put it again through the API to open it.")
    set_status(project=found, status=Project.Status(wanted), by=staff_actor(request), at=timezone.now())
    messages.success(request, f"{found.title} is {wanted} now.")
    return redirect("staff-project", slug)


@staff_only
@require_POST
def make_worker_link(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a link for one worker. It is shown on this page once."""
    found = roles.project_for(request.user, slug, Role.ADMIN)
    name = request.POST.get("worker", "").strip()
    if not re.fullmatch(EXTERNAL_ID, name):
        error = "Use letters, digits, . _ : and - only; 128 at most."
        return _project_page(request, found, asked=name, error=error, status=422)
    now = timezone.now()
    worker = worker_on(DIRECT, name, at=now)
    link = make_link(enrolment=enrol(project=found, worker=worker, at=now), by=staff_actor(request), at=now)
    ctx = {"section": "projects", "project": found, "worker": worker, "link": link}
    return render(request, "staff/projects/project_link.html", ctx)
