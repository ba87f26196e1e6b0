"""The limits of API keys: what a key that is limited to projects and suites reaches, and as which agents it may act.

Every address of the API is judged here, before its endpoint runs. An address that is not in the table is closed to
limited keys, so a new one is closed until somebody has decided. Outside its limits everything is 404, as if it did not
exist.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from rest_framework.request import Request

from agents.models import Agent, ApiKey
from annotation.models import Project
from evaluation.models import Episode, Suite
from interaction.models import Session
from lib.strict_json import parse_json

M = TypeVar("M", bound=Model)
Names = Mapping[str, Any]
"""The words of an address, by the names in its route."""
Json = dict[str, Any]


def is_within(request: Request, names: Names) -> bool:
    """Whether the address and the body of the request lie within the limits of its key. Up to 2 queries."""
    key = request.auth
    assert isinstance(key, ApiKey)  # noqa: S101 - the caller has seen to it
    kind = _kind_of(request)
    if not _acts_within(key, kind, request, names):
        return False
    if not key.is_limited:
        return True
    project = request.query_params.get("project")
    if project is not None and not key.reaches_project(project):
        return False
    rule = _RULES.get(kind)
    return rule is not None and rule(key, request, names)


def rows_within(request: Request, rows: "QuerySet[M]") -> "QuerySet[M]":
    """Those of the rows of a list that lie within the limits of the request's key."""
    key = request.auth
    if not isinstance(key, ApiKey):
        return rows
    if rows.model is Agent:
        return rows.filter(slug__in=key.agents) if key.agents else rows
    if not key.is_limited or rows.model not in _SLUGS:
        return rows
    limit, slug = _SLUGS[rows.model]
    return rows.filter(**{f"{slug}__in": getattr(key, limit)})


_SLUGS: Mapping[type[Model], tuple[str, str]] = {
    Project: ("projects", "slug"),
    Suite: ("suites", "slug"),
    Episode: ("suites", "scenario__suite__slug"),
}
"""For the rows of each list, the limit that counts and the column with its slug."""


def _kind_of(request: Request) -> str:
    """The first word of the route below `/api/v1/`."""
    match = request.resolver_match
    return match.route.removeprefix("api/v1/").partition("/")[0] if match else ""


def _acts_within(key: ApiKey, kind: str, request: Request, names: Names) -> bool:
    """Whether the key may act as the agent that the request names."""
    if not key.agents:
        return True
    if kind == "agents" and "slug" in names:
        return key.acts_as(names["slug"])
    if kind == "episodes" and request.method == "POST":
        return key.acts_as(_body(request).get("agent"))
    return True


# Rules -------------------------------------------------------------------------------------------------------


def _open(key: ApiKey, request: Request, names: Names) -> bool:
    """For what belongs to no project: content under its digest, uploads under their random ids, agents; and for events
    and webhooks, which are limited where they are read."""
    return True


def _project(key: ApiKey, request: Request, names: Names) -> bool:
    if "slug" not in names:
        return True  # The list shows only rows within the limits.
    if not key.reaches_project(names["slug"]):
        return False
    if request.method not in {"PUT", "PATCH", "POST"}:
        return True
    body = _body(request)
    suite = body.get("suite")
    return (suite is None or key.reaches_suite(suite)) and _episodes_within(key, _episodes_of_tasks(body))


def _suite(key: ApiKey, request: Request, names: Names) -> bool:
    if "slug" not in names:
        return True  # The list shows only rows within the limits.
    if not key.reaches_suite(names["slug"]):
        return False
    # A report is of what one project judged.
    project = _body(request).get("project") if request.method == "POST" else None
    return project is None or key.reaches_project(project)


def _episode(key: ApiKey, request: Request, names: Names) -> bool:
    if "external_id" in names:
        return _episodes_within(key, {names["external_id"]})
    return request.method != "POST" or key.reaches_suite(_body(request).get("suite"))


def _session(key: ApiKey, request: Request, names: Names) -> bool:
    found = Session.objects.filter(public_id=names["session"], project__slug__in=key.projects)
    if not found.exists():
        return False
    return request.method != "POST" or key.reaches_suite(_body(request).get("suite"))


def _named_project(key: ApiKey, request: Request, names: Names) -> bool:
    """For exports over all projects: the address has to name one."""
    return key.reaches_project(request.query_params.get("project"))


def _past_commands(key: ApiKey, request: Request, names: Names) -> bool:
    return all(key.reaches_project(one.get("project")) for one in _objects(_body(request).get("commands")))


_RULES: Mapping[str, Callable[[ApiKey, Request, Names], bool]] = {
    "agents": _open,
    "commands": _past_commands,
    "commands.jsonl": _named_project,
    "episodes": _episode,
    "events": _open,
    "error_reports.jsonl": _named_project,
    "funnel": _named_project,
    "generated_scenes.jsonl": _open,
    "projects": _project,
    "scenes": _open,
    "sessions": _session,
    "suites": _suite,
    "uploads": _open,
    "webhooks": _open,
}
"""By the first word of the address. Workers, qualifications, trees, routes, tranches, campaigns, erasures, imports and
the audit log are closed: they belong to all projects."""


def _episodes_within(key: ApiKey, external_ids: set[str]) -> bool:
    if not external_ids:
        return True
    suites = Episode.objects.filter(external_id__in=external_ids).values_list("scenario__suite__slug", flat=True)
    return all(key.reaches_suite(suite) for suite in suites.distinct())


def _episodes_of_tasks(body: Json) -> set[str]:
    """The episodes that the payloads of posted tasks name."""
    payloads = (one.get("payload") for one in _objects(body.get("tasks")))
    named = (payload.get("episode") for payload in payloads if isinstance(payload, dict))
    return {name for name in named if isinstance(name, str)}


def _objects(value: object) -> Iterable[Json]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _body(request: Request) -> Json:
    """The object that the request posts; empty where it cannot be read, which the endpoint will refuse.

    Django keeps what is read here, so the endpoint reads it again.
    """
    plain = request._request
    text = plain.POST.get("data", "") if plain.content_type == "multipart/form-data" else plain.body
    try:
        body = parse_json(text)
    except (ValueError, UnicodeDecodeError):
        return {}
    return body if isinstance(body, dict) else {}
