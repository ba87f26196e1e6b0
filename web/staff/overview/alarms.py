"""The rules of alarms: switching them, setting their bounds, and the alarms of late. For admins of all projects."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.access import roles
from annotation.access.roles import Role
from events.alarms import Rule, rules, set_rule
from events.models import Alarm
from lib.faults import Invalid
from web.staff.decorators import staff_actor, staff_only
from web.staff.grid.columns import WIDE, Column, by
from web.staff.grid.filters import choice, text
from web.staff.grid.listing import Listing, Shown
from web.staff.grid.page import drawn, respond

STATES = {"stands": "stands", "ended": "ended"}
COLUMNS: tuple[Column[Alarm], ...] = (
    Column("alarm", "Alarm", lambda alarm: alarm.sentence, WIDE, is_fixed=True),
    Column("kind", "Kind", lambda alarm: alarm.kind, is_usual=False),
    Column("subject", "About", lambda alarm: alarm.subject, is_usual=False),
    Column("since", "Since", lambda alarm: alarm.raised_at),
    Column("until", "Until", lambda alarm: alarm.ended_at),
)
PAGE = "staff/overview/alarms.html"


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def alarm_page(request: HttpRequest) -> HttpResponseBase:
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
) -> HttpResponseBase:
    known = rules()
    listing = _listing(request, known)

    def more(grid: Shown) -> dict[str, Any]:
        return {
            "section": "overview",
            "rules": known,
            "wrong": wrong,
            "typed": typed,
            "error": error,
            "mailed_to": settings.ALARM_MAIL,
        }

    if wrong:
        return drawn(request, listing, PAGE, more, status=status)
    return respond(request, listing, PAGE, more)


def _listing(request: HttpRequest, known: Sequence[Rule]) -> Listing[Alarm, Alarm]:
    kinds = ((rule.kind.name, rule.kind.title) for rule in known)
    filters = (
        text(request, "About"),
        choice(request, "kind", "Kind", "Every kind", kinds),
        choice(request, "state", "State", "Every state", STATES.items()),
    )
    return Listing(
        name="alarms",
        what="alarm",
        rows=_narrowed(**{one.name: one.value for one in filters}),
        columns=COLUMNS,
        made=lambda found: found,
        orders={"since": by("raised_at", "id")},
        filters=filters,
        cells="staff/overview/_alarm_cells.html",
    )


def _narrowed(*, q: str, kind: str, state: str) -> QuerySet[Alarm]:
    rows = Alarm.objects.filter(subject__icontains=q) if q else Alarm.objects.all()
    if kind:
        rows = rows.filter(kind=kind)
    return rows.filter(ended_at__isnull=state == "stands") if state else rows
