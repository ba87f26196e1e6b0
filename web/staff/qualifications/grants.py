"""The holders of a qualification: the list of grants, giving one without the quiz, and revoking many at once."""

from typing import Any, NamedTuple

from django.contrib import messages
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access import roles
from annotation.access.roles import Role
from audit.models import AuditEvent
from web.staff.decorators import staff_actor, staff_only
from web.staff.grid.columns import WIDE, Column, by
from web.staff.grid.filters import choice, text
from web.staff.grid.listing import Act, Given, Listing, Shown
from web.staff.grid.page import drawn, respond
from web.staff.qualifications.qualifications import check_admin
from workforce import qualifications
from workforce.models import Grant, Qualification, Worker
from workforce.qualifications import qualification_named

STATES = {"valid": "valid", "revoked": "revoked", "ended": "ended by time"}
LIST = "staff/qualifications/grants.html"


class Row(NamedTuple):
    """A grant of the list. `reason` says why it was revoked."""

    grant: Grant
    worker: str
    state: str
    reason: str


COLUMNS: tuple[Column[Row], ...] = (
    Column("worker", "Worker", lambda row: row.worker, is_fixed=True),
    Column("by", "By", lambda row: "quiz" if row.grant.attempt_id else "person"),
    Column("score", "Score", lambda row: row.grant.attempt.score if row.grant.attempt else None, is_usual=False),
    Column("until", "Until", lambda row: row.grant.expires_at),
    Column("state", "State", lambda row: row.state),
    Column("revoked", "Revoked", lambda row: row.grant.revoked_at, is_usual=False),
    Column("reason", "Why revoked", lambda row: row.reason, WIDE),
    Column("newest", "Since", lambda row: row.grant.granted_at),
)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def grant_list(request: HttpRequest, slug: str) -> HttpResponseBase:
    """List who is or was qualified, the newest first; a posted form revokes the chosen grants."""
    check_admin(request)
    if request.method == "POST":
        roles.check_everywhere(request.user, Role.ADMIN)
    return _list_page(request, qualification_named(slug))


def _list_page(
    request: HttpRequest, found: Qualification, *, typed: str = "", error: str = "", status: int = 200
) -> HttpResponseBase:
    filters = (text(request, "Worker"), choice(request, "state", "State", "Every state", STATES.items()))
    may_act = roles.may_everywhere(request.user, Role.ADMIN)
    listing = Listing(
        name="grants",
        page=reverse("staff-qualification-grants", args=[found.slug]),
        what="grant",
        rows=_narrowed(request, found, **{one.name: one.value for one in filters}),
        columns=COLUMNS,
        made=lambda grants: _rows(request, grants),
        orders={"newest": by("id", prefix=("qualification_id",))},
        filters=filters,
        cells="staff/qualifications/_grant_cells.html",
        acts=[_revoke(request)] if may_act else (),
        names_workers=True,
    )

    def more(grid: Shown) -> dict[str, Any]:
        return {
            "section": "qualifications",
            "qualification": found,
            "may_act": may_act,
            "typed": typed,
            "error": error,
        }

    if error:
        return drawn(request, listing, LIST, more, status=status)
    return respond(request, listing, LIST, more)


def _narrowed(request: HttpRequest, found: Qualification, *, q: str, state: str) -> QuerySet[Grant]:
    now = timezone.now()
    rows = Grant.objects.filter(qualification=found, worker__in=roles.workers_for(request.user, Role.ADMIN))
    if q:
        rows = rows.filter(worker__in=Worker.objects.filter(roles.found_by(request.user, q)).values("pk"))
    if state == "valid":
        rows = rows.valid(at=now)
    elif state == "revoked":
        rows = rows.filter(revoked_at__isnull=False)
    elif state == "ended":
        rows = rows.filter(revoked_at=None, expires_at__lte=now)
    valid = Grant.objects.valid(at=now).filter(pk=OuterRef("pk"))
    return rows.annotate(is_valid=Exists(valid)).select_related("worker", "attempt", "qualification")


def _rows(request: HttpRequest, grants: list[Grant]) -> list[Row]:
    """The rows of the page. 1 query."""
    reasons = _reasons(grants)
    return [
        Row(grant, roles.name_of(request.user, grant.worker), _state(grant), reasons.get(grant.pk, ""))
        for grant in grants
    ]


def _state(grant: Grant) -> str:
    if grant.is_valid:  # type: ignore[attr-defined]
        return "valid"
    return "revoked" if grant.revoked_at else "ended"


def _reasons(grants: list[Grant]) -> dict[int, str]:
    """The reason why each grant was revoked, by its id. 1 query."""
    workers = [str(grant.worker_id) for grant in grants]
    events = AuditEvent.objects.filter(verb="grant.revoked", subject_kind="worker", subject__in=workers)
    return {event.detail["grant"]: event.reason for event in events if "grant" in event.detail}


def _revoke(request: HttpRequest) -> Act[Grant]:
    def revoke(grant: Grant, given: Given) -> bool:
        was_valid: bool = grant.is_valid  # type: ignore[attr-defined]
        qualifications.revoke(grant=grant, reason=given.reason, by=staff_actor(request), at=timezone.now())
        return was_valid

    said = "revoked: these workers get no more tasks of the projects that need the quiz"
    return Act("revoke", "Revoke", said, revoke, needs_reason=True, is_final=True)


@staff_only
@require_POST
def give(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Grant a worker the qualification without the quiz."""
    roles.check_everywhere(request.user, Role.ADMIN)
    found = qualification_named(slug)
    typed = request.POST.get("worker", "").strip()
    worker = _worker_called(typed).first()
    if worker is None:
        error = "There is no such worker. Write platform:name as in direct:anna, or the pseudonym."
        return _list_page(request, found, typed=typed, error=error, status=422)
    qualifications.give(worker=worker, qualification=found, by=staff_actor(request), at=timezone.now())
    messages.success(request, f"{roles.name_of(request.user, worker)} is qualified now.")
    return redirect("staff-qualification-grants", slug)


def _worker_called(typed: str) -> QuerySet[Worker]:
    platform, _, name = typed.partition(":")
    return Worker.objects.filter(Q(platform=platform, external_id=name) | Q(pseudonym=typed))
