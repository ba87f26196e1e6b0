"""What pages of the parse annotator ask beside the work itself: the grammar, a check while one types, the next step.

Nothing here looks at a task: what is asked follows from the grammar and from what the caller sends; it tells nothing.
"""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.work import WorkView
from annotation.logical_form.schema import schema
from annotation.logical_form.spans import tokenise
from annotation.tools.parse import steps
from annotation.tools.parse.checking import checked
from annotation.tools.parse.serializers import FormField, PayloadSerializer, RecordField
from common.api import StrictSerializer, read
from common.errors import Fault, Invalid
from common.values import escaped

CURRENT = "current"


class CheckBody(PayloadSerializer):
    """A command and a form that somebody is writing for it."""

    form = FormField()


class NextBody(PayloadSerializer):
    """A command and what is answered of it so far, by the keys of the steps."""

    record = RecordField()


class PlaceAnswer(StrictSerializer):
    path = serializers.CharField()
    reason = serializers.CharField()


class CheckAnswer(StrictSerializer):
    """What is wrong with a form, what was rewritten of it, and how it reads."""

    faults = PlaceAnswer(many=True)
    changes = PlaceAnswer(many=True)
    form = serializers.DictField()
    words = serializers.CharField()
    outline = serializers.ListField(child=serializers.DictField())


class LogicalFormSchema(APIView):
    """The grammar of logical forms as JSON Schema; old spellings that are read too are marked deprecated."""

    authentication_classes = []
    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="get_logical_form_schema",
        parameters=[OpenApiParameter("spellings", str, enum=[CURRENT], description="Leave the old spellings out.")],
        responses={(200, "application/schema+json"): dict},
        auth=[],
    )
    def get(self, request: Request) -> Response:
        spellings = request.query_params.get("spellings", "")
        if spellings not in ("", CURRENT):
            raise Invalid.at("#/spellings", f"This is {CURRENT} or left out.")
        return Response(schema(old=spellings != CURRENT), content_type="application/schema+json")


class CheckForm(WorkView):
    """A form held against the grammar and its command while an expert writes it."""

    @extend_schema(operation_id="check_form", request=CheckBody, responses=CheckAnswer)
    def post(self, request: Request) -> Response:
        body = read(CheckBody, request.data)
        return Response(checked(text=body["text"], form=body["form"]))


class NextStep(WorkView):
    """The next questions of a command whose answers the caller keeps; the last when all else is answered."""

    @extend_schema(operation_id="next_step", request=NextBody, responses={200: dict})
    def post(self, request: Request) -> Response:
        body = read(NextBody, request.data)
        return Response(steps.shown_next(body, _usable(body["text"], body["record"])))


def _usable(text: str, record: dict[str, Any]) -> dict[str, Any]:
    """The record, each step of it held against its questions.

    Raises:
        Invalid: the answers of a step do not answer it.
    """
    read = steps.read_record(record, words=len(tokenise(text)))
    if read.step and read.faults:
        place = f"#/record/{escaped(read.step.key)}"
        raise Invalid(faults=[Fault(f"{place}{one.path}", one.reason) for one in read.faults])
    return read.known
