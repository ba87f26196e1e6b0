"""The list of sessions: live ones first, then ended ones, newest first."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from agents.models import Agent
from annotation.access import roles
from annotation.access.roles import Account
from interaction.models import LiveCommand, Session
from interaction.project.tool import interaction
from lib.trees.tree import OK
from web.http.keyset_pages import Part
from web.staff.access import sessions_for
from web.staff.decorators import staff_only
from web.staff.grid.columns import NUMBER, Column, Order
from web.staff.grid.filters import choice
from web.staff.grid.listing import Listing, Shown
from web.staff.grid.page import respond
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
    worker: str


def _live_first(rows: QuerySet[Session], falls: bool) -> list[Part[Session]]:
    return [
        Part(rows.filter(ended_at=None), ("id",), falls),
        Part(rows.filter(ended_at__isnull=False), ("id",), falls),
    ]


COLUMNS: tuple[Column[Row], ...] = (
    Column("session", "Session", lambda row: row.session.public_id, is_fixed=True),
    Column("project", "Project", lambda row: row.session.project.slug, is_usual=False),
    Column("state", "State", lambda row: row.state),
    Column("agent", "Agent", lambda row: row.session.agent.slug),
    Column("worker", "Worker", lambda row: row.worker),
    Column("clock", "Clock", lambda row: row.elapsed),
    Column("commands", "Commands", lambda row: row.counts.given, NUMBER),
    Column("ok", "OK", lambda row: row.counts.ok, NUMBER),
    Column("errors", "Errors", lambda row: row.counts.errors, NUMBER),
    Column("newest", "Begun", lambda row: row.session.created_at),
    Column("ended", "Ended", lambda row: row.session.ended_at),
)


@staff_only
@require_safe
def session_list(request: HttpRequest) -> HttpResponseBase:
    projects = interaction.projects(roles.projects_for(request.user)).order_by("title", "pk")
    mine = sessions_for(request.user)
    agents = Agent.objects.filter(Exists(mine.filter(agent=OuterRef("pk")))).order_by("slug")
    filters = (
        choice(request, "project", "Project", "Every project", projects.values_list("slug", "title")),
        choice(request, "agent", "Agent", "Every agent", ((one, one) for one in agents.values_list("slug", flat=True))),
        choice(request, "state", "State", "Every state", session_states.STATES.items()),
    )
    rows = _narrowed(mine, **{one.name: one.value for one in filters})
    at = timezone.now()
    listing = Listing(
        name="sessions",
        what="session",
        rows=rows.select_related("project", "agent", "process", "assignment__worker"),
        columns=COLUMNS,
        made=lambda found: _rows(request.user, found, at=at),
        orders={"newest": Order(_live_first)},
        filters=filters,
        cells="staff/sessions/_session_cells.html",
        names_workers=True,
    )

    def more(grid: Shown) -> dict[str, Any]:
        counts = (one.row.counts for one in grid.rows)
        return {
            "section": "sessions",
            "on_page": Counts(*(sum(column) for column in zip(*counts, strict=True))),
            "totals": rows.aggregate(live=Count("pk", filter=Q(ended_at=None)), n=Count("pk")),
            "looked_at": at,
        }

    return respond(request, listing, "staff/sessions/sessions.html", more)


def _narrowed(rows: QuerySet[Session], *, state: str, project: str, agent: str) -> QuerySet[Session]:
    if state:
        rows = rows.filter(session_states.among(state))
    if project:
        rows = rows.filter(project__slug=project)
    if agent:
        rows = rows.filter(agent__slug=agent)
    return rows


def _rows(user: Account, sessions: list[Session], *, at: datetime) -> list[Row]:
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
            roles.name_of(user, session.assignment.worker),
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
