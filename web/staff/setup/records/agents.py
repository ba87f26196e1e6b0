"""Agents: made and edited. For admins of all projects, since all of them share agents."""

import re

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from agents.models import Agent
from agents.programs import AgentBody, put_agent
from annotation.access import roles
from annotation.access.roles import Role
from annotation.tool_registry import Json
from common.serializers import read
from lib.faults import Conflict, Fault, Invalid
from lib.name_patterns import SLUG
from web.api.agents import AgentBody as AgentSerializer
from web.api.agents import agent_named, show_agent
from web.staff.decorators import staff_actor, staff_only
from web.staff.setup.api_call import body_in, put_call
from web.staff.setup.edits_of_others import saved_in_turn
from web.staff.setup.records import record_page
from web.staff.setup.records.fields_of_suites import AGENT
from web.staff.setup.records.record_page import Crumb, Record, slug_in


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def new_agent(request: HttpRequest) -> HttpResponse:
    """An empty form, and making an agent with it."""
    roles.check_everywhere(request.user, Role.ADMIN)

    def save(typed: Json) -> str:
        slug = slug_in(typed, of="name", otherwise="agent")
        if Agent.objects.filter(slug=slug).exists():
            raise Conflict(faults=[Fault("#/slug", "There is an agent of this name already. Choose another.")])
        return _put(request, slug, typed)

    crumbs = [Crumb("Agents", reverse("staff-agents"))]
    about = "An agent is a program under test. For live sessions its processes connect with an API key."
    record = Record("agents", "A new agent", crumbs, [*AGENT, record_page.SLUG], {}, about=about)
    return record_page.answer(request, record, save)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
@saved_in_turn(lambda slug: Agent.objects.filter(slug=slug))
def edit_agent(request: HttpRequest, slug: str) -> HttpResponse:
    """The words of an agent."""
    roles.check_everywhere(request.user, Role.ADMIN)
    agent = agent_named(slug)
    body = body_in(show_agent(agent), AgentSerializer)
    crumbs = [Crumb("Agents", reverse("staff-agents")), Crumb(agent.name, reverse("staff-agent", args=[slug]))]
    record = Record(
        "agents",
        f"Edit {agent.name}",
        crumbs,
        AGENT,
        body,
        call=put_call(request, f"agents/{slug}/", body),
        history=reverse("staff-agent-history", args=[slug]),
    )
    return record_page.answer(request, record, lambda typed: _put(request, slug, typed))


def _put(request: HttpRequest, slug: str, typed: Json) -> str:
    if not re.fullmatch(SLUG, slug):
        raise Invalid.at("#/slug", "Use small letters, digits, - and _ only; 63 at most.")
    body = AgentBody(**read(AgentSerializer, typed))  # type: ignore[typeddict-item]
    put_agent(slug=slug, body=body, by=staff_actor(request), at=timezone.now())
    return reverse("staff-agent", args=[slug])
