"""The page of a worker who is blocked, or paused by a gate; a paused worker can appeal on it."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from annotation.models import Enrolment, GateAction
from annotation.quality import gates, pauses
from lib.faults import Conflict, Invalid
from workforce.models import Worker

BLOCKED = (
    "A person has stopped your work with us, so there are no more tasks here. What you handed in is kept, and you are "
    "paid for it. If you think this is wrong, please write to whoever gave you the link."
)


def stopped_page(
    request: HttpRequest,
    enrolment: Enrolment,
    *,
    instructions: Sequence[str],
    typed: str = "",
    error: str = "",
    status: int = 200,
) -> HttpResponse | None:
    """The page of a blocked or paused worker; None for every other worker. 1 query at most.

    Args:
        instructions: The project's pages as safe HTML, to read again.
        typed: The text of an appeal that was refused.
        error: The reason why it was refused.
    """
    if enrolment.worker.status == Worker.Status.BLOCKED:
        return render(request, "work/message.html", {"title": "You cannot take new tasks", "text": BLOCKED})
    pause = pauses.current_pause(enrolment)
    if pause is None:
        return None
    project = enrolment.project
    ctx = {
        "project_title": project.title,
        "misses": gates.misses_in(pause.evidence),
        "since": pause.at,
        "earned": enrolment.earned,
        "currency": project.currency,
        "pause": pause,
        "is_decided": pause.decision == GateAction.Decision.UPHELD,
        "may_appeal": pause.appealed_at is None,
        "action": reverse("work-appeal", args=[project.slug]),
        "most": pauses.MOST_CHARACTERS,
        "instructions": instructions,
        "typed": typed,
        "error": error,
    }
    return render(request, "work/paused.html", ctx, status=status)


def take_appeal(request: HttpRequest, enrolment: Enrolment, *, instructions: Sequence[str]) -> HttpResponse:
    """Store the worker's appeal and return to the page, which shows what happens next."""
    pause, text = pauses.current_pause(enrolment), request.POST.get("text", "")
    back = redirect("work", enrolment.project.slug)
    if pause is None:
        return back
    try:
        pauses.appeal(action=pause, text=text, at=timezone.now())
    except Conflict:
        # The appeal was sent twice, or a decision came first: the page shows the present state.
        return back
    except Invalid as error:
        page = stopped_page(
            request,
            enrolment,
            instructions=instructions,
            typed=text,
            error=error.faults[0].detail,
            status=error.status,
        )
        return page or back
    return back
