"""How a worker comes in, and the page that they work on."""

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

from annotation.access import enrolment_of
from annotation.arms import Arm, arm_for, arm_of
from annotation.doors import pause
from annotation.information import has_checks, notes_of
from annotation.instructions import pages_for, wording_for
from annotation.models import Enrolment, Project
from common.markdown import render_markdown
from workforce.consent import agree, has_agreed
from workforce.qualifications import valid_grant


def _cookie(slug: str) -> str:
    return f"crosswalk_work_{slug}"


@never_cache
@require_safe
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the token out of the address, so that it is in no history or referrer, and open the work page."""
    token = request.GET.get("token", "")
    enrolment = enrolment_of(token, at=timezone.now())
    if enrolment is None or enrolment.project.slug != slug:
        return bad_link(request)
    response = redirect("work", slug)
    response.set_cookie(
        _cookie(slug),
        token,
        max_age=settings.WORK_TOKEN_DAYS * 24 * 3600,
        httponly=True,
        secure=request.is_secure(),
        samesite="Lax",
        path=f"/work/{slug}/",
    )
    return response


@never_cache
@require_safe
def work(request: HttpRequest, slug: str) -> HttpResponse:
    """The tool's page; before it what keeps the worker from it: a block, a pause, the information page, the quiz."""
    token, enrolment = worker_of(request, slug)
    if enrolment is None:
        return bad_link(request)
    project = enrolment.project
    stopped = pause.stopped_page(request, enrolment, instructions=_instructions(project, arm_of(enrolment)))
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
    if quiz and valid_grant(worker=enrolment.worker, qualification=quiz, at=timezone.now()) is None:
        return redirect("work-qualification", slug)
    arm = arm_for(enrolment, at=timezone.now())
    wording = wording_for(project, arm)
    ctx = {
        "tool": project.tool,
        "project_title": project.title,
        "token": token,
        # Names what this browser keeps for this worker here; two workers on one machine must not mix.
        "storage_key": salted_hmac("crosswalk.storage", str(enrolment.pk)).hexdigest()[:16],
        "instructions": _instructions(project, arm),
        "instructions_version": wording.number if wording else 0,
        "privacy_url": reverse("work-privacy", args=[slug]),
    }
    return render(request, "work/tool.html", ctx)


def _instructions(project: Project, arm: Arm | None) -> list[SafeString]:
    """The pages as HTML, for a worker in this arm.

    Where there is no information page, what is true of the project stands below the last.
    """
    pages = [render_markdown(text) for text in pages_for(project, arm)]
    if project.consent_page is None and has_checks(project):
        below = render_markdown(f"---\n\n{notes_of(project)}")
        pages = [*pages[:-1], pages[-1] + below] if pages else [below]
    return pages


@never_cache
@require_POST
def consent(request: HttpRequest, slug: str) -> HttpResponse:
    """The worker's answer on the information page."""
    _, enrolment = worker_of(request, slug)
    if enrolment is None:
        return bad_link(request)
    if request.POST.get("answer") != "agree":
        return render(request, "work/message.html", _declined(slug))
    page = enrolment.project.consent_page
    # Where it changed while they read it, they agreed to what is no longer asked: the work page shows the new one.
    if page and request.POST.get("page", page.digest) == page.digest:
        agree(worker=enrolment.worker, page=page, at=timezone.now())
    return redirect("work", slug)


@never_cache
@require_POST
def appeal(request: HttpRequest, slug: str) -> HttpResponse:
    """A paused worker asks to be looked at again."""
    _, enrolment = worker_of(request, slug)
    if enrolment is None:
        return bad_link(request)
    return pause.take_appeal(request, enrolment, instructions=_instructions(enrolment.project, arm_of(enrolment)))


def worker_of(request: HttpRequest, slug: str) -> tuple[str, Enrolment | None]:
    """The token that this browser has for the project, and whose it is; None where it is missing or outlived."""
    token = request.COOKIES.get(_cookie(slug), "")
    enrolment = enrolment_of(token, at=timezone.now()) if token else None
    return token, enrolment if enrolment and enrolment.project.slug == slug else None


def _declined(slug: str) -> dict[str, Any]:
    return {
        "title": "You did not agree",
        "text": "That is fine: nothing was recorded, and you can close this page.",
        "action": {"url": reverse("work", args=[slug]), "label": "Read it again"},
    }


def bad_link(request: HttpRequest) -> HttpResponse:
    """The page for whoever has no link that works."""
    ctx = {
        "title": "This link does not work",
        "text": "It may be old, or a part of it may be missing. Open the link that you were sent once more, whole, "
        "or ask for a new one.",
    }
    return render(request, "work/message.html", ctx, status=404)
