"""Workers' free text that seems to hold personal data: flagged when it is saved, decided by a person."""

import pytest
from django.test import Client

from annotation.access.roles import Role
from annotation.models import Assignment, FlaggedText, GateAction, Project
from annotation.quality import pauses
from annotation.review import queue
from annotation.work.leases import report
from audit.models import AuditEvent
from tests.support.builders import (
    NOON,
    RIGHT_ANSWERS,
    claim,
    client_of,
    make_enrolment,
    make_project,
    make_qualification,
    make_staff,
    make_task,
    make_worker,
)
from tests.support.pages import words_of
from web.staff.addresses import page_of
from workforce.models import Attempt, Worker
from workforce.qualifications import hand_in

TEXT = "The video is black, write to ann@example.org or call +49 30 1234567."
CLEAN = "The video is black, write to [removed] or call [removed]."
PAGE = "/staff/privacy/texts/"


@pytest.fixture
def project(db: None) -> Project:
    return make_project("p")


def reported(project: Project, worker: Worker | None = None, text: str = TEXT) -> Assignment:
    make_task(project)
    held = claim(project, worker or make_worker())
    report(assignment=held, problem="other", text=text, at=NOON)
    return held


def appealed(project: Project, worker: Worker) -> GateAction:
    pause = GateAction.objects.create(
        enrolment=make_enrolment(project, worker), action="pause", rule={}, evidence={}, at=NOON
    )
    pauses.appeal(action=pause, text=TEXT, at=NOON)
    return pause


def answered(worker: Worker) -> Attempt:
    quiz = make_qualification("quiz")
    return hand_in(worker=worker, qualification=quiz, answers={**RIGHT_ANSWERS, "word": TEXT}, at=NOON)


def test_a_report_with_personal_data_is_flagged_once_and_kept_as_it_is(project: Project, alice: Worker) -> None:
    held = reported(project, alice)
    report(assignment=held, problem="other", text=TEXT, at=NOON)
    flagged = FlaggedText.objects.get()
    assert (flagged.kind, flagged.project, flagged.assignment, flagged.state) == ("report", project, held, "new")
    assert [flag["kind"] for flag in flagged.flags] == ["email", "phone"]
    held.refresh_from_db()
    assert held.problem_text == TEXT


@pytest.mark.parametrize("text", ["", "The video is black at frame 373 of 8999."])
def test_a_report_without_any_is_not(text: str, project: Project) -> None:
    reported(project, text=text)
    assert not FlaggedText.objects.exists()


def test_appeals_and_answers_in_quizzes_are_looked_at_too(project: Project, alice: Worker) -> None:
    pause, attempt = appealed(project, alice), answered(alice)
    assert {(flagged.kind, flagged.gate_action, flagged.attempt) for flagged in FlaggedText.objects.all()} == {
        ("appeal", pause, None),
        ("quiz", None, attempt),
    }
    assert FlaggedText.objects.get(kind="quiz").question == "word"


def test_redacting_removes_the_personal_data_and_nothing_else(project: Project, alice: Worker, dora: Client) -> None:
    held, pause, attempt = reported(project, alice), appealed(project, alice), answered(alice)
    for flagged in FlaggedText.objects.all():
        assert dora.post(f"{PAGE}{flagged.pk}/", {"act": "redact"}).status_code == 302
    for row in (held, pause, attempt):
        row.refresh_from_db()
    assert (held.problem_text, pause.appeal) == (CLEAN, CLEAN)
    assert attempt.answers == {**RIGHT_ANSWERS, "word": CLEAN}
    events = AuditEvent.objects.filter(verb="text.redacted")
    assert [(event.actor, event.detail["found"]) for event in events] == [("staff:dora", ["email", "phone"])] * 3
    assert not any("example.org" in f"{event.reason}{event.detail}" for event in AuditEvent.objects.all())


def test_the_list_marks_personal_data_and_a_dismissed_text_stays_dismissed(project: Project, dora: Client) -> None:
    held = reported(project)
    flagged = FlaggedText.objects.get()
    address = f"{PAGE}{flagged.pk}/"
    assert '<mark title="email">ann@example.org</mark>' in dora.get(PAGE).content.decode()
    dora.post(address, {"act": "dismiss"})
    assert dora.post(address, {"act": "redact"}).status_code == 409
    report(assignment=held, problem="other", text=TEXT, at=NOON)
    held.refresh_from_db()
    flagged.refresh_from_db()
    assert (held.problem_text, flagged.state, flagged.decided_by) == (TEXT, "dismissed", "staff:dora")
    assert AuditEvent.objects.filter(verb="text.dismissed", project="p").count() == 1
    assert "Nothing waits" in words_of(dora, PAGE)


def test_each_reviewer_decides_on_their_projects_alone(project: Project, alice: Worker) -> None:
    reported(project)
    reported(make_project("other"), text="call me 5551234567")
    answered(alice)
    rita = client_of(make_staff("rita", Role.REVIEWER, project))
    page = words_of(rita, PAGE)
    assert "ann@example.org" in page
    assert "5551234567" not in page
    assert "answer in a quiz" not in page.lower()
    for flagged in FlaggedText.objects.exclude(project=project):
        assert rita.post(f"{PAGE}{flagged.pk}/", {"act": "redact"}).status_code == 404


def test_they_wait_in_the_review_queue(project: Project, dora: Client) -> None:
    reported(project)
    projects = Project.objects.all()
    assert queue.count(projects).by_kind["personal-data"] == 1
    (entry,) = queue.listing(projects, kind="personal-data")
    assert entry.item.detail == "may hold email, phone"
    assert page_of(entry.item.subject) == f"{PAGE}#text-{FlaggedText.objects.get().pk}"
    dora.post(f"{PAGE}{FlaggedText.objects.get().pk}/", {"act": "dismiss"})
    assert queue.count(projects).by_kind["personal-data"] == 0
