"""`/commands/`, `/commands.jsonl` and `/funnel/`: import of past commands, export of all commands, and the funnel."""

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

from agents.models import ApiKey
from annotation.datasets.annotations import as_lines
from annotation.models import Project
from annotation.projects.projects import project_named
from commands.exports import commands_after, line_of
from commands.imports import LONGEST, MOST_AT_ONCE
from commands.models import Command
from common.serializers import ExternalIdField, SlugField, StrictSerializer, read
from interaction.models import LiveCommand
from interaction.reports.funnel import funnel_of, narrowed
from lib.faults import Invalid
from lib.name_patterns import EXTERNAL_ID, SLUG
from routing.reports import post_commands
from web.api.agents import agent_named
from web.api.exports import LINES
from web.http.query_parameters import asked, moment_asked
from web.http.streams import streamed
from workforce.blocking import DIRECT

WORKER: Final = re.compile(rf"{SLUG}:{EXTERNAL_ID}\Z")


class WorkerNameField(serializers.CharField):
    """`platform:external_id`, or an id alone for the platform `direct`. The value always contains the platform."""

    def to_internal_value(self, data: Any) -> str:
        text: str = super().to_internal_value(data)
        name = text if ":" in text else f"{DIRECT}:{text}"
        if not WORKER.match(name):
            raise serializers.ValidationError("Name a worker as `platform:external_id`.")
        return name


class MomentField(serializers.DateTimeField):
    """A moment in RFC 3339 with an offset, converted to UTC."""

    def to_internal_value(self, value: Any) -> datetime:
        try:
            found = datetime.fromisoformat(value) if isinstance(value, str) and "T" in value.upper() else None
            if found is not None and found.tzinfo is not None:
                return found.astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        raise serializers.ValidationError("This is a moment such as 2026-11-21T12:00:00Z.")


class PastCommandBody(StrictSerializer):
    """A command that was given earlier, outside of a session; `form` is its true form."""

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
    status = serializers.ChoiceField(choices=LiveCommand.Status.choices, allow_null=True)
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
    """The project that the address names; None if it names none.

    Raises:
        NotFound: there is no such project.
    """
    slug = asked(request, "project")
    return project_named(slug) if slug else None


class PastCommands(APIView):
    """Import commands that were given elsewhere."""

    @extend_schema(operation_id="post_commands", request=PastCommandsBody, responses={200: PastCommandsAnswer})
    def post(self, request: Request) -> Response:
        body = read(PastCommandsBody, request.data)
        posted = post_commands(bodies=body["commands"], at=timezone.now())
        return Response(posted._asdict())


class Commands(APIView):
    """Every command, one JSON object a line, in the order in which the server received them."""

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
        with_identity = request.auth.allows(ApiKey.Scope.IDENTITY)
        found = commands_after(project_asked(request), since=asked(request, "since")).select_related("live__session")
        # Read row by row: a project may have a million commands.
        rows = (_whole_line(command, with_identity=with_identity) for command in found.iterator(chunk_size=1000))
        return streamed(request._request, as_lines(rows), content_type=LINES)


def _whole_line(command: Command, *, with_identity: bool) -> dict[str, Any]:
    """The line of a command, with its session, status and scores if it was given in a session."""
    line = line_of(command, with_identity=with_identity)
    live = getattr(command, "live", None)
    if live is not None:
        line |= {"session": live.session.public_id, "status": live.status, "scores": live.scores}
    return line


class CommandFunnel(APIView):
    """The funnel: how many of all commands a worker marked as failed, and how many of these the agent misunderstood."""

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
