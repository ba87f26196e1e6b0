"""`/projects/`: the projects, with their settings, arms, and the suite whose episodes they take."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.models import Project
from annotation.projects import projects
from annotation.projects.progress import Progress, progress_of_all
from common.serializers import SlugField, extended, read
from evaluation.models import Feed
from evaluation.project_feeds import set_feed
from web.api.authentication import actor_of
from web.http.cursor_pages import page_of_many
from web.http.openapi import listed

_FEED: dict[str, serializers.Field[Any, Any, Any, Any]] = {
    "suite": SlugField(default=None, allow_null=True),
    "agents": serializers.ListField(child=SlugField(), default=None, allow_null=True, max_length=1000),
    "version": SlugField(default=None, allow_null=True),
}
"""The fields that say which episodes a project takes; they belong to `evaluation`."""
ProjectBody = extended("ProjectBody", projects.ProjectBody, _FEED, after="instructions")
ProgressAnswer = extended("ProgressAnswer", Progress, {})
ProjectAnswer = extended("ProjectAnswer", ProjectBody, {"slug": SlugField(), "progress": ProgressAnswer()})


def show(project: Project) -> dict[str, Any]:
    """A project as JSON. 4 queries."""
    return show_all([project])[0]


def show_all(found: list[Project]) -> list[dict[str, Any]]:
    """Projects as JSON. 4 queries, however many there are."""
    feeds = {
        feed.project_id: feed
        for feed in Feed.objects.select_related("suite", "version").prefetch_related("agents").filter(project__in=found)
    }
    progress = progress_of_all(found)
    return [
        {
            **projects.show_project(project),
            **_show_feed(feeds.get(project.pk)),
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


class Projects(APIView):
    """All projects."""

    @listed("list_projects", ProjectAnswer)
    def get(self, request: Request) -> Response:
        return page_of_many(request, Project.objects.select_related("consent_page", "qualification"), show_all)


class OneProject(APIView):
    """One project by its slug."""

    @extend_schema(operation_id="get_project", responses=ProjectAnswer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(show(projects.project_named(slug)))

    @extend_schema(operation_id="put_project", request=ProjectBody, responses={200: ProjectAnswer, 201: ProjectAnswer})
    def put(self, request: Request, slug: str) -> Response:
        body, now = read(ProjectBody, request.data), timezone.now()
        suite, version, agents = body.pop("suite"), body.pop("version"), body.pop("agents")
        with transaction.atomic():
            project, is_new = projects.put_project(
                slug=slug,
                body=projects.ProjectBody(**body),
                by=actor_of(request),
                at=now,
            )
            set_feed(project=project, suite=suite, version=version, agents=agents, at=now)
        return Response(show(project), status=status.HTTP_201_CREATED if is_new else status.HTTP_200_OK)
