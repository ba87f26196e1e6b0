"""Which address of a client is counted."""

from typing import Any

import pytest
from django.test import RequestFactory

from web.edge.client_address import address_of_request, address_of_scope


@pytest.mark.parametrize(
    ("peer", "forwarded", "is_behind_proxy", "counted"),
    [
        ("192.0.2.1", "", False, "192.0.2.1"),
        ("192.0.2.1", "203.0.113.9", False, "192.0.2.1"),
        ("10.0.0.1", "203.0.113.9", True, "203.0.113.9"),
        ("10.0.0.1", "claimed, 198.51.100.1,203.0.113.9", True, "203.0.113.9"),
        ("10.0.0.1", "", True, "10.0.0.1"),
        ("10.0.0.1", "nonsense", True, "unknown"),
        ("", "", False, "unknown"),
        ("2001:db8:1:2:3:4:5:6", "", False, "2001:db8:1:2::/64"),
        ("2001:db8:1:2::ffff", "", False, "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "", False, "192.0.2.1"),
    ],
)
def test_the_address_that_counts(peer: str, forwarded: str, is_behind_proxy: bool, counted: str, settings: Any) -> None:
    settings.BEHIND_PROXY = is_behind_proxy
    headers = [(b"x-forwarded-for", part.encode()) for part in forwarded.split(", ") if part]
    assert address_of_scope({"client": (peer, 1) if peer else None, "headers": headers}) == counted
    named: Any = {"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {}
    assert address_of_request(RequestFactory().get("/", REMOTE_ADDR=peer, **named)) == counted
