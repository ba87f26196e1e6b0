"""Archiving a project, a suite or an episode, after a page that says what follows; and putting it back."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Project
from annotation.projects import archive as projects
from evaluation import archive as evaluation
from evaluation.episodes import episode_named
from evaluation.models import Episode, Suite
from evaluation.suites import suite_named
from web.staff.decorators import staff_actor, staff_only

MOST_ARCHIVED = 100
"""The number of archived things of one kind on the page that lists them."""


class Archived(NamedTuple):
    """An archived thing: the name in its address, its title, and since when."""

    name: str
    title: str
    at: datetime


class Kind(NamedTuple):
    """How things of one kind are found for the account, archived and put back.

    Attributes:
        noun: What the page calls it, and the name under which `archive` and `restore` take it.
        section: Of the navigation.
        page: The name of the address of its own page.
        find: The thing; refuses accounts that may not change it.
        says: What follows if it is archived.
    """

    noun: str
    section: str
    page: str
    find: Callable[[HttpRequest, str], Any]
    says: Callable[[Any], list[str]]
    archive: Callable[..., None]
    restore: Callable[..., None]


def _project(request: HttpRequest, name: str) -> Project:
    return roles.project_for(request.user, name, Role.ADMIN)


def _suite(request: HttpRequest, name: str) -> Suite:
    roles.check_everywhere(request.user, Role.ADMIN)
    return suite_named(name)


def _episode(request: HttpRequest, name: str) -> Episode:
    roles.check_everywhere(request.user, Role.ADMIN)
    return episode_named(name)


KINDS = {
    "project": Kind(
        "project",
        "projects",
        "staff-project",
        _project,
        projects.what_archiving_a_project_does,
        projects.archive_project,
        projects.restore_project,
    ),
    "suite": Kind(
        "suite",
        "suites",
        "staff-suite",
        _suite,
        evaluation.what_archiving_a_suite_does,
        evaluation.archive_suite,
        evaluation.restore_suite,
    ),
    "episode": Kind(
        "episode",
        "episodes",
        "staff-episode",
        _episode,
        evaluation.what_archiving_an_episode_does,
        evaluation.archive_episode,
        evaluation.restore_episode,
    ),
}


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def archive(request: HttpRequest, name: str, kind: str) -> HttpResponse:
    """Say what follows; a POST archives."""
    known = KINDS[kind]
    found = known.find(request, name)
    if request.method == "POST":
        known.archive(**{known.noun: found}, by=staff_actor(request), at=timezone.now())
        messages.success(request, f"{found} is archived. You can put it back on this page.")
        return redirect(known.page, name)
    ctx = {
        "section": known.section,
        "noun": known.noun,
        "found": found,
        "name": name,
        "page": known.page,
        "consequences": known.says(found),
    }
    return render(request, "staff/editing/archive.html", ctx)


@staff_only
@require_POST
def restore(request: HttpRequest, name: str, kind: str) -> HttpResponse:
    known = KINDS[kind]
    found = known.find(request, name)
    known.restore(**{known.noun: found}, by=staff_actor(request), at=timezone.now())
    messages.success(request, f"{found} is in the lists again.")
    return redirect(known.page, name)


@staff_only
@require_safe
def archived(request: HttpRequest) -> HttpResponse:
    """The newest archived things of each kind, which no list shows. 3 queries, and those of the account."""
    ctx = {
        "section": "projects",
        "kinds": [
            ("Projects", "staff-project", _newest(roles.projects_for(request.user), "slug")),
            ("Suites", "staff-suite", _newest(Suite.objects.all(), "slug")),
            ("Episodes", "staff-episode", _newest(Episode.objects.all(), "external_id")),
        ],
        "most": MOST_ARCHIVED,
        "grace_days": projects.GRACE.days,
    }
    return render(request, "staff/editing/archived.html", ctx)


def _newest(rows: QuerySet[Any], name: str) -> list[Archived]:
    found = rows.exclude(archived_at=None).order_by("-archived_at", "-pk")[:MOST_ARCHIVED]
    return [Archived(getattr(row, name), str(row), row.archived_at) for row in found]
