"""The things whose changes can be put back: how each is read and put, by the functions of the API."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from agents.programs import AgentBody, put_agent
from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Project
from annotation.projects.consequences import consequences
from annotation.projects.projects import ProjectBody
from annotation.tool_registry import Json
from audit.models import AuditEvent
from common.serializers import StrictSerializer, read
from evaluation.suites import scenario_for, suite_named
from lib.canonical_json import digest
from routing.routes import RouteBody, put_route, route_named, show_content
from web.api import agents, qualifications, suites
from web.api.routes import RouteContent
from web.staff.setup.project_body import FEED, body_of, check_body, put_body
from workforce.qualifications import qualification_named


@dataclass(frozen=True)
class Changeable:
    """A thing as the account sees its history.

    Attributes:
        title, page, section: For the page of the history: the thing's name, its address, its entry of the navigation.
        content: What `PUT` takes, as it is now; of the part that an event is about.
        put: Puts this content for the part that an event is about; the actor and the time follow.
        follows: What follows from such content.
        long_values: An earlier value that is too long for the audit log, by the name of its field and its digest.
    """

    title: str
    page: str
    section: str
    content: Callable[[AuditEvent], Json]
    put: Callable[[AuditEvent, Json, str, datetime], object]
    follows: Callable[[Json], list[str]]
    long_values: Callable[[str, str], Any | None]


Found = Callable[[HttpRequest, str], Changeable]


def _nothing_follows(content: Json) -> list[str]:
    return []


def _no_long_value(name: str, sha256: str) -> None:
    return None


def project(request: HttpRequest, name: str) -> Changeable:
    """The project; 404 or 403 for accounts that may not change it."""
    found = roles.project_for(request.user, name, Role.ADMIN)

    def put(event: AuditEvent, content: Json, by: str, at: datetime) -> None:
        put_body(slug=name, body=content, by=by, at=at)

    def follows(content: Json) -> list[str]:
        own = {field: value for field, value in check_body(content).items() if field not in FEED}
        return consequences(project=found, body=ProjectBody(**own))

    return Changeable(
        title=found.title,
        page=reverse("staff-project", args=[name]),
        section="projects",
        content=lambda event: body_of(found),
        put=put,
        follows=follows,
        long_values=lambda field, sha256: _earlier_text(found, field, sha256),
    )


def _earlier_text(project: Project, field: str, sha256: str) -> Any | None:
    """The instructions or the information page with this digest, from the project's versions."""
    kept: Iterable[Any]
    if field == "instructions":
        kept = project.instruction_versions.filter(arm="").values_list("pages", flat=True)
    elif field == "consent":
        kept = project.information_versions.values_list("page__text", flat=True)
    else:
        return None
    return next((value for value in kept if digest(value) == sha256), None)


def qualification(request: HttpRequest, name: str) -> Changeable:
    """The qualification; 403 for accounts that may not change it."""
    roles.check_everywhere(request.user, Role.ADMIN)
    found = qualification_named(name)
    shown = qualifications.show_qualification(found)

    def put(event: AuditEvent, content: Json, by: str, at: datetime) -> None:
        qualifications.put_content(slug=name, data=content, by=by, at=at)

    return Changeable(
        title=found.title,
        page=reverse("staff-qualification", args=[name]),
        section="qualifications",
        content=lambda event: {field: shown[field] for field in qualifications.BODY_FIELDS},
        put=put,
        follows=_nothing_follows,
        long_values=_no_long_value,
    )


def suite(request: HttpRequest, name: str) -> Changeable:
    """The suite with its scenarios; 403 for accounts that may not change it."""
    roles.check_everywhere(request.user, Role.ADMIN)
    found = suite_named(name)

    def content(event: AuditEvent) -> Json:
        key = event.detail.get("scenario")
        if key is None:
            return _only(suites.show_suite(found), suites.SuiteBody)
        return _only(suites.show_scenario(scenario_for(found, key)), suites.ScenarioBody)

    def put(event: AuditEvent, content: Json, by: str, at: datetime) -> None:
        if key := event.detail.get("scenario"):
            suites.put_scenario_content(suite=found, key=key, data=content, by=by, at=at)
        else:
            suites.put_suite_content(slug=name, data=content, by=by, at=at)

    return Changeable(
        title=found.title,
        page=reverse("staff-suite", args=[name]),
        section="suites",
        content=content,
        put=put,
        follows=_nothing_follows,
        long_values=_no_long_value,
    )


def agent(request: HttpRequest, name: str) -> Changeable:
    """The agent; 403 for accounts that may not change it."""
    roles.check_everywhere(request.user, Role.ADMIN)
    found = agents.agent_named(name)

    def put(event: AuditEvent, content: Json, by: str, at: datetime) -> None:
        body = AgentBody(**read(agents.AgentBody, content))  # type: ignore[typeddict-item]
        put_agent(slug=name, body=body, by=by, at=at)

    return Changeable(
        title=found.name,
        page=reverse("staff-agent", args=[name]),
        section="agents",
        content=lambda event: _only(agents.show_agent(found), agents.AgentBody),
        put=put,
        follows=_nothing_follows,
        long_values=_no_long_value,
    )


def route(request: HttpRequest, name: str) -> Changeable:
    """The route; 403 for accounts that may not change it."""
    roles.check_everywhere(request.user, Role.ADMIN)
    found = route_named(name)

    def put(event: AuditEvent, content: Json, by: str, at: datetime) -> None:
        body = RouteBody(**read(RouteContent, content))  # type: ignore[typeddict-item]
        put_route(slug=name, body=body, by=by, at=at)

    return Changeable(
        title=f"The route {name}",
        page=reverse("staff-route", args=[name]),
        section="routes",
        content=lambda event: show_content(found),
        put=put,
        follows=lambda content: ["Commands that are judged from now on go this way. Tasks that were made stay."],
        long_values=_no_long_value,
    )


def _only(shown: Json, body: type[StrictSerializer]) -> Json:
    """The fields that the body has."""
    return {field: shown[field] for field in body._declared_fields}


KINDS: dict[str, Found] = {
    "project": project,
    "qualification": qualification,
    "suite": suite,
    "agent": agent,
    "route": route,
}
