"""The material of live sessions: the agent, the tree of questions, the number of sessions, and their worlds."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from agents.models import Agent
from agents.programs import AgentBody, put_agent
from annotation.models import Project
from annotation.projects.task_lists import post_list
from annotation.tool_registry import Json
from interaction.project.settings import MINIMUM_S
from lib.faults import Conflict, CrosswalkError, Fault, Invalid, TooLarge
from routing.models import Tree
from web.staff.decorators import staff_actor
from web.staff.setup.fields import Choices, Field, Kind, errors_of, read_form, shown, shown_again, with_choices
from web.staff.setup.material.lists import by_line, text_of
from web.staff.setup.names import free_slug, slug_of
from web.staff.setup.project_body import body_of, put_body
from web.staff.setup.project_fields import agent_choices
from web.staff.setup.steps import address_of, after, steps_of

NEW_AGENT = "agent_name"
FIELDS = [
    Field("agent", "Agent", Kind.CHOICE, does="The program that workers talk to. It connects by itself, with a key."),
    Field(
        NEW_AGENT,
        "… or a new one, by its name",
        does="Its processes connect with an API key that may run agents.",
    ),
    Field("tree", "Questions after each command", Kind.CHOICE, does="They find out which part of the agent failed."),
    Field(
        "sessions",
        "How many sessions",
        Kind.WHOLE,
        is_needed=True,
        does="A session is one person's visit. Each is paid once; more can be added later.",
    ),
    Field(
        "minimum_s",
        "A session lasts at least",
        Kind.WHOLE,
        unit="seconds",
        placeholder=str(MINIMUM_S),
        does=f"Before that a worker cannot finish. Empty: {MINIMUM_S}.",
    ),
    Field("prompts", "What workers shall say", Kind.LINES, does="One a line. Empty: they say what they like."),
    Field(
        "capabilities", "What the agent can do", Kind.LINES, does="One a line, as workers read it. Empty: the usual."
    ),
    Field("evaluation", "An evaluation: everybody has the same time", Kind.YES),
]


def page(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the settings of the sessions; a posted form saves them, and makes tasks of the worlds."""
    fields = _fields()
    if request.method != "POST":
        return _page(request, project, fields, shown(fields, _body(project)))
    typed, errors = read_form(fields, request.POST, _body(project))
    faults: list[Fault] = []
    if not errors:
        try:
            count = _save(request, project, typed)
            messages.success(request, f"✓ Saved.{f' {count} worlds added.' if count else ''}")
            return redirect(after(project, "material") if "on" in request.POST else address_of(project, "material"))
        except (Invalid, Conflict) as error:
            of_settings = [Fault(fault.pointer.replace("#/settings", "#", 1), fault.detail) for fault in error.faults]
            errors = errors_of(type(error)(error.detail, faults=of_settings), fields)
        except BadWorlds as error:
            faults = list(error.faults)
    return _page(request, project, fields, shown_again(fields, request.POST, errors), errors=errors, faults=faults)


class BadWorlds(Exception):
    """The list of worlds has faults, by line."""

    def __init__(self, error: CrosswalkError) -> None:
        super().__init__(error.detail)
        self.faults = [by_line(fault) for fault in error.faults or [Fault("#", error.detail)]]


def _fields() -> list[Field]:
    """The fields with their options. 2 queries."""
    agents: Choices = [("", "a new one"), *agent_choices()]
    trees: Choices = [
        ("", "choose"),
        *((slug, slug) for slug in Tree.objects.order_by("slug").values_list("slug", flat=True)),
    ]
    return with_choices(with_choices(FIELDS, "agent", agents), "tree", trees)


def _body(project: Project) -> Json:
    return dict(project.settings)


@transaction.atomic
def _save(request: HttpRequest, project: Project, typed: Json) -> int:
    """Save the settings and post the worlds; returns how many there were.

    Raises:
        Invalid, Conflict: the settings are refused.
        BadWorlds: the worlds are refused; then nothing is saved.
    """
    by, now = staff_actor(request), timezone.now()
    name = typed.pop(NEW_AGENT, None)
    if name:
        slug = free_slug(Agent, slug_of(name, otherwise="agent"))
        put_agent(
            slug=slug,
            body=AgentBody(name=name[:200], description="", kind=Agent.Kind.AGENT, metadata={}),
            by=by,
            at=now,
        )
        typed["agent"] = slug
    settings = {key: value for key, value in typed.items() if value not in (None, "", False)}
    put_body(slug=project.slug, body={**body_of(project), "settings": settings}, by=by, at=now)
    try:
        content = text_of(request)
        if not content.strip():
            return 0
        agent = settings.get("agent")

        def as_session(bare: dict[str, Any]) -> dict[str, Any]:
            # A scene has a place `agent` of its own.
            return {"agent": agent, "world": bare} if "blocks" in bare else {"agent": agent, **bare}

        return post_list(project=project, content=content, to_payload=as_session, at=now).created
    except (Invalid, Conflict, TooLarge) as error:
        raise BadWorlds(error) from None


def _page(
    request: HttpRequest,
    project: Project,
    fields: list[Field],
    drawn: list[Any],
    *,
    errors: dict[str, str] | None = None,
    faults: list[Fault] | None = None,
) -> HttpResponse:
    ctx = {
        "section": "projects",
        "project": project,
        "steps": steps_of(project, "material"),
        "fields": drawn,
        "errors": errors or {},
        "other": (errors or {}).get("", ""),
        "faults": faults or [],
        "typed": request.POST.get("list", ""),
        "world_count": project.tasks.posted().count(),
    }
    return render(request, "staff/setup/material/sessions.html", ctx, status=422 if errors or faults else 200)
