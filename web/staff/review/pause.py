"""A pause under review: the gate and its evidence, the worker's appeal, and the decision."""

from typing import NamedTuple

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import GateAction
from annotation.quality import pauses
from annotation.quality.gates import JudgedAnswer
from lib.faults import Invalid, NotFound
from web.staff.addresses import pause_page
from web.staff.decorators import staff_actor, staff_only
from web.staff.figure_files import file_asked
from web.staff.projects.figures import accuracy_over_time
from web.staff.review.queue import filters_of, next_page, onwards


class Line(NamedTuple):
    """One answer of the evidence, with its time parsed."""

    looked: JudgedAnswer
    at: object


def pause_for(request: HttpRequest, pk: int, role: Role = Role.VIEWER) -> GateAction:
    """The pause, if the account has at least this role in its project. 1 query.

    Raises:
        NotFound: there is no such pause, or the account has no role in its project.
        Forbidden: the account may see the pause, but its role is too low.
    """
    visible: QuerySet[GateAction] = GateAction.objects.pauses().filter(
        enrolment__project__in=roles.projects_for(request.user)
    )
    found = visible.select_related("enrolment__project", "enrolment__worker").filter(pk=pk).first()
    if found is None:
        raise NotFound
    roles.check_in(request.user, found.enrolment.project, role)
    return found


@staff_only
@require_safe
def review_pause(request: HttpRequest, pk: int) -> HttpResponse:
    found = pause_for(request, pk)
    enrolment = found.enrolment
    drawn = file_asked(request, {"drift": lambda: accuracy_over_time(enrolment.worker, enrolment.project)})
    return drawn or _page(request, found)


def _page(
    request: HttpRequest, found: GateAction, *, error: str = "", typed: str = "", status: int = 200
) -> HttpResponse:
    project, worker = found.enrolment.project, found.enrolment.worker
    evidence = found.evidence
    answers: list[JudgedAnswer] = evidence.get("answers", [])
    tail = filters_of(request).tail
    after = f"after={pause_page(found.pk)}"
    ctx = {
        "section": "review",
        "action": found,
        "project": project,
        "worker": worker,
        "record": worker.records.filter(project=project).first(),
        "evidence": evidence,
        "lines": [Line(one, parse_datetime(one["at"])) for one in answers],
        "wrong": sum(not one["right"] for one in answers),
        "figure": accuracy_over_time(worker, project),
        "is_open": found.lifted_at is None,
        "may_decide": roles.may_in(request.user, project, Role.REVIEWER),
        "error": error,
        "typed": typed,
        "tail": tail,
        "next": f"{reverse('staff-review-next')}{tail}{'&' if tail else '?'}{after}",
    }
    return render(request, "staff/review/pause.html", ctx, status=status)


@staff_only
@require_POST
def decide_pause(request: HttpRequest, pk: int) -> HttpResponse:
    """Uphold or lift the pause, then go on to the next item of the queue."""
    found = pause_for(request, pk, Role.REVIEWER)
    reason = request.POST.get("reason", "")
    act = {"uphold": pauses.uphold, "lift": pauses.lift}.get(request.POST.get("act", ""))
    filters = filters_of(request)
    after = onwards(filters, next_page(request.user, filters, after=pause_page(pk)))
    try:
        if act is None:
            raise Invalid.at("#/act", "Choose whether the pause stands.")
        if not reason.strip():
            raise Invalid.at("#/reason", "Say why: the worker may ask, and so may whoever looks at this later.")
        act(action=found, by=staff_actor(request), reason=reason.strip(), at=timezone.now())
    except Invalid as error:
        return _page(request, found, error=error.reason, typed=reason, status=error.status)
    name = roles.name_of(request.user, found.enrolment.worker)
    messages.success(
        request,
        f"✓ The pause of {name} stands." if act is pauses.uphold else f"✓ {name} may work again.",
    )
    return redirect(after)
