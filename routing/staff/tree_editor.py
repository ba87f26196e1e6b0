"""Writing a tree: its text, what is wrong with it line by line, its drawing, a walk through it; saving makes a version.

The form works without a script: what is typed goes to the server with each button and comes back, and only "Save" keeps
it. With scripts faults and drawing follow the typing (`frontend/src/site.ts`).
"""

import re

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from annotation import roles
from annotation.roles import Role
from common.errors import Conflict, NotFound
from common.staff import staff_actor, staff_only
from common.values import SLUG
from routing.models import Tree, TreeVersion
from routing.staff.tree_drafts import MOST_CHARACTERS, Draft, read_draft
from routing.staff.tree_walks import walk_of
from routing.staff.trees import whole
from routing.trees.differences import OfNode, by_node, compare
from routing.trees.shipped import DEFAULT
from routing.trees.text import written
from routing.versions import TAKEN, put_tree, tree_named, version_of

_WALKING = ("try", "answer", "back")
MOST_OFFERED = 200
"""Trees to start from that the list offers; any other can be named in the address."""


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """The editor of a tree; a POST does what its button says, and "save" alone keeps anything."""
    roles.check_everywhere(request.user, Role.ADMIN)
    last = tree_named(slug)
    if request.method != "POST":
        return _page(request, read_draft(written(last.read())), slug=slug, based_on=last.number)
    draft = read_draft(request.POST.get("page", ""))
    based_on = whole(request.POST.get("based_on", ""))
    if request.POST.get("act") == "save":
        return _save(request, draft, slug=slug, based_on=based_on)
    return _page(request, draft, slug=slug, based_on=based_on, is_unsaved=True)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The editor of a tree that is not there yet; `?from=` names the tree whose text it begins with."""
    roles.check_everywhere(request.user, Role.ADMIN)
    if request.method != "POST":
        begins = tree_named(request.GET.get("from", DEFAULT))
        return _page(request, read_draft(written(begins.read())), slug="", based_on=0, begins=begins.tree.slug)
    draft, slug = read_draft(request.POST.get("page", "")), request.POST.get("slug", "").strip()
    if request.POST.get("act") != "save":
        return _page(request, draft, slug=slug, based_on=0, is_unsaved=True)
    if not re.fullmatch(SLUG, slug):
        error = "Name the tree by a to z, 0 to 9, - and _ only, beginning with a letter or digit; 63 at most."
        return _page(request, draft, slug=slug, based_on=0, is_unsaved=True, error=error, status=422)
    return _save(request, draft, slug=slug, based_on=0)


@staff_only
@require_POST
def check(request: HttpRequest) -> HttpResponse:
    """What is wrong with a text, and its drawing: a piece of HTML for the editor."""
    return render(request, "staff/_tree_checked.html", {"draft": read_draft(request.POST.get("page", ""))})


def _save(request: HttpRequest, draft: Draft, *, slug: str, based_on: int) -> HttpResponse:
    if draft.faults:
        error = "It is not saved: some of it cannot be. What is wrong stands beside the text."
        return _page(request, draft, slug=slug, based_on=based_on, is_unsaved=True, error=error, status=422)
    at = timezone.now()
    try:
        version, is_new = put_tree(slug=slug, content=draft.content, by=staff_actor(request), at=at, based_on=based_on)
    except Conflict as conflict:
        return _conflict(request, draft, conflict, slug=slug, based_on=based_on)
    if is_new:
        messages.success(request, f"✓ The tree {slug} is there, as version 1.")
    elif version.created_at != at:
        messages.info(request, "Nothing changed, so there is no new version.")
    else:
        messages.success(request, f"✓ Saved as version {version.number}. Sessions that begin from now on ask it.")
    return redirect("staff-tree", slug)


def _conflict(request: HttpRequest, draft: Draft, conflict: Conflict, *, slug: str, based_on: int) -> HttpResponse:
    """Show what the other has saved. From here on they know of it, so saving again replaces it."""
    if based_on == 0:
        return _page(request, draft, slug=slug, based_on=0, is_unsaved=True, error=TAKEN, status=409)
    last = tree_named(slug)
    try:
        theirs = by_node(compare(version_of(last.tree, based_on).read(), last.read()))
    except NotFound:
        theirs = []
    return _page(
        request,
        draft,
        slug=slug,
        based_on=last.number,
        is_unsaved=True,
        error=conflict.detail,
        status=409,
        theirs=theirs,
        other=last,
    )


def _page(
    request: HttpRequest,
    draft: Draft,
    *,
    slug: str,
    based_on: int,
    is_unsaved: bool = False,
    error: str = "",
    status: int = 200,
    begins: str = "",
    theirs: list[OfNode] | None = None,
    other: TreeVersion | None = None,
) -> HttpResponse:
    act = request.POST.get("act", "").partition(":")[0]
    is_walking = act in _WALKING or (act == "check" and "walk" in request.POST)
    is_new = based_on == 0
    ctx = {
        "section": "trees",
        "slug": slug,
        "is_new": is_new,
        "draft": draft,
        "based_on": based_on,
        "is_unsaved": is_unsaved,
        "error": error,
        "theirs": theirs,
        "other": other,
        "begins": begins,
        "offered": Tree.objects.order_by("slug").values_list("slug", flat=True)[:MOST_OFFERED] if is_new else [],
        "walk": walk_of(draft.tree, request.POST) if draft.tree and is_walking else None,
        "is_walking": is_walking,
        "most_characters": MOST_CHARACTERS,
    }
    return render(request, "staff/tree_edit.html", ctx, status=status)
