"""Limits on the requests of each API key and of each worker."""

from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from agents.models import ApiKey
from annotation.models import Enrolment
from common import rates


def take_request(auth: object) -> None:
    """Count one request of this credential: an API key, or the enrolment of a work token.

    Raises:
        TooManyRequests: it has sent too many.
    """
    match auth:
        case ApiKey():
            whose, most, key = "This API key", settings.KEY_REQUESTS_A_MINUTE, f"key:{auth.pk}"
        case Enrolment():
            whose, most, key = "This work token", settings.WORKER_REQUESTS_A_MINUTE, f"worker:{auth.pk}"
        case _:
            return
    rates.check(rates.a_minute(most), key, refusal=f"{whose} may send {most} requests a minute.")


class CredentialThrottle(BaseThrottle):
    """Counts each request of the API by its credential."""

    def allow_request(self, request: Request, view: Any) -> bool:
        take_request(request.auth)
        return True
