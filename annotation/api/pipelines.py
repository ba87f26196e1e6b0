"""What pipelines ask of a project: tasks in, links out, annotations and consensus back; and of workers."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.authentication import actor_of
from agents.models import ApiKey
from annotation import exports, quality
from annotation.access import enrol, make_link
from annotation.models import Category
from annotation.projects import project_named
from annotation.review.findings import finding_rows
from annotation.tasks import MOST_AT_ONCE, post_tasks
from common.api import ExternalIdField, NumberField, StrictSerializer, asked, read
from common.errors import NotFound
from common.streams import streamed
from workforce import standing
from workforce.models import Worker

LINES = "application/x-ndjson"
ANNOTATIONS = {
    "keep": Worker.Weighting.FULL,
    "down_weight": Worker.Weighting.REDUCED,
    "drop": Worker.Weighting.NONE,
}
"""What becomes of a worker's annotations in every consensus, as the API says it."""


class TaskReference(StrictSerializer):
    answers = serializers.ListField(child=serializers.DictField(), min_length=1, max_length=100)
    tolerance_s = NumberField(min_value=0, required=False, allow_null=True)


class TaskBody(StrictSerializer):
    key = ExternalIdField()
    payload = serializers.DictField()
    priority = serializers.IntegerField(min_value=-1_000_000, max_value=1_000_000, default=0)
    redundancy = serializers.IntegerField(min_value=1, max_value=1000, required=False, allow_null=True)
    reference = TaskReference(required=False, allow_null=True)


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


class ReasonBody(StrictSerializer):
    reason = serializers.CharField(max_length=2000)


class BlockBody(ReasonBody):
    annotations = serializers.ChoiceField(choices=list(ANNOTATIONS), required=False)


class NoBody(StrictSerializer):
    """An empty object, or nothing at all."""


class ClassCounts(StrictSerializer):
    success = serializers.IntegerField()
    failure = serializers.IntegerField()


class ConfusionAnswer(StrictSerializer):
    success = ClassCounts()
    failure = ClassCounts()


class ReferenceRecord(StrictSerializer):
    n = serializers.IntegerField()
    balanced_accuracy = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    sensitivity = serializers.FloatField(allow_null=True)
    specificity = serializers.FloatField(allow_null=True)
    confusion = ConfusionAnswer()


class WorkerProject(StrictSerializer):
    project = serializers.CharField()
    annotations = serializers.IntegerField()


class WorkerAnswer(StrictSerializer):
    status = serializers.ChoiceField(choices=Worker.Status.choices)
    projects = WorkerProject(many=True)
    reference = ReferenceRecord()


class StandingAnswer(WorkerAnswer):
    annotations = serializers.ChoiceField(choices=list(ANNOTATIONS))


class AnnotationLine(StrictSerializer):
    annotation = serializers.CharField()
    task = serializers.CharField()
    worker = serializers.CharField()
    answer = serializers.DictField()
    is_reference = serializers.BooleanField()
    score = serializers.FloatField(allow_null=True)
    claimed_at = serializers.DateTimeField()
    submitted_at = serializers.DateTimeField()
    active_s = serializers.FloatField(allow_null=True)
    superseded_by = serializers.CharField(allow_null=True)
    instructions_version = serializers.IntegerField(allow_null=True)


class ConsensusLine(StrictSerializer):
    task = serializers.CharField()
    answer = serializers.DictField()
    method = serializers.CharField()
    confidence = serializers.FloatField()
    annotations = serializers.IntegerField()


class FindingLine(StrictSerializer):
    task = serializers.CharField()
    annotation = serializers.CharField(allow_null=True)
    taxonomy = serializers.ChoiceField(choices=Category.Taxonomy.choices)
    category = serializers.CharField()
    note = serializers.CharField()
    at = serializers.DateTimeField()


class ProjectTasks(APIView):
    """Tasks of a project."""

    @extend_schema(operation_id="post_tasks", request=TasksBody, responses={200: TasksAnswer})
    def post(self, request: Request, slug: str) -> Response:
        project = project_named(slug)
        body = read(TasksBody, request.data)
        posted = post_tasks(project=project, bodies=body["tasks"], at=timezone.now())
        return Response(posted._asdict())


