"""`/projects/{slug}/effort/`: how much right work a minute gives, by arm of the experiment."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.projects.projects import project_named
from annotation.quality.effort import effort_by_arm
from common.serializers import StrictSerializer
from web.http.endpoints import Endpoint


class EstimateAnswer(StrictSerializer):
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class ArmEffortAnswer(StrictSerializer):
    arm = serializers.CharField()
    workers = serializers.IntegerField()
    answers = serializers.IntegerField()
    minutes = serializers.FloatField()
    references = serializers.IntegerField()
    right_a_minute = EstimateAnswer()
    to_first = EstimateAnswer()


class ProjectEffort(Endpoint):
    """Right answers to references a minute of work, by arm of the project's experiment, with 95 % intervals."""

    @extend_schema(operation_id="get_effort", responses=ArmEffortAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        return Response(
            [
                {**arm._asdict(), "right_a_minute": arm.right_a_minute._asdict(), "to_first": arm.to_first._asdict()}
                for arm in effort_by_arm(project_named(slug))
            ]
        )
