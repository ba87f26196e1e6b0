"""Background work: what waits, runs, failed and why; trying again."""

from collections.abc import Iterable
from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from annotation import roles
from annotation.roles import Role
from common.errors import NotFound
from common.staff import chosen, paged, staff_only
from evaluation.episodes import PREPARE
from evaluation.models import Episode
from evaluation.retries import retry_job
from jobs.models import Job


class Work(NamedTuple):
    """A job with the episode that it is about, where it is about one."""

    job: Job
    episode: Episode | None


def with_episodes(jobs: Iterable[Job]) -> list[Work]:
    """The jobs with their episodes. 1 query besides the jobs' own."""
    known = list(jobs)
    wanted = {int(job.subject) for job in known if job.kind == PREPARE}
    found = Episode.objects.in_bulk(wanted)
    return [Work(job, found.get(int(job.subject)) if job.kind == PREPARE else None) for job in known]


@staff_only
@require_safe
def job_list(request: HttpRequest) -> HttpResponse:
    roles.check_everywhere(request.user, Role.ADMIN)
    state = chosen(request, "state", Job.State.values)
    kinds = sorted(Job.objects.order_by().values_list("kind", flat=True).distinct())
    kind = chosen(request, "kind", kinds)
    rows = Job.objects.order_by("-pk")
    if state:
        rows = rows.filter(state=state)
    if kind:
        rows = rows.filter(kind=kind)
    page = paged(request, rows)
    ctx = {
        "section": "background",
        "page": page,
        "works": with_episodes(page),
        "state": state,
        "states": Job.State.choices,
        "kind": kind,
        "kinds": kinds,
        "now": timezone.now(),
    }
    return render(request, "staff/jobs.html", ctx)


@staff_only
@require_POST
def retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Let a failed job run again."""
    roles.check_everywhere(request.user, Role.ADMIN)
    job = Job.objects.filter(pk=pk).first()
    if job is None:
        raise NotFound
    if retry_job(job=job, at=timezone.now()):
        messages.success(request, f"Job {pk} waits for its next run.")
    else:
        messages.warning(request, f"Job {pk} has not failed, or its work is waiting in another row already.")
    back = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()})
    return redirect(back if is_ours else "staff-jobs")
