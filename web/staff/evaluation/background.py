"""Background jobs with the episodes that they are about, and the button to retry one."""

from collections.abc import Iterable
from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from annotation.access import roles
from annotation.access.roles import Role
from evaluation.episodes import PREPARE
from evaluation.models import Episode
from evaluation.preparation import retry_job
from jobs.models import Job
from lib.faults import NotFound
from web.staff.decorators import staff_actor, staff_only


class Work(NamedTuple):
    """A job, with its episode if it has one."""

    job: Job
    episode: Episode | None


def with_episodes(jobs: Iterable[Job]) -> list[Work]:
    """The jobs with their episodes. 1 query in addition to the jobs' own."""
    known = list(jobs)
    wanted = {int(job.subject) for job in known if job.kind == PREPARE}
    found = Episode.objects.in_bulk(wanted)
    return [Work(job, found.get(int(job.subject)) if job.kind == PREPARE else None) for job in known]


@staff_only
@require_POST
def retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Run a failed job again."""
    roles.check_everywhere(request.user, Role.ADMIN)
    job = Job.objects.filter(pk=pk).first()
    if job is None:
        raise NotFound
    if retry_job(job=job, by=staff_actor(request), at=timezone.now()):
        messages.success(request, f"Job {pk} waits for its next run.")
    else:
        messages.warning(request, f"Job {pk} has not failed, or its work is waiting in another row already.")
    back = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()})
    return redirect(back if is_ours else "staff-jobs")
