"""How a worker comes in, and the page that they work on."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.access import enrolment_of
from annotation.models import Enrolment
from common.markdown import render_markdown
from workforce.consent import agree, has_agreed


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
    """The tool's page; the information page before it where the worker has not agreed yet."""
    token, enrolment = worker_of(request, slug)
    if enrolment is None:
        return bad_link(request)
    project = enrolment.project
    page = project.consent_page
    if page and not has_agreed(enrolment.worker, page):
        ctx: dict[str, object] = {
            "project_title": project.title,
            "consent": render_markdown(page.text),
            "action": reverse("work-consent", args=[slug]),
        }
        return render(request, "work/consent.html", ctx)
    ctx = {
        "project_title": project.title,
        "token": token,
        # Names what this browser keeps for this worker here; two workers on one machine must not mix.
        "storage_key": salted_hmac("crosswalk.storage", str(enrolment.pk)).hexdigest()[:16],
        "instructions": [render_markdown(text) for text in project.instructions],
    }
    return render(request, f"work/{project.tool}.html", ctx)


@never_cache
@require_POST
def consent(request: HttpRequest, slug: str) -> HttpResponse:
    """The worker's answer on the information page."""
    _, enrolment = worker_of(request, slug)
    if enrolment is None:
        return bad_link(request)
    if request.POST.get("answer") != "agree":
        return render(request, "work/message.html", _declined(slug))
    if enrolment.project.consent_page:
        agree(worker=enrolment.worker, page=enrolment.project.consent_page, at=timezone.now())
    return redirect("work", slug)


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
