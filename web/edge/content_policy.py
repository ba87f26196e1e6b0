"""The header of the content security policy (django-csp), which is built once for all responses that are alike."""

from functools import cached_property

from csp.constants import HEADER
from csp.middleware import CheckableLazyObject, CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase


class ContentPolicy(CSPMiddleware):
    """Sends the policy of the settings with each response; one with a nonce or rules of its own gets its own policy.

    django-csp builds the policy anew for each response, and once more for a policy that only reports, which is not
    used here.
    """

    @cached_property
    def _usual(self) -> str:
        return build_policy()

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        has_nonce = getattr(request, "_csp_nonce", None) is not None
        if has_nonce or settings.DEBUG or any(name.startswith("_csp_") for name in vars(response)):
            return super().process_response(request, response)
        response.setdefault(HEADER, self._usual)
        # Text that is made later, such as a stream, would have a nonce that is not in the header.
        request.csp_nonce = CheckableLazyObject(self._csp_nonce_post_response)  # type: ignore[attr-defined]
        return response
