"""After an erasure no trace of the person is found in database, files, exports or logs."""

from collections.abc import Iterator
from io import StringIO
from typing import Any, NamedTuple

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from agents.keys import create_key
from agents.models import ApiKey, Reply
from annotation.access.roles import Role
from annotation.models import Annotation, Assignment, FlaggedText, GateAction, Project, Task, WorkToken
from annotation.quality import pauses
from annotation.review.adjudication import adjudicate
from audit.log import Subject, record
from audit.models import AuditEvent
from jobs import outbox
from jobs.models import Job
from tests.conftest import api_client
from tests.support.builders import client_of, make_staff, make_task
from tests.support.calls import content
from tests.support.pages import words_of
from tests.support.traces import log_of_the_process, traces
from web.api import workers
from workforce.ledger import unpaid
from workforce.models import PrivacyReport, Worker
from workforce.privacy import ERASE, request_erasure

pytestmark = pytest.mark.django_db(transaction=True)
NAME = "anna-berg.5e1c"
EMAIL, PHONE = "anna.berg@example.org", "+49 170 5551234"
PROJECT = {
    "tool": "marker",
    "title": "Marks",
    "instructions": ["Mark it."],
    "consent": "We ask you to mark videos.",
    "qualification": "quiz",
    "redundancy": 1,
    "reference_rate": 0,
    "pay": {"base": {"amount": "0.30", "currency": "USD"}},
    "status": "live",
}
QUIZ = {
    "title": "Quiz",
    "questions": [{"id": "why", "ask": "Why?", "kind": "text", "accept": []}],
    "pass_mark": 0,
    "attempts": 1,
}


class Life(NamedTuple):
    """The rows that a person has left behind."""

    worker: Worker
    token: str
    words: list[str]
    log: StringIO


@pytest.fixture
def key(db: None) -> APIClient:
    return api_client(create_key(name="pipe", scopes=ApiKey.Scope.values, at=timezone.now()))


@pytest.fixture
def life(key: APIClient, monkeypatch: pytest.MonkeyPatch) -> Iterator[Life]:
    """A worker who did everything that a worker can do, and of whom staff wrote everywhere that staff can write."""
    monkeypatch.setattr(outbox, "_send", outbox.run)
    with log_of_the_process() as log:
        assert key.put("/api/v1/qualifications/quiz/", QUIZ).status_code == 201
        assert key.put("/api/v1/projects/p/", PROJECT).status_code == 201
        invited = key.post("/api/v1/projects/p/links/", {"worker": NAME}, HTTP_IDEMPOTENCY_KEY="once").json()
        worker = Worker.objects.get(external_id=NAME)
        _work(worker, invited["token"])
        _write_about(worker, key)
        _browse(invited["token"], monkeypatch)
        yield Life(worker, invited["token"], [NAME, worker.pseudonym, EMAIL, PHONE, invited["token"]], log)


def _work(worker: Worker, token: str) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    assert client.post("/api/v1/work/consent/").status_code == 204
    client.get("/api/v1/work/qualification/")
    answers = {"answers": {"why": f"Ask me at {EMAIL}"}}
    assert client.post("/api/v1/work/qualification/", answers).status_code == 200
    for _ in range(3):
        make_task(Project.objects.get(slug="p"))
    held = client.post("/api/v1/work/claim/").json()["assignment"]
    draft = {"draft": {"note": f"call {PHONE}"}}
    assert client.patch(f"/api/v1/work/assignments/{held}/", draft).status_code == 204
    answer = {"answer": {"outcome": "success", "frame": 20}}
    assert client.post(f"/api/v1/work/assignments/{held}/submit/", answer).status_code == 201
    held = client.post("/api/v1/work/claim/").json()["assignment"]
    report = {"problem": "other", "text": f"Write to {EMAIL} or call {PHONE}"}
    assert client.post(f"/api/v1/work/assignments/{held}/report/", report).status_code == 204
    held = client.post("/api/v1/work/claim/").json()["assignment"]
    assert client.patch(f"/api/v1/work/assignments/{held}/", draft).status_code == 204
    pause = GateAction.objects.create(
        enrolment=worker.enrolments.get(), action="pause", rule={}, evidence={}, at=timezone.now()
    )
    pauses.appeal(action=pause, text=f"This is {NAME}, {EMAIL}: look again", at=timezone.now())


