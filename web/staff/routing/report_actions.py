"""The acts on error reports: send to a project, merge, dismiss, reopen; on one report or on chosen ones.

Each form describes its effect. A refused form keeps what was typed and shows the reason beside it.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Project
from interaction.repair import tree_and_scene
from lib.faults import Conflict, Invalid, NotFound
from routing import reports
from routing.models import ErrorReport
from web.staff.access import report_for, reports_for, targets_for
from web.staff.decorators import ROWS, staff_actor, staff_only
from web.staff.routing.report import report_page
from web.staff.routing.report_list import list_page

LONGEST_REASON = 2000
MOST_TOLD = 5
"""How many refusals of one act on several reports are listed one by one."""
DISMISS, REROUTE, MERGE, REOPEN = "dismiss", "reroute", "merge", "reopen"
Do = Callable[[ErrorReport, datetime], str]
"""Acts on one report, and returns a sentence about it."""


# One ------------------------------------------------------------------------------------------------------------


@staff_only
@require_POST
def act_on_one(request: HttpRequest, public_id: str) -> HttpResponse:
    """Do the act of the pressed button on this report."""
    found = report_for(request.user, public_id, Role.REVIEWER)
    name = request.POST.get("act", "")
    try:
        done = _read(request, name, ONE)(found, timezone.now())
    except (Invalid, Conflict) as error:
        return report_page(request, found, act=name, error=error.reason, typed=_typed(request), status=error.status)
    messages.success(request, done)
    return redirect("staff-report", public_id)


def _dismiss(request: HttpRequest) -> Do:
    reason, by = _reason(request), staff_actor(request)

    def do(found: ErrorReport, at: datetime) -> str:
        reports.dismiss(report=found, reason=reason, by=by, at=at)
        return "✓ Dismissed. It can be taken up again."

    return do


def _reroute(request: HttpRequest) -> Do:
    to, by = _target(request), staff_actor(request)

    def do(found: ErrorReport, at: datetime) -> str:
        _, scene = tree_and_scene(found.command)
        reports.reroute(report=found, to=to, scene=scene, by=by, at=at)
        return f"✓ Sent to {to.title}."

    return do


def _merge(request: HttpRequest) -> Do:
    into, by = _other(request), staff_actor(request)

    def do(found: ErrorReport, at: datetime) -> str:
        reports.merge(report=found, into=into, by=by, at=at)
        return f"✓ Merged into “{into.command.text}”."

    return do


def _reopen(request: HttpRequest) -> Do:
    by = staff_actor(request)

    def do(found: ErrorReport, at: datetime) -> str:
        reports.reopen(report=found, by=by, at=at)
        return "✓ Taken up again."

    return do


Form = Callable[[HttpRequest], Do]
"""Reads and checks a form before anything is changed."""
BULK: Mapping[str, Form] = {DISMISS: _dismiss, REROUTE: _reroute}
ONE: Mapping[str, Form] = {**BULK, MERGE: _merge, REOPEN: _reopen}


def _read(request: HttpRequest, name: str, forms: Mapping[str, Form]) -> Do:
    if name not in forms:
        raise Invalid.at("#/act", "Choose what is to be done.")
    return forms[name](request)


def _reason(request: HttpRequest) -> str:
    reason = request.POST.get("reason", "").replace("\0", "").strip()
    if not reason:
        raise Invalid.at("#/reason", "Say in a few words why: it is kept with the report.")
    if len(reason) > LONGEST_REASON:
        raise Invalid.at("#/reason", f"Use {LONGEST_REASON} characters at most.")
    return reason


def _target(request: HttpRequest) -> Project:
    found = targets_for(request.user).filter(slug=request.POST.get("project", "")[:63].replace("\0", "")).first()
    if found is None:
        raise Invalid.at("#/project", "Choose the project that is to repair it.")
    return found


def _other(request: HttpRequest) -> ErrorReport:
    """The other report: by the typed id if there is one, else by the choice in the list."""
    name = request.POST.get("into_id", "").strip() or request.POST.get("into", "")
    if not name:
        raise Invalid.at("#/into", "Choose the report that is to be kept, or give its id.")
    try:
        return report_for(request.user, name.replace("\0", "")[:64], Role.REVIEWER)
    except NotFound:
        raise Invalid.at("#/into", "There is no report with this id in your projects.") from None


def _typed(request: HttpRequest) -> dict[str, str]:
    return {name: request.POST.get(name, "") for name in ("reason", "project", "into", "into_id")}


# The chosen ones ------------------------------------------------------------------------------------------------


@staff_only
@require_POST
def act_on_chosen(request: HttpRequest) -> HttpResponseBase:
    """Do the act of the pressed button on each chosen report. If one is refused, the others go on."""
    name = request.POST.get("act", "")
    names = list(dict.fromkeys(one.replace("\0", "") for one in request.POST.getlist("report")))
    try:
        found = _chosen(request, names)
        do = _read(request, name, BULK)
    except Invalid as error:
        typed = {"act": name, "error": error.reason, "typed": _typed(request), "picked": set(names)}
        return list_page(request, status=error.status, **typed)
    done, refused = _each(found, do)
    verb = "dismissed" if name == DISMISS else "sent"
    if done:
        messages.success(request, f"✓ {done} report{'' if done == 1 else 's'} {verb}.")
    for told in refused[:MOST_TOLD]:
        messages.warning(request, told)
    if len(refused) > MOST_TOLD:
        messages.warning(request, f"{len(refused) - MOST_TOLD} more were left as they are.")
    query = request.GET.urlencode()
    return redirect(reverse("staff-reports") + (f"?{query}" if query else ""))


def _chosen(request: HttpRequest, names: list[str]) -> list[ErrorReport]:
    """The chosen reports, oldest first, if the account may act on each of them.

    Raises:
        Invalid: no report is chosen, or more than one page has.
        NotFound: a report does not exist, or the account has no role in its project.
        Forbidden: the account may see a report, but not act on it.
    """
    if not names:
        raise Invalid.at("#/report", "Choose at least one report.")
    if len(names) > ROWS:
        raise Invalid.at("#/report", f"Choose {ROWS} reports at most.")
    found = list(
        reports_for(request.user).filter(public_id__in=names).select_related("project", "command").order_by("at", "pk")
    )
    if len(found) < len(names):
        raise NotFound
    for one in found:
        roles.check_in(request.user, one.project, Role.REVIEWER)
    return found


def _each(found: Sequence[ErrorReport], do: Do) -> tuple[int, list[str]]:
    """The number of reports that were changed, and the reasons for the others."""
    done, refused, at = 0, [], timezone.now()
    for one in found:
        try:
            do(one, at)
        except (Conflict, Invalid) as error:
            refused.append(f"“{one.command.text}” was left as it is: {error.reason}")
        else:
            done += 1
    return done, refused
