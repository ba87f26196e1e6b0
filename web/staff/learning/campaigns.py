"""The pages of campaigns: planning one, following it, and deciding what it asks."""

from functools import partial
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Project
from common.serializers import read
from interaction.project.tool import interaction
from learning.campaigns import acts
from learning.campaigns.plans import ASKS, CampaignBody, campaign_named, put_campaign
from learning.campaigns.progress import show_campaign
from learning.campaigns.replays import SEEDS, SHARE, request_replays
from learning.data.kinds import modules
from learning.models import Campaign, Replay
from learning.models.campaigns import UNDER_WAY
from lib.faults import Invalid
from web.api.campaigns import CampaignContent
from web.api.replays import ReplaysBody
from web.http.streams import EVENT_STREAM, Followed
from web.staff.decorators import staff_actor, staff_only
from web.staff.figure_files import file_asked
from web.staff.learning.campaign_figures import campaign_figures

MOST_CAMPAIGNS = 100
LOOK_EVERY_S, FOLLOWED_S = 5.0, 600.0
NUMBERS = ("sessions", "close_after", "redundancy")
DEFAULTS = {"sessions": "50", "close_after": "100", "seeds": "5", "iterations": "3", "no_gain": "2"}


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def campaigns(request: HttpRequest) -> HttpResponse:
    """All campaigns, and a form that plans one."""
    roles.check_everywhere(request.user, Role.ADMIN)
    typed: dict[str, Any] = dict(DEFAULTS)
    faults: dict[str, str] = {}
    status = 200
    if request.method == "POST":
        typed = {**DEFAULTS, **request.POST.dict()}
        slug = typed.get("slug", "")
        try:
            body = cast(CampaignBody, read(CampaignContent, _planned(request)))
            if Campaign.objects.filter(slug=slug).exists():
                raise Invalid.at("#/slug", "There is a campaign of this name. Choose another.")
            put_campaign(slug=_slug(slug), body=body, by=staff_actor(request), at=timezone.now())
            return redirect("staff-campaign", slug)
        except Invalid as refused:
            faults = {fault.pointer.removeprefix("#/").split("/")[0]: fault.detail for fault in refused.faults}
            status = 422
    ctx = {
        "section": "learning",
        "campaigns": Campaign.objects.select_related("project").order_by("-pk")[:MOST_CAMPAIGNS],
        "projects": interaction.projects().filter(archived_at=None).order_by("slug"),
        "modules": modules(),
        "chosen_modules": request.POST.getlist("modules") or [modules()[0]],
        "asks": ASKS,
        "typed": typed,
        "faults": faults,
    }
    return render(request, "staff/learning/campaigns.html", ctx, status=status)


def _planned(request: HttpRequest) -> dict[str, Any]:
    """The body of a `PUT` as the form says it; what is left empty is left out."""
    posted = request.POST
    project = Project.objects.filter(slug=posted.get("project", "")).first()
    body: dict[str, Any] = {
        "project": posted.get("project", ""),
        "modules": posted.getlist("modules"),
        "budget": {"amount": posted.get("budget", ""), "currency": project.currency if project else "USD"},
        "gate": {"seeds": _number(posted.get("seeds", "")), "ask": posted.get("ask", "")},
        "stop": {name: _number(posted.get(name, "")) for name in ("iterations", "no_gain")},
        "threshold": float(posted["threshold"]) / 100 if posted.get("threshold", "").isdecimal() else None,
    }
    return {**body, **{name: _number(posted.get(name, "")) for name in NUMBERS}}


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 10 else None


def _slug(slug: str) -> str:
    if not slug or len(slug) > 63 or not all(one.isascii() and (one.isalnum() or one in "-_") for one in slug):
        raise Invalid.at("#/slug", "A name has letters, digits, - and _, 63 at most.")
    return slug


@staff_only
@require_safe
def campaign(request: HttpRequest, slug: str) -> HttpResponse:
    """Where a campaign is, what it cost, and what each iteration brought."""
    roles.check_everywhere(request.user, Role.ADMIN)
    found = campaign_named(slug)
    ctx = _ctx(found)
    figures = dict(ctx["figures"])
    file = file_asked(request, {name: partial(figures.__getitem__, name) for name in figures})
    return file or render(request, "staff/learning/campaign.html", {"section": "learning", **ctx})


@staff_only
@require_safe
def campaign_live(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The part of the page that changes by itself: as it is now, or as a stream of events."""
    roles.check_everywhere(request.user, Role.ADMIN)
    pk, name = campaign_named(slug).pk, request.user.get_username()

    def look() -> str | None:
        user = User.objects.filter(username=name, is_active=True, is_staff=True).first()
        if user is None or not roles.may_everywhere(user, Role.ADMIN):
            return None
        found = Campaign.objects.select_related("project").get(pk=pk)
        return render_to_string("staff/learning/_campaign_live.html", {**_ctx(found), "request": request})

    if request.headers.get("Accept") == EVENT_STREAM:
        return Followed(look, every_s=LOOK_EVERY_S, for_s=FOLLOWED_S)
    return HttpResponse(look() or "")


@staff_only
@require_POST
def act(request: HttpRequest, slug: str) -> HttpResponse:
    """Start or stop a campaign, or decide what it asks, as `act` says."""
    roles.check_everywhere(request.user, Role.ADMIN)
    found, by, at = campaign_named(slug), staff_actor(request), timezone.now()
    match request.POST.get("act"):
        case "start":
            acts.start(campaign=found, by=by, at=at)
            messages.success(request, "Started. The first sessions are wanted within a minute.")
        case "stop":
            acts.stop(campaign=found, by=by, at=at)
            messages.success(request, "Stopped. Data and models stay.")
        case "replay":
            seeds = _number(request.POST.get("seeds", "")) or SEEDS
            percent = _number(request.POST.get("share", "")) or round(100 * SHARE)
            body = {"module": request.POST.get("module", ""), "seeds": seeds, "share": percent / 100}
            request_replays(campaign=found, **read(ReplaysBody, body), by=by, at=at)
            messages.success(request, "The replays begin within a minute. They are drawn here as they end.")
        case acts.DEPLOY | acts.KEEP | acts.AGAIN as decision:
            acts.decide(campaign=found, decision=decision, reason=request.POST.get("reason", ""), by=by, at=at)
            messages.success(request, "Decided. The campaign goes on within a minute.")
        case _:
            raise Invalid.at("#/act", "Choose what is to be done.")
    return redirect("staff-campaign", slug)


def _ctx(found: Campaign) -> dict[str, Any]:
    shown = show_campaign(found)
    is_over = found.status not in (*UNDER_WAY, Campaign.Status.DRAFT)
    return {
        "campaign": found,
        "shown": shown,
        "is_over": found.status not in UNDER_WAY,
        "may_replay": is_over,
        "replays": found.replays.all() if is_over else Replay.objects.none(),
        "asks_person": found.status == Campaign.Status.WAITING,
        "figures": campaign_figures(found, shown),
    }
