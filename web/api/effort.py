"""`/projects/{slug}/effort/`: how much right work a minute gives, by arm, and the time and errors of each question."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.projects.projects import project_named
from annotation.quality.effort import effort_by_arm
from annotation.tool_registry import Questions, tool_named
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


class QuestionEffortAnswer(StrictSerializer):
    question = serializers.CharField()
    ask = serializers.CharField()
    answers = serializers.IntegerField()
    usual_s = serializers.FloatField(allow_null=True)
    minutes = serializers.FloatField()
    undone = serializers.IntegerField()
    references = serializers.IntegerField()
    wrong = serializers.IntegerField()


class ProjectQuestionEffort(Endpoint):
    """How long each question of the project's tool takes, and how often its answer is undone, or wrong.

    The newest answers are read. A tool that shows its whole task at once has no rows.
    """

    @extend_schema(operation_id="get_question_effort", responses=QuestionEffortAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        project = project_named(slug)
        tool = tool_named(project.tool)
        found = tool.question_efforts(project) if isinstance(tool, Questions) else []
        return Response([one._asdict() for one in found])
