"""`Authorization: Api-Key KEY`, and the scope that each call needs."""

from typing import Any

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from agents.keys import find_key
from agents.models import ApiKey
from common.errors import Forbidden, Unauthorized

KEYWORD = "Api-Key"


class ApiKeyAuthentication(BaseAuthentication):
    """The key becomes `request.auth`; there is no user, for a program is not a person."""

    def authenticate(self, request: Request) -> tuple[None, ApiKey]:
        keyword, _, key = request.headers.get("Authorization", "").partition(" ")
        if keyword.lower() != KEYWORD.lower() or not key.strip():
            raise Unauthorized("Send `Authorization: Api-Key KEY`.")
        found = find_key(key.strip(), at=timezone.now())
        if found is None:
            raise Unauthorized("This API key is not known or was revoked.")
        return None, found

    def authenticate_header(self, request: Request) -> str:
        return KEYWORD


class HasScope(BasePermission):
    """Reads need `read`, writes need `write`, unless the view names another in `scopes = {method: scope}`."""

    def has_permission(self, request: Request, view: Any) -> bool:
        fallback = ApiKey.Scope.READ if request.method in {"GET", "HEAD", "OPTIONS"} else ApiKey.Scope.WRITE
        needed = getattr(view, "scopes", {}).get(request.method, fallback)
        if not isinstance(request.auth, ApiKey) or not request.auth.allows(needed):
            raise Forbidden(f"This key has no scope `{needed}`.")
        return True


def actor_of(request: Request) -> str:
    """The key that acts, as the audit log names it."""
    return f"key:{request.auth}"


class ApiKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "agents.authentication.ApiKeyAuthentication"
    name = "ApiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "apiKey", "in": "header", "name": "Authorization", "description": "`Api-Key KEY`"}
