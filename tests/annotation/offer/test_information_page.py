"""The information page in versions; consent, its withdrawal, and asking for it again."""

from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from annotation.models import Project
from annotation.offer.information_page import notes_of, renew_information, versions_of
from audit.models import AuditEvent
from tests.support.builders import NOON, annotate, claim, make_enrolment, make_project, make_task, token_for
from tests.support.pages import text_of
from workforce.models import Consent, InformationPage, Worker

BODY: dict[str, Any] = {
    "tool": "marker",
    "title": "Marks",
    "instructions": ["Mark it."],
    "consent": "# About this\n\nYou watch videos.",
    "reference_rate": 0.1,
    "pay": {"base": {"amount": "0.30", "currency": "USD"}},
    "status": "live",
}
CHECKS = "Some tasks check the work."


@pytest.fixture
def project(pipe: APIClient) -> Project:
    assert pipe.put("/api/v1/projects/p/", BODY).status_code == 201
    return Project.objects.get(slug="p")


def browser_of(project: Project, worker: Worker) -> Client:
    client = Client()
    client.get(f"/enter/{project.slug}?token={token_for(project, worker)}")
    return client


def changed(pipe: APIClient, **changes: Any) -> None:
    assert pipe.put("/api/v1/projects/p/", {**BODY, **changes}).status_code == 200


def shown(client: Client, path: str = "/work/p/") -> str:
    return text_of(client.get(path).content.decode())


@pytest.mark.parametrize(
    ("rate", "start", "tells"),
    [(0.1, None, True), (0, None, False), (0, {"tasks": 5, "reference_rate": 0.5}, True)],
)
def test_the_page_mentions_checks_where_there_are_checks(
    rate: float, start: Any, tells: bool, pipe: APIClient, alice: Worker
) -> None:
    pipe.put("/api/v1/projects/p/", {**BODY, "reference_rate": rate, "start": start})
    page = shown(browser_of(Project.objects.get(slug="p"), alice))
    assert "You watch videos." in page
    assert (CHECKS in page) is tells


def test_the_page_tells_pay_retention_and_whom_to_ask(pipe: APIClient, alice: Worker, settings: Any) -> None:
    settings.CONTACT, settings.RETENTION_TEXT_DAYS, settings.RETENTION_IDENTITY_DAYS = "help@example.org", 30, 365
    pipe.put("/api/v1/projects/p/", BODY)
    page = shown(browser_of(Project.objects.get(slug="p"), alice))
    for words in ("earns 0.30 USD", "after 30 days", "after 365 days", "help@example.org", "take your agreement back"):
        assert words in page


def test_the_api_gives_the_projects_words_alone_and_both_parts_where_it_asks_for_consent(
    project: Project, pipe: APIClient, alice: Worker, as_worker: Any
) -> None:
    work = as_worker(project, alice)
    assert pipe.get("/api/v1/projects/p/").json()["consent"] == BODY["consent"]
    assert work.get("/api/v1/work/").json()["missing"] == {"consent": BODY["consent"]}
    asked = work.get("/api/v1/work/consent/").json()
    assert (asked["text"], asked["agreed_at"]) == (BODY["consent"], None)
    assert CHECKS in asked["notes"]
    kept = InformationPage.objects.get()
    assert (kept.text, kept.notes) == (asked["text"], notes_of(project))
    work.post("/api/v1/work/consent/")
    assert work.get("/api/v1/work/consent/").json()["agreed_at"] is not None


@pytest.mark.parametrize(("rate", "tells"), [(0.2, True), (0.0, False)])
def test_without_an_information_page_checks_are_mentioned_below_the_instructions(
    rate: float, tells: bool, alice: Worker, as_worker: Any
) -> None:
    project = make_project("p", reference_rate=rate)
    browser = browser_of(project, alice)
    assert (CHECKS in shown(browser)) is tells
    page = shown(browser, "/work/p/privacy/")
    assert "asks for no agreement" in page
    assert (CHECKS in page) is tells
    assert as_worker(project, alice).get("/api/v1/work/consent/").status_code == 204


@pytest.mark.parametrize(
    ("change", "is_asked"),
    [
        ({"title": "Other"}, False),
        ({"consent": "Other words."}, True),
        ({"reference_rate": 0}, True),
        ({"reference_rate": 0.2}, False),
        ({"pay": {"base": {"amount": "0.40", "currency": "USD"}}}, True),
    ],
)
def test_another_text_asks_for_consent_again(
    change: dict[str, Any], is_asked: bool, project: Project, pipe: APIClient, alice: Worker, as_worker: Any
) -> None:
    work = as_worker(project, alice)
    work.post("/api/v1/work/consent/")
    assert work.get("/api/v1/work/").json()["missing"] is None
    changed(pipe, **change)
    assert (work.get("/api/v1/work/").json()["missing"] is not None) is is_asked


