"""The list of agents with their episodes."""

from django.db.models import Count, Q
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from agents.models import Agent
from evaluation.models import Episode
from web.staff.decorators import staff_only
from web.staff.grid.columns import NEWEST, NUMBER, WIDE, Column, by
from web.staff.grid.filters import text
from web.staff.grid.listing import Listing
from web.staff.grid.page import respond

COLUMNS: tuple[Column[Agent], ...] = (
    Column("agent", "Agent", lambda agent: agent.slug, is_fixed=True),
    Column("name", "Name", lambda agent: agent.name),
    Column("description", "Description", lambda agent: agent.description, WIDE),
    Column("episodes", "Episodes", lambda agent: agent.episode_count, NUMBER),  # type: ignore[attr-defined]
    Column("failed", "Failed", lambda agent: agent.failed_count, NUMBER),  # type: ignore[attr-defined]
    Column("metadata", "Metadata", lambda agent: agent.metadata, is_usual=False),
    Column("newest", "Made", lambda agent: agent.created_at),
)


@staff_only
@require_safe
def agent_list(request: HttpRequest) -> HttpResponseBase:
    search = text(request, "Name")
    rows = Agent.objects.all()
    if search:
        rows = rows.filter(Q(slug__icontains=search.value) | Q(name__icontains=search.value))
    listing = Listing(
        name="agents",
        what="agent",
        rows=rows,
        columns=COLUMNS,
        made=_counted,
        orders={"newest": NEWEST, "agent": by("slug", is_descending=False)},
        filters=[search],
        cells="staff/evaluation/_agent_cells.html",
    )
    return respond(request, listing, "staff/evaluation/agents.html", lambda grid: {"section": "agents"})


def _counted(agents: list[Agent]) -> list[Agent]:
    """The agents with their numbers of episodes. 1 query, for this page alone: to count those of all takes a while."""
    failed = Count("episodes", filter=Q(episodes__status=Episode.Status.FAILED))
    rows = Agent.objects.filter(pk__in=[one.pk for one in agents]).annotate(episode_count=Count("episodes"))
    found = rows.annotate(failed_count=failed).in_bulk()
    return [found[one.pk] for one in agents]
