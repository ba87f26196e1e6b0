"""The worker's page of decisions against them, with the reasons and an address for questions."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.models import Enrolment
from annotation.pay.approvals import MOST_TOLD, decisions_for
from web.work.visitors import worker_page


@require_safe
@worker_page
def decisions(request: HttpRequest, enrolment: Enrolment) -> HttpResponse:
    ctx = {
        "project_title": enrolment.project.title,
        "project_slug": enrolment.project.slug,
        "earned": enrolment.earned,
        "currency": enrolment.project.currency,
        "decisions": decisions_for(enrolment),
        "most": MOST_TOLD,
        "contact": settings.CONTACT,
    }
    return render(request, "work/decisions.html", ctx)
