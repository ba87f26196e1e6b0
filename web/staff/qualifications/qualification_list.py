"""The list of qualifications, with the projects that require them and how many workers passed."""

from typing import NamedTuple

from django.db.models import Count, Q
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from annotation.models import Project
from web.staff.decorators import staff_only
from web.staff.grid.columns import NEWEST, NUMBER, WIDE, Column, by
from web.staff.grid.filters import text
from web.staff.grid.listing import Listing
from web.staff.grid.page import respond
from web.staff.qualifications.qualifications import check_admin, projects_that_need
from workforce.models import Qualification


class Row(NamedTuple):
    """A qualification of the list. `tried` and `passed` are numbers of workers."""

    qualification: Qualification
    needed_by: list[Project]
    tried: int
    passed: int


COLUMNS: tuple[Column[Row], ...] = (
    Column("qualification", "Quiz", lambda row: row.qualification.slug, is_fixed=True),
    Column("title", "Title", lambda row: row.qualification.title, is_usual=False),
    Column("needed", "Needed by", lambda row: [one.slug for one in row.needed_by], WIDE),
    Column("questions", "Questions", lambda row: len(row.qualification.questions), NUMBER),
    Column("asked", "Asked", lambda row: row.qualification.draw or len(row.qualification.questions), NUMBER),
    Column("mark", "To pass", lambda row: row.qualification.pass_mark, NUMBER),
    Column("attempts", "Attempts", lambda row: row.qualification.attempts, NUMBER),
    Column("tried", "Workers tried", lambda row: row.tried, NUMBER),
    Column("passed", "Passed", lambda row: row.passed, NUMBER),
    Column("newest", "Made", lambda row: row.qualification.created_at),
)


@staff_only
@require_safe
def qualification_list(request: HttpRequest) -> HttpResponseBase:
    check_admin(request)
    search = text(request, "Title")
    rows = Qualification.objects.all()
    if search:
        rows = rows.filter(Q(slug__icontains=search.value) | Q(title__icontains=search.value))
    listing = Listing(
        name="qualifications",
        what="qualification",
        rows=rows,
        columns=COLUMNS,
        made=_rows,
        orders={"newest": NEWEST, "qualification": by("slug", is_descending=False)},
        filters=[search],
        cells="staff/qualifications/_qualification_cells.html",
    )
    return respond(
        request, listing, "staff/qualifications/qualifications.html", lambda grid: {"section": "qualifications"}
    )


def _rows(found: list[Qualification]) -> list[Row]:
    """The rows of the page with the numbers of their workers. 2 queries."""
    needed = projects_that_need(found)
    finished = Q(tries__finished_at__isnull=False)
    counted = Qualification.objects.filter(pk__in=[one.pk for one in found]).order_by().values_list("pk")
    workers = {
        pk: (tried, passed)
        for pk, tried, passed in counted.annotate(
            tried=Count("tries__worker", filter=finished, distinct=True),
            passed=Count("tries__worker", filter=Q(tries__passed=True), distinct=True),
        )
    }
    return [Row(one, needed[one.pk], *workers[one.pk]) for one in found]
