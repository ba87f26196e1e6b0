"""A worker's copy of their data, and the removal of old data."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Assignment, FlaggedText, GateAction, Project
from annotation.quality import pauses
from annotation.work.leases import report, save_draft
from audit.models import AuditEvent
from jobs import outbox
from jobs.models import Job
from tests.support.builders import (
    NOON,
    RIGHT_ANSWERS,
    annotate,
    claim,
    make_enrolment,
    make_project,
    make_qualification,
    make_task,
    make_worker,
    token_for,
)
from tests.support.pages import text_of, words_of
from workforce import blocking, retention
from workforce.consent import agree, page_for
from workforce.models import Attempt, PrivacyReport, Worker
from workforce.privacy import ERASE, data_of
from workforce.qualifications import hand_in

MONTH = timedelta(days=30)
TEXT = "write to ann@example.org"


@pytest.fixture
def project(db: None) -> Project:
    return make_project("p", qualification=make_qualification("quiz"))


@pytest.fixture
def busy(project: Project, alice: Worker) -> Worker:
    """Alice answered a task and a check, reported one, holds one, took the quiz, was paused and appealed."""
    agree(worker=alice, page=page_for("You watch videos.", at=NOON), at=NOON)
    quiz = project.qualification
    assert quiz is not None
    hand_in(worker=alice, qualification=quiz, answers={**RIGHT_ANSWERS, "word": f"takeover? {TEXT}"}, at=NOON)
    for _ in range(3):
        make_task(project)
    make_task(project, key="secret-check", truth="failure")
    annotate(claim(project, alice))
    Project.objects.filter(pk=project.pk).update(reference_rate=1.0)
    annotate(claim(Project.objects.get(pk=project.pk), alice, chance=lambda: 0.0))
    Project.objects.filter(pk=project.pk).update(reference_rate=0.0)
    project.refresh_from_db()
    report(assignment=claim(project, alice), problem="other", text=TEXT, at=NOON)
    held = claim(project, alice)
    save_draft(assignment=held, project=project, draft={"frame": 3}, at=NOON)
    pause = GateAction.objects.create(
        enrolment=make_enrolment(project, alice),
        action="pause",
        rule={},
        evidence={"references": ["secret-check"]},
        at=NOON,
    )
    pauses.appeal(action=pause, text=TEXT, at=NOON)
    blocking.block(worker=alice, reason="answers at random", by="staff:dora", at=NOON)
    alice.refresh_from_db()
    return alice


# Telling -----------------------------------------------------------------------------------------------------


def test_a_worker_gets_all_data_about_them(busy: Worker) -> None:
    told = data_of(busy)
    assert {section: len(rows) for section, rows in told.items()} == {
        "identity": 1,
        "consents": 1,
        "quizzes": 1,
        "qualifications": 1,
        "money": 0,
        "events": len(told["events"]),
        "projects": 1,
        "assignments": 4,
        "answers": 2,
        "decisions": 0,
        "warnings_and_pauses": 1,
        "error_reports": 0,
        "sessions": 0,
        "commands": 0,
    }
    assert told["identity"][0]["external_id"] == "alice"
    assert told["identity"][0]["blocked_reason"] == "answers at random"
    assert [row["answer"]["outcome"] for row in told["answers"]] == ["success", "success"]
    assert told["assignments"][2]["text"] == TEXT
    assert told["assignments"][3]["draft"] == {"frame": 3}
    assert told["warnings_and_pauses"][0]["appeal"] == TEXT
    assert {"worker.blocked", "gate.appealed"} <= {row["what"] for row in told["events"]}


def test_the_copy_does_not_show_which_answers_met_a_check(busy: Worker) -> None:
    told = data_of(busy)
    assert len({tuple(row) for row in told["answers"]}) == 1, "the same fields for every answer"
    assert len({tuple(row) for row in told["assignments"]}) == 1
    text = json.dumps(told, default=str)
    for secret in ("secret-check", "is_reference", "truth", '"failure"', busy.pseudonym, "staff:dora"):
        assert secret not in text, secret
    names = {key for rows in told.values() for row in rows for key in row}
    assert "accept" not in text
    assert not names & {"right", "evidence", "balanced_accuracy", "detail", "task", "key"}
    assert {name for name in names if "score" in name} == {"score"}
    assert all("score" not in row for row in told["answers"])


def test_a_worker_sees_it_in_the_browser_and_takes_it_along_and_so_do_staff_and_programs(
    busy: Worker, project: Project, dora: Client, pipe: APIClient
) -> None:
    browser = Client()
    browser.get(f"/enter/p?token={token_for(project, busy)}")
    page = text_of(browser.get("/work/p/my-data/").content.decode())
    assert TEXT in page
    assert "What is left out" in page
    answer = browser.get("/work/p/my-data/download/")
    assert answer["Content-Disposition"] == 'attachment; filename="my-data.json"'
    file = answer.json()
    assert set(file) == {*data_of(busy), "made_at", "left_out"}
    assert "checks" in file["left_out"][0]
    assert "You watch videos." in words_of(dora, f"/staff/workers/{busy.pk}/privacy/")
    for client, address in (
        (pipe, "/api/v1/workers/direct/alice/data/"),
        (dora, f"/staff/workers/{busy.pk}/privacy/data/"),
    ):
        assert client.get(address).json()["identity"][0]["external_id"] == "alice"
    assert pipe.get("/api/v1/workers/direct/nobody/data/").status_code == 404


# Growing old -------------------------------------------------------------------------------------------------


def test_free_text_goes_when_its_days_are_over(busy: Worker, settings: Any) -> None:
    assert retention.preview(at=NOON + 100 * MONTH) == {}
    assert retention.run(NOON + 100 * MONTH) is None, "no retention is set"
    settings.RETENTION_TEXT_DAYS = 30
    assert retention.run(NOON + MONTH) is None, "not a moment earlier"
    late = NOON + MONTH + timedelta(seconds=1)
    expected = {"reports": 1, "appeals": 1, "quiz_answers": 1}
    assert {kind: number for kind, number in retention.preview(at=late).items() if number} == expected
    made = retention.run(late)
    assert made is not None
    assert made.removed == expected
    assert (made.kind, made.requested_by, made.finished_at) == ("retention", "rule:retention", late)
    assert not Assignment.objects.exclude(problem_text="").exists()
    assert Assignment.objects.get(status="reported").problem == "other"
    assert GateAction.objects.get().appeal == "[removed]"
    attempt = Attempt.objects.get()
    assert (attempt.answers, attempt.passed) == (None, True)
    assert {flagged.kind for flagged in FlaggedText.objects.all()} <= {"quiz"}
    assert Assignment.objects.held().get().draft == {"frame": 3}, "work in hand is not old"
    event = AuditEvent.objects.get(verb="retention.removed")
    assert (event.actor, event.detail["removed"]) == ("rule:retention", made.removed)
    assert retention.run(late) is None
    assert PrivacyReport.objects.count() == 1


def test_drafts_of_closed_holds_grow_old(project: Project, bob: Worker, settings: Any) -> None:
    settings.RETENTION_TEXT_DAYS = 30
    make_task(project)
    held = claim(make_project_open(project), bob)
    save_draft(assignment=held, project=project, draft={"frame": 3}, at=NOON)
    annotate(held)
    assert retention.preview(at=NOON + 2 * MONTH)["drafts"] == 1
    retention.run(NOON + 2 * MONTH)
    held.refresh_from_db()
    assert held.draft is None
    assert held.status == Assignment.Status.SUBMITTED


def make_project_open(project: Project) -> Project:
    Project.objects.filter(pk=project.pk).update(qualification=None)
    return Project.objects.get(pk=project.pk)


def test_identities_of_inactive_workers_are_erased(
    project: Project, alice: Worker, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.RETENTION_IDENTITY_DAYS = 30
    monkeypatch.setattr(outbox, "_send", lambda pk: None)
    recent, simulated = make_worker("recent"), make_worker("robot", is_simulated=True)
    agree(worker=recent, page=page_for("You watch videos.", at=NOON), at=NOON + MONTH)
    late = NOON + MONTH + timedelta(seconds=1)
    assert retention.preview(at=late) == {"identities": 1}
    made = retention.run(late)
    assert made is not None
    assert made.removed == {"identities": 1}
    for job in Job.objects.filter(kind=ERASE):
        outbox.run(job.pk)
    gone = {worker.pk for worker in Worker.objects.filter(erased_at__isnull=False)}
    assert gone == {alice.pk}
    assert {recent.pk, simulated.pk} & gone == set()
    assert retention.preview(at=late) == {"identities": 0}


@pytest.mark.parametrize("sign", ["claimed", "handed in", "a link", "an agreement", "holds"])
def test_a_sign_of_activity_keeps_the_identity(sign: str, project: Project, alice: Worker) -> None:
    later, before = NOON + 2 * MONTH, NOON + MONTH
    assert retention.inactive_since(before) == [alice]
    project = make_project_open(project)
    make_task(project)
    match sign:
        case "claimed":
            held = claim(project, alice, at=later)
            Assignment.objects.filter(pk=held.pk).update(status="expired", closed_at=NOON)
        case "handed in":
            held = claim(project, alice)
            annotate(held, at=later)
        case "a link":
            token_for(project, alice)
            alice.enrolments.get().tokens.update(created_at=later)
        case "an agreement":
            agree(worker=alice, page=page_for("x", at=later), at=later)
        case "holds":
            claim(project, alice)
    assert retention.inactive_since(before) == []


def test_staff_see_the_next_removals_and_the_last(busy: Worker, dora: Client, settings: Any) -> None:
    assert "no retention is set" in words_of(dora, "/staff/privacy/")
    settings.RETENTION_TEXT_DAYS = 30
    Assignment.objects.filter(problem_text=TEXT).update(closed_at=timezone.now() - 2 * MONTH)
    page = words_of(dora, "/staff/privacy/")
    assert "reports 1" in page
    assert Assignment.objects.filter(problem_text=TEXT).exists(), "looking removes nothing"
    retention.run(timezone.now())
    assert "reports 1" in words_of(dora, "/staff/privacy/")
