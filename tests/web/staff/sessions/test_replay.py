"""One session in the staff pages: its page, the log that the replay reads, and ending it."""

import json
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from annotation.models import Assignment, Project
from audit.models import AuditEvent
from interaction.models import Event, Session
from routing.models import ErrorReport
from tests.support.commands import run_jobs
from tests.support.pages import compact, text_of, words_of
from tests.support.sessions import Agents, LiveWorker, ago, begun, come_in, judged, make_live_project
from web.staff.sessions import events
from workforce.models import LedgerEntry

FORM = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "DANCE"}]}


def at(worker: LiveWorker, path: str = "") -> str:
    return f"/staff/sessions/{worker.session.public_id}/{path}"


def log_of(client: Client, worker: LiveWorker, after: int | str = 0) -> dict[str, Any]:
    answer = client.get(at(worker, f"events.json?after={after}"))
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture
def running(db: None) -> tuple[LiveWorker, Agents]:
    return begun(at=ago(150))


def test_the_page_shows_each_command_and_what_became_of_it(dora: Client, running: tuple[LiveWorker, Agents]) -> None:
    worker, agent = running
    judged(worker, agent)
    worker.send("command", id="c2", text="<b>fly</b>")
    worker.wait(1.25)
    agent.send(worker, "status", command="c2", state="received")
    agent.send(worker, "status", command="c2", state="failed", reason="cannot")
    html = dora.get(at(worker)).content.decode()
    page = text_of(html)
    assert "build a cube The assistant did not say what it understood. done 0.0 0.0 0.0 ok" in page
    assert "<b>fly</b> The assistant did not say what it understood. failed cannot 1.25 0.0 – not judged" in page
    assert "<b>fly" not in html
    assert "running" in page


def test_an_outcome_leads_to_its_report(dora: Client, running: tuple[LiveWorker, Agents]) -> None:
    worker, agent = running
    judged(worker, agent)
    worker.send("command", id="c2", text="fly away")
    agent.carry_out(worker, "c2")
    for node, choice in (("done", 1), ("guessed", 1)):
        worker.send("mark", command="c2", node=node, choice=choice)
    run_jobs()
    report = ErrorReport.objects.get()
    html = compact(dora.get(at(worker)).content.decode())
    assert f'<a href="/staff/reports/{report.public_id}/">{report.outcome}</a>' in html
    assert html.count(">ok</span>") == 1, "what went right has no report"


def test_the_log_begins_with_the_world_and_goes_on(dora: Client, running: tuple[LiveWorker, Agents]) -> None:
    worker, agent = running
    judged(worker, agent)
    first = log_of(dora, worker)
    assert first["scene"]["size"] == [40, 24, 40]
    assert [one["seq"] for one in first["events"]] == list(range(1, worker.now().last_seq + 1))
    assert (first["has_more"], first["has_ended"]) == (False, False)
    start = next(one for one in first["events"] if one["type"] == "start")
    assert start == {"seq": start["seq"], "from": "worker", "type": "start", "body": {}, "at": worker.at.isoformat()}
    for none in ("", "-1", "many", "9" * 30, "²"):
        assert log_of(dora, worker, none)["events"][0]["seq"] == 1, none
    seen = first["events"][-1]["seq"]
    assert log_of(dora, worker, seen)["events"] == []
    worker.send("pose", x=1, y=5, z=3, pitch=0, yaw=90)
    later = log_of(dora, worker, seen)
    assert [one["type"] for one in later["events"]] == ["pose"]
    assert "scene" not in later
    unbegun = come_in(make_live_project())
    assert dora.get(at(unbegun)).status_code == 200, "its page opens before anybody begins"


def test_a_page_has_so_many_events_and_so_many_blocks(
    dora: Client, running: tuple[LiveWorker, Agents], monkeypatch: pytest.MonkeyPatch
) -> None:
    worker, agent = running
    for x in range(6):
        agent.send(worker, "blocks", changes=[[x, 8, z, 57] for z in range(10)])
    every = log_of(dora, worker)["events"]
    monkeypatch.setattr(events, "MOST_EVENTS", 4)
    assert [one["seq"] for one in log_of(dora, worker)["events"]] == [1, 2, 3, 4]
    monkeypatch.setattr(events, "MOST_EVENTS", 2000)
    monkeypatch.setattr(events, "MOST_VOXELS", 20)
    read: list[dict[str, Any]] = []
    pages, has_more = 0, True
    while has_more:
        page = log_of(dora, worker, read[-1]["seq"] if read else 0)
        read, pages, has_more = read + page["events"], pages + 1, page["has_more"]
    assert read == every
    assert pages == 3


def test_a_parse_comes_with_its_words(dora: Client, running: tuple[LiveWorker, Agents]) -> None:
    worker, agent = running
    worker.send("command", id="c1", text="dance")
    agent.send(worker, "parse", command="c1", form=FORM)
    agent.send(worker, "parse", command="c1", form={"strange": 1})
    good, strange = (one["body"] for one in log_of(dora, worker)["events"] if one["type"] == "parse")
    assert good["form"] == FORM
    assert good["words"] == "Turn, look, point or move in a certain way."
    assert strange["words"] == "What the assistant understood cannot be put in words."


def test_the_whole_log_is_a_file(dora: Client, running: tuple[LiveWorker, Agents]) -> None:
    worker, agent = running
    judged(worker, agent, text="größer")
    answer = dora.get(at(worker, "log.jsonl"))
    text = answer.getvalue().decode()
    lines = [json.loads(line) for line in text.splitlines()]
    kept = Event.objects.filter(session=worker.session).order_by("seq")
    assert [line["seq"] for line in lines] == [event.seq for event in kept]
    assert [line["body"] for line in lines] == [event.body for event in kept]
    assert "größer" in text
    assert f"session-{worker.session.public_id}.jsonl" in answer["Content-Disposition"]


# Ending ----------------------------------------------------------------------------------------------------------


def test_an_admin_ends_a_session_and_the_worker_is_paid_their_part(dora: Client, db: None) -> None:
    make_live_project("living")
    Project.objects.update(base_pay=Decimal("1.50"))
    worker, _ = begun(at=ago(150))
    page = words_of(dora, at(worker, "end/"))
    assert "We ended this session." in page, "what the worker will read"
    assert "the share of 1.50 USD" in page
    assert worker.now().ended_at is None
    worker.wait(150)
    dora.post(at(worker, "end/"), {"reason": "the agent hangs"})
    ended = worker.now()
    assert ended.reason == Session.Reason.STAFF
    assert worker.said("closed") == [{"reason": "staff"}]
    # Half of the minimum time was worked, and a little while this test took.
    assert Decimal("0.75") <= LedgerEntry.objects.get(worker=worker.enrolment.worker).amount < Decimal("1.20")
    worker.hold.refresh_from_db()
    assert worker.hold.status == Assignment.Status.RELEASED
    noted = AuditEvent.objects.get(verb="session.ended")
    assert (noted.subject, noted.project, noted.reason) == (ended.public_id, "living", "the agent hangs")


def test_a_session_ends_once(dora: Client, running: tuple[LiveWorker, Agents]) -> None:
    worker, _ = running
    dora.post(at(worker, "end/"))
    again = dora.post(at(worker, "end/"))
    assert again.status_code == 409
    assert "has ended already" in text_of(again.content.decode())
    assert AuditEvent.objects.filter(verb="session.ended").count() == 1
    assert len(worker.said("closed")) == 1
