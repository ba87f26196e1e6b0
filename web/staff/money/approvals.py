"""Deciding on chosen answers of a project: approving, rejecting, rejecting softly, and changing decisions."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Annotation, Approval, Project
from annotation.pay import approvals
from annotation.pay.approvals import MOST_AT_ONCE, WORDS, Decided
from lib.faults import CrosswalkError, Invalid
from web.staff.decorators import staff_actor, staff_only
from web.staff.money.listed_rows import unpacked
from web.staff.money.project_approvals import project_page, search_in, waiting_in

Decision = Approval.Decision
ACTS = {
    "approve": Decision.APPROVED,
    "reject": Decision.REJECTED,
    "reject_softly": Decision.SOFTLY_REJECTED,
}
OVERTURNS = {"pay_and_count": Decision.APPROVED, "pay": Decision.SOFTLY_REJECTED}
KEPT = ("tab", "q", "decision", "column")


@staff_only
@require_POST
def decide(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Approve, reject or softly reject the chosen answers."""
    project = roles.project_for(request.user, slug, Role.REVIEWER)
    act = request.POST.get("act", "")
    try:
        found = _chosen(request, project)
        done = _decide(found, act, reason=request.POST.get("reason", ""), by=staff_actor(request))
        others = _others(request, project, done) if request.POST.get("which") == "waiting" else ""
    except CrosswalkError as error:
        return _refused(request, project, error)
    messages.success(request, _said(done, ACTS[act]) + others)
    return redirect(_back(request, project))


def _decide(found: QuerySet[Annotation], act: str, *, reason: str, by: str) -> Decided:
    at = timezone.now()
    if act == "approve":
        return approvals.approve(annotations=found, by=by, at=at)
    if act in {"reject", "reject_softly"}:
        return approvals.reject(annotations=found, reason=reason, is_soft=act == "reject_softly", by=by, at=at)
    raise Invalid("Work can be approved, rejected or rejected softly.")


@staff_only
@require_POST
def overturn(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Change decisions in favour of the workers."""
    project = roles.project_for(request.user, slug, Role.REVIEWER)
    act = request.POST.get("act", "")
    try:
        if act not in OVERTURNS:
            raise Invalid("A rejection can become paid, or paid and counted.")
        done = approvals.overturn(
            annotations=_chosen(request, project),
            decision=OVERTURNS[act],
            reason=request.POST.get("reason", ""),
            by=staff_actor(request),
            at=timezone.now(),
        )
    except CrosswalkError as error:
        return _refused(request, project, error)
    messages.success(request, _said(done, OVERTURNS[act]))
    return redirect(_back(request, project))


def _chosen(request: HttpRequest, project: Project) -> QuerySet[Annotation]:
    """The answers that the form names.

    Those ticked, all on its page, or all that waited when it was loaded and still wait.

    Raises:
        Invalid: the form names no answer.
    """
    which = request.POST.get("which", "ticked")
    if which == "waiting":
        return Annotation.objects.undecided().filter(project=project, pk__in=_listed(request))
    named = [one for one in request.POST.getlist("shown" if which == "shown" else "annotation") if "\0" not in one]
    found = Annotation.objects.filter(project=project, public_id__in=named[: MOST_AT_ONCE + 1])
    if not found.exists():
        raise Invalid("Nothing is chosen. Tick some work first, or choose all on this page.")
    return found


def _listed(request: HttpRequest) -> list[int]:
    """The answers that waited when the page was loaded, from the form's hidden field.

    Raises:
        Invalid: the field is missing or broken.
    """
    ids = unpacked(request.POST.get("seen", ""), most=MOST_AT_ONCE)
    if not ids:
        raise Invalid("Load the page again: the form does not say what waited.")
    return ids


def _others(request: HttpRequest, project: Project, done: Decided) -> str:
    """The number of answers that were decided meanwhile, and of those that wait but were not listed. 1 query."""
    n = len(_listed(request)) - done.decided - done.unchanged
    before = f" {n} had been decided on meanwhile, and {'stays' if n == 1 else 'stay'} so." if n else ""
    left = waiting_in(request, project, search=search_in(request)).count()
    words = "waits, and was" if left == 1 else "wait, and were"
    return before + (f" {left} more {words} not among these." if left else "")


def _refused(request: HttpRequest, project: Project, error: CrosswalkError) -> HttpResponseBase:
    """The page again with the reason of the refusal, the typed text and the chosen answers."""
    try:
        kept = _listed(request)
    except Invalid:
        kept = None
    return project_page(
        request,
        project,
        error=error.reason,
        typed=request.POST.get("reason", ""),
        which=request.POST.get("which", ""),
        picked=request.POST.getlist("annotation"),
        kept=kept,
        status=error.status,
    )


def _said(done: Decided, decision: Decision) -> str:
    again = f" {done.unchanged} had been decided so before, or better." if done.unchanged else ""
    return f"✓ {done.decided} {WORDS[decision]}.{again}"


def _back(request: HttpRequest, project: Project) -> str:
    """The list that the form was on, from its beginning."""
    kept = {name: value for name in KEPT if (value := request.GET.get(name, "").replace("\0", ""))}
    return reverse("staff-project-approvals", args=[project.slug], query=kept)
