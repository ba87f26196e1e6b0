"""The list of routes, with the tasks that each made, and stopping many at once. For admins of all projects."""

from typing import Any, NamedTuple

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Project
from routing.models import Route
from routing.routes import EVERY, RouteBody, put_route, route_named, show_content
from web.staff.decorators import staff_actor, staff_only
from web.staff.grid.columns import NEWEST, NUMBER, WIDE, Column, by
from web.staff.grid.filters import choice, text
from web.staff.grid.listing import Act, Given, Listing, Shown
from web.staff.grid.page import respond
from web.staff.routing.routes import Made, made_by, means_of


class Row(NamedTuple):
    """A route in the list, with its outcome in words."""

    route: Route
    means: str
    made: Made


COLUMNS: tuple[Column[Row], ...] = (
    Column("route", "Route", lambda row: row.route.slug, is_fixed=True),
    Column("takes", "Takes", lambda row: row.route.outcome, WIDE),
    Column("to", "Sends to", lambda row: row.route.project.slug, WIDE),
    Column("share", "Share", lambda row: row.route.rate, NUMBER),
    Column("commands", "Commands", lambda row: row.made.all, NUMBER),
    Column("tasks", "Tasks", lambda row: row.made.tasks, NUMBER),
    Column("repeated", "Said again", lambda row: row.made.repeated, NUMBER),
    Column("no_task", "No task", lambda row: {words: n for n, words in row.made.left}),
    Column("tree", "Tree", lambda row: row.route.tree.slug if row.route.tree else "", is_usual=False),
    Column("agents", "Agents", lambda row: [one.slug for one in row.route.agents.all()], is_usual=False),
    Column("sources", "Given in", lambda row: [one.slug for one in row.route.sources.all()], is_usual=False),
    Column("newest", "Made", lambda row: row.route.created_at, is_usual=False),
)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def route_list(request: HttpRequest) -> HttpResponseBase:
    """List the routes by name; a posted form stops the chosen ones."""
    roles.check_everywhere(request.user, Role.ADMIN)
    outcomes = Route.objects.order_by("outcome").values_list("outcome", flat=True).distinct()
    targets = Project.objects.filter(routes_here__isnull=False).order_by("title", "pk").distinct()
    filters = (
        text(request, "Name"),
        choice(request, "outcome", "Takes", "Every outcome", ((one, one) for one in outcomes)),
        choice(request, "project", "Sends to", "Every project", targets.values_list("slug", "title")),
    )
    listing = Listing(
        name="routes",
        what="route",
        rows=_narrowed(**{one.name: one.value for one in filters}),
        columns=COLUMNS,
        made=_rows,
        orders={"route": by("slug", is_descending=False), "newest": NEWEST},
        filters=filters,
        cells="staff/routing/_route_cells.html",
        acts=[_stop(request)],
    )

    def more(grid: Shown) -> dict[str, Any]:
        return {
            "section": "routes",
            "takes_every": Route.objects.filter(outcome=EVERY, rate__gt=0).exists(),
            "sums": Made(*(sum(column) for column in zip(*(one.row.made for one in grid.rows), strict=True))),
        }

    return respond(request, listing, "staff/routing/routes.html", more)


def _narrowed(*, q: str, outcome: str, project: str) -> QuerySet[Route]:
    rows = Route.objects.select_related("project", "tree").prefetch_related("agents", "sources")
    if q:
        rows = rows.filter(Q(slug__icontains=q) | Q(project__title__icontains=q))
    if outcome:
        rows = rows.filter(outcome=outcome)
    return rows.filter(project__slug=project) if project else rows


def _rows(found: list[Route]) -> list[Row]:
    """The rows of the page. 1 query."""
    made = made_by(found)
    return [Row(route, means_of(route.outcome), made.get(route.pk, Made())) for route in found]


def _stop(request: HttpRequest) -> Act[Route]:
    def stop(route: Route, given: Given) -> bool:
        # Read anew: another person may have changed it while the ones before were stopped.
        body = RouteBody(**{**show_content(route_named(route.slug)), "rate": 0.0})  # type: ignore[typeddict-item]
        put_route(slug=route.slug, body=body, by=staff_actor(request), at=timezone.now())
        return route.rate > 0

    return Act(
        "stop",
        "Stop",
        "stopped: they take no more commands, and their tasks stay",
        stop,
        takes_reason=False,
        is_final=True,
    )
