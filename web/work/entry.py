"""The entry of a worker with a link, and the page on which the worker works."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.safestring import SafeString
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Enrolment, Project
from annotation.offer.experiments import Arm, arm_for, arm_of
from annotation.offer.information_page import notes_of
from annotation.offer.instructions import instruction_version_for, pages_for
from annotation.tools.practice import practice_of
from annotation.work.enrolments import enrolment_of
from common.markdown import render_markdown
from lib.faults import TooManyRequests
from web.api.throttles import take_request
from web.http.problems import too_many
from web.work import pause
from web.work.visitors import bad_link, cookie_name, token_of, worker_page
from workforce.blocking import DIRECT
from workforce.consent import agree, has_agreed
from workforce.qualifications import valid_grant

PRACTISED = "practised"
"""The parameter with which the practice page leads back here."""


@never_cache
@require_safe
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Store the token in a cookie, so that no history or referrer contains it, and open the work page."""
    token = request.GET.get("token", "")
    enrolment = enrolment_of(token, at=timezone.now())
    if enrolment is None or enrolment.project.slug != slug:
        return bad_link(request)
    try:
        take_request(enrolment)
    except TooManyRequests as refusal:
        return too_many(request, refusal)
    response = redirect("work", slug)
    store_token(request, response, slug, token)
    return response


def store_token(request: HttpRequest, response: HttpResponse, slug: str, token: str) -> None:
    """Store the token of a project in a cookie of this browser."""
    response.set_cookie(
        cookie_name(slug),
        token,
        max_age=settings.WORK_TOKEN_DAYS * 24 * 3600,
        httponly=True,
        secure=request.is_secure(),
        samesite="Lax",
        path=f"/work/{slug}/",
    )


@require_safe
@worker_page
def work(request: HttpRequest, enrolment: Enrolment) -> HttpResponse:
    """The tool's page, or a page that must come before it: block, pause, information page, practice or quiz."""
    project = enrolment.project
    slug = project.slug
    stopped = pause.stopped_page(request, enrolment, instructions=instructions_for(project, arm_of(enrolment)))
    if stopped is not None:
        return stopped
    page = project.consent_page
    if page and not has_agreed(enrolment.worker, page):
        ctx: dict[str, object] = {
            "project_title": project.title,
            "consent": render_markdown(page.text),
            "notes": render_markdown(page.notes),
            "page_digest": page.digest,
            "action": reverse("work-consent", args=[slug]),
            "privacy_url": reverse("work-privacy", args=[slug]),
        }
        return render(request, "work/consent.html", ctx)
    quiz = project.qualification
    practice = practice_of(project)
    # Practice keeps nobody from work that is begun already.
    is_led_to_practice = practice is not None and practice.is_first and not enrolment.submitted
    if quiz and valid_grant(worker=enrolment.worker, qualification=quiz, at=timezone.now()) is None:
        comes_before = is_led_to_practice and PRACTISED not in request.GET
        if comes_before and not enrolment.worker.attempts.filter(qualification=quiz).exists():
            return redirect("work-practice", slug)
        return redirect("work-qualification", slug)
    arm = arm_for(enrolment, at=timezone.now())
    version = instruction_version_for(project, arm)
    ctx = {
        "tool": project.tool,
        "project_title": project.title,
        "token": token_of(request, slug),
        "storage_key": storage_key(enrolment),
        "instructions": instructions_for(project, arm),
        "instructions_version": version.number if version else 0,
        "privacy_url": reverse("work-privacy", args=[slug]),
        "practice_url": reverse("work-practice", args=[slug]) if practice else "",
        "practice_is_first": is_led_to_practice,
        "finish_url": "" if enrolment.worker.platform == DIRECT else reverse("work-finish", args=[slug]),
    }
    return render(request, "work/tool.html", ctx)


def storage_key(enrolment: Enrolment) -> str:
    """The name under which a browser stores what it keeps of this worker, so that two workers on one machine do not
    mix."""
    return salted_hmac("crosswalk.storage", str(enrolment.pk)).hexdigest()[:16]


def instructions_for(project: Project, arm: Arm | None) -> list[SafeString]:
    """The instruction pages as HTML, for a worker in this arm.

    If the project has no information page, the server's own paragraphs follow the last page.
    """
    pages = [render_markdown(text) for text in pages_for(project, arm)]
    if project.consent_page is None and project.serves_references:
        below = render_markdown(f"---\n\n{notes_of(project)}")
        pages = [*pages[:-1], pages[-1] + below] if pages else [below]
    return pages


@require_POST
@worker_page
def consent(request: HttpRequest, enrolment: Enrolment) -> HttpResponse:
    """Take the worker's answer to the information page."""
    if request.POST.get("answer") != "agree":
        return render(request, "work/message.html", _declined(enrolment.project.slug))
    page = enrolment.project.consent_page
    # If the page changed while the worker read it, the agreement is not valid; the work page then shows the new
    # version.
    if page and request.POST.get("page", page.digest) == page.digest:
        agree(worker=enrolment.worker, page=page, at=timezone.now())
    return redirect("work", enrolment.project.slug)


@require_POST
@worker_page
def appeal(request: HttpRequest, enrolment: Enrolment) -> HttpResponse:
    """Take the appeal of a paused worker."""
    return pause.take_appeal(request, enrolment, instructions=instructions_for(enrolment.project, arm_of(enrolment)))


def _declined(slug: str) -> dict[str, Any]:
    return {
        "title": "You did not agree",
        "text": "That is fine: nothing was recorded, and you can close this page.",
        "action": {"url": reverse("work", args=[slug]), "label": "Read it again"},
    }
