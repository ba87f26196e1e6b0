"""`/projects/`: the projects, with their settings, arms, and the suite whose episodes they take."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Project
from annotation.projects import archive, projects
from annotation.projects.progress import Progress, progress_of_all
from common.serializers import NoBody, SlugField, extended, read, serializer_for
from evaluation.models import Feed
from evaluation.project_feeds import feeds_of, set_feed
from web.api.authentication import actor_of
from web.http.cursor_pages import page_of_many
from web.http.endpoints import Endpoint
from web.http.openapi import listed
from web.http.replaceable import Replaceable, archived, archives, replaceable


def _gates(**options: Any) -> serializers.ListField:
    """The gates of a project; null, which says that none are meant, is taken like an empty list."""
    return serializers.ListField(child=serializer_for(projects.GateBody)(), max_length=projects.MOST_GATES, **options)


_FEED: dict[str, serializers.Field[Any, Any, Any, Any]] = {
    "suite": SlugField(default=None, allow_null=True),
    "agents": serializers.ListField(child=SlugField(), default=None, allow_null=True, max_length=1000),
    "version": SlugField(default=None, allow_null=True),
}
"""The fields that say which episodes a project takes; they belong to `evaluation`."""
_OWN = extended("ProjectBody", projects.ProjectBody, {"gates": _gates(default=list, allow_null=True)})
ProjectBody = extended("ProjectBody", _OWN, _FEED, after="instructions")
ProgressAnswer = extended("ProgressAnswer", Progress, {})
ProjectAnswer = extended(
    "ProjectAnswer",
    ProjectBody,
    {
        "gates": _gates(),
        "slug": SlugField(),
        "archived_at": serializers.DateTimeField(required=False, help_text="Only while it is archived."),
        "progress": ProgressAnswer(),
    },
)


def show(project: Project) -> dict[str, Any]:
    """A project as JSON. 4 queries."""
    return show_all([project])[0]


def show_all(found: list[Project]) -> list[dict[str, Any]]:
    """Projects as JSON. 4 queries, however many there are."""
    feeds = feeds_of(found)
    progress = progress_of_all(found)
    return [
        {
            **projects.show_project(project),
            **_show_feed(feeds.get(project.pk)),
            **archived(project),
            "progress": progress[project.pk],
        }
        for project in found
    ]


def _show_feed(feed: Feed | None) -> dict[str, Any]:
    if feed is None:
        return {"suite": None, "version": None, "agents": None}
    return {
        "suite": feed.suite.slug,
        "version": feed.version.slug if feed.version else None,
        "agents": sorted(agent.slug for agent in feed.agents.all()) or None,
    }


class Projects(Endpoint):
    """All projects."""

    @listed("list_projects", ProjectAnswer)
    def get(self, request: Request) -> Response:
        return page_of_many(request, Project.objects.listed().select_related("consent_page", "qualification"), show_all)


@replaceable("project", ProjectBody, ProjectAnswer)
class OneProject(Replaceable):
    """One project by its slug."""

    def rows(self, **names: str) -> QuerySet[Project]:
        return Project.objects.filter(**names)

    def shown(self, **names: str) -> dict[str, Any]:
        return show(projects.project_named(**names))

    def replace(self, data: Any, **names: str) -> bool:
        body, by, now = read(ProjectBody, data), actor_of(self.request), timezone.now()
        suite, version, agents = body.pop("suite"), body.pop("version"), body.pop("agents")
        body["gates"] = body["gates"] or []
        project, is_new = projects.put_project(
            **names, body=projects.ProjectBody(**body), given=frozenset(data), by=by, at=now
        )
        set_feed(project=project, suite=suite, version=version, agents=agents, by=by, at=now)
        return is_new

    @archives("project")
    def delete(self, request: Request, slug: str) -> Response:
        with transaction.atomic():
            self.present(slug=slug)
            found = projects.project_named(slug)
            archive.archive_project(project=found, by=actor_of(request), at=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class RestoreProject(Endpoint):
    """Put an archived project back. One that was live is paused until it is started again."""

    @extend_schema(operation_id="restore_project", request=NoBody, responses=ProjectAnswer)
    def post(self, request: Request, slug: str) -> Response:
        read(NoBody, request.data)
        found = projects.project_named(slug)
        archive.restore_project(project=found, by=actor_of(request), at=timezone.now())
        return Response(show(projects.project_named(slug)))
