"""Lines that break, lag, or bring what nobody should send: the other end always hears of it, and comes anew."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.models import ApiKey
from annotation.models import Assignment
from interaction.agents import matching
from interaction.db_threads import in_pool
from interaction.models import AgentProcess
from interaction.session import event_log, opening
from interaction.session.refusals import Refusal
from tests.support.full_disk import database_is_full
from tests.support.sockets import POSE, End, Frame, Place, play
from web.sockets import connection

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sockets")]
POSE_AT = '{"t":"send","cseq":%s,"type":"pose","body":{"x":%s,"y":4,"z":2,"pitch":0,"yaw":0}}'


async def closed(end: End) -> Frame:
    """The frame that ends this socket, whatever came before."""
    return await end.until(lambda frame: frame["t"] == "close")


async def is_connected() -> bool:
    return (await in_pool(AgentProcess.objects.get)).is_connected


def test_numbers_of_ill_will_are_refused_by_name_and_the_socket_survives() -> None:
    place = Place()

    async def story() -> None:
        worker, _ = await place.worker()
        # "nan" as a text, four hundred digits, a count beyond every column.
        for text in (POSE_AT % (1, '"nan"'), POSE_AT % (2, "1" + "0" * 400), POSE_AT % ("9" * 20, 1)):
            await worker.raw(text)
            assert (await worker.frame_of("error"))["code"] in {"invalid", "gap"}, text
        await worker.frame(t="ping", n=1)
        await worker.frame_of("pong")
        await worker.close()

    play(story)


def test_a_hello_of_ill_will_is_refused_and_a_good_one_may_follow() -> None:
    place = Place()
    hello = {"token": place.token, "resume": "tab", "have": 0}

    async def story() -> None:
        end = End(f"/ws/work/{place.assignment}/")
        await end.open()
        for name, value in (("token", "\ud800"), ("resume", "a\u0000b"), ("resume", "\ud800"), ("have", 10**30)):
            await end.frame(t="hello", **{**hello, name: value})
            assert (await end.next())["code"] == "invalid", name
        await end.frame(t="hello", **hello)
        await end.frame_of("welcome")
        await end.close()

    play(story)


def test_an_error_of_ours_closes_the_socket_and_no_process_seems_to_live_on(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place()

    def broken(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("the database is away")

    async def story() -> None:
        agent = await place.process()
        worker, _ = await place.worker()
        session = (await agent.frame_of("assign"))["session"]
        monkeypatch.setattr(event_log, "append_plain", broken)
        await agent.send("pose", session, **POSE)
        assert (await closed(agent))["code"] == connection.FAILED
        await agent.close()
        assert not await is_connected()
        await worker.close()

    play(story)


def test_a_process_that_was_given_up_is_hung_up_and_comes_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its server was too slow to say that it lives: it must not go on with sessions that are another's by now."""
    monkeypatch.setattr(matching, "HEARTBEAT_S", 0.02)
    place = Place()

    async def story() -> None:
        agent = await place.process()
        await in_pool(AgentProcess.objects.update, is_connected=False)
        assert (await closed(agent))["code"] == connection.FAILED
        again = await place.process()
        assert await is_connected()
        await again.close()

    play(story)


def test_an_older_connection_of_a_process_is_told_that_it_is_replaced() -> None:
    place = Place()

    async def story() -> None:
        first = await place.process(resume="same")
        second = await place.process(resume="same")
        assert (await closed(first))["code"] == connection.REPLACED
        await first.close()
        assert await is_connected()
        await second.close()
        assert not await is_connected()

    play(story)


def test_a_revoked_key_ends_the_gateway(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "HEARTBEAT_S", 0.02)
    place = Place()

    async def story() -> None:
        agent = await place.process()
        await in_pool(ApiKey.objects.update, revoked_at=timezone.now())
        assert (await closed(agent))["code"] == connection.BAD_TOKEN
        await agent.close()

    play(story)


def test_a_hold_that_is_soon_over_is_renewed_when_the_worker_comes_in() -> None:
    """They claimed it, and read the instructions for most of the lease."""
    place = Place()
    until = timezone.now() + timedelta(seconds=100)

    async def story() -> None:
        await in_pool(Assignment.objects.update, lease_expires_at=until)
        worker, _ = await place.worker()
        held = await in_pool(Assignment.objects.get)
        assert held.lease_expires_at is not None
        assert held.lease_expires_at > until
        await worker.close()

    play(story)


def test_who_claims_to_have_more_than_there_is_gets_what_comes_next() -> None:
    place = Place()

    async def story() -> None:
        worker, welcome = await place.worker(have=500)
        await worker.send("start")
        event = await worker.event("start")
        assert set(event) == {"t", "seq", "from", "type", "body", "at"}
        assert (event["from"], event["type"], event["at"][-1]) == ("worker", "start", "Z")
        assert event["seq"] == welcome["last_seq"] + 1
        await worker.close()

    play(story)


def test_a_hello_that_came_in_time_is_answered_however_long_that_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HELLO_S", 0.1)
    place = Place()
    join = opening.join

    def slow(**kwargs: Any) -> Any:
        time.sleep(3 * connection.HELLO_S)
        return join(**kwargs)

    monkeypatch.setattr(opening, "join", slow)

    async def story() -> None:
        end = End(f"/ws/work/{place.assignment}/")
        await end.open()
        await end.frame(t="hello", token=place.token, resume="tab", have=0)
        assert (await end.next())["t"] == "welcome"
        await end.close()

    play(story)


@pytest.mark.parametrize("resume", ["", "x" * 65, None, 5, "a\0b", "a\ud800"])
def test_a_hello_needs_a_text_that_can_be_kept(resume: object) -> None:
    with pytest.raises(Refusal):
        connection.text_in({"resume": resume}, "resume")


def test_a_full_disk_closes_the_socket_with_the_request_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place()

    async def no_room(message: object) -> None:
        raise database_is_full()

    async def story() -> None:
        worker, _ = await place.worker()
        with monkeypatch.context() as patch:
            patch.setattr(connection, "_append", no_room)
            await worker.raw(POSE_AT % (1, 1))
            assert (await closed(worker))["code"] == connection.LATER
        again, _ = await place.worker()
        await again.raw(POSE_AT % (1, 1))
        assert (await again.frame_of("ack"))["cseq"] == 1, "the message that found no room did not count"
        await again.close()

    play(story)