def _write_about(worker: Worker, key: APIClient) -> None:
    now = timezone.now()
    pauses.uphold(action=GateAction.objects.get(), by="staff:dora", reason=f"{NAME} guesses", at=now)
    body = {"reason": f"{NAME} ({worker.pseudonym}) wrote {EMAIL}"}
    address = f"/api/v1/workers/direct/{NAME}"
    assert key.post(f"{address}/block/", body, HTTP_IDEMPOTENCY_KEY=f"block {NAME}").status_code == 200
    assert key.get(f"{address}/data/").status_code == 200
    dora = User.objects.create_superuser("dora")
    answered = Annotation.objects.get().task
    adjudicate(
        task=answered, answer={"outcome": "failure", "frame": 21}, reason=f"direct:{NAME} is wrong", by=dora, at=now
    )
    elsewhere = make_task()
    adjudicate(
        task=elsewhere, answer={"outcome": "failure", "frame": 21}, reason=f"wrong, as {NAME} was", by=dora, at=now
    )
    task = Subject("task", str(answered.pk))
    record(verb="task.noted", actor="staff:dora", subject=task, at=now, note=f"see direct:{NAME}")
    record(verb="task.noted", actor="staff:dora", subject=task, at=now, reason=f"{worker.pseudonym} again")
    kind = ContentType.objects.get_for_model(Worker)
    LogEntry.objects.create(
        user=dora, content_type=kind, object_id="1", object_repr=str(worker), action_flag=CHANGE, change_message=NAME
    )
    Job.objects.create(
        kind="other", subject="1", state="failed", error=f"ValueError: direct:{NAME}", due_at=now, created_at=now,
        finished_at=now,
    )  # fmt: skip


