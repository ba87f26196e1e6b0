"""The references of a project: their results, the workers who have few left, and importing many from a file."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Project, Task
from annotation.references import reference_health, references
from annotation.references.reference_health import ReferenceFigures
from lib.faults import Conflict, Fault, Invalid, TooLarge
from web.http.keyset_pages import Part
from web.staff.decorators import staff_actor, staff_only
from web.staff.grid.columns import NUMBER, WIDE, Column, Order, by
from web.staff.grid.filters import Filter, choice, text
from web.staff.grid.listing import Act, Given, Listing, Shown
from web.staff.grid.page import drawn, respond
from web.staff.projects import tool_texts

KINDS = {"success": True, "failure": False, "both": None}
"""The classes of references, by their words in the address."""
STATES = {"served": "served", "retired": "retired", "doubted": "workers disagree"}
MOST_FAULTS = 50
LIST = "staff/projects/references.html"


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def reference_list(request: HttpRequest, slug: str) -> HttpResponseBase:
    """List the references, the newest first; a posted form retires the chosen ones."""
    project = roles.project_for(request.user, slug)
    if request.method == "POST":
        roles.check_in(request.user, project, Role.REVIEWER)
    return _list_page(request, project)


def _list_page(
    request: HttpRequest, project: Project, *, faults: tuple[Fault, ...] = (), status: int = 200
) -> HttpResponseBase:
    has_classes, in_parts = reference_health.has_classes(project), reference_health.are_asked_in_parts(project)
    filters = _filters(request, has_classes)
    may_review = roles.may_in(request.user, project, Role.REVIEWER)
    listing = Listing(
        name="references",
        page=reverse("staff-references", args=[project.slug]),
        what="reference",
        rows=_narrowed(project, **{one.name: one.value for one in filters}),
        columns=_columns(has_classes=has_classes, in_parts=in_parts),
        made=lambda found: _with_figures(project, found),
        orders=_orders(in_parts=in_parts),
        filters=filters,
        cells="staff/projects/_reference_cells.html",
        acts=[_retire(request)] if may_review else (),
    )

    def more(grid: Shown) -> dict[str, Any]:
        return {
            "section": "projects",
            "project": project,
            "stock": reference_health.stock(project),
            "few": reference_health.FEW,
            "may_review": may_review,
            "faults": faults[:MOST_FAULTS],
            "more_faults": max(len(faults) - MOST_FAULTS, 0),
            "most_lines": references.MOST_LINES,
            "has_classes": has_classes,
            "tool": tool_texts.page_of(project),
            "in_parts": in_parts,
        }

    if faults:
        return drawn(request, listing, LIST, more, status=status)
    return respond(request, listing, LIST, more)


def _filters(request: HttpRequest, has_classes: bool) -> list[Filter]:
    classes = choice(request, "class", "In truth", "Success or failure", ((one, one) for one in KINDS))
    return [
        text(request, "Part of the key"),
        *([classes] if has_classes else []),
        choice(request, "state", "State", "Served or retired", STATES.items()),
    ]


def _narrowed(project: Project, *, q: str, state: str, **kind: str) -> "QuerySet[Task]":
    # `IN`, because SQLite uses no index for a boolean column alone, and reads every task of the project instead.
    rows: QuerySet[Task] = Task.objects.filter(is_reference__in=[True], project=project).posted()
    if kind.get("class"):
        rows = rows.filter(truth_class=KINDS[kind["class"]])
    if state in ("served", "retired"):
        rows = rows.filter(retired_at__isnull=state == "served")
    elif state == "doubted":
        rows = rows.filter(pk__in=reference_health.with_figures(project, only_doubted=True).values("pk"))
    return rows.filter(key__contains=q) if q else rows


def _orders(*, in_parts: bool) -> dict[str, Order]:
    """The orders of the list. Those by figures count the answers to every reference that is listed, by an index."""

    def by_figure(name: str, *, can_lack: bool = False) -> Order:
        usual = by(name, "id", can_lack=can_lack)

        def parts(rows: "QuerySet[Task]", falls: bool) -> Sequence[Part[Task]]:
            return usual.parts(reference_health.with_figure(rows, name, in_parts=in_parts), falls)

        return Order(parts)

    return {
        "newest": by("id", prefix=("project_id",)),
        "reference": by("key", is_descending=False, prefix=("project_id",)),
        "answers": by_figure("n"),
        "share": by_figure("share", can_lack=True),
    }


def _with_figures(project: Project, found: list[Task]) -> list[ReferenceFigures]:
    """The references with their figures, computed for these alone. 1 query: for all they take seconds at a million
    annotations."""
    figures = reference_health.with_figures(project).in_bulk([task.pk for task in found])
    return reference_health.figures_of(figures[task.pk] for task in found)


def _columns(*, has_classes: bool, in_parts: bool) -> list[Column[ReferenceFigures]]:
    truth: Column[ReferenceFigures] = Column("truth", "In truth", lambda row: row.task.truth.answers, WIDE)
    good: list[Column[ReferenceFigures]] = [
        Column("good_right", "Right, of good raters", lambda row: row.good_right, NUMBER),
        Column("good_n", "Answers of good raters", lambda row: row.good_n, NUMBER, is_usual=False),
    ]
    return [
        Column("reference", "Reference", lambda row: row.task.key, is_fixed=True),
        truth,
        Column("answers", "Steps answered" if in_parts else "Answers", lambda row: row.n, NUMBER),
        Column("share", "Right", lambda row: row.share, NUMBER),
        Column("interval", "95 %", lambda row: list(row.interval) if row.interval else None, NUMBER),
        *(good if has_classes else []),
        Column("state", "State", lambda row: "retired" if row.task.retired_at else "served"),
        Column("newest", "Made", lambda row: row.task.created_at),
        Column("retired", "Retired", lambda row: row.task.retired_at, is_usual=False),
        Column("tolerance_s", "Tolerance, s", lambda row: row.task.truth.tolerance_s, NUMBER, is_usual=False),
        Column("payload", "Payload", lambda row: row.task.payload, WIDE, is_usual=False),
    ]


def _retire(request: HttpRequest) -> Act[Task]:
    def retire(task: Task, given: Given) -> bool:
        if task.retired_at is not None:
            return False
        references.retire(reference=task, reason=given.reason, by=staff_actor(request), at=timezone.now())
        return True

    said = "retired: they are served no more, and count nowhere"
    return Act("retire", "Retire", said, retire, needs_reason=True, is_final=True, most=200)


@staff_only
@require_POST
def import_file(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Import references from a file of JSON Lines. If one line is wrong, none is created."""
    project = roles.project_for(request.user, slug, Role.REVIEWER)
    file = request.FILES.get("file")
    try:
        if file is None:
            raise Invalid.at("#", "Choose a file first.")
        if (file.size or 0) > references.MOST_BYTES:
            raise TooLarge(f"A file has at most {references.MOST_BYTES} bytes.")
        posted = references.import_references(
            project=project, content=file.read(), by=staff_actor(request), at=timezone.now()
        )
    except (Invalid, Conflict, TooLarge) as error:
        faults = error.faults or (Fault("#", error.detail),)
        return _list_page(request, project, faults=tuple(_by_line(fault) for fault in faults), status=error.status)
    known = f", {posted.unchanged} were there already" if posted.unchanged else ""
    messages.success(request, f"✓ {posted.created} references made{known}.")
    return redirect("staff-references", slug)


def _by_line(fault: Fault) -> Fault:
    """The pointer in words: `line 3, payload/episode`."""
    line, _, rest = fault.pointer.removeprefix("#/").partition("/")
    if not line.isdigit():
        return Fault("", fault.detail)
    return Fault(f"Line {line}, {rest}" if rest else f"Line {line}", fault.detail)
