"""The header that is built once is the one that django-csp would build anew."""

from typing import Any

import pytest
from csp.constants import SELF
from csp.exceptions import CSPNonceError
from csp.middleware import CSPMiddleware
from django.http import HttpRequest, HttpResponse

from web.edge.content_policy import ContentPolicy

HEADER = "Content-Security-Policy"


def answered(kind: type[CSPMiddleware], *, nonce: str = "", **own: Any) -> tuple[HttpRequest, HttpResponse]:
    """A request, and the response to it after the middleware of this kind."""
    request, response = HttpRequest(), HttpResponse(headers=own.pop("headers", {}))
    policy = kind(lambda request: response)
    policy.process_request(request)
    if nonce:
        request._csp_nonce = nonce  # type: ignore[attr-defined]
    for name, value in own.items():
        setattr(response, name, value)
    policy.process_response(request, response)
    return request, response


@pytest.mark.parametrize(
    "own",
    [
        {},
        {"nonce": "abc"},
        {"_csp_replace": {"style-src": [SELF, "'unsafe-inline'"]}},
        {"_csp_exempt": True},
        {"headers": {HEADER: "default-src 'self'"}},
    ],
)
def test_the_header_is_that_of_the_library(own: dict[str, Any]) -> None:
    policies = {kind: answered(kind, **own)[1].headers.get(HEADER) for kind in (CSPMiddleware, ContentPolicy)}
    assert policies[ContentPolicy] == policies[CSPMiddleware]


def test_a_nonce_that_is_asked_for_after_the_header_is_refused() -> None:
    request, _ = answered(ContentPolicy)
    with pytest.raises(CSPNonceError):
        str(request.csp_nonce)  # type: ignore[attr-defined]
