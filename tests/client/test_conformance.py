"""The conformance test passes good agents and says of bad ones what is wrong with them."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from client import example_agent
from client.conformance.__main__ import main
from client.conformance.checks import Result
from client.frames import Json
from client.session import Session
from tests.client.running import BRISK, examined

FEW = replace(BRISK, patience_s=0.5, stop_s=0.3)


@pytest.fixture(autouse=True)
def _work_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(example_agent, "WORK_S", 0.1)


def failures(results: Mapping[str, Result]) -> set[str]:
    return {name for name, result in results.items() if result.verdict == "fail"}


def test_the_example_agent_passes() -> None:
    results = examined(example_agent.serve)
    assert {name: result.verdict for name, result in results.items() if name != "ask"} == dict.fromkeys(
        [name for name in results if name != "ask"], "pass"
    )
    assert results["ask"].verdict == "skip"


def test_an_agent_of_one_session_is_not_asked_for_two() -> None:
    results = examined(example_agent.serve, capacity=1)
    assert results["two sessions"].verdict == "skip"
    assert failures(results) == set()


async def hasty(session: Session) -> None:
    """It does first and thinks later."""
    async for command in session.commands():
        for state in ("received", "acting", "thinking", "done"):
            await session.status(command.id, state)


def test_statuses_out_of_order_are_found() -> None:
    results = examined(hasty, options=FEW)
    assert "the statuses were: received, acting, thinking, done" in results["commands"].sentence
    assert "commands" in failures(results)


async def deaf(session: Session) -> None:
    """It does not stop."""
    async for command in session.commands():
        await session.status(command.id, "received")
        await session.status(command.id, "thinking")
        await session.status(command.id, "acting")
        await asyncio.sleep(0.6 if command.text == BRISK.long else 0)
        await session.status(command.id, "done")


def test_an_agent_that_does_not_stop_is_found() -> None:
    results = examined(deaf, options=replace(FEW, patience_s=2))
    assert failures(results) == {"stop"}
    assert results["stop"].sentence == "a stop did not end the command within 0.3 s"


async def forgetful(session: Session) -> None:
    """What was on its way when the connection broke is lost, and the numbers go on."""

    def forget() -> None:
        session._wire = None
        for held in session._outbox.after(0):
            session._outbox.settle(held.cseq)

    session.unplug = forget  # type: ignore[method-assign]
    await example_agent.serve(session)


def test_an_agent_that_loses_messages_on_reconnect_is_found() -> None:
    assert "cuts" in failures(examined(forgetful, options=FEW))


async def repeating(session: Session) -> None:
    """It starts anew with every command it ever heard when it is assigned again."""
    heard: list[str] = []

    async def obey(command: str) -> None:
        for state in ("received", "thinking", "done"):
            await session.status(command, state)

    def resume(frame: Json) -> None:
        tasks.extend(asyncio.ensure_future(obey(command)) for command in heard)

    tasks: list[asyncio.Future[None]] = []
    session.resume = resume  # type: ignore[method-assign]
    async for command in session.commands():
        heard.append(command.id)
        await obey(command.id)


def test_an_agent_that_does_things_twice_is_found() -> None:
    results = examined(repeating, options=FEW)
    assert "cuts" in failures(results)


async def far_off(session: Session) -> None:
    """It builds outside of the world."""
    async for command in session.commands():
        await session.status(command.id, "received")
        await session.status(command.id, "thinking")
        await session.blocks([(500, 1, 1, 46)])
        await session.status(command.id, "done")


def test_blocks_outside_of_the_world_are_found() -> None:
    results = examined(far_off, options=FEW)
    assert failures(results) == {"bodies"}
    assert "outside of the world" in results["bodies"].sentence


async def inquisitive(session: Session) -> None:
    """It asks about everything."""
    async for command in session.commands():
        await session.status(command.id, "received")
        await session.status(command.id, "thinking")
        if await session.ask("This one?", ["yes", "no"], point=((1, 0, 1), (2, 0, 2))) is None:
            await session.status(command.id, "failed", "stopped")
        else:
            await session.status(command.id, "done")


def test_an_agent_that_asks_is_answered_and_stopped() -> None:
    results = examined(inquisitive, options=replace(BRISK, ask="build that"))
    assert results["ask"].verdict == "pass"
    assert failures(results) == set()


async def faithful(session: Session) -> None:
    """It does not let go of a session."""
    session.end = lambda reason: None  # type: ignore[method-assign]
    async for command in session.commands():
        await session.status(command.id, "received")
        for _ in range(30 if command.text == BRISK.long else 1):
            await session.say("still here")
            await asyncio.sleep(0.03)
        await session.status(command.id, "thinking")
        await session.status(command.id, "done")


def test_an_agent_that_does_not_let_go_is_found() -> None:
    assert "unassign" in failures(examined(faithful, options=replace(BRISK, settle_s=0.1)))


def test_the_command_says_why_no_agent_came(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["--listen", "127.0.0.1:0", "--key", "k", "--agent", "a", "--connect", "0.05"])
    assert status == 1
    assert "no connection came" in capsys.readouterr().out
