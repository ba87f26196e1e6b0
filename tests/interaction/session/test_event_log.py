"""The log: each message once, in order, from the newest connection only."""

from typing import Any

import pytest
from django.db import connection

from annotation.models import Assignment
from interaction.models import Event
from interaction.session import event_log, opening, quotas, recent_events, ticks
from interaction.session.event_log import Role, Sender
from interaction.session.recent_events import LoggedEvent
from interaction.session.refusals import Gap, Refusal, SessionClosed, Stale
from tests.support.builders import NOON, make_worker, token_for
from tests.support.sessions import LiveWorker, both, come_in, judged, make_live_project, process_of

pytestmark = pytest.mark.django_db
POSE = {"x": 1, "y": 4, "z": 2, "pitch": 0, "yaw": 90}


def sequence(worker: LiveWorker) -> list[int]:
    return list(Event.objects.filter(session=worker.session).order_by("seq").values_list("seq", flat=True))


def test_a_message_sent_twice_is_kept_once_and_acknowledged_twice() -> None:
    worker = come_in(make_live_project())
    first = worker.send("pose", **POSE)
    worker.cseq -= 1
    again = worker.send("pose", **POSE)
    assert (first.seq, first.is_repeat) == (again.seq, False)
    assert again.is_repeat
    assert len(worker.said("pose")) == 1


@pytest.mark.parametrize("cseq", [5, 2**31, 2**63, 10**30])
def test_a_message_before_its_turn_is_a_gap_and_does_not_count(cseq: int) -> None:
    worker = come_in(make_live_project())
    worker.cseq = cseq - 1
    with pytest.raises(Gap, match=f"The next message is 1, not {cseq}"):
        worker.send("pose", **POSE)
    assert worker.now().worker_cseq == 0


def test_a_refused_message_counts_and_its_repeat_is_refused_again() -> None:
    worker = come_in(make_live_project())
    for _ in range(2):
        with pytest.raises(Refusal):
            worker.send("command", id="c1", text="build")
        worker.cseq -= 1
    worker.cseq = 1
    worker.send("start")
    assert worker.now().worker_cseq == 2


def test_the_numbers_of_a_log_have_no_holes() -> None:
    worker, agent = both()
    worker.send("pose", **POSE)
    agent.send(worker, "say", text="hello")
    judged(worker, agent)
    assert sequence(worker) == list(range(1, len(sequence(worker)) + 1))
    assert worker.now().last_seq == len(sequence(worker))


def test_only_the_newest_connection_of_a_worker_writes() -> None:
    worker = come_in(make_live_project())
    worker.send("pose", **POSE)
    token = token_for(worker.enrolment.project, worker.enrolment.worker)
    newer = opening.join(token=token, assignment=worker.hold.public_id, resume="other tab", at=NOON)
    assert not newer.is_same
    with pytest.raises(Stale):
        worker.send("pose", **POSE)
    worker.sender = newer.sender
    worker.cseq = 1
    assert worker.send("pose", **POSE).seq > 0


def test_only_the_newest_connection_of_the_process_that_has_the_session_writes() -> None:
    worker, agent = both()
    other = process_of(worker.session.agent, resume="p2")
    with pytest.raises(SessionClosed):
        other.send(worker, "say", text="I am the agent")
    assert agent.send(worker, "say", text="no, I am").seq
    process_of(worker.session.agent, resume="p1")
    with pytest.raises(Stale):
        agent.send(worker, "say", text="still here")


def test_nothing_is_written_after_the_end() -> None:
    worker, _ = both()
    Assignment.objects.filter(pk=worker.hold.pk).update(status="released", closed_at=NOON)
    ticks.tick(at=NOON)
    with pytest.raises(SessionClosed):
        worker.send("pose", **POSE)


def test_strangers_find_no_session() -> None:
    worker = come_in(make_live_project())
    stranger = token_for(worker.enrolment.project, make_worker("stranger"))
    with pytest.raises(opening.NotYours):
        opening.join(token=stranger, assignment=worker.hold.public_id, resume="x", at=NOON)
    with pytest.raises(opening.BadToken):
        opening.join(token="cww_made_up", assignment=worker.hold.public_id, resume="x", at=NOON)


def test_a_message_without_a_rule_costs_few_statements(django_assert_num_queries: object) -> None:
    worker = come_in(make_live_project())
    # Where it takes two, there is the savepoint of the test's own transaction beside them, begun and released.
    number = 1 if connection.vendor == "postgresql" else 4
    with django_assert_num_queries(number):  # type: ignore[operator]
        event_log.append(
            worker.session.pk, Sender(Role.WORKER, worker.sender.epoch), cseq=1, kind="pose", body=POSE, at=NOON
        )


def pose_of(worker: LiveWorker, cseq: int) -> event_log.Message:
    return event_log.Message(worker.session.pk, worker.sender, cseq, "pose", POSE)


def test_messages_of_many_sessions_and_both_sides_are_kept_together() -> None:
    first, agent = both()
    second = come_in(first.session.project)
    said = event_log.Message(
        first.session.pk, Sender(Role.AGENT, agent.process.epoch, agent.process.pk), 1, "pose", POSE
    )
    ends = [first.now().last_seq, second.now().last_seq]
    found = event_log.append_plain([pose_of(first, 2), pose_of(second, 1), said], at=NOON)
    assert found == [ends[0] + 1, ends[1] + 1, ends[0] + 2]
    for worker in (first, second):
        assert sequence(worker) == list(range(1, worker.now().last_seq + 1))


