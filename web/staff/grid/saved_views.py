"""Saved views of lists: an account gives the address of a list a name, and finds it again on that list."""

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import Resolver404, resolve
from django.utils import timezone
from django.views.decorators.http import require_POST

from lib.faults import Invalid, NotFound
from web.models import SavedView
from web.staff.decorators import staff_only
from web.staff.grid.listing import DOWNLOAD, PLACES

LONGEST_NAME, LONGEST_QUERY, LONGEST_PAGE = 80, 2000, 400
MOST = 50
"""The most views that an account keeps of one list."""


@staff_only
@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Give the address of a list a name. The same name again replaces the view."""
    page, query = _page(request), _query(request.POST.get("query", ""))
    name = " ".join(request.POST.get("name", "").replace("\0", "").split())
    if not name or len(name) > LONGEST_NAME:
        raise Invalid(f"Give the view a name of {LONGEST_NAME} characters at most.")
    mine = SavedView.objects.filter(account=_account(request), page=page)
    if mine.exclude(name=name).count() >= MOST:
        raise Invalid(f"An account keeps {MOST} views of a list at most. Remove one first.")
    mine.update_or_create(
        name=name,
        defaults={"query": query},
        create_defaults={
            "account": _account(request),
            "page": page,
            "query": query,
            "created_at": timezone.now(),
        },
    )
    messages.success(request, f"✓ Saved as “{name}”. It is on this page, and its address can be shared.")
    return redirect(f"{page}?{query}" if query else page)


@staff_only
@require_POST
def remove(request: HttpRequest, pk: int) -> HttpResponse:
    """Forget one of the account's own views."""
    found = SavedView.objects.filter(pk=pk, account=_account(request)).first()
    if found is None:
        raise NotFound
    found.delete()
    messages.success(request, f"The view “{found.name}” is removed.")
    return redirect(found.page)


def _account(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - staff_only has seen to it
    return request.user


def _page(request: HttpRequest) -> str:
    """The path of a staff page.

    Raises:
        Invalid: it is none.
    """
    page = request.POST.get("page", "")
    try:
        is_page = len(page) <= LONGEST_PAGE and resolve(page).route.startswith("staff/")
    except Resolver404:
        is_page = False
    if not is_page:
        raise Invalid("Only lists of the staff pages can be saved.")
    return page


def _query(text: str) -> str:
    """The query of an address without the place in the list.

    Raises:
        Invalid: it is too long.
    """
    if len(text) > LONGEST_QUERY or "\0" in text:
        raise Invalid(f"A view keeps {LONGEST_QUERY} characters of an address at most.")
    kept = [(name, value) for name, values in QueryDict(text).lists() for value in values]
    return urlencode([pair for pair in kept if pair[0] not in (*PLACES, DOWNLOAD)])[:LONGEST_QUERY]
