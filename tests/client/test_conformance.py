"""The conformance test passes good agents and says of bad ones what is wrong with them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

import pytest

from crosswalk_client import example_agent
from crosswalk_client.conformance.__main__ import main
from crosswalk_client.conformance.checks import Result
from crosswalk_client.conformance.trial import Options
from crosswalk_client.frames import Json
from crosswalk_client.session import Session
from tests.support.sockets import BRISK, examined

Serve = Callable[[Session], Awaitable[None]]
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


async def deaf(session: Session) -> None:
    """It does not stop."""
    async for command in session.commands():
        await session.status(command.id, "received")
        await session.status(command.id, "thinking")
        await session.status(command.id, "acting")
        await asyncio.sleep(0.6 if command.text == BRISK.long else 0)
        await session.status(command.id, "done")


async def forgetful(session: Session) -> None:
    """Messages in flight are lost when the connection breaks, and the numbers go on."""

    def forget() -> None:
        session._wire = None
        for held in session._outbox.after(0):
            session._outbox.settle(held.cseq)

    session.unplug = forget  # type: ignore[method-assign]
    await example_agent.serve(session)


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


async def far_off(session: Session) -> None:
    """It builds outside of the world."""
    async for command in session.commands():
        await session.status(command.id, "received")
        await session.status(command.id, "thinking")
        await session.blocks([(500, 1, 1, 46)])
        await session.status(command.id, "done")


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


@pytest.mark.long
@pytest.mark.parametrize(
    ("agent", "options", "check", "sentence"),
    [
        (hasty, FEW, "commands", "the statuses were: received, acting, thinking, done"),
        (deaf, replace(FEW, patience_s=2), "stop", "a stop did not end the command within 0.3 s"),
        (forgetful, FEW, "cuts", ""),
        (repeating, FEW, "cuts", ""),
        (far_off, FEW, "bodies", "outside of the world"),
        (faithful, replace(BRISK, settle_s=0.1), "unassign", ""),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_faulty_agent_is_found(agent: Serve, options: Options, check: str, sentence: str) -> None:
    results = examined(agent, options=options)
    assert check in failures(results)
    assert sentence in results[check].sentence
    if agent in (deaf, far_off):
        assert failures(results) == {check}


def test_the_command_says_why_no_agent_came(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["--listen", "127.0.0.1:0", "--key", "k", "--agent", "a", "--connect", "0.05"])
    assert status == 1
    assert "no connection came" in capsys.readouterr().out
