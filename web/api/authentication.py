"""Authentication of the API: pipelines send `Api-Key KEY`, workers' pages send `Bearer TOKEN`."""

from typing import Any

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from agents.keys import find_key
from agents.models import ApiKey
from annotation.models import Enrolment
from annotation.work.enrolments import enrolment_of
from lib.faults import Forbidden, NotFound, Unauthorized
from web.edge.client_address import address_of_request
from web.http.key_limits import is_within

KEY_KEYWORD, TOKEN_KEYWORD = "Api-Key", "Bearer"


class ApiKeyAuthentication(BaseAuthentication):
    """Sets `request.auth` to the API key. There is no `request.user`, because a program is not a person."""

    def authenticate(self, request: Request) -> tuple[None, ApiKey]:
        keyword, _, key = request.headers.get("Authorization", "").partition(" ")
        if keyword.lower() != KEY_KEYWORD.lower() or not key.strip():
            raise Unauthorized("Send `Authorization: Api-Key KEY`.")
        found = find_key(key.strip(), at=timezone.now(), address=address_of_request(request._request))
        if found is None:
            raise Unauthorized("This API key is not known, has expired or was revoked.")
        return None, found

    def authenticate_header(self, request: Request) -> str:
        return KEY_KEYWORD


class HasScope(BasePermission):
    """Reads need the scope `read`, writes need `write`, unless the view sets `scopes = {method: scope}`.

    Of several scopes one is enough. What lies outside the limits of the key is 404.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        fallback = ApiKey.Scope.READ if request.method in {"GET", "HEAD", "OPTIONS"} else ApiKey.Scope.WRITE
        needed = getattr(view, "scopes", {}).get(request.method, fallback)
        accepted = (needed,) if isinstance(needed, str) else needed
        key = request.auth
        if not isinstance(key, ApiKey) or not any(key.allows(scope) for scope in accepted):
            raise Forbidden(f"This key has no scope `{'` or `'.join(accepted)}`.")
        if not is_within(request, view.kwargs):
            raise NotFound
        return True


def actor_of(request: Request) -> str:
    """The name of the request's API key in the audit log."""
    return f"key:{request.auth}"


class ApiKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "web.api.authentication.ApiKeyAuthentication"
    name = "ApiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "apiKey", "in": "header", "name": "Authorization", "description": "`Api-Key KEY`"}


class WorkTokenAuthentication(BaseAuthentication):
    """Sets `request.auth` to the enrolment whose token the request sends in `Authorization: Bearer TOKEN`."""

    def authenticate(self, request: Request) -> tuple[None, Enrolment]:
        keyword, _, token = request.headers.get("Authorization", "").partition(" ")
        if keyword.lower() != TOKEN_KEYWORD.lower() or not token.strip():
            raise Unauthorized("Send `Authorization: Bearer TOKEN`, with the token of your link.")
        found = enrolment_of(token.strip(), at=timezone.now())
        if found is None:
            raise Unauthorized("This link has expired or is not complete. Please ask for a new one.")
        return None, found

    def authenticate_header(self, request: Request) -> str:
        return TOKEN_KEYWORD


class IsWorker(BasePermission):
    """Admits every request with a valid work token. Each endpoint reads only rows of that worker."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return isinstance(request.auth, Enrolment)


class WorkTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "web.api.authentication.WorkTokenAuthentication"
    name = "WorkToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "The token of one worker in one project."}
