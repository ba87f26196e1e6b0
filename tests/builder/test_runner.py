"""The runner, with a mind of a few lines, against the gateway of the conformance test."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial, wraps
from inspect import Signature, signature
from typing import Any

import pytest

from builder.acting.acts import Acts, Ask, CannotDo, Change, Edit, Found, Go, Reason, Say, Show
from builder.mind import Mind
from builder.runner import STUCK, Pace, serve_with
from builder.world.world import World
from crosswalk_client.conformance.log import Log
from crosswalk_client.conformance.server import Gateway
from lib.logical_form import Form
from lib.voxels.scene import Pose
from tests.support.sockets import BRISK, examined, gateway_of, serving

QUICK = Pace(step=0.005, edit=0.005)


class FakeMind:
    """It does what the first word of the command says."""

    def __init__(self, scene: dict[str, Any]) -> None:
        self.world = World.of(scene)
        self.seen: list[object] = []
        self.stops = 0
        self.closed = 0
        self.hold = threading.Event()

    def understand(self, text: str) -> Form:
        if text == "mishear":
            raise ValueError("a bug of the parser")
        return {"dialogue_type": "NOOP", "text": text}

    def sentence_for(self, form: Form, tokens: Sequence[str]) -> str:
        return f"I understood: {' '.join(tokens)}"

    def obey(self, form: Form, tokens: Sequence[str]) -> Acts:
        try:
            yield from self._acts(tokens[0])
        finally:
            self.closed += 1

    def saw_blocks(self, changes: Sequence[Change]) -> None:
        self.seen.append(tuple(changes))

    def saw_player(self, pose: Pose) -> None:
        self.seen.append(pose)

    def stop(self) -> None:
        self.stops += 1

    def _acts(self, word: str) -> Acts:
        match word:
            case "go":
                yield Go(Pose(2, 1, 3, 0, 90))
            case "show":
                yield Found("the cube", ((1, 1, 1),))
                yield Show((1, 1, 1), (2, 2, 2))
            case "ask":
                answer = yield Ask("This one?", ("yes", "no"), (1, 1, 1), (1, 1, 1))
                yield Say(f"You chose {answer}.")
            case "refuse":
                yield Say("Let me see.")
                raise CannotDo("I cannot fly.", Reason.UNKNOWN_ACTION)
            case "break":
                yield Say("Let me see.")
                raise ZeroDivisionError
            case "hold":
                yield Say("Thinking hard.")
                self.hold.wait(10)
                yield Edit(((5, 5, 5, 46),))
            case "long":
                for number in range(400):
                    yield Edit(((number % 20, 1, 1, 46),))
            case _:
                yield Edit(((1, 1, 1, 46), (1, 2, 1, 46)))


class Stage:
    """A session with the runner in it, and the minds that were made."""

    def __init__(self, gateway: Gateway, minds: list[FakeMind]) -> None:
        self.gateway = gateway
        self.minds = minds
        self.log = gateway.open()

    async def tell(self, text: str, log: Log | None = None) -> None:
        await (log or self.log).append("worker", "command", {"id": text, "text": text})

    async def begun(self, text: str, kind: str) -> None:
        """Give a command and wait for its first act of this kind."""
        await self.tell(text)
        assert await self.log.until(lambda: self.log.sent(kind), 10)

    async def ended(self, text: str, log: Log | None = None) -> list[str]:
        log = log or self.log
        assert await log.until(lambda: {"done", "failed"} & set(log.states_of(text)), 20), log.events
        return log.states_of(text)

    async def obeyed(self, text: str) -> list[str]:
        await self.tell(text)
        return await self.ended(text)

    def said(self) -> list[str]:
        return [event.body["text"] for event in self.log.sent("say")]

    def reason(self) -> object:
        return self.log.sent("status")[-1].body.get("reason")


def staged(scenario: Callable[..., Awaitable[None]], *, pace: Pace = QUICK) -> Callable[..., None]:
    """The test that runs an async scenario on a stage; the scenario's other arguments are pytest's."""

    async def run(**given: Any) -> None:
        gateway, minds = gateway_of(), list[FakeMind]()

        def make(scene: dict[str, Any]) -> FakeMind:
            minds.append(FakeMind(scene))
            return minds[-1]

        async with serving(gateway, serve_with(make, pace)):
            stage = Stage(gateway, minds)
            await scenario(stage, **given)
            assert stage.log.body_faults + stage.log.number_faults == []

    @wraps(scenario)
    def test(**given: Any) -> None:
        asyncio.run(run(**given))

    _, *rest = signature(scenario).parameters.values()
    test.__signature__ = Signature(rest)  # type: ignore[attr-defined]
    return test


@staged
async def test_each_act_becomes_its_frame(stage: Stage) -> None:
    for text in ("go", "show", "build"):
        assert await stage.obeyed(text) == ["received", "thinking", "acting", "done"]
    kinds = [(event.type, event.body) for event in stage.log.events if event.sender == "agent"]
    assert (
        "parse",
        {"command": "go", "form": {"dialogue_type": "NOOP", "text": "go"}, "version": "builder-1"},
    ) in kinds
    assert ("say", {"text": "I understood: go"}) in kinds
    assert ("pose", {"x": 2, "y": 1, "z": 3, "pitch": 0, "yaw": 90}) in kinds
    assert ("objects", {"command": "show", "phrase": "the cube", "voxels": [[1, 1, 1]]}) in kinds
    assert ("point", {"box": [[1, 1, 1], [2, 2, 2]]}) in kinds
    assert ("blocks", {"changes": [[1, 1, 1, 46], [1, 2, 1, 46]]}) in kinds


@staged
async def test_a_question_is_put_and_its_answer_reaches_the_mind(stage: Stage) -> None:
    await stage.begun("ask", "ask")
    asked = stage.log.sent("ask")[0].body
    assert (asked["text"], asked["choices"], asked["point"]) == ("This one?", ["yes", "no"], [[1, 1, 1], [1, 1, 1]])
    await stage.log.append("worker", "choose", {"question": asked["question"], "choice": 1})
    assert (await stage.ended("ask"))[-1] == "done"
    assert stage.said()[-1] == "You chose 1."


@pytest.mark.parametrize(("text", "first"), [("long", "blocks"), ("ask", "ask")])
@staged
async def test_a_stop_ends_the_running_command_and_the_next_is_obeyed(stage: Stage, text: str, first: str) -> None:
    await stage.begun(text, first)
    await stage.log.append("worker", "stop", {"command": text})
    assert (await stage.ended(text))[-1] == "failed"
    assert stage.reason() == "stopped"
    [mind] = stage.minds
    assert (mind.stops, mind.closed) == (1, 1)
    assert (await stage.obeyed("go"))[-1] == "done"
    assert len(stage.log.sent("blocks")) < 400


@partial(staged, pace=Pace(step=3600, edit=3600))
async def test_a_stop_does_not_wait_for_the_pace(stage: Stage) -> None:
    await stage.begun("long", "blocks")
    await stage.log.append("worker", "stop", {"command": "long"})
    assert (await stage.ended("long"))[-1] == "failed"


@pytest.mark.parametrize("is_cut", [False, True])
@staged
async def test_a_command_that_the_server_has_failed_is_given_up_silently(stage: Stage, is_cut: bool) -> None:
    await stage.begun("long", "blocks")
    if is_cut:
        stage.log.tells_all = False
        stage.gateway.cut()
    await stage.log.append("server", "status", {"command": "long", "state": "failed", "reason": "silent"})
    assert await stage.gateway.until(lambda: len(stage.gateway.hellos) == 1 + is_cut, 10)
    assert (await stage.obeyed("go"))[-1] == "done"
    assert stage.log.states_of("long") == ["received", "thinking", "acting"]
    assert (stage.minds[0].stops, stage.minds[0].closed) == (1, 2)


@pytest.mark.parametrize(
    ("text", "reason", "sentence"),
    [
        ("refuse", "unknown_action", "I cannot fly."),
        # A bug of the mind fails its command, and the session goes on.
        ("break", "crashed", STUCK),
        ("mishear", "crashed", STUCK),
    ],
)
@staged
async def test_a_failure_is_said_and_has_a_reason(
    stage: Stage, text: str, reason: str, sentence: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert (await stage.obeyed(text))[-1] == "failed"
    assert (stage.reason(), stage.said()[-1]) == (reason, sentence)
    assert ("Traceback" in caplog.text) == (reason == "crashed")
    assert (await stage.obeyed("go"))[-1] == "done"


@staged
async def test_the_mind_sees_the_workers_acts_also_during_a_command(stage: Stage) -> None:
    await stage.begun("long", "blocks")
    await stage.log.append("worker", "pose", {"x": 3, "y": 1, "z": 4, "pitch": -5.5, "yaw": 30})
    await stage.log.append("worker", "place", {"at": [7, 1, 7], "block": 46})
    await stage.log.append("worker", "destroy", {"at": [7, 1, 7]})
    mind = stage.minds[0]
    blocks = len(stage.log.sent("blocks"))
    assert await stage.log.until(lambda: len(mind.seen) == 3 or len(stage.log.sent("blocks")) > blocks + 300, 10)
    assert mind.seen == [Pose(3, 1, 4, -5.5, 30), ((7, 1, 7, 46),), ((7, 1, 7, 0),)]
    assert stage.log.states_of("long")[-1] == "acting"


@staged
async def test_the_mind_sees_neither_its_own_blocks_nor_events_without_sense(stage: Stage) -> None:
    await stage.obeyed("build")
    await stage.log.append("worker", "place", {"somewhere": "else"})
    assert (await stage.obeyed("go"))[-1] == "done"
    assert stage.minds[0].seen == []


@staged
async def test_a_mind_that_thinks_long_does_not_hold_up_another_session(stage: Stage) -> None:
    await stage.tell("hold")
    assert await stage.log.until(lambda: "Thinking hard." in stage.said(), 10)
    other = stage.gateway.open()
    await stage.tell("go", other)
    assert (await stage.ended("go", other))[-1] == "done"
    assert stage.log.states_of("hold")[-1] == "acting"
    stage.minds[0].hold.set()
    assert (await stage.ended("hold"))[-1] == "done"


@staged
async def test_a_step_that_was_done_is_shown_even_when_a_stop_came_meanwhile(stage: Stage) -> None:
    await stage.tell("hold")
    assert await stage.log.until(lambda: "Thinking hard." in stage.said(), 10)
    await stage.log.append("worker", "stop", {"command": "hold"})
    stage.minds[0].hold.set()
    assert (await stage.ended("hold"))[-1] == "failed"
    assert len(stage.log.sent("blocks")) == 1


@staged
async def test_blocks_of_a_process_that_had_the_session_before_reach_the_mind(stage: Stage) -> None:
    log = Log()
    log.last_cseq = 1
    await log.append("agent", "blocks", {"changes": [[4, 1, 4, 46]]})
    stage.gateway.assign(log)
    await stage.tell("go", log)
    assert (await stage.ended("go", log))[-1] == "done"
    assert [mind.seen for mind in stage.minds if mind.seen] == [[((4, 1, 4, 46),)]]


@staged
async def test_after_a_cut_the_mind_sees_the_changes_and_keeps_its_memory(stage: Stage) -> None:
    await stage.obeyed("go")
    stage.log.tells_all = False
    stage.gateway.cut()
    await stage.log.append("worker", "pose", {"x": 3, "y": 1, "z": 4, "pitch": 0, "yaw": 0})
    await stage.log.append("worker", "place", {"at": [7, 1, 7], "block": 46})
    assert await stage.gateway.until(lambda: len(stage.gateway.hellos) == 2, 10)
    assert (await stage.obeyed("show"))[-1] == "done"
    [mind] = stage.minds
    assert mind.seen == [((7, 1, 7, 46),), Pose(3, 1, 4, 0, 0)]


def test_the_built_in_mind_passes_conformance() -> None:
    commands = ("build a small red cube", "hello there", "go to the cube", "colourless green ideas sleep")
    options = replace(BRISK, commands=commands, long="build a big house", patience_s=30)
    results = examined(serve_with(Mind, Pace(step=0.01, edit=0.01)), options=options)
    assert {name for name, result in results.items() if result.verdict != "pass"} == {"ask"}, results


def test_the_runner_passes_conformance() -> None:
    options = replace(BRISK, commands=("build",), long="long", ask="ask")
    results = examined(serve_with(FakeMind, QUICK), options=options)
    assert {
        name: (result.verdict, result.sentence) for name, result in results.items() if result.verdict != "pass"
    } == {}
