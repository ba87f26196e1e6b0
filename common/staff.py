"""What every staff page shares: who may see it, what a refusal looks like, and pages of rows."""

from collections.abc import Callable, Sequence
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

from common.errors import CrosswalkError, Forbidden

ROWS = 50
"""Rows a page of any staff list."""

P = ParamSpec("P")
M = TypeVar("M", bound=Model)
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
Check = Callable[[HttpRequest], None]
_checks: list[Check] = []


def also_asks(check: Check) -> None:
    """Make every staff page ask this first; it raises one of our errors where the account may not come in.

    The roles of staff lie above this app, so the app that has them registers the question (`AppConfig.ready`).
    """
    if check not in _checks:
        _checks.append(check)


def staff_only(view: "View[P]") -> "View[P]":
    """The view for staff with a role: strangers go to the sign-in page, other accounts get 403.

    Any of our errors that the view lets travel becomes a page with its status and its sentence.
    """
    return _guarded(view, _checks)


def own_account(view: "View[P]") -> "View[P]":
    """The same for pages of one's own account, which need no role."""
    return _guarded(view, [])


def _guarded(view: "View[P]", checks: "Sequence[Check]") -> "View[P]":
    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        user = request.user
        if not user.is_authenticated:
            return redirect_to_login(_way_back(request), reverse("staff-sign-in"))
        try:
            if not (user.is_active and user.is_staff):
                raise Forbidden("You are signed in, but this account is not a staff account. Sign in with another.")
            for check in checks:
                check(request)
            return view(request, *args, **kwargs)
        except CrosswalkError as error:
            return refused(request, error)

    return guarded


def _way_back(request: HttpRequest) -> str:
    """Where to go on after signing in: the page itself, or the one that a form was on, for a form is not sent again."""
    if request.method in {"GET", "HEAD"}:
        return request.get_full_path()
    page = urlsplit(request.headers.get("Referer", ""))
    if page.netloc != request.get_host():
        return reverse("staff-overview")
    return urlunsplit(("", "", page.path, page.query, ""))


def staff_actor(request: HttpRequest) -> str:
    """Who acts, as the audit log names them."""
    return f"staff:{request.user.get_username()}"


def refused(request: HttpRequest, error: CrosswalkError) -> HttpResponse:
    """The page that says why not."""
    return render(request, "staff/refused.html", {"error": error}, status=error.status)


def paged(request: HttpRequest, rows: "QuerySet[M]", *, size: int = ROWS) -> "Page[M]":
    """The page that `?page=` asks for; the nearest one where there is none of that number. 2 queries."""
    return Paginator(rows, size).get_page(request.GET.get("page"))


def chosen(request: HttpRequest, name: str, among: "list[str]") -> str:
    """The value of a filter in the address, if it is one that exists; else "" for all."""
    value = request.GET.get(name, "")
    return value if value in among else ""
