"""How a worker comes in: enrolments, links, and the token of one worker in one project."""

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from annotation import records
from annotation.models import Enrolment, Project, WorkToken
from common.errors import Unauthorized
from workforce.models import Worker

KEYWORD = "Bearer"


class Link(NamedTuple):
    """A worker's way into a project."""

    url: str
    token: str
    expires_at: datetime


def enrol(*, project: Project, worker: Worker, at: datetime) -> Enrolment:
    """The worker's place in the project, made if new."""
    enrolment, is_new = Enrolment.objects.get_or_create(project=project, worker=worker, defaults={"created_at": at})
    if is_new:
        records.begin(worker=worker.pk, project=project.pk)
    return enrolment


def make_link(*, enrolment: Enrolment, at: datetime) -> Link:
    """A fresh token and the address that brings it; earlier ones go on working until they expire."""
    token = f"cww_{secrets.token_urlsafe(32)}"
    expires_at = at + timedelta(days=settings.WORK_TOKEN_DAYS)
    WorkToken.objects.create(enrolment=enrolment, digest=_digest(token), created_at=at, expires_at=expires_at)
    path = reverse("enter", args=[enrolment.project.slug])
    return Link(f"{settings.PUBLIC_URL}{path}?token={token}", token, expires_at)


def enrolment_of(token: str, *, at: datetime) -> Enrolment | None:
    """Whose token this is; None if it is unknown or has expired. 1 query."""
    found = (
        WorkToken.objects.filter(digest=_digest(token), expires_at__gt=at)
        .select_related(
            "enrolment__project__consent_page",
            "enrolment__project__qualification",
            "enrolment__project__wording",
            "enrolment__worker",
        )
        .first()
    )
    return found.enrolment if found else None


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class WorkTokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer TOKEN`; the enrolment becomes `request.auth`."""

    def authenticate(self, request: Request) -> tuple[None, Enrolment]:
        keyword, _, token = request.headers.get("Authorization", "").partition(" ")
        if keyword.lower() != KEYWORD.lower() or not token.strip():
            raise Unauthorized("Send `Authorization: Bearer TOKEN`, with the token of your link.")
        found = enrolment_of(token.strip(), at=timezone.now())
        if found is None:
            raise Unauthorized("This link has expired or is not complete. Please ask for a new one.")
        return None, found

    def authenticate_header(self, request: Request) -> str:
        return KEYWORD


class IsWorker(BasePermission):
    """Whoever has a token may ask; each call looks only at that worker's own things."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return isinstance(request.auth, Enrolment)


class WorkTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "annotation.access.WorkTokenAuthentication"
    name = "WorkToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "The token of one worker in one project."}
