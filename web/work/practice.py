"""The practice page: one task on the real page of its tool, with a coach beside it. Nothing of it is stored."""

import json

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.models import Enrolment
from annotation.offer.experiments import arm_for
from annotation.offer.instructions import instruction_version_for
from annotation.tools.practice import practice_of, shown_practice
from web.work.entry import instructions_for, storage_key
from web.work.visitors import token_of, worker_page
from workforce.consent import has_agreed


@require_safe
@worker_page
def practice(request: HttpRequest, enrolment: Enrolment) -> HttpResponse:
    """The practice task; the work page where there is none, or where the information page comes before it."""
    project = enrolment.project
    found = practice_of(project)
    page = project.consent_page
    if found is None or (page and not has_agreed(enrolment.worker, page)):
        return redirect("work", project.slug)
    arm = arm_for(enrolment, at=timezone.now())
    version = instruction_version_for(project, arm)
    ctx = {
        "tool": project.tool,
        "project_title": project.title,
        "token": token_of(request, project.slug),
        "storage_key": storage_key(enrolment),
        "ask": found.ask,
        "payload": json.dumps(shown_practice(found, project, enrolment=enrolment.pk)),
        "is_first": found.is_first,
        "work_url": reverse("work", args=[project.slug]),
        "instructions": instructions_for(project, arm),
        "instructions_version": version.number if version else 0,
        "privacy_url": reverse("work-privacy", args=[project.slug]),
    }
    return render(request, "work/practice.html", ctx)
