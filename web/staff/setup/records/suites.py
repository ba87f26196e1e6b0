"""Suites and their scenarios: made, edited and copied. For admins of all projects, since all of them share suites."""

import re
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access import roles
from annotation.access.roles import Role
from annotation.tool_registry import Json
from common.serializers import read
from evaluation import suites
from evaluation.models import Episode, Scenario, Suite
from evaluation.video_addresses import video_address
from lib.faults import Conflict, Fault, Invalid
from lib.name_patterns import EXTERNAL_ID, SLUG
from web.api.suites import ScenarioBody, SuiteBody, show_scenario, show_suite
from web.staff.decorators import staff_actor, staff_only
from web.staff.setup.api_call import body_in, put_call
from web.staff.setup.edits_of_others import saved_in_turn
from web.staff.setup.fields import Field
from web.staff.setup.names import free_name, free_slug, slug_of
from web.staff.setup.records import record_page
from web.staff.setup.records.fields_of_suites import MORE_OF_SCENARIO, NEW_SCENARIO, SCENARIO, SUITE
from web.staff.setup.records.record_page import Crumb, Record, slug_in

KEY = Field("key", "Name", does="Letters, digits, . _ : and -. Empty: made from the instruction.")


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def new_suite(request: HttpRequest) -> HttpResponse:
    """An empty form, and making a suite with it."""
    roles.check_everywhere(request.user, Role.ADMIN)

    def save(typed: Json) -> str:
        slug = slug_in(typed, of="title", otherwise="suite")
        if Suite.objects.filter(slug=slug).exists():
            raise Conflict(faults=[Fault("#/slug", "There is a suite of this name already. Choose another.")])
        _put_suite(request, slug, typed)
        return reverse("staff-suite", args=[slug])

    crumbs = [Crumb("Suites", reverse("staff-suites"))]
    about = "A suite is a set of situations at which every agent is tried."
    fields = [*SUITE, record_page.SLUG]
    return record_page.answer(request, Record("suites", "A new suite", crumbs, fields, {}, about=about), save)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
@saved_in_turn(lambda slug: Suite.objects.filter(slug=slug))
def edit_suite(request: HttpRequest, slug: str) -> HttpResponse:
    """The words of a suite."""
    roles.check_everywhere(request.user, Role.ADMIN)
    suite = suites.suite_named(slug)

    def save(typed: Json) -> str:
        _put_suite(request, slug, typed)
        return reverse("staff-suite", args=[slug])

    body = body_in(show_suite(suite), SuiteBody)
    call = put_call(request, f"suites/{slug}/", body)
    record = Record("suites", f"Edit {suite.title}", _crumbs(suite), SUITE, body, call=call)
    return record_page.answer(request, record, save)


def _crumbs(suite: Suite) -> list[Crumb]:
    return [Crumb("Suites", reverse("staff-suites")), Crumb(suite.title, reverse("staff-suite", args=[suite.slug]))]


def _put_suite(request: HttpRequest, slug: str, typed: Json) -> None:
    if not re.fullmatch(SLUG, slug):
        raise Invalid.at("#/slug", "Use small letters, digits, - and _ only; 63 at most.")
    body = suites.SuiteBody(**read(SuiteBody, typed))  # type: ignore[typeddict-item]
    suites.put_suite(slug=slug, body=body, by=staff_actor(request), at=timezone.now())


@staff_only
@require_POST
def duplicate_suite(request: HttpRequest, slug: str) -> HttpResponse:
    """A copy of the suite with its present scenarios, without versions and episodes."""
    roles.check_everywhere(request.user, Role.ADMIN)
    suite = suites.suite_named(slug)
    copy = free_slug(Suite, suite.slug)
    by, now = staff_actor(request), timezone.now()
    with transaction.atomic():
        content = read(SuiteBody, {**body_in(show_suite(suite), SuiteBody), "title": f"Copy of {suite.title}"[:200]})
        body = suites.SuiteBody(**content)  # type: ignore[typeddict-item]
        made, _ = suites.put_suite(slug=copy, body=body, by=by, at=now)
        for scenario in suite.scenarios.exclude(current=None).select_related("current").order_by("key"):
            wording: Any = body_in(show_scenario(scenario), ScenarioBody)
            suites.put_scenario(suite=made, key=scenario.key, body=wording, by=by, at=now)
    messages.success(request, f"✓ This is the copy of {suite.title}.")
    return redirect("staff-suite-edit", copy)


