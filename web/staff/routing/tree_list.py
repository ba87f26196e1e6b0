"""The list of decision trees, each in its newest version, with the live projects that ask it."""

from typing import Any, NamedTuple

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Project
from lib.trees.tree import Tree
from routing.models import Tree as TreeRow
from routing.models import TreeVersion
from web.staff.decorators import staff_only
from web.staff.grid.columns import NEWEST, NUMBER, WIDE, Column, by
from web.staff.grid.filters import text
from web.staff.grid.listing import Listing, Shown
from web.staff.grid.page import respond
from web.staff.routing.trees import outcomes_of, projects_by_tree


class Row(NamedTuple):
    """One tree in the list. `hidden_uses` counts the projects that ask it and that the account may not see."""

    version: TreeVersion
    tree: Tree
    uses: list[Project]
    hidden_uses: int

    @property
    def outcomes(self) -> list[str]:
        return outcomes_of(self.tree)


COLUMNS: tuple[Column[Row], ...] = (
    Column("tree", "Tree", lambda row: row.version.tree.slug, WIDE, is_fixed=True),
    Column("title", "Title", lambda row: row.tree.title, is_usual=False),
    Column("version", "Version", lambda row: row.version.number, NUMBER),
    Column("questions", "Questions", lambda row: len(row.tree.nodes), NUMBER),
    Column("outcomes", "Outcomes", lambda row: len(row.outcomes), NUMBER),
    Column("which", "Which outcomes", lambda row: row.outcomes, WIDE, is_usual=False),
    Column("uses", "Asked in", lambda row: [one.slug for one in row.uses], WIDE),
    Column("changed", "Changed", lambda row: row.version.created_at),
    Column("by", "By", lambda row: row.version.by),
    Column("newest", "Made", lambda row: row.version.tree.created_at, is_usual=False),
)


@staff_only
@require_safe
def tree_list(request: HttpRequest) -> HttpResponseBase:
    search = text(request, "Name")
    rows = TreeRow.objects.all()
    listing = Listing(
        name="trees",
        what="tree",
        rows=rows.filter(slug__icontains=search.value) if search else rows,
        columns=COLUMNS,
        made=lambda found: _rows(request, found),
        orders={"tree": by("slug", is_descending=False), "newest": NEWEST},
        filters=[search],
        cells="staff/routing/_tree_cells.html",
    )

    def more(grid: Shown) -> dict[str, Any]:
        return {"section": "trees", "may_change": roles.may_everywhere(request.user, Role.ADMIN)}

    return respond(request, listing, "staff/routing/trees.html", more)


def _rows(request: HttpRequest, trees: list[TreeRow]) -> list[Row]:
    """The trees in their newest versions. 2 queries."""
    newest = TreeVersion.objects.newest().filter(tree__in=trees).select_related("tree")
    versions = {version.tree_id: version for version in newest}
    uses = projects_by_tree(tree.slug for tree in trees)
    rows = []
    for tree in trees:
        seen = [project for project in uses[tree.slug] if roles.may_in(request.user, project, Role.VIEWER)]
        version = versions[tree.pk]
        rows.append(Row(version, version.read(), seen, len(uses[tree.slug]) - len(seen)))
    return rows
