"""Candidates of a suite: harvested, looked at, refused. They are taken with `web/staff/setup/records/candidates.py`."""

from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access import roles
from annotation.access.roles import Role
from common.serializers import IntegerField, NumberField
from evaluation.candidates.decisions import candidate_of, refuse
from evaluation.candidates.harvest import KINDS, MOST, Wish, harvest
from evaluation.candidates.proposals import Proposal, proposals_of
from evaluation.models import Candidate
from evaluation.suites import suite_named
from evaluation.video_addresses import video_address
from lib.faults import Invalid
from web.http.query_parameters import QuerySerializer, read_query
from web.staff.decorators import chosen, paged, staff_actor, staff_only

SHOWN = 24
USUAL_NUMBER, USUAL_SHARE = 20, 70
LONGEST_REASON = 500


class HarvestForm(QuerySerializer):
    """The numbers of the form; its kinds are read apart, since there may be several."""

    number = IntegerField(min_value=1, max_value=MOST, default=USUAL_NUMBER)
    share = NumberField(min_value=0, max_value=100, default=USUAL_SHARE)
    seed = IntegerField(min_value=0, max_value=2**31, default=0)


class Shown(NamedTuple):
    """A candidate with what it would become; None where its source is gone."""

    candidate: Candidate
    proposal: Proposal | None
    poster: str
    video: str


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def candidates(request: HttpRequest, slug: str) -> HttpResponse:
    """The candidates in one state; a POST harvests more. For admins of all projects, as the suite itself."""
    roles.check_everywhere(request.user, Role.ADMIN)
    suite = suite_named(slug)
    if request.method == "POST":
        found = harvest(
            suite=suite,
            wish=_wish(request),
            among=roles.projects_for(request.user),
            by=staff_actor(request),
            at=timezone.now(),
        )
        messages.success(request, f"✓ {found.failures} failures and {found.successes} successes were harvested.")
        return redirect("staff-suite-candidates", slug)
    state = chosen(request, "state", Candidate.State.values) or Candidate.State.WAITING
    rows = suite.candidates.filter(state=state).select_related("episode__film", "scenario").order_by("pk")
    page = paged(request, rows, size=SHOWN)
    proposals = proposals_of(list(page))
    ctx = {
        "section": "suites",
        "suite": suite,
        "tab": "candidates",
        "state": state,
        "states": Candidate.State.choices,
        "kinds": Candidate.Source.choices,
        "number": USUAL_NUMBER,
        "share": USUAL_SHARE,
        "most": MOST,
        "page": page,
        "rows": [_shown(one, proposals.get(one.pk)) for one in page],
    }
    return render(request, "staff/evaluation/suite_candidates.html", ctx)


def _wish(request: HttpRequest) -> Wish:
    """The wish that the form describes.

    Raises:
        Invalid: a value is not one that the form offers, or no kind is chosen.
    """
    fields = request.POST.copy()
    for name in ("csrfmiddlewaretoken", *(name for name in request.POST if not request.POST[name].strip())):
        fields.pop(name, None)
    kinds = [str(kind) for kind in fields.getlist("kind")]
    fields.pop("kind", None)
    read = read_query(HarvestForm, fields)
    if not kinds or not set(kinds) <= set(KINDS):
        raise Invalid("Choose at least one of continuations, live commands and error reports.")
    return Wish(read["number"], read["share"] / 100, kinds, read["seed"])


def _shown(candidate: Candidate, proposal: Proposal | None) -> Shown:
    has_video = candidate.episode is not None and hasattr(candidate.episode, "film")
    hold = f"episode:{candidate.episode.external_id}" if candidate.episode and has_video else ""
    return Shown(
        candidate,
        proposal,
        video_address(hold, "poster.jpg") if hold else "",
        video_address(hold, "video.mp4") if hold else "",
    )


@staff_only
@require_POST
def refuse_candidate(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    roles.check_everywhere(request.user, Role.ADMIN)
    candidate = candidate_of(suite_named(slug), pk)
    reason = request.POST.get("reason", "").strip()[:LONGEST_REASON]
    refuse(candidate, reason=reason, by=staff_actor(request), at=timezone.now())
    messages.success(request, "✓ Refused: it is not harvested again.")
    return redirect("staff-suite-candidates", slug)
