"""The list of live sessions: those that go on first, then those that have ended, newest first."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from agents.models import Agent
from annotation import roles
from common.staff import chosen, paged, staff_only
from interaction.models import Command, Session
from interaction.staff import standing
from interaction.staff.access import sessions_for
from interaction.tool import interaction
from routing.trees.tree import OK


class Counts(NamedTuple):
    """Commands of a session: given, and judged to be carried out or not."""

    given: int = 0
    ok: int = 0
    errors: int = 0


class Row(NamedTuple):
    """One session of the list."""

    session: Session
    state: str
    words: str
    elapsed: str
    minimum: str
    counts: Counts


@staff_only
@require_safe
def session_list(request: HttpRequest) -> HttpResponse:
    projects = roles.projects_for(request.user).filter(tool=interaction.name).order_by("title", "pk")
    mine = sessions_for(request.user)
    agents = Agent.objects.filter(Exists(mine.filter(agent=OuterRef("pk")))).order_by("slug")
    state = chosen(request, "state", list(standing.STATES))
    picked = {name: request.GET.get(name, "") for name in ("project", "agent")}
    rows = _narrowed(mine, state=state, **picked)
    at = timezone.now()
    page = paged(request, _in_order(rows))
    shown = _rows(list(page), at=at)
    ctx = {
        "section": "sessions",
        "page": page,
        "rows": shown,
        "on_page": Counts(*(sum(column) for column in zip(*(row.counts for row in shown), strict=True))),
        "totals": rows.aggregate(live=Count("pk", filter=Q(ended_at=None)), n=Count("pk")),
        "states": standing.STATES.items(),
        "state": state,
        "projects": projects,
        "agents": agents,
        "looked_at": at,
        **picked,
    }
    return render(request, "staff/sessions.html", ctx)


def command_address(project: int, name: str) -> str | None:
    """Where the command is seen as it was given; None where it was posted. 1 query."""
    given = Session.objects.filter(commands__project=project, commands__public_id=name)
    session = given.values_list("public_id", flat=True).first()
    return reverse("staff-session", args=[session]) if session else None


def _narrowed(rows: QuerySet[Session], *, state: str, project: str, agent: str) -> QuerySet[Session]:
    if state:
        rows = rows.filter(standing.among(state))
    if project:
        rows = rows.filter(project__slug=project)
    if agent:
        rows = rows.filter(agent__slug=agent)
    return rows


def _in_order(rows: QuerySet[Session]) -> QuerySet[Session]:
    with_all = rows.select_related("project", "agent", "process", "assignment__worker")
    return with_all.annotate(has_ended=Q(ended_at__isnull=False)).order_by("has_ended", "-pk")


def _rows(sessions: list[Session], *, at: datetime) -> list[Row]:
    """1 query."""
    counts = counts_of(sessions)
    return [
        Row(
            session,
            (state := standing.state_of(session)),
            standing.STATES[state],
            standing.clock(session.elapsed_s(at)) if session.started_at else "",
            standing.clock(session.minimum_s),
            counts.get(session.pk, Counts()),
        )
        for session in sessions
    ]


def counts_of(sessions: Iterable[Session]) -> dict[int, Counts]:
    """Counts by the id of the session; one without commands is missing. 1 query."""
    rows = Command.objects.filter(session__in=list(sessions)).order_by().values_list("session")
    judged = rows.annotate(
        given=Count("pk"), ok=Count("pk", filter=Q(outcome=OK)), errors=Count("pk", filter=~Q(outcome__in=["", OK]))
    )
    return {pk: Counts(given, ok, errors) for pk, given, ok, errors in judged}
