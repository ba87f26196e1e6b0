"""Importing past commands, which were given to an agent elsewhere: all or none, and harmless to repeat.

A fault in any of them is reported with its place, and nothing is kept. The rest happens in one transaction, with the
projects locked: commands that are new are made, and the valid ones enter the corpus of their project.
`routing.reports.post_commands` reports and routes them in the same transaction.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, NotRequired, TypedDict

from django.db import transaction
from django.db.models import Q

from agents.models import Agent
from annotation.models import Project
from annotation.tool_registry import Tool, all_tools, tool_named
from commands import corpora
from commands.models import Command
from commands.true_forms import differ_as_json, differ_normally
from lib.canonical_json import digest, plain_json
from lib.command_text import fault_of, plain
from lib.faults import Conflict, Fault, Invalid
from lib.stoplight.settings import read_settings
from workforce.blocking import workers_on
from workforce.models import Worker

MOST_AT_ONCE = 1000
LONGEST = 500
"""The most characters of a command."""


class CommandTool(Tool):
    """A tool whose projects have commands: its workers talk to an agent."""


class CommandBody(TypedDict):
    """A command as it is posted. A field that is null counts as left out: it is not known."""

    command: str
    project: str
    text: str
    parse: NotRequired[Any]
    outcome: NotRequired[str | None]
    form: NotRequired[Any]
    worker: NotRequired[str | None]
    agent: NotRequired[str | None]
    at: NotRequired[datetime | None]


class Imported(NamedTuple):
    """The commands that were made, and how many were there already with equal content."""

    made: list[Command]
    unchanged: int


class Named(NamedTuple):
    """The rows that the commands name, each under its name."""

    projects: dict[str, Project]
    agents: dict[str, Agent]
    workers: dict[str, Worker]


def import_commands(*, bodies: Sequence[CommandBody], at: datetime) -> Imported:
    """Make the commands that are not there yet; `at` is the time of those that name none.

    Costs: some twenty queries.

    Raises:
        Invalid: some name rows that do not exist, or two have one id; nothing is made.
        Conflict: some are there with other content; nothing is made.
    """
    _refuse_twice(bodies)
    with transaction.atomic():
        projects, agents = _projects(bodies), _agents(bodies)
        known = _digests_of_known(bodies, projects)
        _refuse_changed(bodies, known)
        # In the order of time, so that an export by arrival is, for what was posted together, by time as well.
        fresh = sorted(
            (body for body in bodies if (body["project"], body["command"]) not in known),
            key=lambda body: body.get("at") or at,
        )
        workers = workers_on(dict.fromkeys(name for body in fresh if (name := body.get("worker"))), at=at)
        named = Named(projects, agents, workers)
        commands = Command.objects.bulk_create([_row(body, named, at=at) for body in fresh])
        _enter_corpora(commands, at=at)
    return Imported(commands, unchanged=len(bodies) - len(commands))


def _refuse_twice(bodies: Sequence[CommandBody]) -> None:
    first: dict[tuple[str, str], int] = {}
    faults = []
    for index, body in enumerate(bodies):
        place = first.setdefault((body["project"], body["command"]), index)
        if place != index:
            faults.append(Fault(f"#/commands/{index}/command", f"The same command is at #/commands/{place}."))
    if faults:
        raise Invalid(faults=faults)


def _projects(bodies: Sequence[CommandBody]) -> dict[str, Project]:
    """The projects, locked in the order of their ids. 1 query."""
    rows = Project.objects.select_for_update().filter(slug__in={body["project"] for body in bodies}).order_by("pk")
    found = {project.slug: project for project in rows}

    def fault_of_project(slug: str) -> str:
        if slug not in found:
            return f"There is no project {slug!r}; put it first."
        if not isinstance(tool_named(found[slug].tool), CommandTool):
            fitting = " or ".join(tool.name for tool in all_tools() if isinstance(tool, CommandTool))
            return (
                f"The project {slug!r} has the tool {found[slug].tool}; commands belong to one of the tool {fitting}."
            )
        return ""

    _refuse_wrong(bodies, "project", lambda body: body["project"], fault_of_project)
    return found


def _agents(bodies: Sequence[CommandBody]) -> dict[str, Agent]:
    """The agents that the commands name. 1 query.

    Raises:
        Invalid: with a pointer to each agent that does not exist.
    """
    names = {name for body in bodies if (name := body.get("agent"))}
    found = {agent.slug: agent for agent in Agent.objects.filter(slug__in=names)}
    _refuse_wrong(
        bodies,
        "agent",
        lambda body: body.get("agent"),
        lambda slug: "" if slug in found else f"There is no agent {slug!r}; put it first.",
    )
    return found


def _refuse_wrong(
    bodies: Sequence[CommandBody],
    field: str,
    named_by: Callable[[CommandBody], str | None],
    fault_of_name: Callable[[str], str],
) -> None:
    """Raises:
    Invalid: with a pointer to each field whose name is at fault.
    """
    named = [(index, name) for index, body in enumerate(bodies) if (name := named_by(body))]
    faults = [Fault(f"#/commands/{index}/{field}", said) for index, name in named if (said := fault_of_name(name))]
    if faults:
        raise Invalid(faults=faults)


def _digests_of_known(bodies: Sequence[CommandBody], projects: dict[str, Project]) -> dict[tuple[str, str], str]:
    """By project and command: the digest of what was posted, "" for a command of a live session. 1 query."""
    names: dict[str, list[str]] = {}
    for body in bodies:
        names.setdefault(body["project"], []).append(body["command"])
    there = Q(pk__in=[])
    for slug, commands in names.items():
        there |= Q(project=projects[slug], public_id__in=commands)
    rows = Command.objects.filter(there).values_list("project__slug", "public_id", "digest")
    return {(slug, name): kept for slug, name, kept in rows}


def _refuse_changed(bodies: Sequence[CommandBody], known: dict[tuple[str, str], str]) -> None:
    faults = [
        Fault(f"#/commands/{index}/command", f"The command {body['command']!r} is there already with other content.")
        for index, body in enumerate(bodies)
        if (kept := known.get((body["project"], body["command"]))) is not None and kept != content_digest(body)
    ]
    if faults:
        raise Conflict(
            "Some commands are there with other content, so nothing was created; see `errors`.", faults=faults
        )


def content_digest(body: CommandBody) -> str:
    """A digest of all that must be equal in two posts of one command; its time counts as it was posted."""
    at = body.get("at")
    return digest(
        {
            "text": body["text"],
            "parse": plain_json(body.get("parse")),
            "outcome": body.get("outcome"),
            "form": plain_json(body.get("form")),
            "worker": body.get("worker"),
            "agent": body.get("agent"),
            "at": at.astimezone(UTC).isoformat() if at else None,
        }
    )


def _row(body: CommandBody, named: Named, *, at: datetime) -> Command:
    worker, agent, form = body.get("worker"), body.get("agent"), body.get("form")
    return Command(
        public_id=body["command"],
        project=named.projects[body["project"]],
        agent=named.agents[agent] if agent else None,
        worker=named.workers[worker] if worker else None,
        text=body["text"],
        plain_text=plain(body["text"]),
        fault=fault_of(body["text"]),
        digest=content_digest(body),
        form=body.get("parse"),
        at=body.get("at") or at,
        outcome=body.get("outcome") or "",
        truth=form,
        is_misread=None if form is None else differ_as_json(body.get("parse"), form),
        means_other=None if form is None else differ_normally(body.get("parse"), form),
    )


def _enter_corpora(commands: Sequence[Command], *, at: datetime) -> None:
    """Enter the valid commands, each once, in the corpus of their project."""
    projects = {command.project for command in commands}
    corpus_of = {one: read_settings(one.settings.get("stoplight")).corpus or one.slug for one in projects}
    texts: dict[str, list[tuple[str, int | None]]] = {}
    for command in commands:
        if not command.fault:
            texts.setdefault(corpus_of[command.project], []).append((command.text, command.pk))
    # In one order, so that two posts at once do not wait in a circle.
    for slug in sorted(texts):
        corpora.enter(slug=slug, texts=texts[slug], at=at)
