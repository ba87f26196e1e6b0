"""“Duplicate”: a copy of a project, a quiz or a route, under a name of its own."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation.access import roles
from annotation.access.roles import Role, project_for
from annotation.models import Project
from routing import routes
from routing.models import Route
from web.api.qualifications import BODY_FIELDS
from web.staff.decorators import staff_actor, staff_only
from web.staff.setup.names import free_slug
from web.staff.setup.project_body import body_of, put_body
from workforce.models import Qualification
from workforce.qualifications import QualificationBody, put_qualification, qualification_named

MOST_TITLE = 200


def _copy_of(title: str) -> str:
    return f"Copy of {title}"[:MOST_TITLE]


@staff_only
@require_POST
def duplicate_project(request: HttpRequest, slug: str) -> HttpResponse:
    """A draft with the same settings, and the same suite; posted tasks and answers stay where they are."""
    roles.check_everywhere(request.user, Role.ADMIN)
    project = project_for(request.user, slug, Role.ADMIN)
    copy = free_slug(Project, project.slug)
    body = {**body_of(project), "title": _copy_of(project.title), "status": Project.Status.DRAFT.value}
    put_body(slug=copy, body=body, by=staff_actor(request), at=timezone.now())
    messages.success(request, f"✓ This is the copy of {project.title}, as a draft.")
    return redirect("staff-project-settings", copy)


@staff_only
@require_POST
def duplicate_qualification(request: HttpRequest, slug: str) -> HttpResponse:
    """A quiz with the same pages and questions, which nobody has passed."""
    roles.check_everywhere(request.user, Role.ADMIN)
    found = qualification_named(slug)
    copy = free_slug(Qualification, found.slug)
    content = {name: getattr(found, name) for name in BODY_FIELDS}
    body = QualificationBody(**{**content, "title": _copy_of(found.title)})  # type: ignore[typeddict-item]
    put_qualification(slug=copy, body=body, by=staff_actor(request), at=timezone.now())
    messages.success(request, f"✓ This is the copy of {found.title}.")
    return redirect("staff-qualification-edit", copy)


@staff_only
@require_POST
def duplicate_route(request: HttpRequest, slug: str) -> HttpResponse:
    """A route that takes the same commands to the same project. It rests until its share is raised."""
    roles.check_everywhere(request.user, Role.ADMIN)
    found = routes.route_named(slug)
    copy = free_slug(Route, found.slug)
    body = routes.RouteBody(**{**routes.show_content(found), "rate": 0.0})  # type: ignore[typeddict-item]
    routes.put_route(slug=copy, body=body, by=staff_actor(request), at=timezone.now())
    messages.success(request, "✓ This is the copy. It rests: it takes no commands until you raise its share.")
    return redirect("staff-route", copy)
