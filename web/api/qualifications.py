"""`/qualifications/` for the pipelines that write a quiz, and `/work/qualification/` for the workers who take it."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.tool_registry import ToolField
from annotation.tools.quiz_questions import shown_to
from common.serializers import (
    BIGGEST,
    ChoiceField,
    ExternalIdField,
    IntegerField,
    NumberField,
    SlugField,
    StrictSerializer,
    TextField,
    read,
)
from lib.faults import NotFound
from lib.name_patterns import NOT_BLANK
from web.api.authentication import actor_of
from web.api.work import WorkView
from web.http.cursor_pages import page_of
from web.http.endpoints import Endpoint
from web.http.openapi import listed
from web.http.replaceable import Replaceable, replaceable
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
from workforce.questions import KINDS, MULTIPLE, SINGLE, TASK, TEXT

MOST_QUESTIONS = 1000
MOST_ANSWERS = 100


_OPTIONS = {"type": "array", "items": {"type": "string"}, "minItems": 2, "uniqueItems": True}
_NO_OPTIONS = {"type": "array", "items": {"type": "string"}, "maxItems": 0}
_NO_TASK = {
    "payload": {"type": "object", "maxProperties": 0},
    "tolerance_s": {"type": "number", "nullable": True, "enum": [None]},
}


class QuestionBody(StrictSerializer):
    id = ExternalIdField()
    ask = TextField(max_length=5000)
    kind = ChoiceField(choices=KINDS)
    options = serializers.ListField(
        # Spaces are kept, because an accepted answer must equal an option character by character.
        child=TextField(max_length=1000, trim_whitespace=False),
        max_length=100,
        required=False,
    )
    tool = ToolField(required=False)
    payload = serializers.DictField(required=False)
    tolerance_s = NumberField(min_value=0, required=False, allow_null=True)
    accept = serializers.ListField(child=serializers.JSONField(), max_length=MOST_ANSWERS)
    between_fields = {
        "anyOf": [
            {
                "properties": {
                    "kind": {"enum": [SINGLE, MULTIPLE]},
                    "options": _OPTIONS,
                    "accept": {"type": "array", "items": {}, "minItems": 1},
                    **_NO_TASK,
                },
                "required": ["options"],
                "not": {"required": ["tool"]},
            },
            {
                "properties": {
                    "kind": {"enum": [TEXT]},
                    "options": _NO_OPTIONS,
                    "accept": {"type": "array", "items": {"type": "string", "pattern": NOT_BLANK}},
                    **_NO_TASK,
                },
                "not": {"required": ["tool"]},
            },
            {
                "properties": {
                    "kind": {"enum": [TASK]},
                    "options": _NO_OPTIONS,
                    "accept": {"type": "array", "items": {"type": "object"}, "minItems": 1},
                },
                "required": ["payload"],
            },
        ]
    }


class QualificationBodySerializer(StrictSerializer):
    title = TextField(max_length=200)
    pages = serializers.ListField(child=TextField(max_length=50_000), max_length=100, default=list)
    questions = serializers.ListField(child=QuestionBody(), min_length=1, max_length=MOST_QUESTIONS)
    draw = IntegerField(min_value=1, max_value=MOST_QUESTIONS, allow_null=True, default=None)
    pass_mark = NumberField(min_value=0, max_value=1)
    attempts = IntegerField(min_value=1, max_value=BIGGEST)
    cool_off_s = IntegerField(min_value=0, max_value=BIGGEST, default=0)
    valid_s = IntegerField(min_value=1, max_value=BIGGEST, allow_null=True, default=None)


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


def put_content(*, slug: str, data: Any, by: str, at: datetime) -> bool:
    """Create or replace the qualification with the content of a `PUT`; returns whether it is new."""
    body = QualificationBody(**read(QualificationBodySerializer, data))  # type: ignore[typeddict-item]
    return put_qualification(slug=slug, body=body, by=by, at=at)[1]


class Qualifications(Endpoint):
    """All qualifications."""

    @listed("list_qualifications", QualificationAnswer)
    def get(self, request: Request) -> Response:
        return page_of(request, Qualification.objects.all(), show_qualification)


@replaceable("qualification", QualificationBodySerializer, QualificationAnswer)
class OneQualification(Replaceable):
    """One quiz by its slug, with the right answers. Only API keys may read it, never workers."""

    def rows(self, **names: str) -> QuerySet[Qualification]:
        return Qualification.objects.filter(**names)

    def shown(self, **names: str) -> dict[str, Any]:
        return show_qualification(qualification_named(**names))

    def replace(self, data: Any, **names: str) -> bool:
        return put_content(slug=names["slug"], data=data, by=actor_of(self.request), at=timezone.now())


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
