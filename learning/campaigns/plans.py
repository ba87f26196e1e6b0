"""The plan of a campaign: putting it, and the projects that take part in it."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, NotRequired, TypedDict

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.models import Project
from annotation.offer.experiments import MoneyBody
from annotation.tool_registry import OwnTasks, tool_named
from audit.changes import changes
from audit.log import Subject, record
from common.data.put_row import replace_content
from common.data.values import money
from learning.data.kinds import kind_of
from learning.models import Campaign
from learning.training.requests import MOST_SEEDS
from lib.faults import Conflict, Fault, Invalid, NotFound
from routing.models import Route
from routing.routes import routes

Status = Campaign.Status
SEEDS = 5
NOT_PASSED, ALWAYS, NEVER = "not_passed", "always", "never"
ASKS = (NOT_PASSED, ALWAYS, NEVER)
"""When a person is asked: where the gate was not passed, before each deployment, or not at all."""
FIXED = ("project", "modules")
"""The fields that cannot change once a campaign was started."""


class GateBody(TypedDict):
    """How many seeds are trained, and when a person is asked."""

    seeds: NotRequired[int]
    ask: NotRequired[str]


class StopBody(TypedDict):
    """After so many iterations, or so many in a row that deployed nothing."""

    iterations: NotRequired[int | None]
    no_gain: NotRequired[int | None]


class CampaignBody(TypedDict):
    """The fields of a campaign that a `PUT` sets."""

    project: str
    modules: Sequence[str]
    sessions: int
    budget: MoneyBody
    routes: NotRequired[Sequence[str]]
    redundancy: NotRequired[int | None]
    threshold: NotRequired[float | None]
    close_after: int
    gate: NotRequired[GateBody]
    stop: StopBody


def campaign_named(slug: str) -> Campaign:
    """The campaign with its project. 1 query.

    Raises:
        NotFound: there is none.
    """
    found = Campaign.objects.select_related("project").filter(slug=slug).first()
    if found is None:
        raise NotFound
    return found


def put_campaign(*, slug: str, body: CampaignBody, by: str, at: datetime) -> tuple[Campaign, bool]:
    """Plan a campaign, or change its plan; True if it is new. Equal content changes nothing, and nothing starts.

    Raises:
        Invalid: it names what is not there, its projects give a module no data, or it has no stop rule.
        Conflict: it has ended; or its project or modules would change though it was started.
    """
    project, among = _checked(body)
    content: dict[str, Any] = {
        "project": project,
        "modules": list(body["modules"]),
        "sessions": body["sessions"],
        "budget": Decimal(body["budget"]["amount"]),
        "currency": body["budget"]["currency"],
        "redundancy": body.get("redundancy"),
        "threshold": body.get("threshold"),
        "close_after": body["close_after"],
        "gate": {"seeds": SEEDS, "ask": NOT_PASSED} | dict(body.get("gate") or {}),
        "most_iterations": body["stop"].get("iterations"),
        "no_gain": body["stop"].get("no_gain"),
    }
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update().filter(slug=slug).first()
        is_new = campaign is None
        if campaign is None:
            campaign = Campaign.objects.create(slug=slug, by=by, created_at=at, **content)
            campaign.routes.set(among)
            record(verb="campaign.planned", actor=by, subject=subject_of(slug), at=at, project=project.slug)
            return campaign, is_new
        before = show_plan(campaign)
        _check_open(campaign, content, among)
        replace_content(campaign, content)
        campaign.routes.set(among)
        differing = changes(before, show_plan(campaign))
        if differing:
            record(
                verb="campaign.changed", actor=by, subject=subject_of(slug), at=at, project=project.slug, **differing
            )
    return campaign, is_new


def subject_of(slug: str) -> Subject:
    return Subject("campaign", slug)


def show_plan(campaign: Campaign) -> dict[str, Any]:
    """The fields that `PUT` takes, in its order. 1 query, none where the routes are loaded."""
    return {
        "project": campaign.project.slug,
        "modules": campaign.modules,
        "sessions": campaign.sessions,
        "budget": money(campaign.budget, campaign.currency),
        "routes": sorted(route.slug for route in campaign.routes.all()),
        "redundancy": campaign.redundancy,
        "threshold": campaign.threshold,
        "close_after": campaign.close_after,
        "gate": campaign.gate,
        "stop": {"iterations": campaign.most_iterations, "no_gain": campaign.no_gain},
    }


def _check_open(campaign: Campaign, content: dict[str, Any], among: Sequence[Route]) -> None:
    if campaign.status == Status.DRAFT:
        return
    is_same = all(getattr(campaign, name) == value for name, value in content.items())
    if campaign.status in (Status.DONE, Status.STOPPED) and not (
        is_same and {one.pk for one in among} == {one.pk for one in campaign.routes.all()}
    ):
        raise Conflict("This campaign has ended. Plan another one under another name.")
    faults = [
        Fault(f"#/{name}", "This cannot change once the campaign was started.")
        for name in FIXED
        if getattr(campaign, name) != content[name]
    ]
    if faults:
        raise Conflict(faults=faults)


# The projects of a campaign ----------------------------------------------------------------------------------------


def annotating(campaign: Campaign) -> list[Project]:
    """The projects that the campaign's routes lead to, by slug. 2 queries."""
    return list(Project.objects.filter(pk__in=routes_of(campaign).values("project")).order_by("slug"))


