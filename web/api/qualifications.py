"""`/qualifications/` for the pipelines that write a quiz, and `/work/qualification/` for the workers who take it."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.tools.quiz_questions import shown_to
from common.serializers import BIGGEST, ExternalIdField, NumberField, SlugField, StrictSerializer, read
from lib.faults import NotFound
from web.api.authentication import actor_of
from web.api.work import WorkView
from web.http.cursor_pages import page_of
from web.http.openapi import listed
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
        # Spaces are kept, because an accepted answer must equal an option character by character.
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
    """A qualification as `GET` shows it and `PUT` takes it, with the right answers."""
    return {"slug": qualification.slug} | {name: getattr(qualification, name) for name in BODY_FIELDS}


class Qualifications(APIView):
    """All qualifications."""

    @listed("list_qualifications", QualificationAnswer)
    def get(self, request: Request) -> Response:
        return page_of(request, Qualification.objects.all(), show_qualification)


class OneQualification(APIView):
    """One quiz by its slug, with the right answers. Only API keys may read it, never workers."""

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
    """The quiz before the work: its questions, and the result of the worker's answers."""

    def quiz(self) -> Qualification:
        """The quiz that the project requires.

        Raises:
            NotFound: the project requires none.
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
