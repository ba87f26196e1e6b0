"""Links of workers: made and revoked on record; a revoked link opens nothing any more."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Assignment, Enrolment, Project
from annotation.work.enrolments import make_link, revoke_links
from audit.models import AuditEvent
from tests.support.builders import make_enrolment, make_project, make_task, make_worker
from workforce.models import Worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project("p")
    make_task(project)
    return project


def events() -> list[tuple[str, str, str, Any]]:
    found = AuditEvent.objects.filter(verb__startswith="link.").order_by("pk")
    return [(event.verb, event.actor, event.project, event.detail["worker"]) for event in found]


def test_a_link_is_made_and_revoked_on_record(project: Project) -> None:
    enrolment = make_enrolment(project)
    make_link(enrolment=enrolment, by="staff:dora", at=timezone.now())
    assert revoke_links(enrolment=enrolment, by="staff:eve", at=timezone.now()) == 1
    assert revoke_links(enrolment=enrolment, by="staff:eve", at=timezone.now()) == 0
    worker = enrolment.worker_id
    assert events() == [("link.made", "staff:dora", "p", worker), ("link.revoked", "staff:eve", "p", worker)]


def test_a_revoked_link_opens_nothing_and_what_was_held_is_free(
    project: Project, alice: Worker, as_worker: Any
) -> None:
    client: APIClient = as_worker(project, alice)
    other: APIClient = as_worker(make_project("other"), alice)
    assert client.post("/api/v1/work/claim/", {}).status_code == 200
    enrolment = Enrolment.objects.get(project=project)
    token = make_link(enrolment=enrolment, by="system", at=timezone.now()).token
    revoke_links(enrolment=enrolment, by="staff:dora", at=timezone.now())
    assert client.get("/api/v1/work/").status_code == 401
    assert Client().get("/enter/p", {"token": token}).status_code == 404
    assert Assignment.objects.get().status == Assignment.Status.RELEASED
    assert project.tasks.get().open
    assert other.get("/api/v1/work/").status_code == 200, "links to other projects stay"


def test_a_new_link_lets_the_worker_in_again(project: Project, alice: Worker, as_worker: Any) -> None:
    as_worker(project, alice)
    revoke_links(enrolment=alice.enrolments.get(), by="staff:dora", at=timezone.now())
    assert as_worker(project, alice).get("/api/v1/work/").status_code == 200


def test_staff_revoke_links_on_the_page_of_the_worker(
    project: Project, alice: Worker, as_worker: Any, dora: Client
) -> None:
    client = as_worker(project, alice)
    page, action = f"/staff/workers/{alice.pk}/", f"/staff/workers/{alice.pk}/links/p/revoke/"
    assert action in dora.get(page).content.decode()
    assert dora.post(action).status_code == 302
    assert client.get("/api/v1/work/").status_code == 401
    assert action not in dora.get(page).content.decode()


def test_links_to_a_project_that_the_worker_never_entered_are_404(project: Project, dora: Client) -> None:
    assert dora.post(f"/staff/workers/{make_worker().pk}/links/p/revoke/").status_code == 404
