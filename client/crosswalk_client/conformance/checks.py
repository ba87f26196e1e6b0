"""The checks, in the order in which they run. To add one, write it beside its neighbours and name it in `CHECKS`."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from crosswalk_client import frames
from crosswalk_client.conformance.log import Log
from crosswalk_client.conformance.server import Gateway, Mishap
from crosswalk_client.conformance.trial import ENDED, Failed, Options, Skipped, Trial
from crosswalk_client.frames import Json

Verdict = Literal["pass", "fail", "skip"]


@dataclass(frozen=True)
class Result:
    """The result of one check, with a sentence for the agent's author."""

    name: str
    verdict: Verdict
    sentence: str


async def check_hello(trial: Trial) -> str:
    """Connects with its key and says hello within 5 s."""
    gateway = trial.gateway
    if not await gateway.until(lambda: gateway.hellos, trial.options.connect_s):
        why = gateway.refused[-1:] or gateway.faults[-1:] or ["no connection came"]
        raise Failed(f"it did not connect within {trial.options.connect_s:g} s: {why[0]}")
    hello, took_s = gateway.hellos[0]
    try:
        uuid.UUID(str(hello.get("resume")))
    except ValueError:
        raise Failed(f"hello has a `resume` that is no UUID: {hello.get('resume')!r}") from None
    if gateway.capacity < 1:
        raise Failed(f"hello has a `capacity` that is not a number from 1: {hello.get('capacity')!r}")
    return f"hello came after {took_s:.1f} s; it serves {gateway.capacity} at once"


async def check_ping(trial: Trial) -> str:
    """Answers a ping with a pong of the same number."""
    trial.gateway.write(frames.write("ping", n=4711))
    if not await trial.gateway.until(lambda: 4711 in trial.gateway.pongs, 5):
        raise Failed("a ping was not answered within 5 s")
    return "a ping was answered"


async def check_commands(trial: Trial) -> str:
    """Reports the state of each command: received, thinking, acting, then done or failed, once each."""
    async with trial.session() as log:
        for text in trial.options.commands:
            await trial.obeyed(log, await trial.command(log, text))
    return f"{len(trial.options.commands)} commands went their lawful way"


async def check_world(trial: Trial) -> str:
    """Continues while the worker walks and changes blocks."""
    async with trial.session() as log:
        command = await trial.command(log, trial.options.commands[0])
        await log.append("worker", "pose", {"x": 3, "y": 1, "z": 3, "pitch": -10.5, "yaw": 45})
        await log.append("worker", "place", {"at": [2, 1, 2], "block": 46})
        await log.append("worker", "destroy", {"at": [2, 1, 2]})
        await trial.obeyed(log, command)
    return "the worker's steps and blocks did not disturb it"


async def check_unknown(trial: Trial) -> str:
    """Skips frames and events that it does not know, since new ones will be added."""
    connections = len(trial.gateway.hellos)
    async with trial.session() as log:
        trial.gateway.write(frames.write("confetti", colour="red"))
        await log.append("server", "fireworks", {"height": 3})
        await trial.obeyed(log, await trial.command(log, trial.options.commands[0]))
    if len(trial.gateway.hellos) > connections:
        raise Failed("an unknown frame or event made it connect anew")
    return "an unknown frame and an unknown event were passed over"


async def check_stop(trial: Trial) -> str:
    """Ends a command soon after the worker says stop."""
    async with trial.session() as log:
        command = await trial.command(log, trial.options.long)
        await log.until(lambda: set(log.states_of(command)) & {"acting", *ENDED}, trial.options.patience_s)
        if set(log.states_of(command)) & set(ENDED):
            raise Skipped(f"{trial.options.long!r} ended before it could be stopped; give a longer one with --long")
        await _stop(trial, log, command)
        await trial.obeyed(log, await trial.command(log, trial.options.commands[0]))
    return "a stop ended the command, and the next one was obeyed"


async def check_ask(trial: Trial) -> str:
    """Continues when its question is answered, and stops when a stop comes instead."""
    text = trial.options.ask
    if text is None:
        raise Skipped("name a command at which it asks back with --ask, if it ever does")
    async with trial.session(answers=False) as log:
        for is_answered in (True, False):
            asked, command = len(log.sent("ask")), await trial.command(log, text)
            if not await log.until(lambda: len(log.sent("ask")) > asked, trial.options.patience_s):  # noqa: B023
                raise Failed(f"it did not ask back at {text!r}")
            if is_answered:
                question = log.sent("ask")[-1].body["question"]
                await log.append("worker", "choose", {"question": question, "choice": 0})
                await trial.obeyed(log, command)
            else:
                await _stop(trial, log, command)
    return "an answer let it go on, and a stop in place of an answer ended the command"


async def check_two_sessions(trial: Trial) -> str:
    """Serves two sessions at once without mixing them up."""
    if trial.gateway.capacity < 2:
        raise Skipped("it serves one session at a time, by its `capacity`")
    async with trial.session() as one, trial.session() as other:
        commands = [(log, await trial.command(log, trial.options.commands[0])) for log in (one, other)]
        await asyncio.gather(*(trial.obeyed(log, command) for log, command in commands))
        for log, (elsewhere, command) in ((one, commands[1]), (other, commands[0])):
            if log is not elsewhere and log.states_of(command):
                raise Failed("it spoke in one session about a command of the other")
    return "two sessions were served side by side"


