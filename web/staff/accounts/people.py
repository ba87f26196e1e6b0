"""The staff accounts and their roles: adding accounts, giving and removing roles, switching accounts on and off."""

from collections.abc import Iterable
from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Prefetch, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access import roles
from annotation.access.members import add_account, give_role, set_active, take_role
from annotation.access.roles import Account, Role
from annotation.models import Membership, Project
from lib.faults import Conflict, Forbidden, Invalid, NotFound
from web.staff.decorators import paged, staff_actor, staff_only

EVERYWHERE = "*"
"""The value that means every project in a form. No project can have this slug."""


class Person(NamedTuple):
    """An account, with those of its roles that the signed-in account may see."""

    account: User
    memberships: list[Membership]


def _check_may_manage(user: Account) -> None:
    """Allow the page of people for admins of any project.

    Raises:
        Forbidden: the account is an admin of no project.
    """
    if not roles.may_somewhere(user, Role.ADMIN):
        raise Forbidden(roles.NEEDS[Role.ADMIN])


def _accounts_for(user: Account) -> QuerySet[User]:
    """All staff accounts. `shown` holds their roles everywhere and in the projects of which the account is an admin."""
    shown = Membership.objects.filter(Q(project=None) | Q(project__in=roles.projects_for(user, Role.ADMIN)))
    shown = shown.select_related("project").order_by("project__title", "pk")
    return User.objects.filter(is_staff=True).prefetch_related(Prefetch("memberships", shown, to_attr="shown"))


def account_for(user: Account, pk: int) -> User:
    """The staff account with this id, if the user is an admin of any project; 404 if there is none. 2 queries."""
    _check_may_manage(user)
    found = _accounts_for(user).filter(pk=pk).first()
    if found is None:
        raise NotFound
    return found


def _people(accounts: Iterable[User]) -> list[Person]:
    return [Person(account, account.shown) for account in accounts]  # type: ignore[attr-defined]


@staff_only
@require_safe
def people_list(request: HttpRequest) -> HttpResponse:
    _check_may_manage(request.user)
    return _list_page(request)


def _list_page(
    request: HttpRequest, *, asked: str = "", email: str = "", error: str = "", status: int = 200
) -> HttpResponse:
    search = request.GET.get("q", "").strip()
    mine = roles.projects_for(request.user, Role.ADMIN).order_by("title", "pk")
    project = mine.filter(slug=request.GET.get("project", "")).first()
    rows = _accounts_for(request.user).order_by("-is_active", "username")
    if search:
        rows = rows.filter(username__icontains=search)
    if project:
        rows = rows.filter(pk__in=project.memberships.values("user"))
    page = paged(request, rows)
    ctx = {
        "section": "people",
        "page": page,
        "people": _people(page),
        "q": search,
        "project": project,
        "projects": mine,
        "may_add": roles.may_everywhere(request.user, Role.ADMIN),
        "asked": asked,
        "email": email,
        "error": error,
    }
    return render(request, "staff/accounts/people.html", ctx, status=status)


@staff_only
@require_POST
def add(request: HttpRequest) -> HttpResponse:
    """Create an account. Its password is shown on this page once."""
    roles.check_everywhere(request.user, Role.ADMIN)
    name, email = (request.POST.get(field, "").strip() for field in ("name", "email"))
    try:
        account, password = add_account(name=name, email=email, by=staff_actor(request), at=timezone.now())
    except Invalid as error:
        return _list_page(request, asked=name, email=email, error=error.faults[0].detail, status=error.status)
    ctx = {"section": "people", "account": account, "password": password}
    return render(request, "staff/accounts/person_added.html", ctx)


@staff_only
@require_safe
def person(request: HttpRequest, pk: int) -> HttpResponse:
    found = account_for(request.user, pk)
    is_theirs = roles.may_everywhere(request.user, Role.ADMIN)
    ctx = {
        "section": "people",
        "person": _people([found])[0],
        "roles": Role.choices,
        "projects": roles.projects_for(request.user, Role.ADMIN).order_by("title", "pk"),
        "everywhere": EVERYWHERE,
        "may_everywhere": is_theirs,
        "may_switch": is_theirs and _may_switch(request.user, found),
    }
    return render(request, "staff/accounts/person.html", ctx)


def _may_switch(user: Account, account: User) -> bool:
    """Whether the user may switch the account on or off.

    Never the own account, and a superuser only as another superuser.
    """
    return user.pk != account.pk and (not account.is_superuser or (isinstance(user, User) and user.is_superuser))


@staff_only
@require_POST
def change_role(request: HttpRequest, pk: int) -> HttpResponse:
    """Give the account a role, or change it, in one project or everywhere."""
    account, project = account_for(request.user, pk), _place(request)
    role = request.POST.get("role", "")
    if role not in Role.values:
        raise Invalid(f"There is no role {role!r}; there are {', '.join(Role.values)}.")
    reason = request.POST.get("reason", "").strip()
    give_role(
        account=account, project=project, role=Role(role), by=staff_actor(request), at=timezone.now(), reason=reason
    )
    messages.success(request, f"{account.get_username()} is {role} {_where(project)} now.")
    return redirect("staff-person", pk)


@staff_only
@require_POST
def remove_role(request: HttpRequest, pk: int) -> HttpResponse:
    account, project = account_for(request.user, pk), _place(request)
    reason = request.POST.get("reason", "").strip()
    if not take_role(account=account, project=project, by=staff_actor(request), at=timezone.now(), reason=reason):
        raise NotFound
    messages.success(request, f"{account.get_username()} has no role {_where(project)} any more.")
    if request.user.pk == pk:
        return redirect("staff-overview")  # The user removed their own last role and may no longer open this page.
    return redirect("staff-person", pk)


def _place(request: HttpRequest) -> Project | None:
    """The project in which a role is given or removed; None for everywhere. The user must be an admin there.

    Raises:
        NotFound: there is no such project, or the user has no role in it.
        Forbidden: the user is no admin there.
        Invalid: the form names no project.
    """
    slug = request.POST.get("project", "")
    if not slug:
        raise Invalid("Choose a project, or every project.")
    if slug == EVERYWHERE:
        roles.check_everywhere(request.user, Role.ADMIN)
        return None
    return roles.project_for(request.user, slug, Role.ADMIN)


def _where(project: Project | None) -> str:
    return f"in {project.title}" if project else "everywhere"


@staff_only
@require_POST
def switch(request: HttpRequest, pk: int) -> HttpResponse:
    """Switch the account off, or on again."""
    roles.check_everywhere(request.user, Role.ADMIN)
    account = account_for(request.user, pk)
    if account.pk == request.user.pk:
        raise Conflict("You cannot switch your own account off. Ask another admin.")
    if not _may_switch(request.user, account):
        raise Forbidden("Only a superuser may switch a superuser off or on.")
    is_active = request.POST.get("active") == "yes"
    reason = request.POST.get("reason", "").strip()
    set_active(account=account, is_active=is_active, by=staff_actor(request), at=timezone.now(), reason=reason)
    now = "may sign in again" if is_active else "is switched off now"
    messages.success(request, f"{account.get_username()} {now}.")
    return redirect("staff-person", pk)
