"""Enrolments of workers in projects, and the links and tokens with which a worker enters a project."""

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings

from annotation.models import Enrolment, Project, WorkToken
from annotation.quality import worker_records
from workforce.models import Worker


class Link(NamedTuple):
    """The address with which a worker enters a project, and the token inside it."""

    url: str
    token: str
    expires_at: datetime


def enrol(*, project: Project, worker: Worker, at: datetime) -> Enrolment:
    """The worker's enrolment in the project; it is created if there is none."""
    enrolment, is_new = Enrolment.objects.get_or_create(project=project, worker=worker, defaults={"created_at": at})
    if is_new:
        worker_records.create_records(worker=worker.pk, project=project.pk)
    return enrolment


def make_link(*, enrolment: Enrolment, at: datetime) -> Link:
    """Create a new token and the address that contains it. Earlier tokens stay valid until they expire."""
    token = f"cww_{secrets.token_urlsafe(32)}"
    expires_at = at + timedelta(days=settings.WORK_TOKEN_DAYS)
    WorkToken.objects.create(enrolment=enrolment, digest=_digest(token), created_at=at, expires_at=expires_at)
    address = f"{settings.PUBLIC_URL}{settings.WORKER_ENTRY_PATH}{enrolment.project.slug}"
    return Link(f"{address}?token={token}", token, expires_at)


def enrolment_of(token: str, *, at: datetime) -> Enrolment | None:
    """The enrolment that the token belongs to; None if the token is unknown or has expired. 1 query."""
    found = (
        WorkToken.objects.filter(digest=_digest(token), expires_at__gt=at)
        .select_related(
            "enrolment__project__consent_page",
            "enrolment__project__qualification",
            "enrolment__project__instruction_version",
            "enrolment__worker",
        )
        .first()
    )
    return found.enrolment if found else None


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
