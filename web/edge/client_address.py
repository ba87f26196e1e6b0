"""The address by which anonymous clients are counted."""

from collections.abc import Mapping
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "unknown"
"""Clients without a readable address, behind a Unix socket for example, are counted together."""
_NETWORK_BITS = 64


def address_of_scope(scope: Mapping[str, Any]) -> str:
    """The client's address of an ASGI scope."""
    lists = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    return _counted((scope.get("client") or ("",))[0], b",".join(lists).decode("latin-1"))


def address_of_request(request: HttpRequest) -> str:
    """The client's address of a request."""
    return _counted(request.META.get("REMOTE_ADDR", ""), request.headers.get("X-Forwarded-For", ""))


def _counted(peer: str, forwarded_for: str) -> str:
    """The address that counts.

    With `CROSSWALK_BEHIND_PROXY` it is the last one in `X-Forwarded-For`, which the proxy wrote; every earlier one is
    the client's own claim. Without the setting the header is ignored. One IPv6 client has a whole /64 network, so its
    network is counted.
    """
    last = forwarded_for.rpartition(",")[2].strip() if settings.BEHIND_PROXY else ""
    try:
        address = ip_address(last or peer)
    except ValueError:
        return UNKNOWN
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(address.ipv4_mapped or IPv6Network((address, _NETWORK_BITS), strict=False))
