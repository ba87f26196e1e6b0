"""Changes that time alone brings: stuck agents, dead processes, sessions that nobody serves, holds that ended."""

import pytest
from django.db import connection

from annotation.models import Assignment
from annotation.work.leases import release
from interaction.agents import matching
from interaction.models import Session
from interaction.session import ticks
from interaction.session.deadlines import SILENCES_WITHOUT_AGENT, STOPPING, silence
from interaction.session.refusals import SessionClosed
from tests.support.builders import NOON
from tests.support.sessions import both, come_in, make_live_project, process_of

pytestmark = pytest.mark.django_db
SILENCE_S = silence().total_seconds()


def test_a_stuck_agent_is_noticed_and_the_worker_goes_on_to_the_questions() -> None:
    worker, agent = both()
    worker.send("command", id="c1", text="build a cube")
    agent.send(worker, "status", command="c1", state="received")
    worker.wait(SILENCE_S - 1)
    ticks.tick(at=worker.at)
    assert worker.said("question") == []
    worker.wait(2)
    ticks.tick(at=worker.at)
    assert worker.said("status")[-1] == {"command": "c1", "state": "failed", "reason": "silent"}
    assert worker.said("question")[-1]["node"] == "silent"
    assert (worker.live().status, worker.live().why_failed) == ("failed", "silent")


def test_an_agent_that_gives_signs_is_not_stuck() -> None:
    worker, agent = both()
    worker.send("command", id="c1", text="build a castle")
    for _ in range(5):
        agent.send(worker, "pose", x=1, y=4, z=1, pitch=0, yaw=0)
        worker.wait(SILENCE_S - 1)
        ticks.tick(at=worker.at)
    assert worker.said("question") == []


def test_an_agent_that_does_not_stop_is_stopped_for() -> None:
    worker, agent = both()
    worker.send("command", id="c1", text="dance")
    agent.send(worker, "status", command="c1", state="acting")
    worker.send("stop", command="c1")
    worker.wait(STOPPING.total_seconds() + 1)
    agent.send(worker, "pose", x=1, y=4, z=1, pitch=0, yaw=0)
    ticks.tick(at=worker.at)
    assert worker.live().why_failed == "silent"


def test_a_session_goes_to_another_process_when_its_own_dies() -> None:
    worker, agent = both()
    worker.send("command", id="c1", text="build a cube")
    agent.send(worker, "status", command="c1", state="received")
    other = process_of(worker.session.agent, resume="p2")
    matching.disconnect(agent.process, at=worker.at)
    assert worker.said("peer")[-1] == {"who": "agent", "state": "away"}
    ticks.tick(at=worker.at + matching.GRACE / 2)
    assert worker.now().process == agent.process
    worker.wait(matching.GRACE.total_seconds() + 1)
    ticks.tick(at=worker.at)
    assert worker.now().process == other.process
    assert worker.live().why_failed == "agent_lost"
    with pytest.raises(SessionClosed):
        agent.send(worker, "say", text="I am back")


def test_a_command_that_no_process_has_begun_goes_along_undone() -> None:
    worker, agent = both()
    matching.disconnect(agent.process, at=worker.at)
    worker.send("command", id="c1", text="build a cube")
    worker.wait(matching.GRACE.total_seconds() + 1)
    ticks.tick(at=worker.at)
    other = process_of(worker.session.agent, resume="p2", at=worker.at)
    assert worker.now().process == other.process
    assert worker.live().status == "sent"
    other.carry_out(worker, "c1")
    assert worker.live().status == "done"


def test_a_process_that_comes_back_in_time_keeps_its_sessions() -> None:
    worker, agent = both()
    matching.disconnect(agent.process, at=worker.at)
    worker.wait(3)
    again = process_of(worker.session.agent, resume="p1", at=worker.at)
    again.cseqs = agent.cseqs
    worker.wait(60)
    ticks.tick(at=worker.at)
    assert worker.now().process == again.process
    again.send(worker, "say", text="Where were we?")


def test_a_session_that_no_process_takes_ends_with_the_time_owed() -> None:
    worker, agent = both()
    worker.wait(100)
    matching.disconnect(agent.process, at=worker.at)
    worker.wait(SILENCE_S * SILENCES_WITHOUT_AGENT + 20)
    ticks.tick(at=worker.at)
    worker.wait(SILENCE_S * SILENCES_WITHOUT_AGENT + 20)
    ticks.tick(at=worker.at)
    session = worker.now()
    assert (session.reason, worker.said("closed")) == (Session.Reason.AGENT_LOST, [{"reason": "agent_lost"}])
    assert session.owed_s == pytest.approx(300)
    assert Assignment.objects.get(pk=worker.hold.pk).status == "released"


def test_a_process_takes_no_more_than_its_capacity() -> None:
    project = make_live_project()
    workers = [come_in(project) for _ in range(3)]
    agent = process_of(workers[0].session.agent, capacity=2)
    assert [worker.now().process == agent.process for worker in workers] == [True, True, False]
    release(assignment=workers[0].hold, at=NOON)
    ticks.tick(at=NOON)
    assert workers[0].now().reason == Session.Reason.LEFT
    assert workers[2].now().process == agent.process


def test_sessions_go_to_the_least_busy_process() -> None:
    project = make_live_project()
    workers = [come_in(project) for _ in range(2)]
    first = process_of(workers[0].session.agent, resume="p1")
    second = process_of(workers[0].session.agent, resume="p2")
    workers += [come_in(project) for _ in range(2)]
    assert [worker.now().process for worker in workers] == [first.process] * 2 + [second.process] * 2


def test_looking_costs_little_where_nothing_is_due(django_assert_num_queries: object) -> None:
    both()
    with django_assert_num_queries(4):  # type: ignore[operator]
        ticks.tick(at=NOON)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL scans tables as small as these")
def test_the_check_of_each_second_reads_an_index() -> None:
    moved = Session.objects.filter(moved_at__gt=NOON).values_list("pk", "process_id", "last_seq")
    assert "session_moved" in moved.explain()
