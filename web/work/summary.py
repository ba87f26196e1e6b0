"""The worker's page of one project: work done, comparison with others, pay, and messages."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.models import Enrolment
from web.work.ending import said_at_the_end, summary_of
from web.work.visitors import worker_page
from workforce.blocking import DIRECT

MESSAGE_TITLES = {
    "notice": "A word about your work",
    "pause": "Your work was paused",
    "not_paid": "Not accepted, and not paid",
    "not_used": "Paid, but not used",
    "correction": "Your pay was corrected",
    "failed": "A payment failed",
}
"""The title of a message by its kind."""


@require_safe
@worker_page
def summary(request: HttpRequest, enrolment: Enrolment) -> HttpResponse:
    project = enrolment.project
    found = summary_of(enrolment, at=timezone.now())
    ctx: dict[str, Any] = {
        "project_title": project.title,
        "project_slug": project.slug,
        "found": found,
        "said": said_at_the_end(found),
        "left": found.noun.counted(found.left),
        "messages": [{"title": MESSAGE_TITLES[one.kind], **one._asdict()} for one in found.messages],
        "contact": settings.CONTACT,
        "finish_url": "" if enrolment.worker.platform == DIRECT else reverse("work-finish", args=[project.slug]),
    }
    return render(request, "work/summary.html", ctx)


@require_safe
@worker_page
def decisions(request: HttpRequest, enrolment: Enrolment) -> HttpResponse:
    """The earlier address of the messages."""
    return redirect(reverse("work-summary", args=[enrolment.project.slug]) + "#messages")
