"""Posting a command of a session as an episode, from the session's page."""

import math

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation.access.roles import Role
from audit import log
from evaluation.suites import scenario_faults
from interaction.models import Session
from interaction.recordings.requests import CONTEXT_S, MOST_CONTEXT_S, EpisodeRequest, request_episode
from lib.faults import Fault, Invalid
from web.staff.access import session_for
from web.staff.decorators import staff_actor, staff_only


@staff_only
@require_POST
def post_command(request: HttpRequest, public_id: str) -> HttpResponse:
    found = session_for(request.user, public_id, Role.ADMIN)
    wanted = _wanted(request)
    _ask(found, wanted, by=staff_actor(request))
    messages.success(request, f"✓ Command {wanted.command} is being made into an episode. Look again in a moment.")
    return redirect(f"{reverse('staff-session', args=[public_id])}#episodes")


def _wanted(request: HttpRequest) -> EpisodeRequest:
    """The values in the form.

    Raises:
        Invalid: a value is not one that the form offers.
    """
    command, context = request.POST.get("command", ""), request.POST.get("context_s", "") or str(CONTEXT_S)
    suite, _, scenario = request.POST.get("scenario", "").partition("/")
    faults = []
    if not (command.isascii() and command.isdigit() and len(command) <= 9 and int(command) >= 1):
        faults.append(Fault("#/command", "Choose a command."))
    if not scenario:
        faults.append(Fault("#/scenario", "Choose a scenario."))
    seconds = _number(context)
    if seconds is None or not 0 <= seconds <= MOST_CONTEXT_S:
        faults.append(Fault("#/context_s", f"The film begins 0 to {MOST_CONTEXT_S:g} seconds before the command."))
    if faults or seconds is None:
        raise Invalid(" ".join(fault.detail for fault in faults), faults=faults)
    return EpisodeRequest(int(command), suite, scenario, context_s=seconds)


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


@transaction.atomic
def _ask(session: Session, wanted: EpisodeRequest, *, by: str) -> None:
    at = timezone.now()
    faults = scenario_faults(wanted.suite, wanted.scenario)
    posting = request_episode(session, wanted, by=by, at=at, scenario_faults=faults)
    if posting.asked_at == at:
        log.record(
            verb="session.posted",
            actor=by,
            subject=log.Subject("session", session.public_id),
            at=at,
            project=session.project.slug,
            episode=posting.episode,
        )
