"""The review queue: everything that waits for a person, worst first, and the step from one item to the next."""

from typing import NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.access.roles import Account, Role
from annotation.models import Project
from annotation.review import queue
from web.staff.addresses import page_of
from web.staff.decorators import ROWS, chosen, staff_only


class Filters(NamedTuple):
    """The filters of the queue. They stay in the address from page to page."""

    kind: str
    project: Project | None
    projects: QuerySet[Project]

    @property
    def tail(self) -> str:
        """`?kind=…&project=…`, or "" without filters."""
        told = {"kind": self.kind, "project": self.project.slug if self.project else ""}
        query = urlencode({name: value for name, value in told.items() if value})
        return f"?{query}" if query else ""


def filters_of(request: HttpRequest) -> Filters:
    """The filters in the address. Values that do not exist or that the account may not see are dropped.

    1 query at most.
    """
    allowed = roles.projects_for(request.user)
    slug = request.GET.get("project", "")
    project = allowed.filter(slug=slug).first() if slug else None
    projects = allowed.filter(pk=project.pk) if project else allowed
    return Filters(chosen(request, "kind", [kind for kind, _ in queue.kinds()]), project, projects)


def next_page(user: Account, filters: Filters, *, after: str) -> str:
    """The page after `after` in the queue, among those that the account may open; "" if nothing else waits."""
    entries = queue.listing(filters.projects, kind=filters.kind)
    return following([page_of(entry.item.subject) for entry in entries if _may_open(user, entry.item)], after)


def following(pages: list[str], page: str) -> str:
    """The page after this one; the first page if this one is the last or is not listed; "" if there is no other page.

    >>> following(["/a", "/b", "/c"], "/b"), following(["/a", "/b", "/c"], "/c"), following(["/a", "/b"], "/z")
    ('/c', '/a', '/a')
    >>> following(["/a"], "/a")
    ''
    """
    if page in pages:
        place = pages.index(page)
        pages = pages[place + 1 :] + pages[:place]
    return pages[0] if pages else ""


def _may_open(user: Account, item: queue.Item) -> bool:
    if not item.for_reviewers:
        return True
    if item.project is None:
        return roles.may_everywhere(user, Role.REVIEWER)
    return roles.may_in(user, item.project, Role.REVIEWER)


def onwards(filters: Filters, found: str) -> str:
    """The address of the found page with the filters; without a found page, the address of the queue."""
    return (found or reverse("staff-review")) + filters.tail


@staff_only
@require_safe
def review(request: HttpRequest) -> HttpResponse:
    """The page of the queue."""
    filters = filters_of(request)
    entries = queue.listing(filters.projects, kind=filters.kind)
    counts = queue.count(filters.projects)
    page = Paginator(entries, ROWS).get_page(request.GET.get("page"))
    ctx = {
        "section": "review",
        "page": page,
        "counts": counts,
        "all_waiting": None if filters.project else counts,
        "kinds": [(kind, label, counts.by_kind[kind]) for kind, label in queue.kinds()],
        "kind": filters.kind,
        "projects": roles.projects_for(request.user).order_by("title", "pk"),
        "project": filters.project,
        "tail": filters.tail,
        "most": queue.MOST,
        "most_counted": queue.MOST_COUNTED,
    }
    return render(request, "staff/review/queue.html", ctx)


@staff_only
@require_safe
def next_in_review(request: HttpRequest) -> HttpResponse:
    """Redirect to the worst item, or with `?after=` to the item after that page."""
    filters = filters_of(request)
    found = next_page(request.user, filters, after=request.GET.get("after", ""))
    if not found:
        messages.success(request, "✓ Nothing else waits.")
    return redirect(onwards(filters, found))
