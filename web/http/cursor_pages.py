"""Lists of the API in cursor pages."""

import re
from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from common.serializers import IntegerField, PatternField
from lib.faults import Invalid
from web.http.key_limits import rows_within
from web.http.query_parameters import QuerySerializer

M = TypeVar("M", bound=Model)


MOST_ROWS = 1000


class PageQuery(QuerySerializer):
    """The query parameters of a list."""

    cursor = PatternField(r"[A-Za-z0-9+/=]{1,400}", required=False, help_text="As in `next` and `previous`.")
    page_size = IntegerField(min_value=1, max_value=MOST_ROWS, required=False, help_text="100 by default.")


class Pages(CursorPagination):
    """Pages of a list by cursor.

    They stay stable while rows are added, and the last page costs no more than the first.
    """

    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = MOST_ROWS
    ordering = "pk"

    def decode_cursor(self, request: Request) -> Cursor | None:
        """The place in the list that the address names. DRF alone would pass any text on to the database."""
        try:
            cursor = super().decode_cursor(request)
        except NotFound:
            raise _no_cursor() from None
        if cursor and cursor.position is not None and not re.fullmatch(r"[0-9]{1,18}", str(cursor.position)):
            raise _no_cursor()
        return cursor


def _no_cursor() -> Invalid:
    return Invalid.at("#/cursor", "Use the addresses in `next` and `previous` as they are.")


def page_of(request: Request, rows: QuerySet[M], show: Callable[[M], Any]) -> Response:
    """One page of `rows`, oldest first. `show` turns each row into JSON."""
    return page_of_many(request, rows, lambda found: [show(row) for row in found])


def page_of_many(request: Request, rows: QuerySet[M], show: Callable[[list[M]], list[dict[str, Any]]]) -> Response:
    """One page of those of `rows` that the request's key reaches, oldest first.

    `show` gets all rows of the page at once, so that it can load shared data once.
    """
    pages = Pages()
    within = rows_within(request, rows)
    return pages.get_paginated_response(show(list(pages.paginate_queryset(within, request) or [])))
