"""The rules of alarms: switching them, setting their bounds, and the alarms of late. For admins of all projects."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.access import roles
from annotation.access.roles import Role
from events.alarms import rules, set_rule
from events.models import Alarm
from lib.faults import Invalid
from web.staff.decorators import paged, staff_actor, staff_only


@staff_only
@require_http_methods(["GET", "POST"])
def alarm_page(request: HttpRequest) -> HttpResponse:
    """The rules and the alarms, the newest first; a posted form sets one rule."""
    roles.check_everywhere(request.user, Role.ADMIN)
    if request.method != "POST":
        return _page(request)
    kind, typed = request.POST.get("kind", ""), request.POST.get("bound", "").strip()
    try:
        bound = _number(typed)
        set_rule(
            kind=kind, is_on=request.POST.get("on") == "1", bound=bound, by=staff_actor(request), at=timezone.now()
        )
    except Invalid as error:
        sentences = " ".join(fault.detail for fault in error.faults)
        return _page(request, wrong=kind, typed=typed, error=sentences, status=error.status)
    messages.success(request, "The rule is set. It is looked at within a minute.")
    return redirect("staff-alarms")


def _number(typed: str) -> float | None:
    """The typed bound; None for the default.

    Raises:
        Invalid: it is no number.
    """
    if not typed:
        return None
    try:
        return float(typed)
    except ValueError:
        raise Invalid.at("#/bound", "This is no number.") from None


def _page(
    request: HttpRequest, *, wrong: str = "", typed: str = "", error: str = "", status: int = 200
) -> HttpResponse:
    ctx = {
        "section": "overview",
        "rules": rules(),
        "wrong": wrong,
        "typed": typed,
        "error": error,
        "page": paged(request, Alarm.objects.order_by("-raised_at", "-pk")),
        "mailed_to": settings.ALARM_MAIL,
    }
    return render(request, "staff/overview/alarms.html", ctx, status=status)