class ProjectLinks(APIView):
    """Links that let a worker of the platform `direct` in."""

    scopes = {"POST": ApiKey.Scope.WORKERS}

    @extend_schema(operation_id="post_link", request=LinkBody, responses={201: LinkAnswer})
    def post(self, request: Request, slug: str) -> Response:
        project, now = project_named(slug), timezone.now()
        body = read(LinkBody, request.data)
        worker = standing.worker_on(standing.DIRECT, body["worker"], at=now)
        link = make_link(enrolment=enrol(project=project, worker=worker, at=now), at=now)
        return Response(link._asdict(), status=status.HTTP_201_CREATED)


class ProjectAnnotations(APIView):
    """Every annotation of a project, one JSON object a line, oldest first."""

    @extend_schema(
        operation_id="export_annotations",
        parameters=[OpenApiParameter("since", OpenApiTypes.STR, description="Go on after this annotation.")],
        responses={(200, LINES): AnnotationLine},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        assert isinstance(request.auth, ApiKey)  # noqa: S101 - HasScope has seen to it
        rows = exports.annotation_rows(
            project_named(slug),
            since=asked(request, "since"),
            with_identity=request.auth.allows(ApiKey.Scope.IDENTITY),
        )
        return _lines(request, rows)


class ProjectConsensus(APIView):
    """The consensus of each task that has one, one JSON object a line."""

    @extend_schema(operation_id="export_consensus", responses={(200, LINES): ConsensusLine})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        return _lines(request, exports.consensus_rows(project_named(slug)))


class ProjectFindings(APIView):
    """What reviewers found in answers and tasks, one JSON object a line, oldest first."""

    @extend_schema(operation_id="export_findings", responses={(200, LINES): FindingLine})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        return _lines(request, finding_rows(project_named(slug)))


def _lines(request: Request, rows: Any) -> HttpResponseBase:
    plain: HttpRequest = request._request
    return streamed(plain, exports.as_lines(rows), content_type=LINES)


def worker_named(platform: str, external_id: str) -> Worker:
    """The worker; 404 if there is none. 1 query."""
    found = Worker.objects.filter(platform=platform, external_id=external_id).first()
    if found is None:
        raise NotFound
    return found


def show_worker(worker: Worker) -> dict[str, Any]:
    """3 queries."""
    return {
        "status": worker.status,
        "projects": [
            {"project": row["project"], "annotations": row["annotations"]} for row in quality.work_record(worker)
        ],
        "reference": quality.reference_record(quality.confusion_of(worker)),
    }


def show_standing(worker: Worker) -> dict[str, Any]:
    """The same with what becomes of their annotations. 3 queries."""
    chosen = next(name for name, weighting in ANNOTATIONS.items() if weighting == worker.weighting)
    return {**show_worker(worker), "annotations": chosen}


class OneWorker(APIView):
    """A worker against the references they met."""

    @extend_schema(operation_id="get_worker", responses=WorkerAnswer)
    def get(self, request: Request, platform: str, external_id: str) -> Response:
        return Response(show_worker(worker_named(platform, external_id)))


class BlockWorker(APIView):
    """Stop a worker from claiming more, and choose what becomes of their annotations."""

    scopes = {"POST": ApiKey.Scope.WORKERS}

    @extend_schema(operation_id="block_worker", request=BlockBody, responses=StandingAnswer)
    def post(self, request: Request, platform: str, external_id: str) -> Response:
        worker = worker_named(platform, external_id)
        body = read(BlockBody, request.data)
        standing.block(
            worker=worker,
            reason=body["reason"],
            by=actor_of(request),
            at=timezone.now(),
            weighting=ANNOTATIONS.get(body.get("annotations", "")),
        )
        worker.refresh_from_db()
        return Response(show_standing(worker))


class UnblockWorker(APIView):
    """Let a blocked worker claim again."""

    scopes = {"POST": ApiKey.Scope.WORKERS}

    @extend_schema(operation_id="unblock_worker", request=NoBody, responses=StandingAnswer)
    def post(self, request: Request, platform: str, external_id: str) -> Response:
        worker = worker_named(platform, external_id)
        read(NoBody, request.data or {})
        standing.unblock(worker=worker, by=actor_of(request), at=timezone.now())
        worker.refresh_from_db()
        return Response(show_standing(worker))
