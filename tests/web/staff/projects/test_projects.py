"""The staff pages of projects and workers, through the door that staff use."""

from datetime import timedelta
from decimal import Decimal

from django.test import Client
from django.utils import timezone

from annotation.access.roles import pseudonym_of
from annotation.models import Enrolment, Project, Task
from annotation.work.enrolments import enrolment_of
from audit.models import AuditEvent
from tests.support.builders import annotate, claim, make_project, make_suite, make_task, paused
from tests.support.pages import text_of, words_of
from workforce.models import Worker


def judged_task(project: Project, worker: Worker, *, truth: str | None = None, outcome: str = "success") -> Task:
    task = make_task(project, truth=truth)
    if truth is None:
        annotate(claim(project, worker), outcome=outcome)
        return task
    make_task(project)  # A reference is served only where an ordinary task is open too.
    Project.objects.filter(pk=project.pk).update(reference_rate=1.0)
    annotate(claim(Project.objects.get(pk=project.pk), worker), outcome=outcome)
    return task


def test_the_projects_are_listed_with_their_progress(dora: Client, alice: Worker) -> None:
    project = make_project("marking", title="Mark the ball")
    make_task(project)
    judged_task(project, alice)
    make_task(project, truth="success")
    page = words_of(dora, "/staff/projects/")
    assert "Mark the ball marking live 1 of 2 0 1 1" in page


def test_a_projects_page_shows_settings_progress_workers_and_tasks(dora: Client, alice: Worker) -> None:
    project = make_project("marking", title="Mark the ball", base_pay=Decimal("0.30"))
    judged_task(project, alice, truth="success")
    judged_task(project, alice, truth="failure", outcome="success")
    page = words_of(dora, "/staff/projects/marking/")
    assert "0.30 USD" in page
    assert "direct:alice active 2 0.60 USD 2 50.0 %" in page
    assert "/api/v1/projects/marking/annotations.jsonl" in page
    assert "reference" in words_of(dora, "/staff/projects/marking/?kind=reference")
    assert "No task fits" in words_of(dora, "/staff/projects/marking/?status=unjudgeable")
    assert "No task fits" in words_of(dora, "/staff/projects/marking/?q=nothing-like-it")


def test_a_projects_settings_name_its_suite_and_gates_and_a_paused_worker_reads_so(dora: Client) -> None:
    suite = make_suite("kitchen")
    gate = {"action": "pause", "below": 0.7, "minimum_n": 12}
    project = make_project("marking", suite=suite, gates=[gate])
    worker = paused(project).enrolment.worker
    page = words_of(dora, "/staff/projects/marking/")
    assert "every ready one, suite kitchen" in page
    assert "pause below 70 % balanced accuracy, from 12 references on" in page
    assert f"{worker.identity} active paused" in page


def test_a_project_is_paused_resumed_and_closed_for_good(dora: Client) -> None:
    project = make_project("marking")
    assert dora.post("/staff/projects/marking/status/", {"status": "gone"}).status_code == 422
    for status in ("paused", "live", "closed"):
        answer = dora.post("/staff/projects/marking/status/", {"status": status})
        assert answer["Location"] == "/staff/projects/marking/"
        project.refresh_from_db()
        assert project.status == status
    assert dora.post("/staff/projects/marking/status/", {"status": "live"}).status_code == 409
    project.refresh_from_db()
    assert project.status == "closed"


def test_a_worker_link_is_made_and_shown_once(dora: Client) -> None:
    project = make_project("marking")
    page = dora.post("/staff/projects/marking/links/one/", {"worker": "anna"}).content.decode()
    link = next(word for word in text_of(page).split() if "?token=" in word)
    enrolment = enrolment_of(link.split("token=")[1], at=timezone.now())
    assert enrolment is not None
    assert (enrolment.worker.identity, enrolment.project) == ("direct:anna", project)
    assert "?token=" not in words_of(dora, "/staff/projects/marking/")


def test_a_name_that_no_address_can_hold_gets_no_link(dora: Client) -> None:
    make_project("marking")
    answer = dora.post("/staff/projects/marking/links/one/", {"worker": "anna & co"})
    assert answer.status_code == 422
    assert "letters, digits" in text_of(answer.content.decode())
    assert not Enrolment.objects.exists()


def test_a_workers_page_shows_accuracy_answers_and_what_is_owed(dora: Client, alice: Worker) -> None:
    project = make_project("marking", base_pay=Decimal("0.30"))
    judged_task(project, alice, truth="success")
    judged_task(project, alice, truth="failure", outcome="success")
    answer = dora.get(f"/staff/workers/{alice.pk}/").content.decode()
    page = text_of(answer)
    assert "<svg" in answer
    assert "Balanced On successes On failures" in page
    assert "✓ success 1 0 ✕ failure 1 0" in page
    assert "✓ right" in page
    assert "✕ wrong" in page
    assert "0.60 USD owed in all" in page
    assert pseudonym_of(alice) not in page


def test_staff_block_with_a_reason_and_unblock(dora: Client, alice: Worker) -> None:
    assert dora.post(f"/staff/workers/{alice.pk}/block/", {"reason": "  "}).status_code == 422
    dora.post(f"/staff/workers/{alice.pk}/block/", {"reason": "answers at random"})
    alice.refresh_from_db()
    assert (alice.status, alice.blocked_reason) == ("blocked", "answers at random")
    assert "Blocked: answers at random" in words_of(dora, f"/staff/workers/{alice.pk}/")
    dora.post(f"/staff/workers/{alice.pk}/unblock/")
    alice.refresh_from_db()
    assert alice.status == "active"
    assert list(AuditEvent.objects.order_by("pk").values_list("verb", "actor")) == [
        ("worker.blocked", "staff:dora"),
        ("worker.unblocked", "staff:dora"),
    ]


def test_progress_counts_the_answers_of_the_last_hour(dora: Client, alice: Worker) -> None:
    project = make_project("marking")
    make_task(project)
    make_task(project)
    now = timezone.now()
    annotate(claim(project, alice, at=now - timedelta(hours=2)), at=now - timedelta(hours=2))
    assert "0 answers in the last hour" in words_of(dora, "/staff/projects/marking/")
    annotate(claim(project, alice, at=now), at=now)
    assert "1 answer in the last hour" in words_of(dora, "/staff/projects/marking/")
