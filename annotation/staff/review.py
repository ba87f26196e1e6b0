"""The review queue: what needs a person, worst first, and the way from one thing to the next."""

from typing import NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation import roles
from annotation.models import Project
from annotation.review import queue
from annotation.roles import Account, Role
from common.staff import ROWS, chosen, staff_only


class Filters(NamedTuple):
    """Which part of the queue somebody works through; it travels from page to page in the address."""

    kind: str
    project: Project | None
    projects: QuerySet[Project]

    @property
    def tail(self) -> str:
        """`?kind=…&project=…`, or nothing."""
        told = {"kind": self.kind, "project": self.project.slug if self.project else ""}
        query = urlencode({name: value for name, value in told.items() if value})
        return f"?{query}" if query else ""


def filters_of(request: HttpRequest) -> Filters:
    """What the address says; what it names and the account may not see is left out. 1 query at most."""
    allowed = roles.projects_for(request.user)
    slug = request.GET.get("project", "")
    project = allowed.filter(slug=slug).first() if slug else None
    projects = allowed.filter(pk=project.pk) if project else allowed
    return Filters(chosen(request, "kind", [kind for kind, _ in queue.kinds()]), project, projects)


def next_page(user: Account, filters: Filters, *, after: str) -> str:
    """The page that follows `after` in the queue, of those that the account may open; "" where nothing else waits."""
    entries = [entry for entry in queue.listing(filters.projects, kind=filters.kind) if _may_open(user, entry.item)]
    return queue.following(entries, after)


def _may_open(user: Account, item: queue.Item) -> bool:
    if not item.for_reviewers:
        return True
    if item.project is None:
        return roles.may_everywhere(user, Role.REVIEWER)
    return roles.may_in(user, item.project, Role.REVIEWER)


def onwards(filters: Filters, found: str) -> str:
    """The whole address of a page of the queue, the filters with it; without one, of the queue itself."""
    return (found or reverse("staff-review")) + filters.tail


@staff_only
@require_safe
def review(request: HttpRequest) -> HttpResponse:
    """The queue."""
    filters = filters_of(request)
    entries = queue.listing(filters.projects, kind=filters.kind)
    counts = queue.count(filters.projects)
    page = Paginator(entries, ROWS).get_page(request.GET.get("page"))
    ctx = {
        "section": "review",
        "page": page,
        "counts": counts,
        "kinds": [(kind, label, counts.by_kind[kind]) for kind, label in queue.kinds()],
        "kind": filters.kind,
        "projects": roles.projects_for(request.user).order_by("title", "pk"),
        "project": filters.project,
        "tail": filters.tail,
        "most": queue.MOST,
        "most_counted": queue.MOST_COUNTED,
    }
    return render(request, "review/queue.html", ctx)


@staff_only
@require_safe
def next_in_review(request: HttpRequest) -> HttpResponse:
    """To the worst that waits, or with `?after=` to what follows that page."""
    filters = filters_of(request)
    found = next_page(request.user, filters, after=request.GET.get("after", ""))
    if not found:
        messages.success(request, "✓ Nothing else waits.")
    return redirect(onwards(filters, found))
