"""The page of content that browsers blocked by the content security policy, with counts."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.access.roles import Role
from audit.blocked_content import KEEP, MORE
from audit.models import BlockedContent
from web.staff.decorators import staff_only
from web.staff.grid.columns import NUMBER, Column, by
from web.staff.grid.filters import text
from web.staff.grid.listing import Listing, Shown
from web.staff.grid.page import respond

COLUMNS: tuple[Column[BlockedContent], ...] = (
    Column("blocked", "Blocked", lambda kind: kind.blocked, is_fixed=True),
    Column("directive", "By directive", lambda kind: kind.directive),
    Column("page", "On the page", lambda kind: kind.page),
    Column("reports", "Reports", lambda kind: kind.count, NUMBER),
    Column("first", "First", lambda kind: kind.first_at),
    Column("last", "Last", lambda kind: kind.last_at),
)


@staff_only
@require_safe
def blocked_content(request: HttpRequest) -> HttpResponseBase:
    """One page of the kinds, the latest first."""
    roles.check_everywhere(request.user, Role.ADMIN)
    filters = (
        text(request, "Blocked"),
        text(request, "Directive", "directive"),
        text(request, "Page", "page_of"),
    )
    listing = Listing(
        name="blocked-content",
        what="kind",
        rows=_narrowed(**{one.name: one.value for one in filters}),
        columns=COLUMNS,
        made=lambda found: found,
        orders={"last": by("last_at", "id")},
        filters=filters,
        cells="staff/accounts/_blocked_cells.html",
    )

    def more(grid: Shown) -> dict[str, Any]:
        return {"section": "audit", "keep_days": KEEP.days, "more": MORE}

    return respond(request, listing, "staff/accounts/blocked_content.html", more)


def _narrowed(*, q: str, directive: str, page_of: str) -> QuerySet[BlockedContent]:
    rows = BlockedContent.objects.all()
    for field, value in (("blocked", q), ("directive", directive), ("page", page_of)):
        if value:
            rows = rows.filter(**{f"{field}__icontains": value})
    return rows