def routes_of(campaign: Campaign) -> QuerySet[Route]:
    """The routes that the campaign names, or else all that take commands of its project."""
    chosen = Route.objects.filter(pk__in=campaign.routes.values("pk"))
    return chosen if chosen.exists() else leading_from(campaign.project)


def leading_from(project: Project) -> QuerySet[Route]:
    """The routes that take commands of this project and are not stopped."""
    return Route.objects.filter(Q(sources=None) | Q(sources=project), rate__gt=0).distinct()


def _checked(body: CampaignBody) -> tuple[Project, list[Route]]:
    """The rows that a plan names."""
    faults = []
    project = Project.objects.filter(slug=body["project"]).first()
    if project is None:
        raise Invalid.at("#/project", f"There is no project {body['project']!r}.")
    if not isinstance(tool_named(project.tool), OwnTasks):
        faults.append(Fault("#/project", "A campaign begins with live sessions: name an interaction project."))
    currency = body["budget"]["currency"]
    if project.base_pay is not None and project.currency != currency:
        faults.append(Fault("#/budget/currency", f"Its sessions are paid in {project.currency}."))
    wanted = set(body.get("routes") or ())
    found = list(routes().filter(slug__in=wanted))
    missing = sorted(wanted - {one.slug for one in found})
    faults += [Fault("#/routes", f"There is no route {name!r}.") for name in missing]
    faults += [
        Fault("#/routes", f"{one.slug!r} takes no commands of {project.slug!r}.")
        for one in found
        if (sources := list(one.sources.all())) and project not in sources
    ]
    if not any(body["stop"].get(name) for name in ("iterations", "no_gain")):
        faults.append(Fault("#/stop", "Say when it ends: after how many iterations, or how many without a gain."))
    seeds = (body.get("gate") or {}).get("seeds", SEEDS)
    if not 1 <= seeds <= MOST_SEEDS:
        faults.append(Fault("#/gate/seeds", f"Train 1 to {MOST_SEEDS} seeds."))
    if len(set(body["modules"])) != len(body["modules"]):
        faults.append(Fault("#/modules", "Name each module once."))
    if faults:
        raise Invalid(faults=faults)
    for module in body["modules"]:
        try:
            kind_of(module)
        except NotFound as error:
            raise Invalid.at("#/modules", error.detail) from None
    if not found and not leading_from(project).exists():
        raise Invalid.at("#/routes", f"No route takes commands of {project.slug!r}, so nothing would be annotated.")
    return project, found
