"""Routes: putting them, finding those that fit a command, and drawing whether one takes it.

A route has no state but its content, so it is changed by another PUT, and stopped by the rate 0.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NotRequired, TypedDict

from django.db import transaction
from django.db.models import Q, QuerySet

from agents.models import Agent
from annotation.models import Project
from annotation.tools.parse.tool import parse
from annotation.tools.voxels.tool import voxels
from audit.changes import changes
from audit.log import Subject, record
from commands.models import Command
from lib.canonical_json import digest
from lib.faults import Fault, Invalid, NotFound
from lib.trees.tree import OK
from routing.models import Route, Tree, TreeVersion

EVERY = "*"
"""The outcome of a route that takes every valid command, marked or not."""
TARGETS = (parse, voxels)
"""The tools that repair commands: one asks for the form, the other for masks."""


class RouteBody(TypedDict):
    """A route as it is put."""

    outcome: str
    project: str
    rate: float
    tree: NotRequired[str | None]
    agents: NotRequired[list[str]]
    sources: NotRequired[list[str]]


# Finding -----------------------------------------------------------------------------------------------------------


def routes() -> QuerySet[Route]:
    """All routes, by slug, with the rows that they name."""
    rows = Route.objects.select_related("project", "tree").prefetch_related("agents", "sources")
    return rows.order_by("slug")


def route_named(slug: str) -> Route:
    """The route with the rows that it names; 404 if there is none. 3 queries."""
    found = routes().filter(slug=slug).first()
    if found is None:
        raise NotFound
    return found


def may_match(outcome: str) -> bool:
    """True if some route may take a command of this outcome. 1 query."""
    return _open_to(outcome).exists()


def routes_for(command: Command, *, tree: TreeVersion | None) -> list[Route]:
    """The routes that fit a command, oldest first, whether or not it is valid and drawn. 1 query, 2 more for any.

    Args:
        tree: The questions that the worker answered after the command; None: none, or they are not known.
    """
    fitting = Q(tree=None) if tree is None else Q(tree=None) | Q(tree=tree.tree_id)
    rows = _open_to(command.outcome).filter(fitting).select_related("project").prefetch_related("agents", "sources")
    return [route for route in rows.order_by("pk") if _is_of(route, command)]


def _open_to(outcome: str) -> QuerySet[Route]:
    return Route.objects.filter(outcome__in=[EVERY, outcome], rate__gt=0)


def _is_of(route: Route, command: Command) -> bool:
    agents = {agent.pk for agent in route.agents.all()}
    sources = {project.pk for project in route.sources.all()}
    of_agent = not agents or command.agent_id in agents
    return of_agent and (not sources or command.project_id in sources)


def draws(route: Route, command: Command) -> bool:
    """True if the route takes this command, by its rate. The draw of a command never changes."""
    return int(digest([route.pk, command.project_id, command.public_id])[:13], 16) / 16**13 < route.rate


# Putting -----------------------------------------------------------------------------------------------------------


def put_route(*, slug: str, body: RouteBody, by: str, at: datetime) -> tuple[Route, bool]:
    """Make or replace the route; whether it is new. Equal content writes nothing.

    Tasks that were made stay; commands judged from now on follow the new content.

    Raises:
        Invalid: it names something that does not exist, or a project that repairs nothing.
    """
    with transaction.atomic():
        project, tree, agents, sources = _named(body)
        columns = {"outcome": body["outcome"], "project": project, "rate": body["rate"], "tree": tree}
        route, is_new = Route.objects.select_for_update().get_or_create(
            slug=slug, defaults={**columns, "created_at": at}
        )
        before = {} if is_new else show_content(route)
        changed = [name for name, value in columns.items() if getattr(route, name) != value]
        if changed:
            Route.objects.filter(pk=route.pk).update(**columns)
        for name, wanted in (("agents", agents), ("sources", sources)):
            kept = getattr(route, name)
            if set(kept.values_list("pk", flat=True)) != {row.pk for row in wanted}:
                kept.set(wanted)
                changed.append(name)
        if is_new or changed:
            verb = "route.created" if is_new else "route.changed"
            now = show_content(route_named(slug))
            record(
                verb=verb,
                actor=by,
                subject=subject_of(slug),
                project=project.slug,
                at=at,
                route=now,
                **changes(before, now),
            )
        return route_named(slug), is_new


def subject_of(slug: str) -> Subject:
    """The subject of the route in the audit log."""
    return Subject("route", slug)


def show_content(route: Route) -> dict[str, Any]:
    """The content of the route, as `PUT` takes it."""
    return {
        "outcome": route.outcome,
        "project": route.project.slug,
        "rate": route.rate,
        "tree": route.tree.slug if route.tree else None,
        "agents": sorted(agent.slug for agent in route.agents.all()),
        "sources": sorted(project.slug for project in route.sources.all()),
    }


def targets(among: QuerySet[Project]) -> QuerySet[Project]:
    """The projects to which commands can be sent, by their tools."""
    return among.filter(tool__in=[tool.name for tool in TARGETS])


def asks_for_form(project: Project) -> bool:
    """True if this project repairs the form of a command; otherwise it repairs masks."""
    return parse.is_tool_of(project)


def fault_of_target(project: Project) -> str:
    """Why nothing can be sent to this project, as a sentence; "" where it can."""
    if not any(tool.is_tool_of(project) for tool in TARGETS):
        tools = " and ".join(tool.name for tool in TARGETS)
        return f"{project.title} repairs nothing: commands are sent to projects of the tools {tools}."
    if not asks_for_form(project) and not voxels.marks_in(project):
        return f"In {project.title} objects are named; send to the project where they are marked."
    return ""


def _named(body: RouteBody) -> tuple[Project, Tree | None, Sequence[Agent], Sequence[Project]]:
    """The rows that a route names. 2 queries, 2 more for a tree, 1 each for agents and sources.

    Raises:
        Invalid: with a pointer to each name that does not exist.
    """
    faults: list[Fault] = []
    if body["outcome"] in ("", OK):
        faults.append(
            Fault("#/outcome", f"With the outcome {OK!r} nothing went wrong; use {EVERY!r} for every command.")
        )
    project = Project.objects.filter(slug=body["project"]).first()
    if project is None:
        faults.append(Fault("#/project", f"There is no project {body['project']!r}; put it first."))
    elif reason := fault_of_target(project):
        faults.append(Fault("#/project", reason))
    tree = _tree(body, faults)
    agents = body.get("agents") or []
    known_agents = {agent.slug: agent for agent in Agent.objects.filter(slug__in=agents)} if agents else {}
    faults += _missing("agents", "agent", agents, known_agents)
    sources = body.get("sources") or []
    known_sources = {source.slug: source for source in Project.objects.filter(slug__in=sources)} if sources else {}
    faults += _missing("sources", "project", sources, known_sources)
    if faults or project is None:
        raise Invalid(faults=faults)
    return project, tree, list(known_agents.values()), list(known_sources.values())


def _tree(body: RouteBody, faults: list[Fault]) -> Tree | None:
    """The named tree. An outcome that no version of it has is a fault."""
    slug = body.get("tree")
    if slug is None:
        return None
    tree = Tree.objects.filter(slug=slug).first()
    if tree is None:
        faults.append(Fault("#/tree", f"There is no tree {slug!r}; put it first."))
        return None
    outcomes = outcomes_of(tree.versions.all())
    if body["outcome"] not in (EVERY, *outcomes):
        said = ", ".join(sorted(outcomes - {OK}))
        faults.append(Fault("#/outcome", f"No version of the tree {slug!r} has this outcome; it has {said}."))
    return tree


def outcomes_of(versions: Iterable[TreeVersion]) -> set[str]:
    """All outcomes to which these versions lead."""
    trees = [version.read() for version in versions]
    return {
        choice.outcome
        for tree in trees
        for node in tree.nodes.values()
        for choice in node.choices
        if choice.outcome is not None
    }


def _missing(field: str, noun: str, named: Sequence[str], known: dict[str, Any]) -> list[Fault]:
    return [
        Fault(f"#/{field}/{number}", f"There is no {noun} {slug!r}; put it first.")
        for number, slug in enumerate(named)
        if slug not in known
    ]
