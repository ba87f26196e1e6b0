"""Taking a candidate of a suite: the form of a scenario, filled with what the candidate proposes."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.access import roles
from annotation.access.roles import Role
from annotation.tool_registry import Json
from common.serializers import read
from evaluation.candidates.decisions import candidate_of, take
from evaluation.candidates.proposals import proposals_of
from evaluation.suites import ScenarioBody, suite_named
from evaluation.video_addresses import video_address
from lib.faults import NotFound
from web.api import suites as api
from web.staff.decorators import staff_actor, staff_only
from web.staff.setup.names import free_name, slug_of
from web.staff.setup.records import record_page
from web.staff.setup.records.fields_of_suites import MORE_OF_SCENARIO, SCENARIO
from web.staff.setup.records.record_page import Crumb, Record
from web.staff.setup.records.suites import KEY, check_key


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def take_candidate(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Word, trim and tag the candidate, and put it into the suite."""
    roles.check_everywhere(request.user, Role.ADMIN)
    suite = suite_named(slug)
    candidate = candidate_of(suite, pk)
    proposal = proposals_of([candidate]).get(candidate.pk)
    if proposal is None:
        raise NotFound("What this candidate was made of is gone; refuse it.")

    def save(typed: Json) -> str:
        taken = set(suite.scenarios.values_list("key", flat=True))
        key = typed.pop(KEY.path, None) or free_name(slug_of(typed["instruction"], otherwise="scenario"), taken)
        check_key(key)
        body: Any = ScenarioBody(**read(api.ScenarioBody, typed))  # type: ignore[typeddict-item]
        take(candidate, key=key, body=body, by=staff_actor(request), at=timezone.now())
        return reverse("staff-suite-candidates", args=[slug])

    crumbs = [
        Crumb("Suites", reverse("staff-suites")),
        Crumb(suite.title, reverse("staff-suite", args=[slug])),
        Crumb("Candidates", reverse("staff-suite-candidates", args=[slug])),
    ]
    shown = candidate.episode
    record = Record(
        "suites",
        "Take a candidate",
        crumbs,
        [*SCENARIO, *MORE_OF_SCENARIO, KEY],
        dict(proposal.body),
        about="Word it so that two people judge alike. Where it comes from is kept in its source.",
        picture=video_address(f"episode:{shown.external_id}", "video.mp4") if shown and hasattr(shown, "film") else "",
    )
    return record_page.answer(request, record, save)
