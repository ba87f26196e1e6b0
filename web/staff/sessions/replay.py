"""One session: the page with its replay, its log, and ending a session that is still live."""

from typing import Any, NamedTuple

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.datasets.annotations import as_lines
from annotation.scene_store import scene_named
from audit import log
from audit.changes import changes
from audit.log import Subject
from commands.readout import sentence_of
from interaction.models import LiveCommand, Session
from interaction.session import commands, ending
from lib.faults import Conflict
from routing.models import ErrorReport
from web.http.exports import exported
from web.staff.access import session_for
from web.staff.decorators import staff_actor, staff_only
from web.staff.sessions import events, session_states

MOST_COMMANDS = 200


class Said(NamedTuple):
    """A command with the durations of its steps in seconds, the agent's parse in words, and the id of its report."""

    live: LiveCommand
    latencies: dict[str, float | None]
    words: str
    report: str


@staff_only
@require_safe
def session(request: HttpRequest, public_id: str) -> HttpResponse:
    found = session_for(request.user, public_id)
    at = timezone.now()
    rows = LiveCommand.objects.filter(session=found).select_related("command", "command__report").order_by("seq")
    given = list(rows[:MOST_COMMANDS])
    state = session_states.state_of(found)
    ctx = {
        "section": "sessions",
        "session": found,
        "worker": found.assignment.worker,
        "state": state,
        "words": session_states.STATES[state],
        "elapsed": session_states.clock(found.elapsed_s(at)) if found.started_at else "",
        "minimum": session_states.clock(found.minimum_s),
        "commands": [
            Said(one, commands.latencies(one), sentence_of(one.command.form, text=one.command.text), _report_of(one))
            for one in given
        ],
        "most_commands": MOST_COMMANDS,
        "may_administer": roles.may_in(request.user, found.project, Role.ADMIN),
    }
    return render(request, "staff/sessions/session.html", ctx)


def _report_of(live: LiveCommand) -> str:
    """The id of the command's error report; "" if it has none."""
    report: ErrorReport | None = getattr(live.command, "report", None)
    return report.public_id if report is not None else ""


@staff_only
@require_safe
def events_json(request: HttpRequest, public_id: str) -> HttpResponse:
    """The events after `?after=`, one page of them. The first page also has the world at the beginning."""
    found = session_for(request.user, public_id)
    after = _whole(request.GET.get("after", ""))
    page = events.page_after(found, after)
    last = page[-1].seq if page else max(after, 0)
    answer: dict[str, Any] = {
        "events": events.as_shown(found, page),
        "has_more": last < found.last_seq,
        "has_ended": found.ended_at is not None,
    }
    if after == 0:
        answer["scene"] = scene_named(found.scene.digest).as_json()
    return JsonResponse(answer)


def _whole(text: str) -> int:
    """The number of an event; 0 for any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else 0


@staff_only
@require_safe
def log_lines(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The whole log as JSON Lines."""
    found = session_for(request.user, public_id, Role.ADMIN)
    return exported(
        request,
        as_lines(events.log_rows(found)),
        what=Subject("session", found.public_id),
        by=staff_actor(request),
        project=found.project.slug,
        content_type="application/x-ndjson",
        filename=f"session-{found.public_id}.jsonl",
    )


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def end(request: HttpRequest, public_id: str) -> HttpResponse:
    """A page that explains the effect of ending the session, and ending it."""
    found = session_for(request.user, public_id, Role.ADMIN)
    if found.ended_at is not None:
        raise Conflict("This session has ended already. Nothing was changed.")
    if request.method == "POST":
        _end(found, by=staff_actor(request), reason=request.POST.get("reason", "").strip()[:500])
        messages.success(
            request, "Ended. The worker is told so, and paid for the part of the minimum time they were here."
        )
        return redirect("staff-session", public_id)
    at = timezone.now()
    ctx = {
        "section": "sessions",
        "session": found,
        "worker": found.assignment.worker,
        "elapsed": session_states.clock(found.elapsed_s(at)),
        "minimum": session_states.clock(found.minimum_s),
    }
    return render(request, "staff/sessions/session_end.html", ctx)


def _end(session: Session, *, by: str, reason: str) -> None:
    """End the session.

    Raises:
        Conflict: the session has ended meanwhile.
    """
    at = timezone.now()
    with transaction.atomic():
        if not ending.end_session(session.pk, Session.Reason.STAFF, at=at):
            raise Conflict("This session has just ended by itself. Nothing was changed.")
        log.record(
            verb="session.ended",
            actor=by,
            subject=log.Subject("session", session.public_id),
            at=at,
            project=session.project.slug,
            reason=reason,
            **changes({"ended": False}, {"ended": True}),
        )
