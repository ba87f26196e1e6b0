"""The overview: live projects, stuck work, and the worst items of the review queue."""

from datetime import timedelta

from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Project
from annotation.review import queue
from evaluation.models import Episode
from jobs.models import Job
from web.staff.decorators import staff_only
from web.staff.evaluation.background import with_episodes
from web.staff.projects.projects import standings

MOST = 10
"""The number of rows of each kind. The overview fits one screen; each heading links to the whole list."""
OVERDUE = timedelta(minutes=1)


@staff_only
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    theirs = roles.projects_for(request.user)
    live = theirs.filter(status=Project.Status.LIVE).order_by("-created_at", "-pk")
    failed_episodes = Episode.objects.filter(status=Episode.Status.FAILED)
    sees_jobs = roles.may_everywhere(request.user, Role.ADMIN)
    failed_jobs, overdue_jobs = failed_for_good(), Job.objects.due(at=now - OVERDUE)
    if not sees_jobs:
        failed_jobs, overdue_jobs = failed_jobs.none(), overdue_jobs.none()
    ctx = {
        "section": "overview",
        "standings": standings(live[:MOST], at=now),
        "live_count": live.count(),
        "failed_episodes": failed_episodes.select_related("agent").order_by("-pk")[:MOST],
        "failed_episode_count": failed_episodes.count(),
        "sees_jobs": sees_jobs,
        "failed_jobs": with_episodes(failed_jobs.order_by("-pk")[:MOST]),
        "failed_job_count": failed_jobs.count(),
        "overdue_jobs": with_episodes(overdue_jobs.order_by("due_at")[:MOST]),
        "overdue_job_count": overdue_jobs.count(),
        "waiting": queue.listing(theirs, limit=MOST),
        "waiting_count": queue.count(theirs),
    }
    return render(request, "staff/evaluation/overview.html", ctx)


def failed_for_good() -> QuerySet[Job]:
    """Failed jobs whose work no later job has repeated."""
    later = Job.objects.filter(kind=OuterRef("kind"), subject=OuterRef("subject"), pk__gt=OuterRef("pk"))
    return Job.objects.failed().filter(~Exists(later))
