"""Enrolments of workers in projects, and the links and tokens with which a worker enters a project."""

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import CharField, DateTimeField

from annotation.models import Assignment, Enrolment, Project, WorkToken
from annotation.quality import worker_records
from annotation.work.leases import release
from audit.changes import changes
from audit.log import Subject, record
from common.kept_query import KeptQuery
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


def make_link(*, enrolment: Enrolment, by: str, at: datetime) -> Link:
    """Create a new token and the address that contains it. Earlier tokens stay valid until they expire."""
    token = f"cww_{secrets.token_urlsafe(32)}"
    expires_at = at + timedelta(days=settings.WORK_TOKEN_DAYS)
    with transaction.atomic():
        WorkToken.objects.create(enrolment=enrolment, digest=_digest(token), created_at=at, expires_at=expires_at)
        _note("link.made", enrolment, by=by, at=at, expires_at=expires_at.isoformat())
    address = f"{settings.PUBLIC_URL}{settings.WORKER_ENTRY_PATH}{enrolment.project.slug}"
    return Link(f"{address}?token={token}", token, expires_at)


def revoke_links(*, enrolment: Enrolment, by: str, at: datetime) -> int:
    """End the worker's links to the project now, and release what they hold there. Returns how many links ended.

    A live session that is held ends with its hold. A new link lets the worker in again.
    """
    with transaction.atomic():
        ended = enrolment.tokens.filter(expires_at__gt=at).update(expires_at=at)
        if ended:
            here = Assignment.objects.held().filter(worker=enrolment.worker_id, task__project=enrolment.project_id)
            for held in here.order_by("pk"):
                release(assignment=held, at=at)
            valid = changes({"valid_links": ended}, {"valid_links": 0})
            _note("link.revoked", enrolment, by=by, at=at, links=ended, **valid)
    return ended


def _note(verb: str, enrolment: Enrolment, *, by: str, at: datetime, **detail: Any) -> None:
    subject, project = Subject("enrolment", str(enrolment.pk)), enrolment.project.slug
    record(verb=verb, actor=by, subject=subject, at=at, project=project, worker=enrolment.worker_id, **detail)


def enrolment_of(token: str, *, at: datetime) -> Enrolment | None:
    """The enrolment that the token belongs to, with its project and worker; None if the token is unknown or has
    expired. 1 query."""
    return _OF_TOKEN.first(digest=_digest(token), at=at)


_OF_TOKEN = KeptQuery(
    lambda digest, at: Enrolment.objects.select_related("project", "worker").filter(
        tokens__digest=digest, tokens__expires_at__gt=at
    ),
    digest=CharField(),
    at=DateTimeField(),
)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