def test_a_message_out_of_turn_does_not_stop_the_others_of_its_batch() -> None:
    project = make_live_project()
    early, old, good = come_in(project), come_in(project), come_in(project)
    stale = pose_of(old, 1)._replace(sender=Sender(Role.WORKER, old.sender.epoch - 1))
    found = event_log.append_plain([pose_of(early, 2), stale, pose_of(good, 1)], at=NOON)
    assert found == [None, None, good.now().last_seq]
    assert (early.now().worker_cseq, old.now().worker_cseq, good.now().worker_cseq) == (0, 0, 1)
    assert (len(early.said("pose")), len(old.said("pose")), len(good.said("pose"))) == (0, 0, 1)


def test_of_two_connections_in_one_batch_only_the_newest_writes() -> None:
    worker, other = come_in(project := make_live_project()), come_in(project)
    old = pose_of(worker, 1)._replace(sender=Sender(Role.WORKER, worker.sender.epoch - 1))
    found = event_log.append_plain([old, pose_of(worker, 1), pose_of(other, 1)], at=NOON)
    assert found == [None, worker.now().last_seq, other.now().last_seq]
    assert len(worker.said("pose")) == 1


def test_a_repeat_is_looked_for_in_its_own_session() -> None:
    (first, agent), (second, _) = both(), both()
    agent.send(first, "say", text="hello")
    sent = [worker.send("pose", **POSE).seq for worker in (first, second)]
    second.cseq -= 1
    assert second.send("pose", **POSE) == (sent[1], True)
    assert (first.cseq, sent[0]) == (second.cseq, sent[1] + 1)


def test_a_message_that_cannot_be_read_counts_and_leaves_no_hole() -> None:
    worker = come_in(make_live_project())
    event_log.reject(worker.session.pk, worker.sender, cseq=1, at=NOON)
    worker.cseq = 1
    worker.send("pose", **POSE)
    assert sequence(worker) == list(range(1, worker.now().last_seq + 1))


def test_events_are_read_in_their_order() -> None:
    worker = come_in(make_live_project())
    for _ in range(recent_events.EVENTS + 2):
        worker.send("pose", **POSE)
    last = worker.now().last_seq
    assert [event.seq for event in event_log.events_after(worker.session.pk, 1)] == list(range(2, last + 1))


def test_the_newest_events_stay_in_memory() -> None:
    many = recent_events.EVENTS + 2
    recent_events.keep([LoggedEvent(-1, seq, Role.WORKER, "pose", "{}", NOON) for seq in range(1, many + 1)])
    assert [event.seq for event in recent_events.after(-1, 2)] == list(range(3, many + 1))
    assert recent_events.after(-1, 1) == []


# Quotas ------------------------------------------------------------------------------------------------------------


def bytes_of(worker: LiveWorker) -> int:
    return sum(quotas.cost_of_all([event]).bytes for event in Event.objects.filter(session=worker.session))


def test_a_full_log_takes_no_more_but_the_session_can_be_finished(settings: Any) -> None:
    worker, agent = both()
    judged(worker, agent)
    settings.SESSION_LOG_MAX_BYTES = worker.now().log_bytes + 2 * quotas.EVENT_BYTES
    agent.send(worker, "say", text="hello")
    before = worker.now()
    for side, kind, body in (
        (agent, "say", {"text": "x" * 90}),
        (agent, "blocks", {"changes": [[0, 5, 0, 60]] * 10}),
        (agent, "ask", {"question": "q", "text": "x" * 90, "choices": ["a"]}),
    ):
        with pytest.raises(quotas.LogFull, match="it is full") as refused:
            side.send(worker, kind, **body)
        assert refused.value.code == "invalid"
    with pytest.raises(quotas.LogFull):
        worker.send("command", id="c9", text="build " * 20)
    after = worker.now()
    # Each refused message counts, as every refused message does, and leaves nothing.
    assert (after.agent_cseq, after.worker_cseq) == (before.agent_cseq + 3, before.worker_cseq + 1)
    assert (after.last_seq, after.log_bytes) == (before.last_seq, before.log_bytes)
    worker.hand_in()
    assert worker.now().reason == "finished"


def test_the_changes_of_blocks_of_a_session_have_a_quota(settings: Any) -> None:
    settings.SESSION_BLOCKS_MAX = 25
    worker, agent = both()
    agent.send(worker, "blocks", changes=[[0, 5, 0, 60]] * 20)
    with pytest.raises(quotas.LogFull, match="at most 25 changes of blocks, and 20 are made"):
        agent.send(worker, "blocks", changes=[[0, 5, 0, 60]] * 6)
    for _ in range(5):
        worker.send("place", at=[1, 5, 1], block=60)
    with pytest.raises(quotas.LogFull):
        worker.send("destroy", at=[1, 5, 1])
    assert worker.now().blocks_changed == 25
    worker.send("pose", **POSE)


def test_the_bytes_of_a_log_are_those_of_its_events() -> None:
    worker, agent = both()
    judged(worker, agent)
    worker.send("pose", **POSE)
    agent.send(worker, "blocks", changes=[[0, 5, 0, 60]] * 20)
    assert worker.now().log_bytes == bytes_of(worker) > 0
