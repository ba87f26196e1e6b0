"""Doors of panels: the first browser keeps a session and its worker, and no other sees anything of them."""

import re
from typing import Any

import pytest
from django.test import Client

from annotation.models import Arrival, Door, Enrolment, Project
from annotation.work.doors import OF_PROLIFIC, put_door
from audit.models import AuditEvent
from common import rates
from tests.support.builders import NOON, annotate, claim, make_project, make_suite, make_task
from web.work import doors as pages
from workforce.models import Worker

pytestmark = pytest.mark.django_db
PANEL = {**OF_PROLIFIC, "worker_parameter": "pid", "session_parameter": "run", "study_parameter": "survey"}


@pytest.fixture(autouse=True)
def _uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "_counters", rates.Counters(redis_url=""))


@pytest.fixture
def project() -> Project:
    project = make_project("p", suite=make_suite("s"))
    put_door(project=project, panel="survey", body=PANEL, by="system", at=NOON)  # type: ignore[arg-type]
    return project


def come(browser: Client, worker: str, session: str, door: str = "prolific/p", **more: str) -> Any:
    names = ("PROLIFIC_PID", "SESSION_ID") if door.startswith("prolific") else ("pid", "run")
    return browser.get(f"/enter/{door}", {names[0]: worker, names[1]: session, **more})


@pytest.mark.parametrize(("door", "platform"), [("prolific/p", "prolific"), ("panel/survey/p", "survey")])
def test_a_worker_enters_and_comes_back_in_the_same_browser(door: str, platform: str, project: Project) -> None:
    browser = Client()
    answers = [come(browser, "w1", session, door) for session in ("s1", "s1", "s2")]
    assert [(answer.status_code, answer["Location"]) for answer in answers] == [(302, "/work/p/")] * 3
    cookie = answers[-1].cookies[pages.BROWSER]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/enter/")
    assert browser.get("/work/p/").status_code == 200
    enrolment = Enrolment.objects.get()
    assert (enrolment.worker.platform, enrolment.worker.external_id) == (platform, "w1")
    assert Arrival.objects.count() == 2
    assert not any("w1" in str(row) or "s1" in str(row) for row in Arrival.objects.values("session", "browser"))


@pytest.mark.parametrize(("worker", "session"), [("w1", "s1"), ("w1", "another"), ("another", "s1")])
def test_another_browser_gets_nothing_of_an_earlier_arrival(worker: str, session: str, project: Project) -> None:
    come(Client(), "w1", "s1")
    other = Client()
    for answer in (come(other, worker, session), come(other, worker, session)):
        assert (answer.status_code, list(answer.cookies)) == (403, [])
        # The nonce is random, so it may contain either by chance.
        page = re.sub(r'nonce="[^"]*"', "", answer.content.decode())
        assert not any(name in page for name in ("w1", "s1"))
    assert other.get("/work/p/").status_code == 404
    assert (Arrival.objects.count(), Enrolment.objects.count()) == (1, 1)


def test_a_worker_of_another_project_is_bound_too(project: Project) -> None:
    make_project("q")
    come(Client(), "w1", "s1")
    assert come(Client(), "w1", "s2", "prolific/q").status_code == 403


def test_staff_let_a_worker_in_again(project: Project, dora: Client) -> None:
    come(Client(), "w1", "s1")
    who = {"panel": "prolific", "worker": "w1"}
    assert dora.post("/staff/projects/p/let-in/", who).status_code == 302
    assert come(Client(), "w1", "s1").status_code == 302
    assert come(Client(), "w1", "s1").status_code == 403
    assert AuditEvent.objects.get(verb="door.unbound").detail["sessions"] == 1
    dora.post("/staff/projects/p/let-in/", {**who, "worker": "nobody"})
    assert AuditEvent.objects.filter(verb="door.unbound").count() == 1


@pytest.mark.parametrize(
    ("change", "door", "query"),
    [
        ({}, "prolific/p", {"SESSION_ID": "s1"}),
        ({}, "prolific/p", {"PROLIFIC_PID": "w1"}),
        ({}, "prolific/p", {"PROLIFIC_PID": "w 1", "SESSION_ID": "s1"}),
        ({}, "prolific/p", {"PROLIFIC_PID": "w1", "SESSION_ID": "s" * 129}),
        ({}, "prolific/none", {"PROLIFIC_PID": "w1", "SESSION_ID": "s1"}),
        ({}, "panel/other/p", {"pid": "w1", "run": "s1"}),
        ({}, "panel/survey/p", {"PROLIFIC_PID": "w1", "SESSION_ID": "s1"}),
        ({"study": "mine"}, "panel/survey/p", {"pid": "w1", "run": "s1", "survey": "theirs"}),
        ({"is_open": False}, "panel/survey/p", {"pid": "w1", "run": "s1"}),
    ],
)
def test_other_addresses_lead_nowhere(
    change: dict[str, Any], door: str, query: dict[str, str], project: Project
) -> None:
    Door.objects.update(**{"study_parameter": "survey", **change})
    assert Client().get(f"/enter/{door}", query).status_code == 404
    assert not Worker.objects.exists()


def test_a_project_that_is_no_longer_live_and_a_server_without_prolific_have_no_door(
    project: Project, settings: Any
) -> None:
    settings.PROLIFIC = False
    assert come(Client(), "w1", "s1").status_code == 404
    settings.PROLIFIC = True
    Project.objects.update(status="closed")
    assert come(Client(), "w1", "s1").status_code == 404
    assert not Worker.objects.exists()


def test_visits_of_one_address_are_counted(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "ARRIVALS_A_MINUTE", 2)
    assert [come(Client(), f"w{n}", f"s{n}").status_code for n in range(3)] == [302, 302, 429]


def test_the_way_back_depends_on_whether_anything_was_answered(project: Project, dora: Client) -> None:
    typed = {
        "is_open": "yes",
        "worker_parameter": "pid",
        "session_parameter": "run",
        "done_url": "https://panel.example/done?code=1",
        "left_url": "https://panel.example/left",
    }
    wrong = dora.post("/staff/projects/p/doors/survey/", {**typed, "done_url": "javascript:alert(1)"})
    assert wrong.status_code == 422
    assert dora.post("/staff/projects/p/doors/survey/", typed).status_code == 302
    assert "enter/panel/survey/p?pid=…&amp;run=…" in dora.get("/staff/projects/p/doors/").content.decode()
    browser = Client()
    come(browser, "w1", "s1", "panel/survey/p")
    assert 'href="/work/p/finish/"' in browser.get("/work/p/").content.decode()
    assert browser.get("/work/p/finish/")["Location"] == "https://panel.example/left"
    make_task(project)
    annotate(claim(project, Worker.objects.get()), outcome="success")
    assert browser.get("/work/p/finish/")["Location"] == "https://panel.example/done?code=1"
    Door.objects.update(done_url="")
    assert browser.get("/work/p/finish/").status_code == 200
