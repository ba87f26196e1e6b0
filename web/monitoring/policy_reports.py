"""Reports of browsers that the content security policy blocked something on one of our pages.

Anybody can send a report, so little is believed and less is kept: the route of the page, the directive, and a word or
the origin of what was blocked, each counted. Addresses, samples of code and the sender are dropped.
"""

import re
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, resolve
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from audit import blocked_content
from common import rates
from lib.faults import CrosswalkError
from web.edge.client_address import address_of_request
from web.http.parsing import read_json
from web.http.problems import refused

MOST_BYTES = 16 * 1024
REPORTS_A_MINUTE = 60
"""The most reports of one address."""
DIRECTIVES = frozenset(settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]) | {
    f"{name}-src-{part}" for name in ("script", "style") for part in ("elem", "attr")
}
_SELF = "self"
_OTHER = "other"
_WORD = re.compile(r"[a-z][a-z-]{0,29}")
_HOST = re.compile(r"[a-z0-9.:\[\]-]{1,100}")


# A browser sends reports without a token.
@csrf_exempt
@require_POST
def receive(request: HttpRequest) -> HttpResponse:
    """Count one report. A report of another site's page, or of a directive that is not in our policy, is left out."""
    try:
        rates.check(
            rates.a_minute(REPORTS_A_MINUTE),
            f"policy-reports:{address_of_request(request)}",
            refusal=f"An address may send {REPORTS_A_MINUTE} reports a minute.",
        )
        if kind := _kind_of(request, read_json(request, most=MOST_BYTES, noun="A report")):
            blocked_content.count(**kind._asdict(), at=timezone.now())
    except CrosswalkError as error:
        return refused(request, error)
    return HttpResponse(status=204)


class Kind(NamedTuple):
    """The columns of `BlockedContent` that tell one kind from another."""

    page: str
    directive: str
    blocked: str


def _kind_of(request: HttpRequest, body: Any) -> Kind | None:
    """The blocked content that the report names; None if the report is not about one of our pages."""
    report = body.get("csp-report") if isinstance(body, dict) else None
    if not isinstance(report, dict):
        return None
    address, directive = _parts(report.get("document-uri")), report.get("effective-directive")
    if address is None or address[1] != request.get_host():
        return None
    if not isinstance(directive, str) or directive not in DIRECTIVES:
        return None
    return Kind(_route_of(address[2]), directive, _blocked(request, report.get("blocked-uri")))


def _route_of(path: str) -> str:
    """The route of the page as the code writes it, so that no name or token of an address is kept."""
    try:
        return resolve(path).route[:200]
    except Resolver404:
        return _OTHER


def _blocked(request: HttpRequest, address: object) -> str:
    """`self`, an origin, a scheme or a word of the standard; never a path, which may name anybody.

    Extensions of browsers have addresses that tell which browser it is, so only their scheme is kept.
    """
    parts = _parts(address)
    if parts is None:
        return _OTHER
    scheme, host, rest = parts
    if not scheme:
        return rest if _WORD.fullmatch(rest) else _OTHER
    if host == request.get_host():
        return _SELF
    if scheme in {"http", "https", "ws", "wss"}:
        return f"{scheme}://{host}" if _HOST.fullmatch(host) else _OTHER
    return scheme if _WORD.fullmatch(scheme) else _OTHER


def _parts(address: object) -> tuple[str, str, str] | None:
    """Scheme, host and path; None for what is no address."""
    if not isinstance(address, str):
        return None
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return parts.scheme, parts.netloc, parts.path