def test_settings_that_change_bring_a_version_at_the_next_start(
    project: Project, alice: Worker, as_worker: Any, settings: Any
) -> None:
    work = as_worker(project, alice)
    work.post("/api/v1/work/consent/")
    assert renew_information(at=NOON) == 0
    settings.RETENTION_TEXT_DAYS = 7
    assert renew_information(at=NOON) == 1
    assert renew_information(at=NOON) == 0
    assert work.get("/api/v1/work/").json()["missing"] == {"consent": BODY["consent"]}
    assert "after 7 days" in work.get("/api/v1/work/consent/").json()["notes"]
    assert AuditEvent.objects.get(verb="project.information_renewed").subject == "p"


def test_versions_count_consents_and_withdrawals(
    project: Project, pipe: APIClient, alice: Worker, bob: Worker, as_worker: Any
) -> None:
    for worker in (alice, bob):
        as_worker(project, worker).post("/api/v1/work/consent/")
    as_worker(project, bob).delete("/api/v1/work/consent/")
    changed(pipe, consent="Other words.")
    as_worker(project, alice).post("/api/v1/work/consent/")
    found = [
        (version.number, version.by.partition(":")[0], agreed, withdrew)
        for version, agreed, withdrew in versions_of(Project.objects.get(slug="p"))
    ]
    assert found == [(2, "key", 1, 0), (1, "key", 1, 1)]


def test_staff_read_every_version(project: Project, pipe: APIClient, dora: Client) -> None:
    changed(pipe, consent="Other words.")
    page = text_of(dora.get("/staff/projects/p/consent/").content.decode())
    assert "Other words." in page
    assert "You watch videos." in page
    assert page.count(CHECKS) == 2


# A worker's own page -----------------------------------------------------------------------------------------


def test_a_worker_agrees_takes_it_back_and_is_asked_again(project: Project, alice: Worker) -> None:
    browser = browser_of(project, alice)
    digest = project.consent_page.digest if project.consent_page else ""
    assert "I agree" in shown(browser)
    browser.post("/work/p/consent/", {"answer": "agree", "page": digest})
    assert "I agree" not in shown(browser)
    assert "✓ agreed" in shown(browser, "/work/p/privacy/")
    page = browser.get("/work/p/privacy/").content.decode()
    assert 'data-confirm="Take your agreement back?' in page
    answer = browser.post("/work/p/privacy/withdraw/")
    assert "What you did stays, and stays paid" in text_of(answer.content.decode())
    assert "I agree" in shown(browser)
    assert "taken back" in shown(browser, "/work/p/privacy/")
    verbs = [event.verb for event in AuditEvent.objects.filter(actor=f"worker:{alice.pk}").order_by("pk")]
    assert verbs == ["consent.given", "consent.withdrawn"]


def test_work_stays_paid_after_consent_is_withdrawn(project: Project, alice: Worker) -> None:
    browser = browser_of(project, alice)
    browser.post("/work/p/consent/", {"answer": "agree"})
    make_task(project)
    annotate(claim(project, alice, chance=lambda: 0.9))
    browser.post("/work/p/privacy/withdraw/")
    assert make_enrolment(project, alice).submitted == 1
    assert [str(entry.amount) for entry in alice.ledger.all()] == ["0.3000"]


def test_agreeing_to_a_page_that_changed_meanwhile_counts_for_nothing(
    project: Project, pipe: APIClient, alice: Worker
) -> None:
    browser = browser_of(project, alice)
    read = project.consent_page.digest if project.consent_page else ""
    changed(pipe, consent="Other words.")
    browser.post("/work/p/consent/", {"answer": "agree", "page": read}, follow=True)
    assert not Consent.objects.exists()
    assert "Other words." in shown(browser)


@pytest.mark.parametrize("path", ["privacy/", "my-data/", "my-data/download/"])
def test_nobody_else_opens_a_workers_page(path: str, project: Project, alice: Worker, bob: Worker) -> None:
    other = make_project("other")
    assert Client().get(f"/work/p/{path}").status_code == 404
    assert browser_of(other, bob).get(f"/work/p/{path}").status_code == 404
    assert browser_of(project, alice).get(f"/work/p/{path}").status_code == 200
