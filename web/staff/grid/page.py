"""The answer of a list page: the page itself, a file of it, or what an act on its rows leads to."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from lib.faults import CrosswalkError
from web.staff.grid.acts import perform, refusal_of
from web.staff.grid.downloads import download
from web.staff.grid.listing import DOWNLOAD, Listing, M, R, Refusal, Shown, shown

More = Callable[[Shown], dict[str, Any]]


def respond(request: HttpRequest, listing: Listing[M, R], template: str, more: More) -> HttpResponseBase:
    """Answer a request to a list page. `more` makes the rest of the template's context; the page itself is `grid`."""
    if request.method == "POST":
        try:
            return perform(request, listing)
        except CrosswalkError as error:
            return drawn(request, listing, template, more, refusal=refusal_of(request, error), status=error.status)
    if DOWNLOAD in request.GET:
        return download(request, listing)
    return drawn(request, listing, template, more)


def drawn(
    request: HttpRequest,
    listing: Listing[M, R],
    template: str,
    more: More,
    *,
    refusal: Refusal = Refusal(),  # noqa: B008
    status: int = 200,
) -> HttpResponse:
    """The page itself."""
    grid = shown(request, listing, refusal)
    ctx = {"grid": grid, **more(grid)}
    return render(request, template, ctx, status=status)
