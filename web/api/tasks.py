"""Tasks of a project, and links for workers."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from agents.models import ApiKey
from annotation.models import Task
from annotation.projects.projects import project_named
from annotation.projects.tasks import answers_on, posted_tasks, put_back, status_of, withdraw_unanswered
from annotation.work.enrolments import enrol, make_link
from annotation.work.posting import MOST_AT_ONCE, post_tasks
from annotation.work.serializers import TaskBody
from common.quick_checks import QuickListField
from common.serializers import ChoiceField, ExternalIdField, NoBody, StrictSerializer, read
from lib.faults import NotFound
from web.api.authentication import actor_of
from web.api.idempotency import NEVER_KEPT
from web.http.cursor_pages import PageQuery, page_of_many
from web.http.endpoints import Endpoint
from web.http.openapi import listed
from web.http.query_parameters import asks
from workforce import blocking


class TasksBody(StrictSerializer):
    tasks = QuickListField(child=TaskBody(), max_length=MOST_AT_ONCE)


class TasksAnswer(StrictSerializer):
    created = serializers.IntegerField()
    unchanged = serializers.IntegerField()


class PostedReference(StrictSerializer):
    answers = serializers.ListField(child=serializers.DictField())
    tolerance_s = serializers.FloatField(allow_null=True)


class PostedTask(StrictSerializer):
    key = serializers.CharField()
    payload = serializers.DictField()
    priority = serializers.IntegerField()
    redundancy = serializers.IntegerField(allow_null=True)
    reference = PostedReference(allow_null=True)
    status = serializers.ChoiceField(choices=Task.Status.values)
    annotations = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)


class TasksQuery(PageQuery):
    status = ChoiceField(choices=Task.Status.values, required=False, help_text="Only tasks of this status.")


def show_tasks(tasks: list[Task]) -> list[dict[str, Any]]:
    """Posted tasks as JSON, with what came of them. 1 query; the tasks come with their truths."""
    answers = answers_on(tasks)
    return [
        {
            "key": task.key,
            "payload": task.payload,
            "priority": task.priority,
            "redundancy": task.own_redundancy,
            "reference": {"answers": task.truth.answers, "tolerance_s": task.truth.tolerance_s}
            if task.is_reference
            else None,
            "status": status_of(task),
            "annotations": answers.get(task.pk, 0),
            "created_at": task.created_at,
            "closed_at": task.retired_at or task.closed_at,
        }
        for task in tasks
    ]


class LinkBody(StrictSerializer):
    worker = ExternalIdField()


class LinkAnswer(StrictSerializer):
    url = serializers.URLField()
    token = serializers.CharField()
    expires_at = serializers.DateTimeField()


class ProjectTasks(Endpoint):
    """Post tasks to a project, or list those that were posted, oldest first."""

    commits_with_answer = False

    @listed("list_tasks", PostedTask)
    @asks(TasksQuery)
    def get(self, request: Request, slug: str) -> Response:
        return page_of_many(request, posted_tasks(project_named(slug), status=self.query.get("status")), show_tasks)

    @extend_schema(operation_id="post_tasks", request=TasksBody, responses={200: TasksAnswer})
    def post(self, request: Request, slug: str) -> Response:
        project = project_named(slug)
        body = read(TasksBody, request.data)
        posted = post_tasks(project=project, bodies=body["tasks"], at=timezone.now())
        return Response(posted._asdict())


class OneTask(Endpoint):
    """One posted task of a project, by its key."""

    @extend_schema(operation_id="get_task", responses=PostedTask)
    def get(self, request: Request, slug: str, key: str) -> Response:
        found = posted_tasks(project_named(slug)).filter(key=key).first()
        if found is None:
            raise NotFound
        return Response(show_tasks([found])[0])

    @extend_schema(
        operation_id="delete_task",
        description="Withdraw a task that nobody answered. Who holds it may still hand it in, and is paid.",
        responses={204: None},
    )
    def delete(self, request: Request, slug: str, key: str) -> Response:
        withdraw_unanswered(project=project_named(slug), key=key, by=actor_of(request), at=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class RestoreTask(Endpoint):
    """Offer a withdrawn task to workers again."""

    @extend_schema(operation_id="restore_task", request=NoBody, responses=PostedTask)
    def post(self, request: Request, slug: str, key: str) -> Response:
        read(NoBody, request.data)
        project = project_named(slug)
        put_back(project=project, key=key, by=actor_of(request), at=timezone.now())
        return Response(show_tasks(list(posted_tasks(project).filter(key=key)))[0])


class ProjectLinks(Endpoint):
    """Create a link with which a worker of the platform `direct` enters the project."""

    scopes = {"POST": ApiKey.Scope.WORKERS}

    @extend_schema(operation_id="post_link", request=LinkBody, responses={201: LinkAnswer})
    def post(self, request: Request, slug: str) -> Response:
        project, now = project_named(slug), timezone.now()
        body = read(LinkBody, request.data)
        worker = blocking.worker_on(blocking.DIRECT, body["worker"], at=now)
        link = make_link(enrolment=enrol(project=project, worker=worker, at=now), by=actor_of(request), at=now)
        return Response(link._asdict(), status=status.HTTP_201_CREATED, headers=NEVER_KEPT)
