"""The material of a comparison of agents: own videos, those in a bucket, or the episodes of a suite that is there."""

from typing import NamedTuple

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from agents.models import Agent
from agents.programs import AgentBody, put_agent
from annotation.models import Project
from common.serializers import read
from evaluation import suites
from evaluation.bucket_files import postings
from evaluation.models import CONTINUATIONS, Episode, Feed, Scenario, Suite
from lib.faults import Conflict, Fault, FilesUnavailable, Invalid, TooLarge
from web.api.suites import ScenarioBody
from web.staff.decorators import staff_actor
from web.staff.setup.fields import errors_of, read_form, shown, shown_again, with_choices
from web.staff.setup.material.bucket import bucket_of, chosen
from web.staff.setup.material.video_uploads import known_outcome
from web.staff.setup.names import free_name, free_slug, slug_of
from web.staff.setup.new_project import MOST_TITLE
from web.staff.setup.project_body import body_of, put_body
from web.staff.setup.project_fields import SOURCES, agent_choices, suite_choices
from web.staff.setup.records.fields_of_suites import NEW_SCENARIO, SCENARIO
from web.staff.setup.steps import address_of, after, steps_of

SHOWN = 100
"""How many episodes the page lists, the newest first."""
NEW_AGENT, NEW_SCENE = "agent_name", "scenario"


class Place(NamedTuple):
    """The suite, agent and scenario that uploaded videos belong to."""

    suite: str
    scenario: str
    agent: str


def page(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the material; a posted form takes the episodes of a suite, or says what own videos are about."""
    if request.method != "POST":
        return _page(request, project)
    if request.POST.get("act") == "suite":
        return _take_suite(request, project)
    if request.POST.get("act") == "bucket":
        return _take_files(request, project)
    try:
        place = _place(request, project)
    except (Invalid, Conflict) as error:
        errors = errors_of(error, SCENARIO)
        if request.headers.get("Accept") == "application/json":
            return JsonResponse({"errors": errors}, status=error.status)
        return _page(request, project, errors=errors, status=error.status)
    if request.headers.get("Accept") == "application/json":
        return JsonResponse(place._asdict())
    return redirect(address_of(project, "material"))


def _page(
    request: HttpRequest, project: Project, *, errors: dict[str, str] | None = None, status: int = 200
) -> HttpResponse:
    feed = Feed.objects.select_related("suite").filter(project=project).first()
    episodes = Episode.objects.filter(scenario__suite=feed.suite if feed else None)
    listed = episodes.select_related("agent", "scenario", "film").order_by("-pk")
    scenarios = list(Scenario.objects.filter(suite=feed.suite if feed else None).select_related("current"))
    sources = with_choices(SOURCES[:1], "suite", suite_choices())
    ctx = {
        "section": "projects",
        "project": project,
        "steps": steps_of(project, "material"),
        "next": after(project, "material"),
        "feed": feed,
        "sources": shown(sources, {"suite": None}) if not feed and len(sources[0].choices) > 1 else [],
        "scenarios": scenarios,
        "chosen_scenario": request.POST.get(NEW_SCENE, scenarios[-1].key if scenarios else ""),
        "fields": shown_again(SCENARIO, request.POST, errors or {})
        if request.method == "POST"
        else shown(SCENARIO, NEW_SCENARIO),
        "agents": agent_choices(),
        "agent_name": request.POST.get(NEW_AGENT, ""),
        "errors": errors or {},
        "other": (errors or {}).get("", ""),
        "episodes": listed[:SHOWN],
        "episode_count": episodes.count(),
        "is_preparing": episodes.filter(status=Episode.Status.PREPARING).exists(),
        "bucket": bucket_of(request),
        "copies": postings.standing(project) if feed else None,
    }
    return render(request, "staff/setup/material/videos.html", ctx, status=status)


def _take_files(request: HttpRequest, project: Project) -> HttpResponse:
    """Have the chosen files of a bucket copied in the background, and say so."""
    try:
        files = chosen(request)
        reference = known_outcome(request.POST.get("outcome", ""), request.POST.get("moment", ""))
        with transaction.atomic():
            place = _place(request, project)
            postings.ask(
                project=project,
                scenario=Scenario.objects.get(suite__slug=place.suite, key=place.scenario),
                agent=Agent.objects.get(slug=place.agent),
                files=files,
                below=request.POST.get("prefix", "").strip(),
                reference=reference,
                at=timezone.now(),
            )
    except (Invalid, Conflict, TooLarge, FilesUnavailable) as error:
        return _page(request, project, errors=errors_of(error, SCENARIO), status=error.status)
    one = "1 video is" if len(files) == 1 else f"{len(files):,} videos are"
    messages.success(request, f"✓ {one} being copied. You need not wait.")
    return redirect(address_of(project, "material"))


def _take_suite(request: HttpRequest, project: Project) -> HttpResponse:
    body = {**body_of(project), "suite": request.POST.get("suite") or None}
    try:
        put_body(slug=project.slug, body=body, by=staff_actor(request), at=timezone.now())
    except (Invalid, Conflict) as error:
        return _page(request, project, errors=errors_of(error, SOURCES), status=error.status)
    return redirect(address_of(project, "material"))


@transaction.atomic
def _place(request: HttpRequest, project: Project) -> Place:
    """The suite, the scenario and the agent that the form names; those that are new are made.

    Raises:
        Invalid: with pointers to the fields of the form.
    """
    name = request.POST.get(NEW_AGENT, "").replace("\0", "").strip()
    if not 0 < len(name) <= MOST_TITLE:
        raise Invalid.at(f"#/{NEW_AGENT}", "Say which agent is in these videos.")
    by, now = staff_actor(request), timezone.now()
    feed = Feed.objects.select_related("suite").filter(project=project).first()
    suite = feed.suite if feed else None
    known = suite and suite.scenarios.filter(key=request.POST.get(NEW_SCENE, "")).first()
    body = None if known else _scenario_body(request)
    if suite is None:
        free = free_slug(Suite, project.slug)
        words = suites.SuiteBody(title=project.title, description="", continuations=CONTINUATIONS)
        suite, _ = suites.put_suite(slug=free, body=words, by=by, at=now)
        put_body(slug=project.slug, body={**body_of(project), "suite": suite.slug}, by=by, at=now)
    if known is None and body is not None:
        taken = set(suite.scenarios.values_list("key", flat=True))
        key = free_name(slug_of(body["instruction"], otherwise="scenario"), taken)
        known, _ = suites.put_scenario(suite=suite, key=key, body=body, by=by, at=now)
    agent = Agent.objects.filter(slug=name).first() or Agent.objects.filter(name=name).first()
    if agent is None:
        made = AgentBody(name=name, description="", kind=Agent.Kind.AGENT, metadata={})
        agent, _ = put_agent(slug=free_slug(Agent, slug_of(name, otherwise="agent")), body=made, by=by, at=now)
    return Place(suite.slug, known.key if known else "", agent.slug)


def _scenario_body(request: HttpRequest) -> suites.ScenarioBody:
    typed, errors = read_form(SCENARIO, request.POST, {})
    if errors:
        raise _faults(errors)
    body: suites.ScenarioBody = suites.ScenarioBody(**read(ScenarioBody, typed))  # type: ignore[typeddict-item]
    return body


def _faults(errors: dict[str, str]) -> Invalid:
    return Invalid(faults=[Fault(f"#/{path}", detail) for path, detail in errors.items()])