@staff_only
@require_POST
def freeze_suite(request: HttpRequest, slug: str) -> HttpResponse:
    """Freeze the present scenarios as a version, so that scores stay comparable."""
    roles.check_everywhere(request.user, Role.ADMIN)
    suite = suites.suite_named(slug)
    version = request.POST.get("version", "").strip()
    if not re.fullmatch(SLUG, version):
        raise Invalid("The name of a version has small letters, digits, - and _ only; 63 at most.")
    suites.freeze(suite=suite, slug=version, by=staff_actor(request), at=timezone.now())
    messages.success(request, f"✓ The scenarios are frozen as {version}.")
    return redirect(f"{reverse('staff-suite', args=[slug])}#versions")


# Scenarios -------------------------------------------------------------------------------------------------------


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def new_scenario(request: HttpRequest, slug: str) -> HttpResponse:
    """An empty form, and putting a scenario into the suite with it."""
    roles.check_everywhere(request.user, Role.ADMIN)
    suite = suites.suite_named(slug)

    def save(typed: Json) -> str:
        taken = set(suite.scenarios.values_list("key", flat=True))
        given = typed.pop(KEY.path, None)
        if given in taken:
            raise Conflict(faults=[Fault("#/key", "There is a scenario of this name already. Choose another.")])
        key = given or free_name(slug_of(typed["instruction"], otherwise="scenario"), taken)
        return _put_scenario(request, suite, key, typed)

    fields = [*SCENARIO, *MORE_OF_SCENARIO, KEY]
    record = Record("suites", "A new scenario", _crumbs(suite), fields, dict(NEW_SCENARIO))
    return record_page.answer(request, record, save)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
@saved_in_turn(lambda slug: Suite.objects.filter(slug=slug))
def edit_scenario(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """The wording of a scenario, with a video of it in which the takeover is found."""
    roles.check_everywhere(request.user, Role.ADMIN)
    suite = suites.suite_named(slug)
    scenario = suites.scenario_for(suite, key)

    def save(typed: Json) -> str:
        return _put_scenario(request, suite, key, typed)

    body = body_in(show_scenario(scenario), ScenarioBody)
    record = Record(
        "suites",
        f"Edit {key}",
        _crumbs(suite),
        [*SCENARIO, *MORE_OF_SCENARIO],
        body,
        call=put_call(request, f"suites/{slug}/scenarios/{key}/", body),
        about="A change makes a new wording. Frozen versions and episodes that are there keep the old one.",
        picture=_picture(scenario),
    )
    return record_page.answer(request, record, save)


def check_key(key: str) -> None:
    """Raises Invalid: this is no key of a scenario."""
    if not re.fullmatch(EXTERNAL_ID, key):
        raise Invalid.at("#/key", "Use letters, digits, . _ : and - only; 128 at most.")


def _put_scenario(request: HttpRequest, suite: Suite, key: str, typed: Json) -> str:
    check_key(key)
    body = suites.ScenarioBody(**read(ScenarioBody, typed))  # type: ignore[typeddict-item]
    suites.put_scenario(suite=suite, key=key, body=body, by=staff_actor(request), at=timezone.now())
    return f"{reverse('staff-suite', args=[suite.slug])}#scenario-list"


def _picture(scenario: Scenario) -> str:
    """The address of the newest video of the scenario; "" where there is none. 1 query."""
    episode = Episode.objects.ready().filter(scenario=scenario).order_by("-pk").first()
    return video_address(f"episode:{episode.external_id}", "video.mp4") if episode else ""
