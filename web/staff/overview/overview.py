"""The overview: what runs, what is stuck, what needs a person, and the part of it that draws itself anew."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Generic, NamedTuple, TypeVar

from django.contrib.auth.models import User
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.review import queue
from evaluation.models import Episode
from jobs.models import Job
from web.http.streams import EVENT_STREAM, Followed
from web.staff.decorators import staff_only
from web.staff.evaluation.background import with_episodes
from web.staff.figure_files import file_asked
from web.staff.overview.live import MOST, Live, live_for

M = TypeVar("M", bound=Model)

OVERDUE = timedelta(minutes=1)
LOOK_EVERY_S = 5.0
"""How often an open overview is looked at anew."""
FOLLOWED_S = 300.0
"""How long one connection follows the overview; the browser then opens the next one, and its rights are read again."""


@staff_only
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    theirs = roles.projects_for(request.user)
    waiting = queue.count(theirs)
    live = live_for(request.user, at=now, waiting=waiting)
    figures = {"answers": live.answers, "accuracy": live.accuracy, "agreement": live.agreement}
    file = file_asked(request, {name: lambda figure=figure: figure for name, figure in figures.items()})  # type: ignore[misc]
    if file is not None:
        return file
    failed_episodes = _first(
        Episode.objects.listed().filter(status=Episode.Status.FAILED).select_related("agent").order_by("-pk")
    )
    sees_jobs = roles.may_everywhere(request.user, Role.ADMIN)
    seen = Job.objects.all() if sees_jobs else Job.objects.none()
    failed_jobs = _first(failed_for_good(seen).order_by("-pk"))
    overdue_jobs = _first(seen.due(at=now - OVERDUE).order_by("due_at"))
    ctx = {
        "section": "overview",
        **_shown(live),
        "failed_episodes": failed_episodes.rows,
        "failed_episode_count": failed_episodes.n,
        "sees_jobs": sees_jobs,
        "failed_jobs": with_episodes(failed_jobs.rows),
        "failed_job_count": failed_jobs.n,
        "overdue_jobs": with_episodes(overdue_jobs.rows),
        "overdue_job_count": overdue_jobs.n,
        "waiting": queue.listing(theirs, limit=MOST),
        "all_waiting": waiting,
    }
    return render(request, "staff/overview/overview.html", ctx)


@staff_only
@require_safe
def live_part(request: HttpRequest) -> HttpResponseBase:
    """The part that changes: as it is now, or for a browser that asks for a stream of events, whenever it changes."""
    name = request.user.get_username()

    def look() -> str | None:
        user = User.objects.filter(username=name, is_active=True, is_staff=True).first()
        if user is None or not roles.may_somewhere(user, Role.VIEWER):
            return None
        shown = _shown(live_for(user, at=timezone.now()))
        return render_to_string("staff/overview/_live.html", {**shown, "request": request})

    if request.headers.get("Accept") == EVENT_STREAM:
        return Followed(look, every_s=LOOK_EVERY_S, for_s=FOLLOWED_S)
    return HttpResponse(look() or "")


def _shown(live: Live) -> dict[str, object]:
    return {"live": live, "figures": [("accuracy", live.accuracy), ("agreement", live.agreement)]}


class First(NamedTuple, Generic[M]):
    """The first rows of a list, and the number of all."""

    rows: Sequence[M]
    n: int


def _first(rows: QuerySet[M]) -> First[M]:
    """1 query, 2 where there are more than are shown."""
    found = list(rows[: MOST + 1])
    return First(found[:MOST], len(found) if len(found) <= MOST else rows.count())


def failed_for_good(jobs: QuerySet[Job]) -> QuerySet[Job]:
    """Those of the jobs that have failed, and whose work no later job has repeated."""
    later = Job.objects.filter(kind=OuterRef("kind"), subject=OuterRef("subject"), pk__gt=OuterRef("pk"))
    return jobs.filter(~Exists(later), state=Job.State.FAILED)
