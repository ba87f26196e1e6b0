"""`/commands/`, `/commands.jsonl`, `/funnel/`: past commands in, all commands out, and what they come to."""

import re
from datetime import UTC, datetime
from typing import Any, Final

from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.api import agent_named
from agents.models import ApiKey
from annotation.api.pipelines import LINES
from annotation.api.since import moment_asked
from annotation.exports import as_lines
from annotation.models import Project
from annotation.projects import project_named
from common.api import ExternalIdField, SlugField, StrictSerializer, asked, read
from common.errors import Invalid
from common.streams import streamed
from common.values import EXTERNAL_ID, SLUG
from interaction.exports import command_rows
from interaction.funnel import funnel_of, narrowed
from interaction.models import Command
from interaction.past_commands import LONGEST, MOST_AT_ONCE, post_commands
from workforce.standing import DIRECT

WORKER: Final = re.compile(rf"{SLUG}:{EXTERNAL_ID}\Z")


class WorkerNameField(serializers.CharField):
    """`platform:external_id`; an id alone is one of the platform `direct`. Its value always has the platform."""

    def to_internal_value(self, data: Any) -> str:
        text: str = super().to_internal_value(data)
        name = text if ":" in text else f"{DIRECT}:{text}"
        if not WORKER.match(name):
            raise serializers.ValidationError("Name a worker as `platform:external_id`.")
        return name


class MomentField(serializers.DateTimeField):
    """A moment as RFC 3339 has it, with its offset, in UTC."""

    def to_internal_value(self, value: Any) -> datetime:
        try:
            found = datetime.fromisoformat(value) if isinstance(value, str) and "T" in value.upper() else None
            if found is not None and found.tzinfo is not None:
                return found.astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        raise serializers.ValidationError("This is a moment such as 2026-11-21T12:00:00Z.")


class PastCommandBody(StrictSerializer):
    """A command that was given before; `form` is the true one."""

    command = ExternalIdField()
    project = SlugField()
    text = serializers.CharField(max_length=LONGEST, trim_whitespace=False)
    parse = serializers.JSONField(required=False, allow_null=True)
    outcome = SlugField(required=False, allow_null=True)
    form = serializers.JSONField(required=False, allow_null=True)
    worker = WorkerNameField(required=False, allow_null=True)
    agent = SlugField(required=False, allow_null=True)
    at = MomentField(required=False, allow_null=True)


class PastCommandsBody(StrictSerializer):
    commands = serializers.ListField(child=PastCommandBody(), max_length=MOST_AT_ONCE)


class PastCommandsAnswer(StrictSerializer):
    created = serializers.IntegerField()
    unchanged = serializers.IntegerField()


class CommandTurn(StrictSerializer):
    node = serializers.CharField()
    choice = serializers.IntegerField()
    text = serializers.CharField(required=False)


class CommandLine(StrictSerializer):
    command = serializers.CharField()
    session = serializers.CharField(allow_null=True)
    worker = serializers.CharField(allow_null=True)
    agent = serializers.CharField(allow_null=True)
    text = serializers.CharField()
    parse = serializers.JSONField(allow_null=True)
    status = serializers.ChoiceField(choices=Command.Status.choices, allow_null=True)
    outcome = serializers.CharField(allow_null=True)
    path = CommandTurn(many=True)
    feedback = serializers.CharField()
    scores = serializers.DictField(allow_null=True)
    at = serializers.DateTimeField()
    dropped = serializers.BooleanField()


class FunnelAnswer(StrictSerializer):
    all_commands = serializers.IntegerField()
    valid_commands = serializers.IntegerField()
    marked_agent_errors = serializers.IntegerField()
    marked_nlu_errors = serializers.IntegerField()
    marked_nlu_errors_annotated = serializers.IntegerField()
    marked_true_nlu_errors = serializers.IntegerField()
    known_nlu_errors = serializers.IntegerField()
    precision = serializers.FloatField(allow_null=True)
    recall = serializers.FloatField(allow_null=True)


def project_asked(request: Request) -> Project | None:
    """The project that the address names; None where it names none.

    Raises:
        NotFound: there is none.
    """
    slug = asked(request, "project")
    return project_named(slug) if slug else None


class PastCommands(APIView):
    """Commands that were given elsewhere."""

    @extend_schema(operation_id="post_commands", request=PastCommandsBody, responses={200: PastCommandsAnswer})
    def post(self, request: Request) -> Response:
        body = read(PastCommandsBody, request.data)
        posted = post_commands(bodies=body["commands"], at=timezone.now())
        return Response(posted._asdict())


class Commands(APIView):
    """Every command, one JSON object a line, in the order in which they came here."""

    @extend_schema(
        operation_id="export_commands",
        parameters=[
            OpenApiParameter("project", OpenApiTypes.STR, description="Only what was given there."),
            OpenApiParameter("since", OpenApiTypes.STR, description="Go on after this command."),
        ],
        responses={(200, LINES): CommandLine},
    )
    def get(self, request: Request) -> HttpResponseBase:
        assert isinstance(request.auth, ApiKey)  # noqa: S101 - HasScope has seen to it
        rows = command_rows(
            project_asked(request),
            since=asked(request, "since"),
            with_identity=request.auth.allows(ApiKey.Scope.IDENTITY),
        )
        return streamed(request._request, as_lines(rows), content_type=LINES)


class CommandFunnel(APIView):
    """From all commands down to those that the agent misunderstood and a worker marked so."""

    @extend_schema(
        operation_id="get_funnel",
        parameters=[
            OpenApiParameter("project", OpenApiTypes.STR, description="Only what was given there."),
            OpenApiParameter("agent", OpenApiTypes.STR, description="Only what was given to it."),
            OpenApiParameter("since", OpenApiTypes.DATETIME, description="Only what was given then or later."),
            OpenApiParameter("until", OpenApiTypes.DATETIME, description="Only what was given before."),
        ],
        responses=FunnelAnswer,
    )
    def get(self, request: Request) -> Response:
        since, until = moment_asked(request, "since"), moment_asked(request, "until")
        if since and until and since > until:
            raise Invalid.at("#/until", "This is before `since`.")
        project = project_asked(request)
        agent = asked(request, "agent")
        rows = narrowed(
            Command.objects.all(),
            project=project.slug if project else "",
            agent=agent_named(agent).slug if agent else "",
            since=since,
            until=until,
        )
        return Response(funnel_of(rows).as_json())