def _browse(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every page and call with something of the person in its address, also when the server stumbles."""

    def stumble(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("broken")

    browser = Client(raise_request_exception=False)
    browser.get(f"/enter/p?token={token}")
    assert browser.get("/work/p/my-data/").status_code == 200
    with monkeypatch.context() as broken:
        broken.setattr(workers, "show_worker", stumble)
        broken.setattr("web.work.entry.enrolment_of", stumble)
        secret = create_key(name="rough", scopes=ApiKey.Scope.values, at=timezone.now())
        rough = APIClient(raise_request_exception=False)
        rough.credentials(HTTP_AUTHORIZATION=f"Api-Key {secret}")
        assert rough.get(f"/api/v1/workers/direct/{NAME}/").status_code == 500
        assert browser.get(f"/enter/p?token={token}").status_code == 500


def exports(key: APIClient) -> str:
    """All that programs and staff can take out."""
    staff = Client()
    staff.force_login(User.objects.get(username="dora"))
    paths = [
        "/api/v1/projects/p/annotations.jsonl",
        "/api/v1/projects/p/consensus.jsonl",
        "/api/v1/audit.jsonl",
    ]
    pages = ["/staff/audit/audit.csv", "/staff/audit/audit.jsonl", "/staff/audit/", "/staff/workers/"]
    pages += [f"/staff/workers/{worker.pk}/{end}" for worker in Worker.objects.all() for end in ("", "privacy/data/")]
    return "".join(
        content(answer).decode()
        for answer in (*(key.get(path) for path in paths), *(staff.get(page) for page in pages))
    )


def test_after_an_erasure_no_trace_of_the_person_is_found(life: Life, key: APIClient) -> None:
    found = {trace.rpartition(": ")[0] for trace in traces(life.words)}
    assert {
        *("workforce_worker.external_id", "workforce_worker.pseudonym", "workforce_worker.blocked_reason"),
        *("annotation_assignment.problem_text", "annotation_assignment.draft", "workforce_attempt.answers"),
        *("annotation_gateaction.appeal", "annotation_gateaction.decision_reason", "annotation_adjudication.reason"),
        *("audit_auditevent.reason", "audit_auditevent.detail", "agents_reply.key", "jobs_job.error"),
        *("django_admin_log.object_repr", "django_admin_log.change_message"),
    } <= found, "the search finds what is there"
    assert connection.vendor != "sqlite" or any(place.endswith(("sqlite3", "-wal")) for place in found)
    assert NAME in exports(key)

    answer = key.post(f"/api/v1/workers/direct/{NAME}/erase/", {})

    assert answer.status_code == 202
    report = key.get(f"/api/v1/erasures/{answer.json()['report']}/").json()
    assert report["finished_at"] is not None
    assert traces(life.words) == set()
    told = exports(key)
    assert [word for word in life.words if word in told] == []
    log = life.log.getvalue()
    assert "Internal Server Error" in log, "the log has seen the person's addresses"
    assert [word for word in life.words if word in log] == []


def test_the_bare_judgements_and_the_money_stay(life: Life, key: APIClient) -> None:
    before = Annotation.objects.get()
    request_erasure(worker=life.worker, by="staff:dora", at=timezone.now())
    after = Annotation.objects.select_related("worker").get()
    assert (after.pk, after.answer, after.submitted_at) == (before.pk, before.answer, before.submitted_at)
    assert after.worker.pseudonym != life.worker.pseudonym
    assert [str(entry.amount) for entry in after.worker.ledger.all()] == ["0.3000"]
    assert {event.verb for event in AuditEvent.objects.all()} >= {"worker.blocked", "worker.erased", "task.noted"}


def test_the_report_counts_and_names_nobody(life: Life, key: APIClient) -> None:
    report = request_erasure(worker=life.worker, by="staff:dora", at=timezone.now())
    report.refresh_from_db()
    assert report.requested_by == "staff:dora"
    wanted = {"identities": 1, "consents": 1, "links": 1, "reports": 1, "appeals": 1, "drafts": 2, "quiz_answers": 1}
    assert {kind: report.removed.get(kind) for kind in wanted} == wanted
    assert {kind: report.removed[kind] for kind in ("kept_replies", "admin_history", "job_errors")} == {
        "kept_replies": 1, "admin_history": 1, "job_errors": 1,
    }  # fmt: skip


def test_the_links_end_and_what_was_held_goes_to_others(life: Life, key: APIClient) -> None:
    held = Assignment.objects.held().get(worker=life.worker)
    request_erasure(worker=life.worker, by="staff:dora", at=timezone.now())
    held.refresh_from_db()
    assert held.status == Assignment.Status.RELEASED
    assert Task.objects.get(pk=held.task_id).open
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {life.token}")
    assert client.get("/api/v1/work/").status_code == 401
    assert not WorkToken.objects.exists()


def test_the_links_end_before_the_job_runs(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "_send", lambda pk: None)
    report = request_erasure(worker=life.worker, by="staff:dora", at=timezone.now())
    assert PrivacyReport.objects.get(pk=report.pk).finished_at is None
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {life.token}")
    assert client.get("/api/v1/work/").status_code == 401
    assert not Assignment.objects.held().exists()


def test_asking_again_changes_nothing(life: Life, key: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as waiting:
        waiting.setattr(outbox, "_send", lambda pk: None)
        first = key.post(f"/api/v1/workers/direct/{NAME}/erase/", {}).json()["report"]
        assert key.post(f"/api/v1/workers/direct/{NAME}/erase/", {}).json()["report"] == first
    job = Job.objects.get(kind=ERASE)
    for _ in range(2):
        outbox.run(job.pk)
    report = PrivacyReport.objects.get()
    erased = Worker.objects.get(pk=life.worker.pk)
    assert str(report.pk) == first
    assert request_erasure(worker=erased, by="staff:eve", at=timezone.now()) == report
    assert key.post(f"/api/v1/workers/direct/{NAME}/erase/", {}).status_code == 404


def test_whoever_comes_again_is_somebody_new(life: Life, key: APIClient) -> None:
    request_erasure(worker=life.worker, by="staff:dora", at=timezone.now())
    invited = key.post("/api/v1/projects/p/links/", {"worker": NAME})
    assert invited.status_code == 201
    again = Worker.objects.get(external_id=NAME)
    assert again.pk != life.worker.pk
    assert again.status == Worker.Status.ACTIVE
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {invited.json()['token']}")
    assert client.get("/api/v1/work/").json()["missing"]["consent"] == PROJECT["consent"]


def test_others_keep_what_is_theirs(life: Life, key: APIClient) -> None:
    """The name of another who is called nearly the same, their links and the answers kept for programs."""
    key.post("/api/v1/projects/p/links/", {"worker": f"{NAME}-2"}, HTTP_IDEMPOTENCY_KEY="other")
    worker = Worker.objects.get(external_id=f"{NAME}-2")
    key.post(f"/api/v1/workers/direct/{NAME}-2/block/", {"reason": f"{NAME}-2 is away"})
    request_erasure(worker=life.worker, by="staff:dora", at=timezone.now())
    worker.refresh_from_db()
    assert worker.blocked_reason == f"{NAME}-2 is away"
    assert AuditEvent.objects.filter(reason=f"{NAME}-2 is away", redacted_at=None).exists()
    assert Reply.objects.filter(key="other").exists()


def test_what_was_flagged_goes_too(life: Life) -> None:
    assert FlaggedText.objects.count() == 3
    request_erasure(worker=life.worker, by="staff:dora", at=timezone.now())
    assert not FlaggedText.objects.exists()


def test_only_an_admin_of_every_project_erases_and_only_after_typing_who(life: Life) -> None:
    page = f"/staff/workers/{life.worker.pk}/privacy/erase/"
    project_admin = client_of(make_staff("eve", Role.ADMIN, Project.objects.get(slug="p")))
    assert project_admin.post(page, {"confirm": f"direct:{NAME}"}).status_code == 403
    admin = client_of(User.objects.get(username="dora"))
    owed = unpaid(life.worker)
    assert owed
    assert f"{owed[0][1]:.2f} {owed[0][0]} is not paid yet" in words_of(admin, page.removesuffix("erase/"))
    assert admin.post(page, {"confirm": NAME.upper()}).status_code == 422
    assert Worker.objects.get(pk=life.worker.pk).erasure is None
    assert admin.post(page, {"confirm": f"direct:{NAME}"}).status_code == 302
    assert Worker.objects.get(pk=life.worker.pk).erased_at is not None
