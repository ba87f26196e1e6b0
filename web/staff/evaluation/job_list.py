"""The list of background jobs, and trying many failed ones again."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.access import roles
from annotation.access.roles import Role
from evaluation.preparation import retry_job
from jobs import recurring
from jobs.models import Job
from web.staff.decorators import staff_actor, staff_only
from web.staff.evaluation.background import Work, with_episodes
from web.staff.grid.columns import NUMBER, WIDE, Column, by
from web.staff.grid.filters import choice, flag
from web.staff.grid.listing import Act, Given, Listing
from web.staff.grid.page import respond

COLUMNS: tuple[Column[Work], ...] = (
    Column("newest", "Job", lambda row: row.job.pk, NUMBER, is_fixed=True),
    Column("kind", "Kind", lambda row: row.job.kind),
    Column("about", "About", lambda row: row.job.subject),
    Column("state", "State", lambda row: row.job.state),
    Column("attempts", "Attempts", lambda row: row.job.attempts, NUMBER),
    Column("progress", "Progress", lambda row: row.job.progress),
    Column("error", "Last error", lambda row: row.job.error, WIDE),
    Column("when", "When", lambda row: row.job.finished_at or row.job.due_at),
    Column("made", "Made", lambda row: row.job.created_at, is_usual=False),
)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def job_list(request: HttpRequest) -> HttpResponseBase:
    roles.check_everywhere(request.user, Role.ADMIN)
    kinds = sorted(Job.objects.order_by().values_list("kind", flat=True).distinct())
    state = choice(request, "state", "State", "Every state", Job.State.choices)
    kind = choice(request, "kind", "Kind", "Every kind", ((one, one) for one in kinds))
    with_recurring = flag(request, "recurring", "with what comes each minute")
    rows = Job.objects.all()
    if state:
        rows = rows.filter(state=state.value)
    if kind:
        rows = rows.filter(kind=kind.value)
    elif not with_recurring:
        rows = rows.exclude(kind__in=recurring.kinds(), state=Job.State.DONE)

    def retry(job: Job, given: Given) -> bool:
        return retry_job(job=job, by=staff_actor(request), at=timezone.now())

    listing = Listing(
        name="jobs",
        what="job",
        rows=rows,
        columns=COLUMNS,
        made=with_episodes,
        orders={"newest": by("id")},
        filters=[state, kind, with_recurring],
        cells="staff/evaluation/_job_cells.html",
        acts=[Act("retry", "Try again", "wait for their next run", retry, takes_reason=False)],
    )
    return respond(
        request,
        listing,
        "staff/evaluation/jobs.html",
        lambda grid: {"section": "background", "now": timezone.now()},
    )
