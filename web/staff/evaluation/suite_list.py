"""The list of suites with what they hold."""

from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from evaluation.models import Episode, Scenario, Suite, Version
from web.staff.decorators import staff_only
from web.staff.grid.columns import NEWEST, NUMBER, Column, by
from web.staff.grid.filters import text
from web.staff.grid.listing import Listing
from web.staff.grid.page import respond

COLUMNS: tuple[Column[Any], ...] = (
    Column("suite", "Suite", lambda suite: suite.slug, is_fixed=True),
    Column("title", "Title", lambda suite: suite.title, is_usual=False),
    Column("scenarios", "Scenarios", lambda suite: suite.scenario_count, NUMBER),
    Column("versions", "Versions", lambda suite: suite.version_count, NUMBER),
    Column("episodes", "Episodes", lambda suite: suite.episode_count, NUMBER),
    Column("failed", "Failed", lambda suite: suite.failed_count, NUMBER),
    Column("newest", "Made", lambda suite: suite.created_at),
)


@staff_only
@require_safe
def suite_list(request: HttpRequest) -> HttpResponseBase:
    search = text(request, "Title")
    rows = Suite.objects.listed()
    if search:
        rows = rows.filter(Q(slug__icontains=search.value) | Q(title__icontains=search.value))
    listing = Listing(
        name="suites",
        what="suite",
        rows=rows,
        columns=COLUMNS,
        made=_with_counts,
        orders={"newest": NEWEST, "suite": by("slug", is_descending=False)},
        filters=[search],
        cells="staff/evaluation/_suite_cells.html",
    )
    return respond(request, listing, "staff/evaluation/suites.html", lambda grid: {"section": "suites"})


def _with_counts(suites: list[Suite]) -> list[Suite]:
    """The suites of the page with their counts. 1 query."""
    found = _counted(Suite.objects.filter(pk__in=[one.pk for one in suites])).in_bulk()
    return [found[one.pk] for one in suites]


def _counted(suites: QuerySet[Suite]) -> QuerySet[Suite]:
    """The suites with their numbers of scenarios, versions and episodes.

    Subqueries, because joins would multiply the counts.
    """
    episodes = Episode.objects.filter(scenario__suite=OuterRef("pk"))
    failed = episodes.filter(status=Episode.Status.FAILED)
    return suites.annotate(
        scenario_count=_count(Scenario.objects.filter(suite=OuterRef("pk")), "suite"),
        version_count=_count(Version.objects.filter(suite=OuterRef("pk")), "suite"),
        episode_count=_count(episodes, "scenario__suite"),
        failed_count=_count(failed, "scenario__suite"),
    )


def _count(rows: QuerySet[Any], by: str) -> Coalesce:
    return Coalesce(Subquery(rows.order_by().values(by).annotate(n=Count("pk")).values("n")), 0)
