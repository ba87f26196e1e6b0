"""The staff accounts and their roles: adding accounts, giving and removing roles, switching accounts on and off."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Prefetch, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access import roles
from annotation.access.invitations import LIVES, open_invitations
from annotation.access.members import add_account, give_role, set_active, take_role
from annotation.access.roles import Account, Role
from annotation.models import Membership, Project
from lib.faults import Conflict, Forbidden, Invalid, NotFound
from web.staff.decorators import staff_actor, staff_only
from web.staff.grid.columns import NEWEST, WIDE, Column, by
from web.staff.grid.filters import choice, text
from web.staff.grid.listing import Listing, Shown
from web.staff.grid.page import drawn, respond

MOST_INVITATIONS = 50
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


COLUMNS: tuple[Column[Person], ...] = (
    Column("account", "Account", lambda row: row.account.get_username(), is_fixed=True),
    Column("roles", "Roles", lambda row: [str(one) for one in row.memberships], WIDE),
    Column("signs_in", "Signs in", lambda row: row.account.is_active),
    Column("last", "Last here", lambda row: row.account.last_login),
    Column("newest", "Made", lambda row: row.account.date_joined, is_usual=False),
)


@staff_only
@require_safe
def people_list(request: HttpRequest) -> HttpResponseBase:
    _check_may_manage(request.user)
    return _list_page(request)


def _list_page(
    request: HttpRequest, *, asked: str = "", email: str = "", error: str = "", status: int = 200
) -> HttpResponseBase:
    mine = roles.projects_for(request.user, Role.ADMIN).order_by("title", "pk")
    filters = (
        text(request, "Name"),
        choice(request, "project", "Project", "Everyone", mine.values_list("slug", "title")),
    )
    asked_for = {one.name: one.value for one in filters}
    rows = _accounts_for(request.user)
    if asked_for["q"]:
        rows = rows.filter(username__icontains=asked_for["q"])
    if asked_for["project"]:
        rows = rows.filter(memberships__project__slug=asked_for["project"])
    listing = Listing(
        name="people",
        what="account",
        rows=rows,
        columns=COLUMNS,
        made=_people,
        orders={"account": by("username", is_descending=False), "newest": NEWEST},
        filters=filters,
        cells="staff/accounts/_person_cells.html",
        page=reverse("staff-people"),
    )

    def more(grid: Shown) -> dict[str, Any]:
        return {
            "section": "people",
            "may_add": (may_add := roles.may_everywhere(request.user, Role.ADMIN)),
            "invitations": open_invitations(at=timezone.now()).order_by("-pk")[:MOST_INVITATIONS] if may_add else [],
            "lives": LIVES.items(),
            "all_roles": Role.choices,
            "all_projects": mine,
            "everywhere": EVERYWHERE,
            "asked": asked,
            "email": email,
            "error": error,
        }

    if error:
        return drawn(request, listing, "staff/accounts/people.html", more, status=status)
    return respond(request, listing, "staff/accounts/people.html", more)


@staff_only
@require_POST
def add(request: HttpRequest) -> HttpResponseBase:
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
    account, project = account_for(request.user, pk), place_of(request)
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
    account, project = account_for(request.user, pk), place_of(request)
    reason = request.POST.get("reason", "").strip()
    if not take_role(account=account, project=project, by=staff_actor(request), at=timezone.now(), reason=reason):
        raise NotFound
    messages.success(request, f"{account.get_username()} has no role {_where(project)} any more.")
    if request.user.pk == pk:
        return redirect("staff-overview")  # The user removed their own last role and may no longer open this page.
    return redirect("staff-person", pk)


def place_of(request: HttpRequest) -> Project | None:
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
