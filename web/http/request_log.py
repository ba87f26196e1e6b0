"""Request ids, in answers and in log lines."""

import logging
import re
import secrets
from collections.abc import Callable
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

_request_id: ContextVar[str] = ContextVar("request_id", default="")
_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{8,64}")


class RequestIdMiddleware:
    """Gives each request an id: the caller's `X-Request-Id` if it is well formed, else a new one.

    The answer repeats it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-Id", "")
        token = _request_id.set(given if _WELL_FORMED.fullmatch(given) else secrets.token_hex(8))
        try:
            response = self.get_response(request)
            response["X-Request-Id"] = _request_id.get()
            return response
        finally:
            _request_id.reset(token)


class RequestIdFilter(logging.Filter):
    """Adds the current request's id to each log record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = _request_id.get()
        return True
