"""A project's body as the API takes it: read from the project, and put with the same checks."""

from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.models import Project
from annotation.projects import projects
from annotation.tool_registry import Json
from common.serializers import read
from evaluation.project_feeds import set_feed
from web.api.projects import ProjectBody, show
from web.staff.setup.api_call import body_in

FEED = ("suite", "version", "agents")


def body_of(project: Project) -> Json:
    """The project as `PUT` takes it. 4 queries."""
    return body_in(show(project), ProjectBody)


def check_body(body: Json) -> dict[str, Any]:
    """The validated content of a body, its feed included. Raises Invalid."""
    return read(ProjectBody, body)


def put_body(*, slug: str, body: Json, by: str, at: datetime) -> Project:
    """Create or replace the project as `PUT /projects/SLUG/` does.

    Raises:
        Invalid, Conflict: as there.
    """
    content = check_body(body)
    feed = {name: content.pop(name) for name in FEED}
    with transaction.atomic():
        project, _ = projects.put_project(slug=slug, body=projects.ProjectBody(**content), by=by, at=at)
        set_feed(project=project, **feed, by=by, at=at)
    return project
