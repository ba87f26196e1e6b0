"""Helpers for pages of the parse annotator: the grammar, a check of a form while it is typed, and the next questions.

These endpoints read no task. Their answers depend only on the grammar and on the request.
"""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.tools.parse import steps
from annotation.tools.parse.serializers import FormField, PayloadSerializer, RecordField
from annotation.tools.parse.steps import checked
from common.serializers import ChoiceField, StrictSerializer, read
from lib.canonical_json import escaped
from lib.faults import Fault, Invalid
from lib.logical_form.schema import schema
from lib.logical_form.spans import tokenise
from web.api.work import WorkView
from web.http.endpoints import Endpoint
from web.http.query_parameters import QuerySerializer, asks

CURRENT = "current"


class CheckBody(PayloadSerializer):
    """A command and an unfinished form of it."""

    form = FormField()


class NextBody(PayloadSerializer):
    """A command and the answers so far, by the keys of the steps."""

    record = RecordField()


class PlaceAnswer(StrictSerializer):
    path = serializers.CharField()
    reason = serializers.CharField()


class CheckAnswer(StrictSerializer):
    """The faults of a form, the parts that were rewritten, and the form in words."""

    faults = PlaceAnswer(many=True)
    changes = PlaceAnswer(many=True)
    form = serializers.DictField()
    words = serializers.CharField()
    outline = serializers.ListField(child=serializers.DictField())


class SchemaQuery(QuerySerializer):
    spellings = ChoiceField(choices=[CURRENT], required=False, help_text="Leave the old spellings out.")


class LogicalFormSchema(Endpoint):
    """The grammar of logical forms as JSON Schema. Old spellings that are still accepted are marked as deprecated."""

    authentication_classes = []
    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="get_logical_form_schema",
        responses={(200, "application/schema+json"): dict},
        auth=[],
    )
    @asks(SchemaQuery)
    def get(self, request: Request) -> Response:
        return Response(schema(old="spellings" not in self.query), content_type="application/schema+json")


class CheckForm(WorkView):
    """Check a form against the grammar and its command, while an expert writes it."""

    commits_with_answer = False

    @extend_schema(operation_id="check_form", request=CheckBody, responses=CheckAnswer)
    def post(self, request: Request) -> Response:
        body = read(CheckBody, request.data)
        return Response(checked(text=body["text"], form=body["form"]))


class NextStep(WorkView):
    """The next questions about a command. The caller keeps the answers and sends all of them each time."""

    commits_with_answer = False

    @extend_schema(operation_id="next_step", request=NextBody, responses={200: dict})
    def post(self, request: Request) -> Response:
        body = read(NextBody, request.data)
        return Response(steps.shown_next(body, usable(body["text"], body["record"])))


def usable(text: str, record: dict[str, Any]) -> dict[str, Any]:
    """The answers, each checked against the questions of its step.

    Raises:
        Invalid: an answer does not fit its step.
    """
    read = steps.read_record(record, words=len(tokenise(text)))
    if read.step and read.faults:
        place = f"#/record/{escaped(read.step.key)}"
        raise Invalid(faults=[Fault(f"{place}{one.path}", one.reason) for one in read.faults])
    return read.known
