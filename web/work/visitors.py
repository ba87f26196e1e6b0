"""Pages that a worker opens with a link: whose browser asks, and the limit on its requests."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache

from annotation.models import Enrolment
from annotation.work.enrolments import enrolment_of
from lib.faults import TooManyRequests
from web.api.throttles import take_request
from web.edge.failed_credentials import mark_failure
from web.http.problems import too_many


def cookie_name(slug: str) -> str:
    """The name of the cookie that holds the token for this project."""
    return f"crosswalk_work_{slug}"


def token_of(request: HttpRequest, slug: str) -> str:
    """The token in this browser for the project; empty if there is none."""
    return request.COOKIES.get(cookie_name(slug), "")


def worker_page(view: Callable[[HttpRequest, Enrolment], HttpResponse]) -> Callable[[HttpRequest, str], HttpResponse]:
    """Call the view with the enrolment whose token is in this browser for the project in the address.

    Any other visitor gets the page of a link that does not work. A request counts among those of the token, as requests
    of the API do; one too many is a 429.
    """

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, slug: str) -> HttpResponse:
        token = token_of(request, slug)
        enrolment = enrolment_of(token, at=timezone.now()) if token else None
        if enrolment is None or enrolment.project.slug != slug:
            return bad_link(request)
        try:
            take_request(enrolment)
        except TooManyRequests as refusal:
            return too_many(request, refusal)
        return view(request, enrolment)

    return guarded


def bad_link(request: HttpRequest) -> HttpResponse:
    """The page for a visitor without a valid link."""
    ctx = {
        "title": "This link does not work",
        "text": "It may be old, or a part of it may be missing. Open the link that you were sent once more, whole, "
        "or ask for a new one.",
    }
    return mark_failure(render(request, "work/message.html", ctx, status=404))
