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
from learning.data.kinds import modules
from learning.models import Campaign, Iteration, Tested
from learning.models.campaigns import UNDER_WAY
from lib.faults import Invalid
from lib.plots.charts import Point, line_plot, row_plot
from web.api.campaigns import CampaignContent
from web.http.streams import EVENT_STREAM, Followed
from web.staff.decorators import staff_actor, staff_only
from web.staff.figure_files import Figure, file_asked
from web.staff.learning.figures import LEVELS

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
    file = file_asked(request, {name: partial(_drawn, figure) for name, figure in ctx["figures"]})
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
        case acts.DEPLOY | acts.KEEP | acts.AGAIN as decision:
            acts.decide(campaign=found, decision=decision, reason=request.POST.get("reason", ""), by=by, at=at)
            messages.success(request, "Decided. The campaign goes on within a minute.")
        case _:
            raise Invalid.at("#/act", "Choose what is to be done.")
    return redirect("staff-campaign", slug)


def _drawn(figure: Figure) -> Figure:
    return figure


def _ctx(found: Campaign) -> dict[str, Any]:
    shown = show_campaign(found)
    rows = list(found.iterations.select_related("verdict", "model"))
    return {
        "campaign": found,
        "shown": shown,
        "is_over": found.status not in UNDER_WAY,
        "asks_person": found.status == Campaign.Status.WAITING,
        "figures": [("scores", _scores(rows)), ("costs", _costs(shown))],
    }


def _scores(rows: list[Iteration]) -> Figure:
    """The gate's figures: the accuracy of each new model on its test items, and of the one before. 1 query."""
    judged = [row for row in rows if row.verdict is not None and row.model is not None]
    tests = Tested.objects.filter(model__in=[row.model_id for row in judged]).select_related("tranche")
    known: dict[tuple[int | None, int], Tested] = {(test.model_id, test.tranche.number): test for test in tests}
    values = []
    for row in judged:
        assert row.verdict is not None  # noqa: S101 - these rows were chosen by it
        verdict = row.verdict.content
        test = known.get((row.model_id, verdict["tested_on"]))
        if test is None or test.mean_score is None:
            continue
        gain = (verdict["gained"] - verdict["lost"]) / (verdict["n"] or 1) if row.module == "nlu" else 0.0
        before = round(test.mean_score - gain, 6)
        values.append((row.number, row.module, verdict["tested_on"], test.n, before, test.mean_score, verdict["p"]))
    last = max((value[0] for value in values), default=1)
    return Figure(
        "Right on the newest test items, by iteration",
        "The point is the new model; its line begins at what acted before, on the same items.",
        line_plot(
            [
                Point((n - 0.5) / last, after, min(before, after), max(before, after))
                for n, _, _, _, before, after, _ in values
            ],
            bounds=(0, 1),
            edges=[((number - 0.5) / last, str(number)) for number in range(1, last + 1)],
            levels=LEVELS,
        ),
        ("iteration", "module", "tested_on", "n", "before", "after", "p"),
        values,
    )


def _costs(shown: dict[str, Any]) -> Figure:
    """The cost of each iteration; modules of one iteration share it."""
    costs = {row["n"]: row["spent"] for row in shown["iterations"]}
    return Figure(
        "Spent, by iteration",
        "Sessions and annotation between its start and its end.",
        row_plot(
            [
                (f"Iteration {n}", float(cost["amount"]), f"{cost['amount']} {cost['currency']}")
                for n, cost in costs.items()
            ]
        ),
        ("iteration", "amount", "currency"),
        [(n, float(cost["amount"]), cost["currency"]) for n, cost in costs.items()],
    )
