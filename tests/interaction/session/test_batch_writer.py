"""Messages appended together: what is wrong with one, or holds one up, does not befall the others."""

import threading
from typing import Any

import pytest
from django.db import connection, transaction

from interaction.models import Event
from interaction.session import event_log
from interaction.session.event_log import Role, Sender, locked
from tests.support.sessions import come_in, make_live_project
from tests.support.sockets import POSE, Place, play

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sockets")]


def test_messages_that_cannot_be_appended_together_are_appended_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place()
    append_plain = event_log.append_plain

    def only_one(messages: Any, **kwargs: Any) -> Any:
        if not kwargs.get("may_wait"):
            raise RuntimeError("one of them cannot be kept")
        return append_plain(messages, **kwargs)

    async def story() -> None:
        worker, _ = await place.worker()
        monkeypatch.setattr(event_log, "append_plain", only_one)
        await worker.send("pose", **POSE)
        ack = await worker.until(lambda frame: frame["t"] == "ack")
        assert (ack["cseq"], ack["dup"]) == (1, False)
        await worker.close()

    play(story)
    assert Event.objects.filter(type="pose").count() == 1


def test_each_message_is_appended_once(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place()
    appended: list[int] = []
    append_plain = event_log.append_plain

    def count(messages: Any, **kwargs: Any) -> Any:
        appended.extend(message.cseq for message in messages)
        return append_plain(messages, **kwargs)

    async def story() -> None:
        worker, _ = await place.worker()
        monkeypatch.setattr(event_log, "append_plain", count)
        for cseq in (1, 2, 3):
            await worker.send("pose", **POSE)
            await worker.until(lambda frame, cseq=cseq: frame["t"] == "ack" and frame["cseq"] == cseq)  # type: ignore[misc]
        await worker.close()

    play(story)
    assert appended == [1, 2, 3]


@pytest.mark.skipif(connection.vendor == "sqlite", reason="one writes at a time")
def test_a_session_that_is_locked_holds_up_no_other() -> None:
    project = make_live_project()
    busy, free = come_in(project), come_in(project)
    is_locked, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            locked(busy.session.pk)
            is_locked.set()
            may_end.wait(20)
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    assert is_locked.wait(20)
    found = event_log.append_plain(
        [
            event_log.Message(one.session.pk, Sender(Role.WORKER, one.sender.epoch), 1, "pose", POSE)
            for one in (busy, free)
        ],
        at=busy.at,
    )
    may_end.set()
    holder.join()
    assert found == [None, free.now().last_seq]
    assert busy.send("pose", **POSE).seq == busy.now().last_seq
