"""`client.commands`, `client.trees`, `client.routes`, `client.sessions`, `client.scenes`: what was said to agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typing_extensions import Unpack

from crosswalk_client.api.named import Named
from crosswalk_client.calls import Mode, Resource, call, lines, pages
from crosswalk_client.requests import Lines, Pages, Plan, Request, get, given, path_of, post, put
from crosswalk_client.types import (
    CommandLine,
    ErrorReportLine,
    FunnelAnswer,
    GeneratedLine,
    PastCommandBodyRequest,
    PastCommandsAnswer,
    RouteAnswer,
    RouteContentRequest,
    SceneAnswer,
    SceneBodyRequest,
    ScenesAnswer,
    SessionEpisodeAnswer,
    SessionEpisodeBodyRequest,
    TreeAnswer,
    TreeBodyRequest,
    TreeVersionAnswer,
)

MOST_COMMANDS = 1000
"""Most past commands of one request."""


class Commands(Resource[Mode]):
    @call
    def post(self, commands: Sequence[PastCommandBodyRequest]) -> Plan[PastCommandsAnswer]:
        """Post past commands, 1000 a request; the sums of all answers."""
        return _post_commands(commands)

    @lines
    def export(self, *, project: str | None = None, since: str | None = None) -> Lines[CommandLine]:
        """Every command, oldest first, after the command `since`; goes on by itself if the line breaks."""
        return Lines(Request("GET", "commands.jsonl", given(project=project, since=since)), since="command")

    @lines
    def error_reports(
        self,
        *,
        project: str | None = None,
        state: str | None = None,
        outcome: str | None = None,
        since: str | None = None,
    ) -> Lines[ErrorReportLine]:
        query = given(project=project, state=state, outcome=outcome, since=since)
        return Lines(Request("GET", "error_reports.jsonl", query))

    @call
    def funnel(
        self,
        *,
        project: str | None = None,
        agent: str | None = None,
        since: str | None = None,
        until: str | None = None,
        compare: str | None = None,
    ) -> Plan[FunnelAnswer]:
        return get("funnel/", project=project, agent=agent, since=since, until=until, compare=compare)


class Trees(Named[Mode]):
    folder = "trees"

    @pages
    def list(self) -> Pages[TreeAnswer]:
        return Pages(Request("GET", "trees/"))

    @call
    def get(self, slug: str) -> Plan[TreeAnswer]:
        return get(self._path(slug))

    @call
    def put(self, slug: str, /, **body: Unpack[TreeBodyRequest]) -> Plan[TreeVersionAnswer]:
        return put(self._path(slug), body)


class Routes(Named[Mode]):
    folder = "routes"

    @pages
    def list(self) -> Pages[RouteAnswer]:
        return Pages(Request("GET", "routes/"))

    @call
    def get(self, slug: str) -> Plan[RouteAnswer]:
        return get(self._path(slug))

    @call
    def put(self, slug: str, /, **body: Unpack[RouteContentRequest]) -> Plan[RouteAnswer]:
        return put(self._path(slug), body)


class Sessions(Resource[Mode]):
    @pages
    def episodes(self, session: str) -> Pages[SessionEpisodeAnswer]:
        return Pages(Request("GET", path_of("sessions", session, "episodes")))

    @call
    def post_episode(self, session: str, /, **body: Unpack[SessionEpisodeBodyRequest]) -> Plan[SessionEpisodeAnswer]:
        """Make an episode of a command of a live session."""
        return post(path_of("sessions", session, "episodes"), body)


class Scenes(Resource[Mode]):
    @call
    def post(self, scenes: Sequence[SceneBodyRequest]) -> Plan[ScenesAnswer]:
        return post("scenes/", {"scenes": scenes})

    @call
    def get(self, digest: str) -> Plan[SceneAnswer]:
        return get(path_of("scenes", digest))

    @lines
    def generated(self, /, **query: Any) -> Lines[GeneratedLine]:
        """Scenes made by rule, with the masks of their phrases: `n`, `seed` and how they look."""
        return Lines(Request("GET", "generated_scenes.jsonl", given(**query)))

    @call
    def logical_form_schema(self, *, spellings: str | None = None) -> Plan[dict[str, Any]]:
        """The grammar of logical forms as JSON Schema."""
        return get(path_of("logical_form.schema.json", ends=""), spellings=spellings)


def _post_commands(commands: Sequence[PastCommandBodyRequest]) -> Plan[PastCommandsAnswer]:
    created = unchanged = 0
    for first in range(0, len(commands), MOST_COMMANDS):
        answer = yield from post("commands/", {"commands": commands[first : first + MOST_COMMANDS]})
        created += answer["created"]
        unchanged += answer["unchanged"]
    return {"created": created, "unchanged": unchanged}
