"""The editor of a tree, by its questions or as text: faults, a drawing and a trial walk. Saving makes a new version.

The form works without a script: each button sends all that is typed to the server and gets it back; only "Save" stores
it. With scripts faults and drawing of a text are updated while typing (`frontend/src/page/preview.ts`).
"""

import re

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access import roles
from annotation.access.roles import Role
from lib.faults import Conflict, NotFound
from lib.name_patterns import SLUG
from lib.trees.differences import OfNode, by_node, compare
from lib.trees.shipped import DEFAULT
from lib.trees.text import written
from routing.models import Tree, TreeVersion
from routing.tree_versions import TAKEN, put_tree, tree_named, version_of
from web.staff.decorators import staff_actor, staff_only
from web.staff.routing.tree_drafts import MOST_CHARACTERS, Draft, read_draft
from web.staff.routing.tree_questions import OPS, form_of, text_from
from web.staff.routing.tree_walks import walk_of
from web.staff.routing.trees import whole

QUESTIONS, TEXT = "questions", "text"
"""The two ways to write a tree."""
_WALKING = ("try", "answer", "back")
MOST_OFFERED = 200
"""The number of trees that the list offers to start from. Any other tree can be named in the address."""


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """The editor of a tree. A POST does what its button says; only "save" stores the text."""
    roles.check_everywhere(request.user, Role.ADMIN)
    last = tree_named(slug)
    if request.method != "POST":
        return _page(request, read_draft(written(last.read())), slug=slug, based_on=last.number)
    draft = _posted(request)
    based_on = whole(request.POST.get("based_on", ""))
    if request.POST.get("act") == "save":
        return _save(request, draft, slug=slug, based_on=based_on)
    return _page(request, draft, slug=slug, based_on=based_on, is_unsaved=True)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The editor of a new tree. `?from=` names the tree whose text it begins with."""
    roles.check_everywhere(request.user, Role.ADMIN)
    if request.method != "POST":
        begins = tree_named(request.GET.get("from", DEFAULT))
        return _page(request, read_draft(written(begins.read())), slug="", based_on=0, begins=begins.tree.slug)
    draft, slug = _posted(request), request.POST.get("slug", "").strip()
    if request.POST.get("act") != "save":
        return _page(request, draft, slug=slug, based_on=0, is_unsaved=True)
    if not re.fullmatch(SLUG, slug):
        error = "Name the tree by a to z, 0 to 9, - and _ only, beginning with a letter or digit; 63 at most."
        return _page(request, draft, slug=slug, based_on=0, is_unsaved=True, error=error, status=422)
    return _save(request, draft, slug=slug, based_on=0)


@staff_only
@require_POST
def check(request: HttpRequest) -> HttpResponse:
    """The faults of a text and its drawing, as a piece of HTML for the editor."""
    return render(request, "staff/routing/_tree_checked.html", {"draft": read_draft(request.POST.get("page", ""))})


def _posted(request: HttpRequest) -> Draft:
    """The draft in the posted form, which holds it as text or by its questions."""
    if request.POST.get("by") == QUESTIONS:
        return read_draft(text_from(request.POST.dict(), request.POST.get("act", "")))
    return read_draft(request.POST.get("page", ""))


def _is_by_questions(request: HttpRequest) -> bool:
    """Whether the page shows the questions: from the first on, until somebody asks for the text, or posted text."""
    if request.method != "POST":
        return request.GET.get("as") != TEXT
    act = request.POST.get("act", "")
    return act == "as-questions" or (request.POST.get("by") == QUESTIONS and act != "as-text")


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
    """Show the version that another person saved meanwhile.

    The author now knows of it, so the next save replaces it.
    """
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
    is_new, form = based_on == 0, form_of(draft)
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
        "form": form if _is_by_questions(request) else None,
        "has_questions": form is not None,
        "ops": OPS,
    }
    return render(request, "staff/routing/tree_edit.html", ctx, status=status)
