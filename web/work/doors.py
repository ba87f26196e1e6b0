"""The doors of panels: the addresses that workers of Prolific and other panels open, and the way back."""

import re
import secrets

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.models import Annotation, Door, Enrolment
from annotation.work import doors
from annotation.work.doors import BoundElsewhere, Visit
from annotation.work.enrolments import make_link
from common import rates
from lib.faults import TooManyRequests
from lib.name_patterns import EXTERNAL_ID
from web.edge.client_address import address_of_request
from web.http.problems import too_many
from web.work.entry import store_token
from web.work.visitors import bad_link, worker_page

BROWSER = "crosswalk_browser"
"""The cookie by which a browser is known at the doors."""
KEPT_S = 400 * 24 * 3600
ARRIVALS_A_MINUTE = 60
"""How many visits of one address are taken: anybody may write ids into an address."""
_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")


@never_cache
@require_safe
def enter_by_panel(request: HttpRequest, slug: str, panel: str = doors.PROLIFIC) -> HttpResponseBase:
    """Bind the session to this browser, store the token in a cookie, and open the work page."""
    door = doors.door_into(slug, panel)
    if door is None:
        return bad_link(request)
    wait = rates.take(rates.a_minute(ARRIVALS_A_MINUTE), f"arrivals:{address_of_request(request)}")
    if wait:
        return too_many(request, TooManyRequests("Too many people came from here. Wait for {wait} seconds.", wait=wait))
    visit = _visit(request, door)
    if visit is None:
        return bad_link(request)
    now = timezone.now()
    try:
        enrolment = doors.arrive(door=door, visit=visit, at=now)
    except BoundElsewhere:
        ctx = {
            "title": "Go on in the browser in which you began",
            "text": "This study is open in a different browser, or someone else began it. If that browser is gone, "
            "write to the people who run the study: they can let you in here.",
        }
        return render(request, "work/message.html", ctx, status=403)
    link = make_link(enrolment=enrolment, by=f"panel:{panel}", at=now)
    response = redirect("work", slug)
    store_token(request, response, slug, link.token)
    response.set_cookie(
        BROWSER,
        visit.browser,
        max_age=KEPT_S,
        httponly=True,
        secure=request.is_secure(),
        samesite="Lax",
        path="/enter/",
    )
    return response


def _visit(request: HttpRequest, door: Door) -> Visit | None:
    """The worker that the address names; None where an id is missing, malformed, or of another study."""
    worker, session = (request.GET.get(name, "") for name in (door.worker_parameter, door.session_parameter))
    if not (re.fullmatch(EXTERNAL_ID, worker) and re.fullmatch(EXTERNAL_ID, session)):
        return None
    if door.study and request.GET.get(door.study_parameter, "") != door.study:
        return None
    known = request.COOKIES.get(BROWSER, "")
    return Visit(worker, session, known if _SECRET.fullmatch(known) else secrets.token_urlsafe(32))


@require_safe
@worker_page
def finish(request: HttpRequest, enrolment: Enrolment) -> HttpResponse:
    """The way back to the panel: to one address after any answer, to another without."""
    slug = enrolment.project.slug
    door = doors.door_of(enrolment.project, enrolment.worker.platform)
    answered = Annotation.objects.filter(project=enrolment.project, assignment__worker=enrolment.worker).exists()
    address = (door.done_url if answered else door.left_url) if door is not None else ""
    if address:
        return redirect(address)
    ctx = {
        "title": "Thank you",
        "text": "Everything that you handed in is kept. You can close this page.",
        "action": {"url": f"/work/{slug}/", "label": "Go on working"},
    }
    return render(request, "work/message.html", ctx)
