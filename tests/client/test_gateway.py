"""The client's reaction to every message and fault of the gateway."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, NoReturn

import pytest

from crosswalk_client import frames
from crosswalk_client.conformance.log import Log
from crosswalk_client.conformance.server import Gateway, Mishap
from crosswalk_client.frames import Event, Json
from crosswalk_client.gateway import AgentClient, Refused, Replaced, Timing
from crosswalk_client.session import Session, SessionEnded
from tests.support.sockets import AGENT, HURRY, KEY, gateway_of, idle, serving


def told(
    scenario: Callable[[Gateway, AgentClient], Awaitable[None]],
    serve: Callable[[Session], Awaitable[None]] = idle,
    gateway: Gateway | None = None,
    **options: Any,
) -> None:
    """Run a scenario with a client that is connected."""

    async def run() -> None:
        own = gateway or gateway_of()
        async with serving(own, serve, **options) as client:
            await scenario(own, client)

    asyncio.run(run())


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(0.01)


async def echo(session: Session) -> None:
    async for command in session.commands():
        await session.say(command.text)


def said(log: Log) -> list[str]:
    return [event.body["text"] for event in log.sent("say")]


async def tell(log: Log, text: str) -> None:
    await log.append("worker", "command", {"id": text, "text": text})


@pytest.mark.parametrize(("key", "agent"), [("wrong", AGENT), (KEY, "stranger")])
def test_a_wrong_key_or_name_is_final(key: str, agent: str) -> None:
    async def run() -> None:
        async with gateway_of().listen() as url:
            with pytest.raises(Refused, match="check key and agent"):
                await asyncio.wait_for(AgentClient(url, key, agent, 1, idle).run(), 10)

    asyncio.run(run())


def test_an_agent_tries_again_however_long_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = 0

    def away(*args: object, **options: object) -> NoReturn:
        nonlocal tries
        tries += 1
        raise OSError("nobody listens") if tries < 1200 else Refused("enough")

    monkeypatch.setattr("crosswalk_client.gateway.connect", away)
    with pytest.raises(Refused, match="enough"):
        asyncio.run(AgentClient("ws://nowhere", KEY, AGENT, 1, idle, timing=Timing(longest_wait=0.0)).run())
    assert tries == 1200


def test_a_replaced_connection_does_not_come_back() -> None:
    async def run() -> None:
        gateway = gateway_of()
        async with gateway.listen() as url:
            running = asyncio.create_task(AgentClient(url, KEY, AGENT, 1, idle, timing=HURRY).run())
            assert await gateway.until(lambda: gateway.hellos, 10)
            gateway.write(frames.write("error", code="stale", detail="", last_cseq=0))
            with pytest.raises(Replaced):
                await asyncio.wait_for(running, 10)

    asyncio.run(run())


def test_a_body_that_is_no_json_is_not_numbered_and_an_invalid_message_is_dropped(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def bad_then_good(session: Session) -> None:
        with pytest.raises(TypeError):
            await session.send("say", {"text": object()})
        with pytest.raises(ValueError, match="Out of range"):
            await session.send("pose", {"x": float("nan")})
        await session.blocks([(999, 0, 0, 1)])
        await session.flush()
        await session.say("still here")
        await session.until_ended()

    async def scenario(gateway: Gateway, client: AgentClient) -> None:
        log = gateway.open()
        assert await log.until(lambda: said(log) == ["still here"], 10)
        assert log.last_cseq == 2
        await until(lambda: "outside of the world" in caplog.text)

    told(scenario, bad_then_good)


def test_after_a_gap_the_client_sends_from_where_the_server_stands() -> None:
    lost: list[object] = []

    async def scenario(gateway: Gateway, client: AgentClient) -> None:
        log = gateway.open()
        take = log.take

        async def lossy(frame: Json) -> str:
            if frame["cseq"] == 2 and not lost:
                lost.append(frame)
                return frames.write("confetti")
            return await take(frame)

        log.take = lossy  # type: ignore[method-assign]
        for text in "abcd":
            await tell(log, text)
        assert await log.until(lambda: len(said(log)) == 4, 10)
        assert said(log) == list("abcd")

    told(scenario, echo)


def test_senders_wait_while_too_much_waits_for_the_server() -> None:
    sent: list[int] = []

    async def chatter(session: Session) -> None:
        for number in range(10):
            sent.append(await session.send("say", {"text": str(number)}))

    async def scenario(gateway: Gateway, client: AgentClient) -> None:
        log = gateway.open()
        taken, may_take = log.take, asyncio.Event()

        async def slow(frame: Json) -> str:
            await may_take.wait()
            return await taken(frame)

        log.take = slow  # type: ignore[method-assign]
        await until(lambda: len(sent) == 3)
        await asyncio.sleep(0.05)
        assert sent == [1, 2, 3]
        may_take.set()
        assert await log.until(lambda: len(said(log)) == 10, 10)

    told(scenario, chatter, limit=3)


@pytest.mark.parametrize("way", ["unassign", "closed event", "closed error"])
def test_a_session_ends_in_each_way_and_nothing_can_be_sent_in_it(way: str) -> None:
    ends: list[str] = []

    async def serve(session: Session) -> None:
        async for _ in session.events():
            pass
        with pytest.raises(SessionEnded):
            await session.say("too late")
        with pytest.raises(SessionEnded):
            await session.ask("still there?", ["yes"])
        ends.append(session.reason)

    async def scenario(gateway: Gateway, client: AgentClient) -> None:
        log = gateway.open()
        await until(lambda: client.sessions)
        if way == "unassign":
            gateway.close(log, "enough")
        elif way == "closed event":
            await log.append("server", "closed", {"reason": "enough"})
        else:
            log.tell_raw(log.error("closed", "enough"))
        await until(lambda: ends)
        assert ends == ["closed" if way == "closed error" else "enough"]
        assert client.sessions == {}

    told(scenario, serve)


def test_a_session_that_is_not_assigned_again_is_over() -> None:
    async def scenario(gateway: Gateway, client: AgentClient) -> None:
        log = gateway.open()
        await until(lambda: client.sessions)
        [session] = client.sessions.values()
        log.is_over = True
        gateway.cut()
        assert await asyncio.wait_for(session.until_ended(), 10) == "not assigned again"

    told(scenario, timing=replace(HURRY, reassign=0.05))


def test_a_mute_gateway_is_left_for_a_new_connection() -> None:
    async def scenario(gateway: Gateway, client: AgentClient) -> None:
        assert await gateway.until(lambda: len(gateway.hellos) >= 3, 10)

    mute = gateway_of()
    mute.is_mute = True
    told(scenario, gateway=mute, timing=replace(HURRY, ping=0.02))


def test_code_that_breaks_fails_its_command_and_those_that_follow(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(session: Session) -> None:
        async for command in session.commands():
            await session.status(command.id, "received")
            raise RuntimeError("a bug of the agent")

    async def scenario(gateway: Gateway, client: AgentClient) -> None:
        log = gateway.open()
        for text in ("one", "two"):
            await tell(log, text)
            assert await log.until(lambda: log.states_of(text) == ["received", "failed"], 10)  # noqa: B023
        assert "a bug of the agent" in caplog.text

    told(scenario, broken)


def test_a_question_is_answered_by_the_index_of_the_choice() -> None:
    answers: list[int | None] = []

    async def serve(session: Session) -> None:
        answers.append(await session.ask("Which?", ["red", "blue"]))
        answers.append(await session.ask("Sure?", ["yes"]))

    async def scenario(gateway: Gateway, client: AgentClient) -> None:
        log = gateway.open()
        assert await log.until(lambda: len(log.sent("ask")) == 1, 10)
        await log.append("worker", "choose", {"question": "of nobody", "choice": 0})
        await log.append("worker", "choose", {"question": log.sent("ask")[0].body["question"], "choice": 1})
        assert await log.until(lambda: len(log.sent("ask")) == 2, 10)
        await log.append("server", "status", {"command": "c", "state": "failed", "reason": "silent"})
        await until(lambda: len(answers) == 2)
        assert answers == [1, None]

    told(scenario, serve)


@pytest.mark.parametrize(
    ("left_at", "answer"),
    [((), ["received"]), (("received", "thinking"), ["received", "thinking", "failed"]), (("received", "done"), None)],
)
def test_a_new_process_takes_over_the_commands_of_another(left_at: tuple[str, ...], answer: list[str] | None) -> None:
    """Not begun: it obeys. Half done: it says so. Done: it leaves it alone."""
    heard: list[Event] = []

    async def serve(session: Session) -> None:
        async for event in session.events():
            heard.append(event)
            if (command := await session.command_in(event)) is not None:
                await session.status(command.id, "received")

    async def scenario(gateway: Gateway, client: AgentClient) -> None:
        log = gateway.open()
        gateway.cut()  # from here on the first process is no more
        log.last_cseq = len(left_at) + 1
        await log.append("agent", "say", {"text": "hello"})
        await tell(log, "one")
        for state in left_at:
            await log.append("agent", "status", {"command": "one", "state": state})
        await tell(log, "two")
        assert await gateway.until(lambda: len(gateway.hellos) == 2, 10)
        assert await log.until(lambda: log.states_of("two") == ["received"], 10)
        assert log.states_of("one") == (list(left_at) if answer is None else answer)
        await until(lambda: len(heard) == len(log.events))
        assert [event.ours for event in heard if event.seq <= len(left_at) + 3] == [False] * (len(left_at) + 3)
        assert heard[-1].ours

    told(scenario, serve)


def test_events_missed_while_away_come_as_a_new_world() -> None:
    heard: list[Event] = []

    async def serve(session: Session) -> None:
        async for event in session.events():
            heard.append(event)

    async def scenario(gateway: Gateway, client: AgentClient) -> None:
        log = gateway.open()
        log.tells_all = False
        await log.append("worker", "pose", {"x": 1, "y": 1, "z": 1, "pitch": 0, "yaw": 0})
        await until(lambda: len(heard) == 1)
        gateway.cut()
        await log.append("worker", "place", {"at": [3, 1, 3], "block": 46})
        await log.append("worker", "destroy", {"at": [0, 0, 0]})
        assert await gateway.until(lambda: len(gateway.hellos) == 2, 10)
        await tell(log, "one")
        await until(lambda: len(heard) == 3)
        assert [(event.seq, event.type) for event in heard] == [(1, "pose"), (3, "world"), (4, "command")]
        assert [3, 1, 3, 46] in heard[1].body["blocks"]
        assert [0, 0, 0, 8] not in heard[1].body["blocks"]

    told(scenario, serve)


def test_a_command_that_the_server_ended_while_away_is_stopped() -> None:
    outcomes: list[bool] = []

    async def serve(session: Session) -> None:
        async for command in session.commands():
            await session.status(command.id, "received")
            await session.until_stopped(command.id)
            await session.status(command.id, "failed", "stopped")
            outcomes.append(session.is_stopped(command.id))

    async def scenario(gateway: Gateway, client: AgentClient) -> None:
        log = gateway.open()
        log.tells_all = False
        await tell(log, "one")
        assert await log.until(lambda: log.states_of("one"), 10)
        gateway.cut()
        await log.append("server", "status", {"command": "one", "state": "failed", "reason": "silent"})
        await until(lambda: outcomes)
        assert log.states_of("one") == ["received"]

    told(scenario, serve)


def test_a_server_that_lost_messages_it_had_cannot_go_on_with_the_session() -> None:
    ends: list[str] = []

    async def serve(session: Session) -> None:
        await session.say("hello")
        await session.flush()
        ends.append(await session.until_ended())

    async def scenario(gateway: Gateway, client: AgentClient) -> None:
        log = gateway.open()
        assert await log.until(lambda: said(log), 10)
        await until(lambda: client.sessions and not len(next(iter(client.sessions.values()))._outbox))
        log.last_cseq = 0
        gateway.cut()
        await until(lambda: ends)
        assert ends == ["history lost"]

    told(scenario, serve)


def test_a_pause_ends_with_its_connection() -> None:
    """Twice too much, with a cut between: the first pause must not end the second one, into a dead connection."""
    refused: list[int] = []

    def befall(log: Log, frame: Json) -> Mishap:
        connection = len(gateway.hellos)
        if connection in refused or connection > 2:
            return None
        refused.append(connection)
        return "rate"

    async def scenario(gateway: Gateway, client: AgentClient) -> None:
        log = gateway.open()
        await tell(log, "one")
        await until(lambda: refused == [1])
        await asyncio.sleep(0.05)  # the second pause should begin well before the first one would have ended
        gateway.cut()
        await until(lambda: refused == [1, 2])
        assert await log.until(lambda: said(log) == ["one"], 10)

    gateway = gateway_of()
    gateway.mishap = befall
    told(scenario, echo, gateway, timing=replace(HURRY, rate=0.2))


def test_one_refusal_is_waited_out_and_nothing_is_sent_many_times() -> None:
    """The messages in flight behind it are refused too, which must neither cut the wait short nor send all again."""
    came: list[tuple[int, float]] = []

    def befall(log: Log, frame: Json) -> Mishap:
        came.append((frame["cseq"], asyncio.get_running_loop().time()))
        return "rate" if len(came) == 1 else None

    async def chatter(session: Session) -> None:
        for number in range(15):
            await session.say(str(number))
        await session.until_ended()

    async def scenario(gateway: Gateway, client: AgentClient) -> None:
        log = gateway.open()
        assert await log.until(lambda: len(said(log)) == 15, 10)
        assert said(log) == [str(number) for number in range(15)]
        first, second = (at for cseq, at in came if cseq == 1)
        assert second - first >= 0.25
        assert len(came) <= 2 * 15

    gateway = gateway_of()
    gateway.mishap = befall
    told(scenario, chatter, gateway, timing=replace(HURRY, rate=0.3, gap=0.01))
