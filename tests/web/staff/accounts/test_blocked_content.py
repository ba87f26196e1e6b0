"""The list of what browsers blocked: the latest first, narrowed by what, by which directive and where."""

import re

import pytest
from django.test import Client

from audit.blocked_content import count
from tests.support.builders import NOON

pytestmark = pytest.mark.django_db

KINDS = (("staff/", "img-src", "a"), ("staff/workers/", "script-src", "b"), ("work/", "img-src", "c"))
FILTERS = {
    "": ["c", "b", "a"],
    "?order=asc": ["a", "b", "c"],
    "?directive=IMG": ["c", "a"],
    "?page_of=staff": ["b", "a"],
    "?q=b.ex": ["b"],
}


def test_blocked_content_is_narrowed(dora: Client) -> None:
    for page, directive, host in KINDS:
        count(page=page, directive=directive, blocked=f"https://{host}.example", at=NOON)
    for query, found in FILTERS.items():
        html = dora.get(f"/staff/audit/blocked/{query}").content.decode()
        assert re.findall(r"https://(\w)\.example", html) == found, query
