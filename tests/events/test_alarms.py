"""Alarms: told once when they begin and once when they end, by event and mail; staff set the rules."""

import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Project, Record
from audit.models import AuditEvent
from events import alarms
from events.models import Alarm
from jobs import outbox
from jobs.models import Job
from tests.support.builders import NOON, make_agent, make_project, make_staff, make_task, make_worker
from tests.support.builders import client_of as browser_of
from tests.support.pages import words_of


def look() -> None:
    alarms.look(timezone.now())


def standing() -> dict[str, str]:
    return dict(Alarm.objects.standing().values_list("kind", "subject"))


def test_an_alarm_is_told_when_it_begins_and_when_it_ends_and_is_quiet_between(
    pipe: APIClient, dora: Client, settings: Any
) -> None:
    settings.ALARM_MAIL = ["lab@example.org"]
    project = make_project("costly", title="Costly", budget=Decimal(10))
    Project.objects.update(spent=Decimal("9.5"))
    look()
    look()
    assert "Costly has 0.50 USD of its budget left." in words_of(dora, "/staff/")
    Project.objects.filter(pk=project.pk).update(budget=Decimal(100))
    look()
    told = pipe.get("/api/v1/events/?types=alarm.*").json()["results"]
    assert [one["data"]["state"] for one in told] == ["raised", "ended"]
    assert {one["type"] for one in told} == {"alarm.budget"}
    for job in Job.objects.filter(kind=alarms.MAIL).order_by("pk"):
        outbox.run(job.pk)
    assert [sent.subject for sent in mail.outbox] == [
        "[Crosswalk] The budget is nearly out: costly",
        "[Crosswalk] Over: The budget is nearly out: costly",
    ]
    assert mail.outbox[0].to == ["lab@example.org"]
    assert "Costly" not in words_of(dora, "/staff/live/").partition("What runs")[0]


def test_nothing_is_mailed_where_nobody_is_named(db: None) -> None:
    make_project(budget=Decimal(10))
    Project.objects.update(spent=Decimal(10))
    look()
    assert standing()["budget"]
    assert not Job.objects.filter(kind=alarms.MAIL).exists()


@pytest.mark.parametrize("kind", ["references", "raters", "agent", "jobs", "disk"])
def test_each_rule_holds_for_what_it_is_about(kind: str, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    look()
    assert kind not in standing()
    project, now = make_project("p", reference_rate=0.1), timezone.now()
    if kind == "references":
        make_task(project, truth="success")
    elif kind == "raters":
        cells = {"success_success": 6, "success_failure": 5, "failure_success": 5, "failure_failure": 6}
        Record.objects.create(worker=make_worker(), project=project, references=22, measured_at=now, **cells)
    elif kind == "agent":
        make_agent("a")
        make_project("q", tool="interaction", settings={"agent": "a", "sessions": 1, "tree": "t"})
    elif kind == "jobs":
        Job.objects.create(kind="k", subject="s", due_at=now - timedelta(minutes=6), created_at=NOON)
    else:
        monkeypatch.setattr("events.server_alarms.free_bytes", lambda: 1024)
    look()
    assert standing() == {kind: {"agent": "a", "jobs": "server", "disk": "server"}.get(kind, "p")}


def test_staff_switch_a_rule_and_set_its_bound(dora: Client, db: None) -> None:
    project = make_project("p", budget=Decimal(10))
    Project.objects.update(spent=Decimal(6))
    assert dora.post("/staff/alarms/", {"kind": "budget", "bound": "0.5", "on": "1"}).status_code == 302
    look()
    assert standing() == {"budget": "p"}
    assert "has 4.00 USD of its budget left" in words_of(dora, "/staff/alarms/")
    assert dora.post("/staff/alarms/", {"kind": "budget", "bound": "0.5"}).status_code == 302
    look()
    assert standing() == {}, "it is switched off"
    for typed, sentence in [("7", "Choose a number from 0.1 to 1."), ("much", "This is no number.")]:
        refused = dora.post("/staff/alarms/", {"kind": "budget", "bound": typed, "on": "1"})
        assert (refused.status_code, sentence in refused.content.decode()) == (422, True)
        assert f'value="{typed}"' in refused.content.decode(), "nothing typed is lost"
    assert AuditEvent.objects.filter(verb="alarm.set").count() == 2
    assert project.slug == "p"


def test_a_rule_that_fails_stops_no_other(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> int:
        raise OSError

    monkeypatch.setattr("events.server_alarms.free_bytes", broken)
    make_project("p", budget=Decimal(10))
    Project.objects.update(spent=Decimal(10))
    look()
    assert standing() == {"budget": "p"}


def test_alarms_show_to_those_who_may_see_the_project(dora: Client, db: None) -> None:
    from annotation.access.roles import Role

    for slug in ("mine", "theirs"):
        make_project(slug, title=slug, budget=Decimal(10))
    Project.objects.update(spent=Decimal(10))
    look()
    viewer = browser_of(make_staff("vera", Role.VIEWER, Project.objects.get(slug="mine")))
    page = words_of(viewer, "/staff/")
    assert "mine has 0.00 USD of its budget left" in page
    assert "theirs" not in page


def test_alarms_are_narrowed_by_kind_state_and_subject(dora: Client, db: None) -> None:
    for subject, kind, ended_at in (("p", "budget", None), ("q", "budget", NOON), ("server", "disk", None)):
        said = f"About {subject}."
        Alarm.objects.create(kind=kind, subject=subject, sentence=said, raised_at=NOON, ended_at=ended_at)
    for query, found in {
        "": ["server", "q", "p"],
        "?order=asc": ["p", "q", "server"],
        "?kind=budget": ["q", "p"],
        "?state=stands": ["server", "p"],
        "?state=ended": ["q"],
        "?q=Serv": ["server"],
    }.items():
        assert re.findall(r"About (\w+)\.", dora.get(f"/staff/alarms/{query}").content.decode()) == found
