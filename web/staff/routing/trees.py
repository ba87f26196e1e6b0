"""Decision trees: one tree as a drawing and in words, a trial walk, and versions with their changes."""

from collections.abc import Iterable
from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Project
from annotation.offer.experiments import arms_of
from interaction.project.tool import interaction
from lib.trees.boxes import boxes_of
from lib.trees.differences import OfNode, by_node, compare
from lib.trees.text import in_order
from lib.trees.tree import Tree
from routing.models import TreeVersion
from routing.tree_versions import put_tree, tree_named, version_of
from web.staff.decorators import paged, staff_actor, staff_only
from web.staff.routing.tree_walks import walk_of


class VersionRow(NamedTuple):
    """A version in the list, with its changes to the version before. All of the first version is new."""

    version: TreeVersion
    changes: list[OfNode]


def outcomes_of(tree: Tree) -> list[str]:
    """Every outcome of the tree, once, in the order of the questions."""
    found = [choice.outcome for node in in_order(tree) for choice in node.choices if choice.outcome is not None]
    return list(dict.fromkeys(found))


def projects_by_tree(slugs: Iterable[str]) -> dict[str, list[Project]]:
    """The live projects whose sessions use each tree, in any arm of an experiment too, by title. 1 query."""
    found: dict[str, list[Project]] = {slug: [] for slug in slugs}
    live = interaction.projects().filter(status=Project.Status.LIVE)
    for project in sorted(live, key=lambda project: project.title):
        named = {project.settings.get("tree"), *(arm.settings.get("tree") for arm in arms_of(project))}
        for slug, projects in found.items():
            if slug in named:
                projects.append(project)
    return found


@staff_only
@require_safe
def tree(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest version, or the one that `?version=` names."""
    last, version = _versions(request, slug)
    read = version.read()
    projects = projects_by_tree([slug])[slug]
    ctx = {
        "section": "trees",
        "slug": slug,
        "version": version,
        "last": last,
        "tree": read,
        "nodes": in_order(read),
        "outcomes": outcomes_of(read),
        "drawing": boxes_of(read),
        "uses": [project for project in projects if roles.may_in(request.user, project, Role.VIEWER)],
        "may_change": roles.may_everywhere(request.user, Role.ADMIN),
    }
    return render(request, "staff/routing/tree.html", ctx)


@staff_only
@require_safe
def try_tree(request: HttpRequest, slug: str) -> HttpResponse:
    """A trial walk through a version. The address holds the whole walk."""
    last, version = _versions(request, slug)
    read = version.read()
    walk = walk_of(read, request.GET)
    ctx = {
        "section": "trees",
        "slug": slug,
        "version": version,
        "last": last,
        "tree": read,
        "walk": walk,
        "has_begun": "act" in request.GET,
        "drawing": boxes_of(read, path=walk.path, now=walk.question.node.name if walk.question else ""),
    }
    return render(request, "staff/routing/tree_try.html", ctx)


@staff_only
@require_safe
def versions(request: HttpRequest, slug: str) -> HttpResponse:
    """All versions with their changes, newest first; or two versions compared."""
    last = tree_named(slug)
    page = paged(request, last.tree.versions.order_by("-number"), size=20)
    shown = list(page.object_list)
    read = {version.number: version.read() for version in shown}
    if shown and shown[-1].number > 1:
        # The version before the oldest one on this page, to show the changes of that one.
        read[shown[-1].number - 1] = version_of(last.tree, shown[-1].number - 1).read()
    rows = [
        VersionRow(
            version,
            by_node(compare(read[version.number - 1], read[version.number])) if version.number > 1 else [],
        )
        for version in shown
    ]
    old, new = whole(request.GET.get("from", "")), whole(request.GET.get("to", ""))
    ctx = {
        "section": "trees",
        "slug": slug,
        "last": last,
        "page": page,
        "rows": rows,
        "old": old,
        "new": new,
        "compared": by_node(compare(version_of(last.tree, old).read(), version_of(last.tree, new).read()))
        if old and new
        else None,
        "may_change": roles.may_everywhere(request.user, Role.ADMIN),
    }
    return render(request, "staff/routing/tree_versions.html", ctx)


@staff_only
@require_POST
def restore(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Restore an earlier version: its content becomes a new version."""
    roles.check_everywhere(request.user, Role.ADMIN)
    earlier = version_of(tree_named(slug).tree, number)
    version, _ = put_tree(slug=slug, content=earlier.content, by=staff_actor(request), at=timezone.now())
    messages.success(request, f"✓ Version {number} is back, as version {version.number}.")
    return redirect("staff-tree-versions", slug)


def _versions(request: HttpRequest, slug: str) -> tuple[TreeVersion, TreeVersion]:
    """The newest version, and the version that the address names. At most 2 queries."""
    last = tree_named(slug)
    number = whole(request.GET.get("version", ""))
    return last, version_of(last.tree, number) if number and number != last.number else last


def whole(text: str) -> int:
    """A whole number in a form; 0 for any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
