"""The sockets, as a worker's page, an agent and people of ill will use them."""

import asyncio
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Assignment, Project
from annotation.work.enrolments import revoke_links
from annotation.work.leases import release
from interaction.db_threads import in_pool
from tests.support.builders import make_worker, token_for
from tests.support.sessions import make_live_project
from tests.support.sockets import POSE, End, Place, play
from web.sockets import connection

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sockets")]


def test_a_whole_command_goes_both_ways_in_order() -> None:
    place = Place()

    async def story() -> None:
        agent = await place.process()
        worker, welcome = await place.worker()
        assert welcome["state"]["phase"] == "before"
        assert welcome["same"]
        given = await agent.frame_of("assign")
        session = given["session"]
        assert given["world"]["size"] == [40, 24, 40]
        await worker.send("start")
        await worker.send("command", id="c1", text="build a cube")
        assert (await agent.event("command"))["body"]["text"] == "build a cube"
        for state in ("received", "acting", "done"):
            await agent.send("status", session, command="c1", state=state)
        seqs = []
        while True:
            frame = await worker.next()
            if frame["t"] == "event":
                seqs.append(frame["seq"])
                if frame["type"] == "question":
                    break
        assert seqs == list(range(1, len(seqs) + 1))
        await worker.send("mark", command="c1", node="done", choice=0)
        assert (await worker.event("outcome"))["body"] == {"command": "c1", "outcome": "ok"}
        await agent.close()
        assert (await worker.event("peer"))["body"] == {"who": "agent", "state": "away"}
        await worker.close()

    play(story)


def test_a_page_that_comes_back_is_told_only_what_it_has_not() -> None:
    place = Place()

    async def story() -> None:
        worker, _ = await place.worker()
        await worker.send("start")
        await worker.send("pose", **POSE)
        ack = await worker.until(lambda frame: frame["t"] == "ack" and frame["cseq"] == 2)
        await worker.close()
        again, welcome = await place.worker(have=ack["seq"] - 1)
        assert welcome["last_cseq"] == 2
        assert welcome["state"]["phase"] == "running"
        event = await again.event("pose")
        assert event["seq"] == ack["seq"]
        await again.frame(t="send", cseq=2, type="pose", body=POSE)
        assert (await again.frame_of("ack"))["dup"] is True
        await again.close()

    play(story)


def test_two_tabs_do_not_fight() -> None:
    place = Place()

    async def story() -> None:
        first, _ = await place.worker(resume="first")
        await first.send("start")
        await first.frame_of("ack")
        second, welcome = await place.worker(resume="second")
        assert welcome["same"] is False
        assert (await first.until(lambda frame: frame["t"] == "close"))["code"] == connection.REPLACED
        await second.send("pose", **POSE)
        assert (await second.frame_of("ack"))["cseq"] == 2
        await second.close()

    play(story)


def test_of_pages_that_come_at_the_same_moment_only_the_newest_stays() -> None:
    place = Place()

    async def story() -> None:
        pages = await asyncio.gather(*(place.worker(resume=f"page-{number}") for number in range(3)))
        *older, (newest, welcome) = sorted(pages, key=lambda page: page[1]["epoch"])
        for page, _ in older:
            assert (await page.until(lambda frame: frame["t"] == "close"))["code"] == connection.REPLACED
        newest.cseq = welcome["last_cseq"]
        await newest.send("start")
        assert (await newest.frame_of("ack"))["cseq"] == newest.cseq
        await newest.close()

    play(story)


@pytest.mark.parametrize("whose", ["nobody", "another worker", "another project"])
def test_a_token_opens_only_its_own_session(whose: str) -> None:
    place = Place()
    token, code = "cww_made_up", connection.BAD_TOKEN
    if whose == "another worker":
        token, code = place.claimed("other")[1], connection.NOT_YOURS
    if whose == "another project":
        token, code = token_for(make_live_project(), make_worker("w2")), connection.NOT_YOURS

    async def story() -> None:
        end = End(f"/ws/work/{place.assignment}/")
        await end.open()
        await end.frame(t="hello", token=token, resume="x", have=0)
        assert await end.next() == {"t": "close", "code": code}

    play(story)


def test_a_socket_that_says_nothing_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place()
    monkeypatch.setattr(connection, "HELLO_S", 0.05)

    async def story() -> None:
        end = End(f"/ws/work/{place.assignment}/")
        await end.open()
        assert await end.next() == {"t": "close", "code": connection.NO_HELLO}

    play(story)


def test_pages_of_other_sites_open_no_socket() -> None:
    place = Place()

    async def story() -> None:
        end = End(f"/ws/work/{place.assignment}/", origin="https://evil.example")
        assert not await end.open()
        ours = End(f"/ws/work/{place.assignment}/", origin="http://127.0.0.1:8000")
        assert await ours.open()
        await ours.close()

    play(story)


