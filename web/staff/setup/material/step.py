"""The step “material”: what the tasks are about. Each tool has its own page."""

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from annotation.access.roles import Role, project_for
from annotation.models import Project
from lib.faults import NotFound
from web.staff.decorators import staff_only
from web.staff.setup.material import lists, sessions, videos

Page = Callable[[HttpRequest, Project], HttpResponse]
_PAGES: Mapping[str, Page] = {
    "marker": videos.page,
    "parse": lists.page,
    "voxels": lists.page,
    "interaction": sessions.page,
}


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def material(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of the project's tool."""
    project = project_for(request.user, slug, Role.ADMIN)
    if project.tool not in _PAGES:
        raise NotFound
    return _PAGES[project.tool](request, project)
