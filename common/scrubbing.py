"""What never reaches a log: tokens, keys, and the ids of workers in addresses and in messages of the database."""

import re

# In order: an address of the API that names a worker; any query (doors carry tokens and platform ids there); what looks
# like one of our secrets wherever it stands; and the values that PostgreSQL quotes when a row is refused.
_RULES = (
    (re.compile(r"(/workers/)[^/\s\"'\\]+/[^/\s\"'\\?]+"), r"\1…/…"),
    (re.compile(r"(/[\w./~…-]*)\?[^\s\"'<>\\]+"), r"\1?…"),
    (re.compile(r"\bcw[wk]?_[\w-]{8,}"), "…"),
    (re.compile(r"\b((?:Bearer|Api-Key)\s+)[\w.~+/=-]{4,}", re.IGNORECASE), r"\1…"),
    (re.compile(r"(\bKey \([^)]*\)=)\([^)]*\)"), r"\1(…)"),
    (re.compile(r"(Failing row contains )\([^\n]*?\)(?=\.|\\n|$)"), r"\1(…)"),
)


def scrub(line: str) -> str:
    """A line of the log without them.

    >>> scrub('Internal Server Error: /api/v1/workers/direct/ann/block/')
    'Internal Server Error: /api/v1/workers/…/…/block/'
    >>> scrub("<ASGIRequest: GET '/enter/marks?token=cww_abcdefghij'>")
    "<ASGIRequest: GET '/enter/marks?…'>"
    """
    for pattern, instead in _RULES:
        line = pattern.sub(instead, line)
    return line
