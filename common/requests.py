"""A name for each request, on its answer and on every log line that it causes."""

import json
import logging
import re
import secrets
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse

from common.scrubbing import scrub

_request_id: ContextVar[str] = ContextVar("request_id", default="")
_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{8,64}")
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "request_id", "taskName"}


class RequestIdMiddleware:
    """Takes the caller's `X-Request-Id` if it is well formed, else makes one; sends it back."""

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
    """Puts the current request's name on each record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = _request_id.get()
        return True


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time, level, event, request, the fields given as `extra`; no tokens and no names."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        if getattr(record, "request_id", ""):
            line["request"] = record.__dict__["request_id"]
        line.update({key: value for key, value in record.__dict__.items() if key not in _STANDARD})
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return scrub(json.dumps(line, default=str, ensure_ascii=False))
