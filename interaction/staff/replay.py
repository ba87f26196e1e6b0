"""One session as it was: the page with its replay, the log behind it, and ending one that goes on."""

from typing import Any, NamedTuple

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation import roles
from annotation.exports import as_lines
from annotation.roles import Role
from annotation.voxels.store import scene_named
from audit import log
from common.errors import Conflict
from common.staff import staff_actor, staff_only
from common.streams import streamed
from interaction import commands, finishing
from interaction.models import Command, Session
from interaction.staff import events, standing
from interaction.staff.access import session_for
from routing.models import ErrorReport

MOST_COMMANDS = 200


class Said(NamedTuple):
    """A command with how long each of its steps took (seconds), the agent's parse in words, and its report if any."""

    command: Command
    latencies: dict[str, float | None]
    words: str
    report: str


@staff_only
@require_safe
def session(request: HttpRequest, public_id: str) -> HttpResponse:
    found = session_for(request.user, public_id)
    at = timezone.now()
    given = list(Command.objects.filter(session=found).order_by("seq")[:MOST_COMMANDS])
    reports = _reports(found, given)
    state = standing.state_of(found)
    ctx = {
        "section": "sessions",
        "session": found,
        "worker": found.assignment.worker,
        "state": state,
        "words": standing.STATES[state],
        "elapsed": standing.clock(found.elapsed_s(at)) if found.started_at else "",
        "minimum": standing.clock(found.minimum_s),
        "commands": [
            Said(one, commands.latencies(one), commands.in_words(one), reports.get(one.public_id, "")) for one in given
        ],
        "most_commands": MOST_COMMANDS,
        "may_administer": roles.may_in(request.user, found.project, Role.ADMIN),
    }
    return render(request, "staff/session.html", ctx)


def _reports(session: Session, given: list[Command]) -> dict[str, str]:
    """The ids of the error reports that these commands made, by the command's id. 1 query."""
    named = [one.public_id for one in given]
    rows = ErrorReport.objects.filter(project_id=session.project_id, command__in=named)
    return dict(rows.values_list("command", "public_id"))


@staff_only
@require_safe
def events_json(request: HttpRequest, public_id: str) -> HttpResponse:
    """The events after `?after=`, at most a page of them; with the first, the world that they begin in."""
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
    """A number of the log; anything else counts as its beginning."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else 0


@staff_only
@require_safe
def log_lines(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The whole log as JSON Lines."""
    found = session_for(request.user, public_id, Role.ADMIN)
    answer = streamed(request, as_lines(events.log_rows(found)), content_type="application/x-ndjson")
    answer["Content-Disposition"] = f'attachment; filename="session-{found.public_id}.jsonl"'
    return answer


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def end(request: HttpRequest, public_id: str) -> HttpResponse:
    """What ending it would mean, and ending it."""
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
        "elapsed": standing.clock(found.elapsed_s(at)),
        "minimum": standing.clock(found.minimum_s),
    }
    return render(request, "staff/session_end.html", ctx)


def _end(session: Session, *, by: str, reason: str) -> None:
    """Raises Conflict where it ended by itself meanwhile."""
    at = timezone.now()
    with transaction.atomic():
        if not finishing.end_session(session.pk, Session.Reason.STAFF, at=at):
            raise Conflict("This session has just ended by itself. Nothing was changed.")
        log.record(
            verb="session.ended",
            actor=by,
            subject=log.Subject("session", session.public_id),
            at=at,
            project=session.project.slug,
            reason=reason,
        )
