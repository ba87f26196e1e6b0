"""Tasks of a project, and links for workers."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.models import ApiKey
from annotation.projects.projects import project_named
from annotation.work.enrolments import enrol, make_link
from annotation.work.posting import MOST_AT_ONCE, post_tasks
from annotation.work.serializers import TaskBody
from common.serializers import ExternalIdField, StrictSerializer, read
from workforce import blocking


class TasksBody(StrictSerializer):
    tasks = serializers.ListField(child=TaskBody(), max_length=MOST_AT_ONCE)


class TasksAnswer(StrictSerializer):
    created = serializers.IntegerField()
    unchanged = serializers.IntegerField()


class LinkBody(StrictSerializer):
    worker = ExternalIdField()


class LinkAnswer(StrictSerializer):
    url = serializers.URLField()
    token = serializers.CharField()
    expires_at = serializers.DateTimeField()


class ProjectTasks(APIView):
    """Post tasks to a project."""

    @extend_schema(operation_id="post_tasks", request=TasksBody, responses={200: TasksAnswer})
    def post(self, request: Request, slug: str) -> Response:
        project = project_named(slug)
        body = read(TasksBody, request.data)
        posted = post_tasks(project=project, bodies=body["tasks"], at=timezone.now())
        return Response(posted._asdict())


class ProjectLinks(APIView):
    """Create a link with which a worker of the platform `direct` enters the project."""

    scopes = {"POST": ApiKey.Scope.WORKERS}

    @extend_schema(operation_id="post_link", request=LinkBody, responses={201: LinkAnswer})
    def post(self, request: Request, slug: str) -> Response:
        project, now = project_named(slug), timezone.now()
        body = read(LinkBody, request.data)
        worker = blocking.worker_on(blocking.DIRECT, body["worker"], at=now)
        link = make_link(enrolment=enrol(project=project, worker=worker, at=now), at=now)
        return Response(link._asdict(), status=status.HTTP_201_CREATED)
