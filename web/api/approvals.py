"""`/projects/{slug}/approvals/`: a pipeline approves or rejects annotations."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from agents.models import ApiKey
from annotation.models import Annotation, Approval, Project
from annotation.pay import approvals
from annotation.pay.approvals import Decided
from annotation.projects.projects import project_named
from common.serializers import BooleanField, ChoiceField, StrictSerializer, TextField, read
from lib.faults import Fault, Invalid
from web.api.authentication import actor_of
from web.http.endpoints import Endpoint

Decision = Approval.Decision
MOST_FAULTS = 20


class ApprovalsBody(StrictSerializer):
    annotations = serializers.ListField(child=TextField(max_length=32), min_length=1, max_length=approvals.MOST_AT_ONCE)
    decision = ChoiceField(choices=Decision.choices)
    reason = TextField(max_length=approvals.MOST_REASON, default="", allow_blank=True)
    overturn = BooleanField(default=False)


class ApprovalsAnswer(StrictSerializer):
    decided = serializers.IntegerField()
    unchanged = serializers.IntegerField()


class ProjectApprovals(Endpoint):
    """Approve or reject annotations of a project: all that the body names, or none."""

    scopes = {"POST": ApiKey.Scope.WORKERS}

    @extend_schema(operation_id="post_approvals", request=ApprovalsBody, responses={200: ApprovalsAnswer})
    def post(self, request: Request, slug: str) -> Response:
        project = project_named(slug)
        body = read(ApprovalsBody, request.data)
        found = _annotations(project, body["annotations"])
        return Response(_decide(found, body, by=actor_of(request))._asdict())


def _decide(found: list[Annotation], body: dict[str, Any], *, by: str) -> Decided:
    now, decision, reason = timezone.now(), Decision(body["decision"]), body["reason"]
    if body["overturn"]:
        return approvals.overturn(annotations=found, decision=decision, reason=reason, by=by, at=now)
    if decision == Decision.APPROVED:
        return approvals.approve(annotations=found, by=by, at=now)
    is_soft = decision == Decision.SOFTLY_REJECTED
    return approvals.reject(annotations=found, reason=reason, is_soft=is_soft, by=by, at=now)


def _annotations(project: Project, wanted: list[str]) -> list[Annotation]:
    """The project's annotations with these ids. 1 query.

    Raises:
        Invalid: the project has no annotation with one of the ids.
    """
    found = {one.public_id: one for one in Annotation.objects.filter(project=project, public_id__in=wanted)}
    faults = [
        Fault(f"#/annotations/{number}", "This project has no such annotation.")
        for number, public_id in enumerate(wanted)
        if public_id not in found
    ]
    if faults:
        raise Invalid(faults=faults[:MOST_FAULTS])
    return list(found.values())
