"""The workers of a project who were given links, and whether their links still open it."""

from typing import Any, NamedTuple

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Enrolment, Project, WorkToken
from annotation.work.enrolments import revoke_links
from web.staff.decorators import staff_actor, staff_only
from web.staff.grid.columns import NUMBER, Column, by
from web.staff.grid.filters import choice, text
from web.staff.grid.listing import Act, Given, Listing, Shown
from web.staff.grid.page import respond
from workforce.models import Worker

STATES = {"works": "works", "ended": "ended"}


class Row(NamedTuple):
    """A worker of the list. `valid` of their `made` links still work; the last one was made and ends at these times."""

    enrolment: Enrolment
    worker: str
    made: int
    valid: int
    last_made: Any
    until: Any

    @property
    def state(self) -> str:
        return "works" if self.valid else "ended"


COLUMNS: tuple[Column[Row], ...] = (
    Column("worker", "Worker", lambda row: row.worker, is_fixed=True),
    Column("state", "State", lambda row: row.state),
    Column("valid", "Links that work", lambda row: row.valid, NUMBER),
    Column("made", "Links made", lambda row: row.made, NUMBER, is_usual=False),
    Column("last", "Last made", lambda row: row.last_made),
    Column("until", "Until", lambda row: row.until),
    Column("answers", "Answers", lambda row: row.enrolment.submitted, NUMBER),
    Column("newest", "First came", lambda row: row.enrolment.created_at, is_usual=False),
)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def link_list(request: HttpRequest, slug: str) -> HttpResponseBase:
    """List the workers with links, those first who came last; a posted form revokes the links of the chosen ones."""
    project = roles.project_for(request.user, slug, Role.ADMIN)
    filters = (text(request, "Worker"), choice(request, "state", "State", "Every state", STATES.items()))
    listing = Listing(
        name="links",
        what="worker",
        rows=_narrowed(request, project, **{one.name: one.value for one in filters}),
        columns=COLUMNS,
        made=lambda found: _rows(request, found),
        orders={"newest": by("id", prefix=("project_id",))},
        filters=filters,
        cells="staff/projects/_link_cells.html",
        acts=[_revoke(request)],
        names_workers=True,
    )

    def more(grid: Shown) -> dict[str, Any]:
        return {"section": "projects", "project": project}

    return respond(request, listing, "staff/projects/link_list.html", more)


def _narrowed(request: HttpRequest, project: Project, *, q: str, state: str) -> QuerySet[Enrolment]:
    links = WorkToken.objects.filter(enrolment=OuterRef("pk"))
    rows = Enrolment.objects.filter(Exists(links), project=project).select_related("worker", "project")
    if q:
        rows = rows.filter(worker__in=Worker.objects.filter(roles.found_by(request.user, q)).values("pk"))
    if state:
        works = Exists(links.filter(expires_at__gt=timezone.now()))
        rows = rows.filter(works if state == "works" else ~works)
    return rows


def _rows(request: HttpRequest, found: list[Enrolment]) -> list[Row]:
    """The rows of the page. 1 query."""
    links = WorkToken.objects.filter(enrolment__in=found).order_by().values_list("enrolment")
    counted = links.annotate(
        made=Count("pk"),
        valid=Count("pk", filter=Q(expires_at__gt=timezone.now())),
        last_made=Max("created_at"),
        until=Max("expires_at"),
    )
    figures = {pk: rest for pk, *rest in counted}
    # The links of a worker may have been deleted since the workers were read.
    none = (0, 0, None, None)
    return [Row(one, roles.name_of(request.user, one.worker), *figures.get(one.pk, none)) for one in found]


def _revoke(request: HttpRequest) -> Act[Enrolment]:
    def revoke(enrolment: Enrolment, given: Given) -> bool:
        return bool(revoke_links(enrolment=enrolment, by=staff_actor(request), at=timezone.now()))

    said = "can no longer come in by a link, and what they held is free again"
    return Act("revoke", "Revoke links", said, revoke, takes_reason=False, is_final=True)
