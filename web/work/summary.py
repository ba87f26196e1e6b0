"""The worker's page of one project: work done, comparison with others, pay, and messages."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.models import Enrolment
from web.api.work_summary import WorkerSummary, summary_of
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
        "worked": worked_in_words(found.worked_s),
        "compared": compared_in_words(found),
        "came_of_it": came_of_it_in_words(found),
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


def worked_in_words(seconds: float) -> str:
    """A span of work in words; "" for nothing.

    >>> worked_in_words(0), worked_in_words(29), worked_in_words(90), worked_in_words(3 * 3600 + 300)
    ('', '29 seconds', '2 minutes', '3 hours and 5 minutes')
    """
    if seconds < 60:
        return f"{seconds:.0f} seconds" if seconds >= 1 else ""
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} minute{'s' if minutes != 1 else ''}"
    hours, rest = divmod(minutes, 60)
    whole = f"{hours} hour{'s' if hours != 1 else ''}"
    return f"{whole} and {rest} minute{'s' if rest != 1 else ''}" if rest else whole


def compared_in_words(found: WorkerSummary) -> list[str]:
    """How the work compares with other people's, a sentence each; empty while there is too little to say."""
    mine = found.compared
    said = []
    if mine.my_s is not None and mine.their_s is not None:
        said.append(f"You take about {mine.my_s:.0f} seconds for one. Most people take about {mine.their_s:.0f}.")
    if mine.same_in_ten is not None:
        said.append(f"About {mine.same_in_ten} in 10 of your answers are like those of most other people.")
    return said


def came_of_it_in_words(found: WorkerSummary) -> list[str]:
    """The results of all people's work in the project, a sentence each; empty while there is too little to say."""
    said = []
    if found.judged_in_ten:
        said.append(f"About {found.judged_in_ten} in 10 tasks of this project have all the answers that they need.")
    taught = found.taught
    if taught is None:
        return said
    said.append(f"The agent can learn from {taught.examples} examples that people gave here.")
    if taught.is_in_use:
        said.append("The agent that people meet now has learnt from them.")
    if taught.right is not None and taught.before is not None:
        said.append(f"In a test it gets {taught.right:.0%} right. Before, it was {taught.before:.0%}.")
    return said