BROKEN: list[str | bytes] = [
    "not JSON",
    "[1, 2]",
    '{"t": "dance"}',
    '{"t": "hello", "token": "again"}',
    '{"t": "send", "cseq": "one", "type": "pose", "body": {}}',
    '{"t": "send", "type": "pose", "body": {}}',
    '{"t": "send", "cseq": NaN}',
    '{"t": null}',
    "{" * 2000,
    b"\x00" * 100,
]


def test_frames_that_are_none_are_refused_by_name_and_the_socket_survives() -> None:
    place = Place()

    async def story() -> None:
        worker, _ = await place.worker()
        for text in BROKEN:
            await (worker.raw(text) if isinstance(text, str) else worker.bytes(text))
            error = await worker.frame_of("error")
            assert error["code"] == "invalid", text
            assert error["detail"]
        await worker.frame(t="ping", n=7)
        assert await worker.frame_of("pong") == {"t": "pong", "n": 7}
        await worker.send("start")
        assert (await worker.frame_of("ack"))["cseq"] == 1
        await worker.close()

    play(story)


@pytest.mark.parametrize(
    "text",
    [
        '{"t": "send", "cseq": 1, "type": "pose", "body": {"x": NaN}}',
        '{"t": "sned", "cseq": 1, "type": "start", "body": {}}',
    ],
)
def test_the_number_of_a_frame_that_is_none_counts_where_it_can_be_seen(text: str) -> None:
    """A client that drops a frame refused as invalid goes on with the next number."""
    place = Place()

    async def story() -> None:
        worker, _ = await place.worker()
        await worker.raw(text)
        error = await worker.frame_of("error")
        assert (error["code"], error["cseq"], error["last_cseq"]) == ("invalid", 1, 1)
        worker.cseq = 1
        await worker.send("start")
        assert (await worker.frame_of("ack"))["cseq"] == 2
        await worker.close()

    play(story)


REFUSED: list[tuple[str, Any]] = [
    ("outcome", {"command": "c1", "outcome": "ok"}),
    ("status", {"command": "c1", "state": "done"}),
    ("may_finish", {"allowed": True}),
    ("score", {"score": 10}),
    ("finish", {}),
    ("pose", {**POSE, "x": "left"}),
    ("place", {"at": [400, 0, 0], "block": 46}),
    ("command", {"id": "c1", "text": "x" * 501}),
    ("command", {"id": "c1", "text": "x" * 100_000}),
    ("command", ["c1"]),
    ("__class__", {}),
    ({"a": 1}, {}),  # type: ignore[list-item]
]


def test_messages_that_may_not_be_are_refused_count_and_leave_nothing() -> None:
    place = Place()

    async def story() -> None:
        worker, _ = await place.worker()
        for number, (kind, body) in enumerate(REFUSED, 1):
            await worker.frame(t="send", cseq=number, type=kind, body=body)
            error = await worker.frame_of("error")
            assert (error["code"], error["last_cseq"]) == ("invalid", number), kind
        worker.cseq = len(REFUSED)
        await worker.send("start")
        ack = await worker.frame_of("ack")
        assert (ack["cseq"], ack["seq"]) == (len(REFUSED) + 1, 2)
        await worker.close()

    play(story)


def test_an_ended_session_says_so_and_hangs_up() -> None:
    place = Place()

    async def story() -> None:
        worker, _ = await place.worker()
        await in_pool(_release, place.project)
        closed = await worker.event("closed")
        assert closed["body"] == {"reason": "left"}
        assert await worker.next() == {"t": "close", "code": connection.ENDED}
        again = End(f"/ws/work/{place.assignment}/")
        await again.open()
        await again.frame(t="hello", token=place.token, resume="tab", have=closed["seq"])
        assert (await again.frame_of("welcome"))["state"]["phase"] == "ended"
        assert await again.next() == {"t": "close", "code": connection.ENDED}

    play(story)


def test_a_revoked_link_ends_the_session_and_opens_it_no_more() -> None:
    place = Place()

    async def story() -> None:
        worker, _ = await place.worker()
        await in_pool(_revoke, place.project)
        assert (await worker.until(lambda frame: frame["t"] == "close"))["code"] == connection.ENDED
        again = End(f"/ws/work/{place.assignment}/")
        await again.open()
        await again.frame(t="hello", token=place.token, resume="tab", have=0)
        assert await again.next() == {"t": "close", "code": connection.BAD_TOKEN}

    play(story)


def _revoke(project: Project) -> None:
    revoke_links(enrolment=project.enrolments.get(), by="staff:dora", at=timezone.now())


def _release(project: Project) -> None:
    release(assignment=Assignment.objects.get(task__project=project), at=timezone.now())


def test_a_socket_that_cannot_read_the_log_hangs_up_so_that_its_page_comes_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = Place()

    def broken(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("the log cannot be read")

    async def story() -> None:
        worker, _ = await place.worker()
        await worker.send("start")
        await worker.event("start")
        monkeypatch.setattr("web.sockets.worker.opening.progress_of", broken)
        await in_pool(_release, place.project)
        assert (await worker.until(lambda frame: frame["t"] == "close"))["code"] == connection.FAILED

    play(story)
