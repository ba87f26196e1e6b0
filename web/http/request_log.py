"""Request ids, and log lines as JSON without tokens and names of persons."""

import json
import logging
import re
import secrets
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse

_request_id: ContextVar[str] = ContextVar("request_id", default="")
_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{8,64}")
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "request_id", "taskName"}


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


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time, level, logger, event, request id, and the fields given as `extra`, scrubbed."""

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


# In this order: an address of the API that names a worker; any query string (a worker's link carries a token and a
# platform's ids); text that looks like one of our secrets; and the values that PostgreSQL quotes when it refuses a row.
_RULES = (
    (re.compile(r"(/workers/)[^/\s\"'\\]+/[^/\s\"'\\?]+"), r"\1…/…"),
    (re.compile(r"(/[\w./~…-]*)\?[^\s\"'<>\\]+"), r"\1?…"),
    (re.compile(r"\bcw[wk]?_[\w-]{8,}"), "…"),
    (re.compile(r"\b((?:Bearer|Api-Key)\s+)[\w.~+/=-]{4,}", re.IGNORECASE), r"\1…"),
    (re.compile(r"(\bKey \([^)]*\)=)\([^)]*\)"), r"\1(…)"),
    (re.compile(r"(Failing row contains )\([^\n]*?\)(?=\.|\\n|$)"), r"\1(…)"),
)


def scrub(line: str) -> str:
    """The log line without tokens, keys, and ids of workers.

    >>> scrub('Internal Server Error: /api/v1/workers/direct/ann/block/')
    'Internal Server Error: /api/v1/workers/…/…/block/'
    >>> scrub("<ASGIRequest: GET '/enter/marks?token=cww_abcdefghij'>")
    "<ASGIRequest: GET '/enter/marks?…'>"
    """
    for pattern, instead in _RULES:
        line = pattern.sub(instead, line)
    return line