async def check_cuts(trial: Trial) -> str:
    """Continues its work after a broken connection, losing nothing and doing nothing twice."""
    plans: list[tuple[Mishap, int]] = [
        ("cut unanswered", 1),
        ("cut unread", 1),
        ("cut unread", 2),
        ("cut unanswered", 3),
    ]
    resume = trial.gateway.hellos[-1][0].get("resume")
    async with trial.session() as log:
        for mishap, nth in plans:
            await _command_with(trial, log, mishap, nth)
            if trial.gateway.hellos[-1][0].get("resume") != resume:
                raise Failed("it came back with another `resume`: the same process keeps the one it began with")
        await _cut_while_idle(trial, log)
    return f"{len(plans) + 1} times the connection was cut, and nothing was lost or done twice"


async def check_rate(trial: Trial) -> str:
    """Waits after the error "rate", and sends the message again."""
    async with trial.session() as log:
        await _command_with(trial, log, "rate", 2)
    return "what was too much came again, in its place"


async def check_unassign(trial: Trial) -> str:
    """Stops sending in a session that is taken from it during a command."""
    async with trial.session() as log:
        command = await trial.command(log, trial.options.long)
        if not await log.until(lambda: log.states_of(command), trial.options.patience_s):
            raise Failed("no status came for a command")
        trial.gateway.close(log, "the worker left")
        await asyncio.sleep(2 * trial.options.settle_s)  # messages in flight may arrive
        late = log.late
        await asyncio.sleep(2 * trial.options.settle_s)
        if log.late > late:
            raise Failed(f"it sent {log.late - late} more messages in a session that was taken from it")
    async with trial.session() as log:
        await trial.obeyed(log, await trial.command(log, trial.options.commands[0]))
    return "it let go of a session, and served the next"


async def check_numbers(trial: Trial) -> str:
    """Numbers its messages 1, 2, 3… in each session, and sends them again just as they were (over all checks)."""
    faults = [*trial.gateway.faults, *(fault for log in trial.logs for fault in log.number_faults)]
    if faults:
        raise Failed(f"{faults[0]} ({len(faults)} in all)")
    return f"{sum(log.last_cseq for log in trial.logs)} messages had their right numbers"


async def check_bodies(trial: Trial) -> str:
    """Sends only what the message table allows, and blocks within the world (over all checks)."""
    faults = [fault for log in trial.logs for fault in log.body_faults]
    if faults:
        raise Failed(f"{faults[0]} ({len(faults)} in all)")
    return "all messages were valid, all blocks within the world"


CHECKS: dict[str, Callable[[Trial], Awaitable[str]]] = {
    "hello": check_hello,
    "ping": check_ping,
    "commands": check_commands,
    "world": check_world,
    "unknown": check_unknown,
    "stop": check_stop,
    "ask": check_ask,
    "two sessions": check_two_sessions,
    "cuts": check_cuts,
    "rate": check_rate,
    "unassign": check_unassign,
    "numbers": check_numbers,
    "bodies": check_bodies,
}


async def examine(gateway: Gateway, options: Options) -> list[Result]:
    """Run all checks on the agent that connects to the listening `gateway`; without a hello only the first."""
    trial, results = Trial(gateway, options), list[Result]()
    for name, check in CHECKS.items():
        try:
            results.append(Result(name, "pass", await check(trial)))
        except Failed as error:
            results.append(Result(name, "fail", str(error)))
        except Skipped as error:
            results.append(Result(name, "skip", str(error)))
        finally:
            gateway.mishap = lambda log, frame: None
        if not gateway.hellos:
            break
    return results


async def _stop(trial: Trial, log: Log, command: str) -> None:
    await log.append("worker", "stop", {"command": command})
    if not await log.until(lambda: set(log.states_of(command)) & set(ENDED), trial.options.stop_s):
        raise Failed(f"a stop did not end the command within {trial.options.stop_s:g} s")
    await trial.obeyed(log, command)


async def _command_with(trial: Trial, log: Log, mishap: Mishap, nth: int) -> None:
    """Give a command, let the mishap happen at its nth message, and check that the command ends as it should."""
    connections, came = len(trial.gateway.hellos), 0

    def befall(of: Log, frame: Json) -> Mishap:
        nonlocal came
        if of is not log:
            return None
        came += 1
        return mishap if came == nth else None

    trial.gateway.mishap = befall
    command = await trial.command(log, trial.options.commands[0])
    if mishap in ("cut unread", "cut unanswered"):
        await _back_after(trial, connections)
    await trial.obeyed(log, command)


async def _cut_while_idle(trial: Trial, log: Log) -> None:
    connections, before = len(trial.gateway.hellos), len(log.sent("status"))
    log.tells_all = False
    trial.gateway.cut()
    await log.append("worker", "pose", {"x": 5, "y": 1, "z": 5, "pitch": 0, "yaw": 0})
    await log.append("worker", "place", {"at": [3, 1, 3], "block": 46})
    await _back_after(trial, connections)
    if await log.until(lambda: len(log.sent("status")) > before, trial.options.settle_s):
        raise Failed("after a cut it took up a command that had ended")
    await trial.obeyed(log, await trial.command(log, trial.options.commands[0]))


async def _back_after(trial: Trial, connections: int) -> None:
    patience_s = trial.options.connect_s
    if not await trial.gateway.until(lambda: len(trial.gateway.hellos) > connections, patience_s):
        raise Failed(f"it did not connect again within {patience_s:g} s of a cut")
