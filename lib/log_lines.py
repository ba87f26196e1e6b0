"""Log lines as JSON, without tokens and names of persons."""

import json
import logging
import re
from datetime import UTC, datetime

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "request_id", "taskName"}


def log_to_stderr(level: str) -> None:
    """Let a program without Django write what it logs as JSON lines; `level` is the least that is written: `INFO`."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=level, handlers=[handler])


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
