"""Doors of panels: workers enter a project by an address that the panel completes with their ids.

The ids are not signed: anybody may write any. So the first arrival of a worker, or with a session, binds the two to
that browser, and no other browser enters as that worker until staff say so. Digests of session and browser are kept, no
ids.
"""

import hmac
from datetime import datetime
from typing import NamedTuple, TypedDict

from django.conf import settings
from django.db import transaction
from django.utils.crypto import salted_hmac

from annotation.models import Arrival, Door, Enrolment, Project
from annotation.work.enrolments import enrol
from audit.changes import changes
from audit.log import Subject, record
from common.data.put_row import put_row
from lib.faults import Forbidden
from workforce.blocking import worker_on
from workforce.models import Worker

PROLIFIC = "prolific"


class DoorBody(TypedDict):
    """The settings of a door."""

    is_open: bool
    worker_parameter: str
    session_parameter: str
    study_parameter: str
    study: str
    done_url: str
    left_url: str


OF_PROLIFIC = DoorBody(
    is_open=True,
    worker_parameter="PROLIFIC_PID",
    session_parameter="SESSION_ID",
    study_parameter="STUDY_ID",
    study="",
    done_url="",
    left_url="",
)
"""The parameters that Prolific writes into addresses."""


class Visit(NamedTuple):
    """The arrival that an address claims: the worker's id at the panel, the session, and the secret of the browser."""

    worker: str
    session: str
    browser: str


class BoundElsewhere(Forbidden):
    """The worker, or the session, entered in another browser before."""

    sentence = "This study was opened in another browser before. Go on there."


def door_into(slug: str, panel: str) -> Door | None:
    """The open door of the panel into the project, which is live or paused; None if there is none. 1 or 2 queries.

    Prolific has a door into every project that has no settings for it (`CROSSWALK_PROLIFIC`).
    """
    live = [Project.Status.LIVE, Project.Status.PAUSED]
    project = Project.objects.filter(slug=slug, status__in=live, archived_at=None).first()
    found = door_of(project, panel) if project is not None else None
    return found if found is not None and found.is_open else None


def door_of(project: Project, panel: str) -> Door | None:
    """The door of the panel, open or not; None if there is none. 1 query."""
    found = Door.objects.select_related("project").filter(project=project, panel=panel).first()
    if found is None and panel == PROLIFIC and settings.PROLIFIC:
        return Door(project=project, panel=PROLIFIC, **OF_PROLIFIC)
    return found


def put_door(*, project: Project, panel: str, body: DoorBody, by: str, at: datetime) -> Door:
    """Create or change the door of a panel."""
    with transaction.atomic():
        found = Door.objects.select_for_update().filter(project=project, panel=panel).first()
        before = {name: getattr(found, name) for name in body} if found else {}
        door, _ = put_row(Door, names={"project": project, "panel": panel}, content=body, when_new={})
        if differing := changes(before, body):
            subject = Subject("project", project.slug)
            record(
                verb="door.changed", actor=by, subject=subject, at=at, project=project.slug, panel=panel, **differing
            )
    return door


def arrive(*, door: Door, visit: Visit, at: datetime) -> Enrolment:
    """The enrolment of the worker, who came through the door.

    Raises:
        BoundElsewhere: the worker or the session entered in another browser before, or the session is another worker's.
    """
    session, browser = _digest("session", visit.session), _digest("browser", visit.browser)
    with transaction.atomic():
        worker = Worker.objects.select_for_update().get(pk=worker_on(door.panel, visit.worker, at=at).pk)
        arrival, _ = Arrival.objects.get_or_create(
            panel=door.panel,
            session=session,
            defaults={"browser": browser, "project": door.project, "worker": worker, "created_at": at},
        )
        others = Arrival.objects.filter(worker=worker).exclude(browser=browser)
        same = hmac.compare_digest(arrival.browser, browser) and arrival.worker_id == worker.pk
        if not same or others.exists():
            raise BoundElsewhere
        return enrol(project=door.project, worker=worker, at=at)


def unbind(*, worker: Worker, project: Project, by: str, at: datetime) -> int:
    """Let the worker enter in another browser; returns how many sessions are forgotten."""
    with transaction.atomic():
        forgotten, _ = Arrival.objects.filter(worker=worker).delete()
        if forgotten:
            subject = Subject("worker", str(worker.pk))
            record(verb="door.unbound", actor=by, subject=subject, at=at, project=project.slug, sessions=forgotten)
    return forgotten


def _digest(kind: str, text: str) -> str:
    return salted_hmac(f"crosswalk.doors.{kind}", text, algorithm="sha256").hexdigest()
