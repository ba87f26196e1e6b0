"""`/work/practice/`: the practice task of a project. Nothing is stored, paid or counted."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.tools import practice
from common.serializers import StrictSerializer, read
from lib.faults import NotFound
from web.api.work import WorkView


class PracticeTask(StrictSerializer):
    ask = serializers.CharField()
    payload = serializers.DictField()
    first = serializers.BooleanField()


class PracticeAnswer(StrictSerializer):
    answer = serializers.DictField()


class PracticeResult(StrictSerializer):
    right = serializers.BooleanField()
    why = serializers.CharField(allow_null=True)


class WorkPractice(WorkView):
    """The practice task, and whether an answer to it is right. The right answers stay with the server."""

    commits_with_answer = False

    @extend_schema(operation_id="get_practice", responses={200: PracticeTask, 204: None})
    def get(self, request: Request) -> Response:
        enrolment = self.enrolment()
        found = practice.practice_of(enrolment.project)
        if found is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        payload = practice.shown_practice(found, enrolment.project, enrolment=enrolment.pk)
        return Response({"ask": found.ask, "payload": payload, "first": found.is_first})

    @extend_schema(operation_id="try_practice", request=PracticeAnswer, responses=PracticeResult)
    def post(self, request: Request) -> Response:
        found = practice.practice_of(self.enrolment().project)
        if found is None:
            raise NotFound("this project has no practice task")
        answer: dict[str, Any] = read(PracticeAnswer, request.data)["answer"]
        right = practice.is_right(found, answer)
        return Response({"right": right, "why": None if right else found.why})
