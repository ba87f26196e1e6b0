"""The list of sessions: live ones first, then ended ones, newest first."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from agents.models import Agent
from annotation.access import roles
from interaction.models import LiveCommand, Session
from interaction.project.tool import interaction
from lib.trees.tree import OK
from web.staff.access import sessions_for
from web.staff.decorators import chosen, paged, staff_only
from web.staff.sessions import session_states


class Counts(NamedTuple):
    """The commands of a session: all, successful ones, and failed ones."""

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
    projects = interaction.projects(roles.projects_for(request.user)).order_by("title", "pk")
    mine = sessions_for(request.user)
    agents = Agent.objects.filter(Exists(mine.filter(agent=OuterRef("pk")))).order_by("slug")
    state = chosen(request, "state", list(session_states.STATES))
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
        "states": session_states.STATES.items(),
        "state": state,
        "projects": projects,
        "agents": agents,
        "looked_at": at,
        **picked,
    }
    return render(request, "staff/sessions/sessions.html", ctx)


def _narrowed(rows: QuerySet[Session], *, state: str, project: str, agent: str) -> QuerySet[Session]:
    if state:
        rows = rows.filter(session_states.among(state))
    if project:
        rows = rows.filter(project__slug=project)
    if agent:
        rows = rows.filter(agent__slug=agent)
    return rows


def _in_order(rows: QuerySet[Session]) -> QuerySet[Session]:
    with_all = rows.select_related("project", "agent", "process", "assignment__worker")
    return with_all.annotate(has_ended=Q(ended_at__isnull=False)).order_by("has_ended", "-pk")


def _rows(sessions: list[Session], *, at: datetime) -> list[Row]:
    """The rows of the page. 1 query."""
    counts = counts_of(sessions)
    return [
        Row(
            session,
            (state := session_states.state_of(session)),
            session_states.STATES[state],
            session_states.clock(session.elapsed_s(at)) if session.started_at else "",
            session_states.clock(session.minimum_s),
            counts.get(session.pk, Counts()),
        )
        for session in sessions
    ]


def counts_of(sessions: Iterable[Session]) -> dict[int, Counts]:
    """The counts by session id. A session without commands is missing. 1 query."""
    rows = LiveCommand.objects.filter(session__in=list(sessions)).order_by().values_list("session")
    judged = rows.annotate(
        given=Count("pk"),
        ok=Count("pk", filter=Q(command__outcome=OK)),
        errors=Count("pk", filter=~Q(command__outcome__in=["", OK])),
    )
    return {pk: Counts(given, ok, errors) for pk, given, ok, errors in judged}
