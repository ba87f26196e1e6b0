"""The list of error reports with their states, and the same as a CSV file."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from agents.models import Agent
from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Project
from common.tables.csv import csv_lines
from lib.trees.tree import KNOWN_OUTCOMES
from routing.models import ErrorReport, Sending, Tree
from web.http.exports import exported
from web.staff.access import reports_for, sendings_of, targets_for
from web.staff.decorators import chosen, staff_actor, staff_only
from web.staff.grid.columns import WIDE, Column
from web.staff.grid.filters import Filter, choice, text
from web.staff.grid.listing import Listing, Shown
from web.staff.grid.page import drawn, respond
from web.staff.routing.report import understood

State = ErrorReport.State
STATES: Mapping[str, str] = {
    State.NEW: "no task asks about it",
    State.ROUTED: "a task asks people about it",
    State.ANNOTATED: "what is right is known",
    State.DISMISSED: "put aside, with a reason",
}
LONGEST = 200
"""The longest search text, in characters."""
MOST_PHRASES = 3
MOST_COUNTED = 10_000
"""Counting stops at this number: the exact number of more reports changes nothing for anyone."""
FILE_COLUMNS = (
    "report",
    "marked_at",
    "project",
    "command",
    "text",
    "outcome",
    "phrases",
    "state",
    "state_at",
    "why_dismissed",
    "merged_into",
    "agent",
    "tree",
    "tree_version",
    "sent_to",
    "task",
    "understood",
    "feedback",
)
_LONG = ("command__form", "command__truth", "command__path", "command__objects_found", "tree__content")


class Row(NamedTuple):
    """A report in the list; `means` is its outcome in words, "" if only its tree defines it."""

    report: ErrorReport
    means: str
    phrases: list[str]
    tasks: list[Sending]
    may_act: bool


class StateCount(NamedTuple):
    state: str
    means: str
    n: int


def _agent(row: Row) -> str:
    return row.report.command.agent.slug if row.report.command.agent else ""


COLUMNS: tuple[Column[Row], ...] = (
    Column("command", "Command", lambda row: row.report.command.text, WIDE, is_fixed=True),
    Column("outcome", "What went wrong", lambda row: row.report.outcome),
    Column("state", "State and tasks", lambda row: row.report.state),
    Column("agent", "Agent, tree", _agent),
    Column("newest", "Given in, marked", lambda row: row.report.at),
    Column("project", "Project", lambda row: row.report.project.slug, is_usual=False),
    Column("report", "Report", lambda row: row.report.public_id, is_usual=False),
    Column("phrases", "Phrases", lambda row: row.phrases, is_usual=False),
    Column("feedback", "Feedback", lambda row: row.report.command.feedback, WIDE, is_usual=False),
    Column("why", "Why dismissed", lambda row: row.report.why_dismissed, is_usual=False),
)


@staff_only
@require_safe
def report_list(request: HttpRequest) -> HttpResponseBase:
    return list_page(request)


def list_page(request: HttpRequest, *, status: int = 200, **more: Any) -> HttpResponseBase:
    """The page of the list that the address asks for. `more` is a refused form with its error."""
    asked = asked_by(request)
    rows = narrowed(reports_for(request.user), {**asked, "state": "", "outcome": ""})
    counts = _counts(rows)
    outcomes = sorted({*KNOWN_OUTCOMES, *(outcome for _, outcome in counts)} - {"ok"})
    listing = Listing(
        name="error-reports",
        what="report",
        rows=_of_kind(rows, asked).only("pk"),
        columns=COLUMNS,
        made=lambda found: _rows(request, [one.pk for one in found]),
        filters=_filters(request, asked, outcomes),
        cells="staff/routing/_report_cells.html",
        pick=(lambda row: row.report.public_id if row.may_act else "")
        if roles.may_somewhere(request.user, Role.REVIEWER)
        else None,
        pick_name="report",
        form="chosen-reports",
        page=reverse("staff-reports"),
    )

    def rest(grid: Shown) -> dict[str, Any]:
        return {
            "section": "reports",
            "states": _by_state(counts, asked["outcome"]),
            "asked": asked,
            "is_narrowed": any(asked.values()),
            "query": request.GET.urlencode(),
            "may_act": roles.may_somewhere(request.user, Role.REVIEWER),
            "targets": targets_for(request.user),
            **more,
        }

    if request.method == "POST":
        return drawn(request, listing, "staff/routing/reports.html", rest, status=status)
    return respond(request, listing, "staff/routing/reports.html", rest)


def _filters(request: HttpRequest, asked: Mapping[str, str], outcomes: Sequence[str]) -> list[Filter]:
    seen = roles.projects_for(request.user)
    reported = ErrorReport.objects.order_by()
    projects = seen.filter(Exists(reported.filter(project=OuterRef("pk")))).order_by("title", "pk")
    agents = Agent.objects.filter(Exists(reported.filter(command__agent=OuterRef("pk")))).order_by("slug")
    menus = [
        choice(request, "state", "State", "Every state", ((one, one) for one in State.values)),
        choice(request, "outcome", "Outcome", "Every outcome", ((one, one) for one in outcomes)),
        choice(request, "project", "Given in", "Every project", projects.values_list("slug", "title")),
        choice(request, "agent", "Agent", "Every agent", ((one, one) for one in agents.values_list("slug", flat=True))),
        choice(request, "tree", "Tree", "Every tree", ((one.slug, one.slug) for one in Tree.objects.order_by("slug"))),
    ]
    # A value that does not exist matches no report, so the page says that it is narrowed.
    return [text(request, "Words or id"), *(replace(one, value=asked[one.name]) for one in menus)]


def asked_by(request: HttpRequest) -> dict[str, str]:
    """The filters in the address. A value that does not exist matches no report."""
    asked = {
        name: request.GET.get(name, "").replace("\0", "").strip()[:LONGEST]
        for name in ("outcome", "project", "agent", "tree", "q")
    }
    return {"state": chosen(request, "state", State.values), **asked}


def narrowed(rows: QuerySet[ErrorReport], asked: Mapping[str, str]) -> QuerySet[ErrorReport]:
    columns = {
        "state": "state",
        "outcome": "outcome",
        "project": "project__slug",
        "agent": "command__agent__slug",
        "tree": "tree__tree__slug",
    }
    rows = rows.filter(**{column: asked[name] for name, column in columns.items() if asked[name]})
    words = asked["q"]
    return (
        rows.filter(Q(command__text__icontains=words) | Q(command__public_id=words) | Q(public_id=words))
        if words
        else rows
    )


def _of_kind(rows: QuerySet[ErrorReport], asked: Mapping[str, str]) -> QuerySet[ErrorReport]:
    return rows.filter(**{name: asked[name] for name in ("state", "outcome") if asked[name]})


def _counts(rows: QuerySet[ErrorReport]) -> Mapping[tuple[str, str], int]:
    """The number of reports by state and outcome, among the last `MOST_COUNTED`. 1 query."""
    return Counter(rows.order_by("-pk").values_list("state", "outcome")[:MOST_COUNTED])


def _by_state(counts: Mapping[tuple[str, str], int], outcome: str) -> list[StateCount]:
    return [
        StateCount(state, means, sum(n for (one, of), n in counts.items() if one == state and outcome in ("", of)))
        for state, means in STATES.items()
    ]


def _listed(rows: QuerySet[ErrorReport], *, with_form: bool = False) -> QuerySet[ErrorReport]:
    """The reports with the columns of the list.

    Of their objects only the phrases are read, because masks can be large.
    """
    phrases = {
        f"phrase_{number}": KeyTextTransform("phrase", KeyTransform(str(number), "command__objects_found"))
        for number in range(MOST_PHRASES)
    }
    with_all = rows.select_related("project", "command__agent", "tree__tree", "merged_into")
    long = [name for name in _LONG if name != "command__form" or not with_form]
    return with_all.defer(*long).annotate(**phrases)


def phrases_of(report: ErrorReport) -> list[str]:
    """The first phrases of a report that `_listed` has read."""
    found = (getattr(report, f"phrase_{number}") for number in range(MOST_PHRASES))
    return [phrase for phrase in found if phrase]


def _rows(request: HttpRequest, pks: list[int]) -> list[Row]:
    """The rows of the page. 2 queries.

    The first sorts without the wide columns, the second reads them for this page only.
    """
    found = _listed(ErrorReport.objects.all()).in_bulk(pks)
    reports = [found[pk] for pk in pks]
    sendings = sendings_of(reports)
    return [
        Row(
            report,
            KNOWN_OUTCOMES.get(report.outcome, ""),
            phrases_of(report),
            [one for one in sendings.get(report.command_id, []) if one.task is not None],
            roles.may_in(request.user, report.project, Role.REVIEWER),
        )
        for report in reports
    ]


# As a file ------------------------------------------------------------------------------------------------------


@staff_only
@require_safe
def reports_csv(request: HttpRequest) -> HttpResponseBase:
    """Every report that matches the filters, newest first, streamed row by row."""
    made = Sending.objects.filter(command=OuterRef("command"), task__isnull=False).order_by("pk")
    rows = _listed(narrowed(reports_for(request.user), asked_by(request)), with_form=True).order_by("-pk")
    rows = rows.annotate(
        task_key=Subquery(made.values("task__key")[:1]),
        sent_to=Subquery(made.filter(to__in=_visible(request)).values("to__slug")[:1]),
    )
    lines = csv_lines(FILE_COLUMNS, map(_cells, rows.iterator(chunk_size=500)))
    return exported(
        request,
        lines,
        what="error_reports",
        by=staff_actor(request),
        content_type="text/csv; charset=utf-8",
        filename="error-reports.csv",
    )


def _visible(request: HttpRequest) -> QuerySet[Project]:
    return roles.projects_for(request.user)


def _cells(report: ErrorReport) -> list[object]:
    tree, merged, agent = report.tree, report.merged_into, report.command.agent
    sent_to: str | None = report.sent_to  # type: ignore[attr-defined]
    return [
        report.public_id,
        report.at.isoformat(),
        report.project.slug,
        report.command.public_id,
        report.command.text,
        report.outcome,
        ", ".join(phrases_of(report)),
        report.state,
        report.state_at.isoformat(),
        report.why_dismissed,
        merged.public_id if merged else "",
        agent.slug if agent else "",
        tree.tree.slug if tree else "",
        tree.number if tree else "",
        sent_to,
        report.task_key if sent_to else "",  # type: ignore[attr-defined]
        understood(report),
        report.command.feedback,
    ]
