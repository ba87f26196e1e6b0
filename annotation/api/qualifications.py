"""`/qualifications/`, for the pipelines that own the questions, and `/work/qualification/`, for who answers them."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.authentication import actor_of
from annotation.api.work import WorkView
from annotation.quizzes import shown_to
from common.api import BIGGEST, ExternalIdField, NumberField, SlugField, StrictSerializer, page_of, read
from common.errors import NotFound
from common.openapi import listed
from workforce.models import Qualification
from workforce.qualifications import (
    QualificationBody,
    State,
    hand_in,
    put_qualification,
    qualification_named,
    start_attempt,
    state_of,
)
from workforce.questions import KINDS

MOST_QUESTIONS = 1000
MOST_ANSWERS = 100


class QuestionBody(StrictSerializer):
    id = ExternalIdField()
    ask = serializers.CharField(max_length=5000)
    kind = serializers.ChoiceField(choices=KINDS)
    options = serializers.ListField(
        # As it is: what is accepted must be one of them, character by character.
        child=serializers.CharField(max_length=1000, trim_whitespace=False),
        max_length=100,
        required=False,
    )
    tool = SlugField(required=False)
    payload = serializers.DictField(required=False)
    tolerance_s = NumberField(min_value=0, required=False, allow_null=True)
    accept = serializers.ListField(child=serializers.JSONField(), max_length=MOST_ANSWERS)


class QualificationBodySerializer(StrictSerializer):
    title = serializers.CharField(max_length=200)
    pages = serializers.ListField(child=serializers.CharField(max_length=50_000), max_length=100, default=list)
    questions = serializers.ListField(child=QuestionBody(), min_length=1, max_length=MOST_QUESTIONS)
    draw = serializers.IntegerField(min_value=1, max_value=MOST_QUESTIONS, allow_null=True, default=None)
    pass_mark = NumberField(min_value=0, max_value=1)
    attempts = serializers.IntegerField(min_value=1, max_value=BIGGEST)
    cool_off_s = serializers.IntegerField(min_value=0, max_value=BIGGEST, default=0)
    valid_s = serializers.IntegerField(min_value=1, max_value=BIGGEST, allow_null=True, default=None)


class QualificationAnswer(QualificationBodySerializer):
    slug = SlugField()


class AskedQuestion(StrictSerializer):
    id = serializers.CharField()
    ask = serializers.CharField()
    kind = serializers.ChoiceField(choices=KINDS)
    options = serializers.ListField(child=serializers.CharField(), required=False)
    tool = serializers.CharField(required=False)
    payload = serializers.DictField(required=False)


class QuizAnswer(StrictSerializer):
    title = serializers.CharField()
    pages = serializers.ListField(child=serializers.CharField())
    questions = AskedQuestion(many=True)
    pass_mark = serializers.FloatField()
    attempts_left = serializers.IntegerField()
    passed = serializers.BooleanField()
    expires_at = serializers.DateTimeField(allow_null=True)


class AnswersBody(StrictSerializer):
    answers = serializers.DictField(child=serializers.JSONField(allow_null=True))


class ResultAnswer(StrictSerializer):
    passed = serializers.BooleanField()
    score = serializers.FloatField()
    attempts_left = serializers.IntegerField()
    again_at = serializers.DateTimeField(allow_null=True)


BODY_FIELDS = tuple(QualificationBody.__annotations__)


def show_qualification(qualification: Qualification) -> dict[str, Any]:
    """What `GET` shows and `PUT` takes, right answers included."""
    return {"slug": qualification.slug} | {name: getattr(qualification, name) for name in BODY_FIELDS}


class Qualifications(APIView):
    """All qualifications."""

    @listed("list_qualifications", QualificationAnswer)
    def get(self, request: Request) -> Response:
        return page_of(request, Qualification.objects.all(), show_qualification)


class OneQualification(APIView):
    """One quiz by its slug, with the right answers: for keys only, never for workers."""

    @extend_schema(operation_id="get_qualification", responses=QualificationAnswer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(show_qualification(qualification_named(slug)))

    @extend_schema(
        operation_id="put_qualification",
        request=QualificationBodySerializer,
        responses={200: QualificationAnswer, 201: QualificationAnswer},
    )
    def put(self, request: Request, slug: str) -> Response:
        body = QualificationBody(**read(QualificationBodySerializer, request.data))  # type: ignore[typeddict-item]
        found, is_new = put_qualification(slug=slug, body=body, by=actor_of(request), at=timezone.now())
        return Response(show_qualification(found), status=status.HTTP_201_CREATED if is_new else status.HTTP_200_OK)


class WorkQualification(WorkView):
    """The quiz before the work: its questions, and what the worker's answers come to."""

    def quiz(self) -> Qualification:
        """The quiz that the project needs.

        Raises:
            NotFound: it needs none.
        """
        needed = self.enrolment().project.qualification
        if needed is None:
            raise NotFound
        return needed

    def state(self) -> State:
        return state_of(worker=self.enrolment().worker, qualification=self.quiz(), at=timezone.now())

    @extend_schema(operation_id="get_quiz", responses=QuizAnswer)
    def get(self, request: Request) -> Response:
        quiz, state = self.quiz(), self.state()
        if state.grant is None:
            attempt = start_attempt(worker=self.enrolment().worker, qualification=quiz, at=timezone.now())
            questions = shown_to(attempt)
        else:
            questions = []
        return Response(
            {
                "title": quiz.title,
                "pages": quiz.pages,
                "questions": questions,
                "pass_mark": quiz.pass_mark,
                "attempts_left": state.attempts_left,
                "passed": state.grant is not None,
                "expires_at": state.grant.expires_at if state.grant else None,
            }
        )

    @extend_schema(operation_id="post_quiz", request=AnswersBody, responses=ResultAnswer)
    def post(self, request: Request) -> Response:
        quiz, worker = self.quiz(), self.enrolment().worker
        answers = read(AnswersBody, request.data)["answers"]
        attempt = hand_in(worker=worker, qualification=quiz, answers=answers, at=timezone.now())
        state = self.state()
        return Response(
            {
                "passed": attempt.passed,
                "score": attempt.score,
                "attempts_left": state.attempts_left,
                "again_at": state.again_at,
            }
        )
