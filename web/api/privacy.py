"""Persons: the data that is stored about a worker, erasure of a worker, and the audit log."""

from typing import Any

from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from agents.models import ApiKey
from annotation.datasets.annotations import as_lines
from audit import search
from common.serializers import NoBody, SlugField, StrictSerializer, TextField, read
from lib.faults import NotFound
from web.api.authentication import actor_of
from web.api.exports import LINES
from web.api.workers import worker_named
from web.http.endpoints import Endpoint
from web.http.exports import exported, record_export
from web.http.query_parameters import DayField, QuerySerializer, asks
from web.staff.accounts.audit import LONGEST, filters_from
from web.work.privacy import data_document
from workforce.blocking import subject_of
from workforce.models import PrivacyReport
from workforce.privacy import request_erasure


class WorkerData(StrictSerializer):
    """Sections of rows; each app that stores data about workers adds its own section."""

    made_at = serializers.DateTimeField()
    left_out = serializers.ListField(child=serializers.CharField())
    identity = serializers.ListField(child=serializers.DictField())
    consents = serializers.ListField(child=serializers.DictField())
    projects = serializers.ListField(child=serializers.DictField())
    assignments = serializers.ListField(child=serializers.DictField())
    answers = serializers.ListField(child=serializers.DictField())
    warnings_and_pauses = serializers.ListField(child=serializers.DictField())
    decisions = serializers.ListField(child=serializers.DictField())
    quizzes = serializers.ListField(child=serializers.DictField())
    qualifications = serializers.ListField(child=serializers.DictField())
    money = serializers.ListField(child=serializers.DictField())
    events = serializers.ListField(child=serializers.DictField())
    sessions = serializers.ListField(child=serializers.DictField())
    commands = serializers.ListField(child=serializers.DictField())
    error_reports = serializers.ListField(child=serializers.DictField())


class ErasureAnswer(StrictSerializer):
    report = serializers.CharField()
    requested_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    removed = serializers.DictField(child=serializers.IntegerField())


class AuditLine(StrictSerializer):
    event = serializers.CharField()
    at = serializers.DateTimeField()
    actor = serializers.CharField()
    verb = serializers.CharField()
    subject_kind = serializers.CharField()
    subject = serializers.CharField()
    project = serializers.CharField()
    reason = serializers.CharField()
    detail = serializers.DictField()
    redacted_at = serializers.DateTimeField(allow_null=True)


def show_report(report: PrivacyReport) -> dict[str, Any]:
    return {
        "report": str(report.pk),
        "requested_at": report.requested_at,
        "finished_at": report.finished_at,
        "removed": report.removed,
    }


class AuditQuery(QuerySerializer):
    verb = TextField(max_length=LONGEST, required=False)
    actor = TextField(max_length=LONGEST, required=False)
    subject = TextField(max_length=LONGEST, required=False, help_text="`kind` or `kind:id`.")
    project = SlugField(required=False)
    since = DayField(required=False, help_text="A day in UTC, included.")
    until = DayField(required=False, help_text="A day in UTC, included.")


class WorkersData(Endpoint):
    """All stored data about a worker that the worker may see."""

    scopes = {"GET": ApiKey.Scope.IDENTITY}

    @extend_schema(operation_id="get_worker_data", responses=WorkerData)
    def get(self, request: Request, platform: str, external_id: str) -> Response:
        worker = worker_named(platform, external_id)
        record_export(request._request, what=subject_of(worker), by=actor_of(request), with_identity=True)
        return Response(data_document(worker))


class EraseWorker(Endpoint):
    """Erase a worker's identity and texts. The worker's answers stay, without a name."""

    scopes = {"POST": ApiKey.Scope.WORKERS}

    @extend_schema(operation_id="erase_worker", request=NoBody, responses={202: ErasureAnswer})
    def post(self, request: Request, platform: str, external_id: str) -> Response:
        worker = worker_named(platform, external_id)
        read(NoBody, request.data)
        report = request_erasure(worker=worker, by=actor_of(request), at=timezone.now())
        return Response(show_report(report), status=status.HTTP_202_ACCEPTED)


class OneErasure(Endpoint):
    """The progress of an erasure: `finished_at` is set once nothing is left."""

    scopes = {"GET": ApiKey.Scope.WORKERS}

    @extend_schema(operation_id="get_erasure", responses=ErasureAnswer)
    def get(self, request: Request, report: str) -> Response:
        erasures = PrivacyReport.objects.filter(kind=PrivacyReport.Kind.ERASURE)
        found = (
            erasures.filter(pk=report).first() if report.isascii() and report.isdigit() and len(report) < 19 else None
        )
        if found is None:
            raise NotFound
        return Response(show_report(found))


class AuditLog(Endpoint):
    """The audit log: actor, action, subject, time and reason, one JSON object a line, newest first."""

    # Reasons are free text and may name a person.
    scopes = {"GET": ApiKey.Scope.IDENTITY}

    @extend_schema(operation_id="export_audit_log", responses={(200, LINES): AuditLine})
    @asks(AuditQuery)
    def get(self, request: Request) -> HttpResponseBase:
        filters = filters_from(self.query, projects=None)
        pieces = as_lines(search.exported(filters))
        return exported(request._request, pieces, what="audit", by=actor_of(request), content_type=LINES)
