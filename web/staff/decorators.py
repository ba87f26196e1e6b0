"""Helpers that every staff page uses: the check of the account, the page of a refusal, filters and pages of rows."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from urllib.parse import urlsplit, urlunsplit

from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from annotation.access import roles
from audit import log
from lib.faults import CrosswalkError, Forbidden

ROWS = 50
"""The number of rows on one page of a staff list."""

P = ParamSpec("P")
M = TypeVar("M", bound=Model)
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def staff_only(view: "View[P]") -> "View[P]":
    """Let only staff accounts with a role open the view.

    A visitor who is not signed in goes to the sign-in page; any other account gets 403. An error of ours that the view
    raises becomes a page with the error's status and sentence.
    """
    return _guarded(view, needs_role=True)


def own_account(view: "View[P]") -> "View[P]":
    """Let every staff account open the view, with or without a role: for pages about the account itself."""
    return _guarded(view, needs_role=False)


def _guarded(view: "View[P]", *, needs_role: bool) -> "View[P]":
    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        user = request.user
        if not user.is_authenticated:
            return redirect_to_login(_way_back(request), reverse("staff-sign-in"))
        try:
            if not (user.is_active and user.is_staff):
                raise Forbidden("You are signed in, but this account is not a staff account. Sign in with another.")
            if needs_role:
                roles.check_any_role(user)
            return view(request, *args, **kwargs)
        except CrosswalkError as error:
            return refused(request, error)

    return guarded


def _way_back(request: HttpRequest) -> str:
    """The address to open after signing in: this page, or for a posted form the page that holds the form."""
    if request.method in {"GET", "HEAD"}:
        return request.get_full_path()
    page = urlsplit(request.headers.get("Referer", ""))
    if page.netloc != request.get_host():
        return reverse("staff-overview")
    return urlunsplit(("", "", page.path, page.query, ""))


def staff_actor(request: HttpRequest) -> str:
    """The name of the signed-in account in the audit log."""
    return log.staff_actor(request.user)


def refused(request: HttpRequest, error: CrosswalkError) -> HttpResponse:
    """A page with the error's status that shows its sentence."""
    return render(request, "staff/refused.html", {"error": error}, status=error.status)


def paged(request: HttpRequest, rows: "QuerySet[M]", *, size: int = ROWS) -> "Page[M]":
    """The page that `?page=` asks for, or the nearest page that exists. 2 queries."""
    return Paginator(rows, size).get_page(request.GET.get("page"))


def chosen(request: HttpRequest, name: str, among: "list[str]") -> str:
    """The value of a filter in the address; "" (no filter) if the value is not among the allowed ones."""
    value = request.GET.get(name, "")
    return value if value in among else ""
