"""`/commands/`, `/commands.jsonl` and `/funnel/`: import of past commands, export of all commands, and the funnel."""

from collections.abc import Iterator
from typing import Any

from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from agents.models import ApiKey
from annotation.datasets.annotations import as_lines
from annotation.models import Project
from annotation.projects.projects import project_named
from commands.exports import commands_after, line_of
from commands.imports import LONGEST, MOST_AT_ONCE
from commands.models import Command
from common.serializers import (
    ChoiceField,
    ExternalIdField,
    MomentField,
    PatternField,
    SlugField,
    StrictSerializer,
    TextField,
    read,
)
from interaction.models import LiveCommand
from interaction.reports.funnel import COMPARISONS, funnel_of, narrowed
from lib.faults import Invalid
from lib.name_patterns import EXTERNAL_ID, SLUG
from routing.reports import post_commands
from web.api.agents import agent_named
from web.api.authentication import actor_of
from web.api.exports import LINES
from web.http.endpoints import Endpoint
from web.http.exports import exported
from web.http.query_parameters import QuerySerializer, asks
from workforce.blocking import DIRECT


class WorkerNameField(PatternField):
    """`platform:external_id`, or an id alone for the platform `direct`. The value always contains the platform."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("error_messages", {"invalid": "Name a worker as `platform:external_id`."})
        super().__init__(rf"{SLUG}:{EXTERNAL_ID}|[A-Za-z0-9._-]{{1,128}}", **kwargs)

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        return text if ":" in text else f"{DIRECT}:{text}"


class PastCommandBody(StrictSerializer):
    """A command that was given earlier, outside of a session; `form` is its true form."""

    command = ExternalIdField()
    project = SlugField()
    text = TextField(max_length=LONGEST, trim_whitespace=False)
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


class ShadowParse(StrictSerializer):
    """The parse of a shadow model: it parsed the command and did not act."""

    model = serializers.CharField()
    parse = serializers.JSONField(allow_null=True)


class CommandLine(StrictSerializer):
    command = serializers.CharField()
    session = serializers.CharField(allow_null=True)
    worker = serializers.CharField(allow_null=True)
    agent = serializers.CharField(allow_null=True)
    text = serializers.CharField()
    parse = serializers.JSONField(allow_null=True)
    model = serializers.CharField(allow_null=True)
    shadow = ShadowParse(allow_null=True)
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


class CommandsQuery(QuerySerializer):
    project = SlugField(required=False, help_text="Only what was given there.")
    since = ExternalIdField(required=False, help_text="Go on after this command.")


class FunnelQuery(QuerySerializer):
    project = SlugField(required=False, help_text="Only what was given there.")
    agent = SlugField(required=False, help_text="Only what was given to it.")
    since = MomentField(required=False, help_text="Only what was given then or later.")
    until = MomentField(required=False, help_text="Only what was given before.")
    compare = ChoiceField(
        choices=COMPARISONS, default=COMPARISONS[0], help_text="How posted parses are compared with posted true forms."
    )


class PastCommands(Endpoint):
    """Import commands that were given elsewhere."""

    commits_with_answer = False

    @extend_schema(operation_id="post_commands", request=PastCommandsBody, responses={200: PastCommandsAnswer})
    def post(self, request: Request) -> Response:
        body = read(PastCommandsBody, request.data)
        posted = post_commands(bodies=body["commands"], at=timezone.now())
        return Response(posted._asdict())


class Commands(Endpoint):
    """Every command, one JSON object a line, in the order in which the server received them."""

    @extend_schema(operation_id="export_commands", responses={(200, LINES): CommandLine})
    @asks(CommandsQuery)
    def get(self, request: Request) -> HttpResponseBase:
        assert isinstance(request.auth, ApiKey)  # noqa: S101 - HasScope has seen to it
        with_identity = request.auth.allows(ApiKey.Scope.IDENTITY)
        project = project_named(self.query["project"]) if "project" in self.query else None
        rows = command_rows(project, since=self.query.get("since", ""), with_identity=with_identity)
        return exported(
            request._request,
            as_lines(rows),
            what="commands",
            by=actor_of(request),
            project=project.slug if project else "",
            with_identity=with_identity,
            content_type=LINES,
        )


def command_rows(project: Project | None, *, since: str, with_identity: bool) -> Iterator[dict[str, Any]]:
    """The lines of the commands, oldest first, after the command `since`, as `commands_after` selects them."""
    found = commands_after(project, since=since).select_related("live__session")
    # Read row by row: a project may have a million commands.
    return (_whole_line(command, with_identity=with_identity) for command in found.iterator(chunk_size=1000))


def _whole_line(command: Command, *, with_identity: bool) -> dict[str, Any]:
    """The line of a command, with its session, status and scores if it was given in a session."""
    line = line_of(command, with_identity=with_identity)
    live = getattr(command, "live", None)
    if live is not None:
        line |= {"session": live.session.public_id, "status": live.status, "scores": live.scores}
    return line


class CommandFunnel(Endpoint):
    """The funnel: how many of all commands a worker marked as failed, and how many of these the agent misunderstood."""

    @extend_schema(operation_id="get_funnel", responses=FunnelAnswer)
    @asks(FunnelQuery)
    def get(self, request: Request) -> Response:
        query = self.query
        since, until = query.get("since"), query.get("until")
        if since and until and since > until:
            raise Invalid.at("#/until", "This is before `since`.")
        rows = narrowed(
            Command.objects.all(),
            project=project_named(query["project"]).slug if "project" in query else "",
            agent=agent_named(query["agent"]).slug if "agent" in query else "",
            since=since,
            until=until,
        )
        return Response(funnel_of(rows, compare=query["compare"]).as_json())
