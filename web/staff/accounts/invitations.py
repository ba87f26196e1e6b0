"""Invitations of staff: making and withdrawing them, and the page on which the invited person makes an account."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access import invitations, roles
from annotation.access.invitations import LIVES
from annotation.access.roles import Role
from annotation.models import Invitation
from lib.faults import Invalid, NotFound
from web.edge.failed_credentials import mark_failure
from web.staff.accounts.people import place_of
from web.staff.decorators import staff_actor, staff_only


@staff_only
@require_POST
def invite(request: HttpRequest) -> HttpResponse:
    """Make an invitation. Its link is shown on this page once."""
    roles.check_everywhere(request.user, Role.ADMIN)
    assert isinstance(request.user, User)  # noqa: S101 - staff_only has seen to it
    role, days = request.POST.get("role", ""), request.POST.get("days", "")
    if role not in Role.values or days not in LIVES:
        raise Invalid("Choose a role, and for how long the invitation works.")
    made, token = invitations.invite(
        role=Role(role),
        project=place_of(request),
        days=int(days),
        note=request.POST.get("note", "").replace("\0", "").strip(),
        by=request.user,
        at=timezone.now(),
    )
    link = request.build_absolute_uri(reverse("staff-invitation", args=[token]))
    return render(
        request, "staff/accounts/invitation_made.html", {"section": "people", "invitation": made, "link": link}
    )


@staff_only
@require_POST
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    roles.check_everywhere(request.user, Role.ADMIN)
    found = Invitation.objects.select_related("project").filter(pk=pk).first()
    if found is None:
        raise NotFound
    invitations.withdraw(invitation=found, by=staff_actor(request), at=timezone.now())
    messages.success(request, "The invitation is withdrawn. Its link works no more.")
    return redirect("staff-people")


@never_cache
@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "HEAD", "POST"])
def accept(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the invited person, who needs no account: a name and a password make one."""
    at = timezone.now()
    try:
        found = invitations.invitation_of(token, at=at)
        if request.method != "POST":
            return _page(request, found)
        name, password = request.POST.get("name", "").strip(), request.POST.get("password", "")
        try:
            if password != request.POST.get("again", ""):
                raise Invalid.at("#/again", "The two passwords differ.")
            invitations.accept(token=token, name=name, password=password, at=at)
        except Invalid as error:
            faults = {fault.pointer.removeprefix("#/"): fault.detail for fault in reversed(error.faults)}
            return _page(request, found, name=name, faults=faults, status=error.status)
    except NotFound:
        return mark_failure(render(request, "staff/accounts/invitation_gone.html", status=404))
    messages.success(request, "✓ Your account is made. Sign in with it.")
    return redirect("staff-sign-in")


def _page(
    request: HttpRequest,
    found: Invitation,
    *,
    name: str = "",
    faults: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    ctx = {"invitation": found, "name": name, "faults": faults or {}}
    return render(request, "staff/accounts/invitation.html", ctx, status=status)
