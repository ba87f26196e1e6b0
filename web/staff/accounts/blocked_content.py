"""The page of content that browsers blocked by the content security policy, with counts."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.access.roles import Role
from audit.blocked_content import KEEP, MORE
from audit.models import BlockedContent
from web.staff.decorators import paged, staff_only


@staff_only
@require_safe
def blocked_content(request: HttpRequest) -> HttpResponse:
    """One page of the kinds, the latest first."""
    roles.check_everywhere(request.user, Role.ADMIN)
    ctx = {
        "section": "audit",
        "page": paged(request, BlockedContent.objects.order_by("-last_at", "-pk")),
        "keep_days": KEEP.days,
        "more": MORE,
    }
    return render(request, "staff/accounts/blocked_content.html", ctx)
