"""The worker's page of decisions against them, with the reasons and an address for questions."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.pay.approvals import MOST_TOLD, decisions_for
from web.work.entry import bad_link, worker_of


@never_cache
@require_safe
def decisions(request: HttpRequest, slug: str) -> HttpResponse:
    _, enrolment = worker_of(request, slug)
    if enrolment is None:
        return bad_link(request)
    ctx = {
        "project_title": enrolment.project.title,
        "project_slug": slug,
        "earned": enrolment.earned,
        "currency": enrolment.project.currency,
        "decisions": decisions_for(enrolment),
        "most": MOST_TOLD,
        "contact": settings.CONTACT,
    }
    return render(request, "work/decisions.html", ctx)
