"""The overview: what runs, what is stuck, what needs me."""

from collections.abc import Iterable
from datetime import timedelta

from django.db.models import Count, Exists, Max, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.models import Assignment, Consensus, Project, Task
from annotation.staff.projects import standings
from common.staff import staff_only
from evaluation.models import Episode
from evaluation.staff.background import with_episodes
from jobs.models import Job

MOST = 10
"""Rows of each kind: the overview is one screen; every heading leads to the whole list."""
OVERDUE = timedelta(minutes=1)


@staff_only
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    live = Project.objects.filter(status=Project.Status.LIVE).order_by("-created_at", "-pk")
    failed_episodes = Episode.objects.filter(status=Episode.Status.FAILED)
    failed_jobs, overdue_jobs = failed_for_good(), Job.objects.due(at=now - OVERDUE)
    ties, reported = tied(), reported_tasks()
    ctx = {
        "section": "overview",
        "standings": standings(live[:MOST], at=now),
        "live_count": live.count(),
        "failed_episodes": failed_episodes.select_related("agent").order_by("-pk")[:MOST],
        "failed_episode_count": failed_episodes.count(),
        "failed_jobs": with_episodes(failed_jobs.order_by("-pk")[:MOST]),
        "failed_job_count": failed_jobs.count(),
        "overdue_jobs": with_episodes(overdue_jobs.order_by("due_at")[:MOST]),
        "overdue_job_count": overdue_jobs.count(),
        "ties": ties.select_related("task__project").order_by("settled_at")[:MOST],
        "tie_count": ties.count(),
        "reported": _with_last_report(reported[:MOST]),
        "reported_count": reported.count(),
    }
    return render(request, "staff/overview.html", ctx)


def failed_for_good() -> QuerySet[Job]:
    """Failed jobs whose work no later job has taken up."""
    later = Job.objects.filter(kind=OuterRef("kind"), subject=OuterRef("subject"), pk__gt=OuterRef("pk"))
    return Job.objects.failed().filter(~Exists(later))


def tied() -> QuerySet[Consensus]:
    """Done tasks whose answers are a tie: the JSON null of the outcome."""
    return Consensus.objects.filter(task__status=Task.Status.DONE, answer__outcome=None)


def reported_tasks() -> QuerySet[Task]:
    """Open tasks that somebody could not judge, most `reports` first, with the `last` one's id."""
    return (
        Task.objects.filter(status=Task.Status.OPEN, assignments__status=Assignment.Status.REPORTED)
        .annotate(reports=Count("assignments"), last=Max("assignments"))
        .select_related("project")
        .order_by("-reports", "pk")
    )


def _with_last_report(tasks: Iterable[Task]) -> list[tuple[Task, Assignment]]:
    """Each task with the last report on it. 1 query."""
    found = {task.last: task for task in tasks}  # type: ignore[attr-defined]
    reports = Assignment.objects.in_bulk(found)
    return [(task, reports[pk]) for pk, task in found.items()]
