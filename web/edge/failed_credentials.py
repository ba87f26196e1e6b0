"""A limit on credentials that fail, for each address: a program that guesses is told to wait.

A valid credential passes at every time, so that nobody can lock out those who share an address.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from common import rates
from lib.faults import TooManyRequests
from web.edge.client_address import address_of_request
from web.http.problems import too_many


def count_failure(address: str) -> TooManyRequests | None:
    """Count one failed credential; the refusal if the address had too many."""
    wait = rates.take(_rate(), _key(address))
    return _refusal(wait) if wait else None


def refusal_of(address: str) -> TooManyRequests | None:
    """The refusal if the address has had too many failures."""
    wait = rates.look(_rate(), _key(address))
    return _refusal(wait) if wait else None


def mark_failure(response: HttpResponse) -> HttpResponse:
    """Mark the page of a visitor whose credential failed; an answer 401 needs no mark."""
    response.has_failed_credential = True  # type: ignore[attr-defined]
    return response


class FailedCredentialLimit:
    """Django middleware: answers 429 in place of the 401 of an address that had too many."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_refused = response.status_code == 401 and "Authorization" in request.headers
        if not is_refused and not getattr(response, "has_failed_credential", False):
            return response
        refusal = count_failure(address_of_request(request))
        return response if refusal is None else too_many(request, refusal)


def _rate() -> rates.Rate:
    return rates.a_minute(settings.FAILED_CREDENTIALS_A_MINUTE)


def _key(address: str) -> str:
    return f"failed-credentials:{address}"


def _refusal(wait: int) -> TooManyRequests:
    return TooManyRequests(
        f"More than {settings.FAILED_CREDENTIALS_A_MINUTE} credentials of your address failed within a minute. "
        "Wait for {wait} seconds, then send a valid one.",
        wait=wait,
    )
