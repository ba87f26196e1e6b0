"""Pages and processes that come, go, fall silent and come again."""

from datetime import datetime, timedelta

import pytest
from django.db import transaction

from agents.models import Agent
from interaction.agents import matching
from interaction.models import AgentProcess, Event, Session
from interaction.session import event_log, opening, ticks
from interaction.session.deadlines import MOST_SILENCES, silence
from interaction.session.ending import end_session
from tests.support.builders import NOON, token_for
from tests.support.sessions import both, come_in, make_live_project, process_of

pytestmark = pytest.mark.django_db
SILENCE_S = silence().total_seconds()


def test_a_worker_may_think_about_the_agents_question() -> None:
    worker, agent = both()
    worker.send("command", id="c1", text="destroy the cube")
    agent.send(worker, "status", command="c1", state="thinking")
    agent.send(worker, "ask", question="q1", text="This one?", choices=["yes", "no"])
    worker.wait(SILENCE_S + 1)
    ticks.tick(at=worker.at)
    assert not worker.live().is_over
    worker.send("choose", question="q1", choice=0)
    worker.wait(SILENCE_S - 1)
    ticks.tick(at=worker.at)
    assert not worker.live().is_over
    worker.wait(2)
    ticks.tick(at=worker.at)
    assert worker.live().why_failed == "silent"


def test_a_question_that_nobody_answers_does_not_keep_a_command_for_good() -> None:
    worker, agent = both()
    worker.send("command", id="c1", text="destroy the cube")
    agent.send(worker, "ask", question="q1", text="This one?", choices=["yes", "no"])
    worker.wait(MOST_SILENCES * SILENCE_S + 1)
    ticks.tick(at=worker.at)
    assert worker.live().why_failed == "silent"


def test_a_hello_that_is_repeated_still_tells_that_another_page_wrote() -> None:
    """The same call is made again where the connection to the database breaks after the commit."""
    worker, _ = both()
    token = token_for(worker.enrolment.project, worker.enrolment.worker)
    seats = [
        opening.join(token=token, assignment=worker.hold.public_id, resume="another tab", at=NOON) for _ in range(2)
    ]
    assert [seat.is_same for seat in seats] == [False, False]


def test_a_process_that_was_given_up_gets_its_sessions_back_only_by_coming_anew() -> None:
    worker, agent = both()
    late = worker.at + matching.SILENT + timedelta(seconds=1)
    ticks.tick(at=late)
    assert not matching.note_heartbeat(agent.process, at=late)
    ticks.tick(at=late)
    assert not AgentProcess.objects.get().is_connected
    assert worker.now().process is None
    process_of(worker.session.agent, at=late)
    assert worker.now().process == agent.process


def test_agents_are_told_when_the_worker_is_away_and_here_again() -> None:
    worker, _ = both()
    opening.leave(worker.session.pk, worker.sender, at=worker.at)
    token = token_for(worker.enrolment.project, worker.enrolment.worker)
    for _ in range(2):
        # The second takes the place of the first: nobody was away in between.
        opening.join(token=token, assignment=worker.hold.public_id, resume="tab", at=worker.at)
    states = [said["state"] for said in worker.said("peer") if said["who"] == "worker"]
    assert states == ["here", "away", "here"]


def test_one_session_that_cannot_be_seen_to_does_not_stop_the_clock_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_live_project()
    process_of(Agent.objects.get(slug=project.settings["agent"]))
    bad, good = come_in(project), come_in(project)
    for one in (bad, good):
        one.send("start")
    tick_session = ticks.tick_session

    def look(session: Session, *, at: datetime) -> None:
        if session.pk == bad.session.pk:
            raise ValueError("one bad row")
        tick_session(session, at=at)

    monkeypatch.setattr(ticks, "tick_session", look)
    good.send("command", id="c1", text="dance")
    good.wait(SILENCE_S + 1)
    Session.objects.filter(pk=bad.session.pk).update(due_at=NOON)
    ticks.tick(at=good.at)
    assert good.live().is_over


def test_a_session_that_ends_in_this_moment_is_told_of_no_agent_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look for sessions and the lock on one of them another process may end it."""
    worker, agent = both()
    lock = event_log.locked

    def locked_too_late(pk: int) -> Session:
        with transaction.atomic():
            end_session(pk, Session.Reason.STAFF, at=worker.at)
        return lock(pk)

    monkeypatch.setattr(matching, "locked", locked_too_late)
    matching.disconnect(agent.process, at=worker.at)
    ticks.tick(at=worker.at + matching.GRACE + timedelta(seconds=1))
    assert Event.objects.filter(session=worker.session).latest("seq").type == "closed"
