"""What a message changes beside the log: one rule for each type that has one. All run with the session locked."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial

from interaction import commands, deadlines, evaluation, finishing, scoring
from interaction.cases import case_of
from interaction.log import Body, Desk, Receipt, Repeated, Rule, Sender, append
from interaction.messages import FROM, MOST_VOXELS
from interaction.models import Command, Event
from interaction.refusals import Refusal
from routing import reports

Role = Event.Role
MOST_OBJECTS = 20
"""Phrases of one command whose objects are kept, the last ones."""


def take(session: int, sender: Sender, *, cseq: int, kind: str, body: Body, at: datetime) -> Receipt:
    """Append one message with all that follows from it.

    Raises:
        Refusal: see `log.append`.
    """
    rule = partial(_with_what_follows, RULES[sender.role][kind]) if FROM[sender.role][kind].has_rule else None
    return append(session, sender, cseq=cseq, kind=kind, body=body, at=at, rule=rule)


def _with_what_follows(rule: Rule, desk: Desk, body: Body) -> None:
    rule(desk, body)
    session = desk.session
    command = commands.open_command(session)
    finishing.review(desk, command)
    session.due_at = deadlines.next_due(session, command, at=desk.at)


# The worker's -------------------------------------------------------------------------------------------------------


def _start(desk: Desk, body: Body) -> None:
    session = desk.session
    if session.started_at is not None:
        raise Refusal("The clock runs already.")
    session.started_at = desk.at
    desk.say("clock", {"elapsed_s": 0.0, "minimum_s": session.minimum_s})
    evaluation.draw_prompt(desk)


def _command(desk: Desk, body: Body) -> None:
    session = desk.session
    earlier = Command.objects.filter(session=session, name=body["id"]).first()
    if earlier is not None:
        raise Repeated(earlier.place)
    if session.started_at is None:
        raise Refusal("Start the clock first.")
    if evaluation.is_episode_over(session, at=desk.at):
        raise Refusal("The time for commands is over.")
    if commands.open_command(session) is not None:
        raise Refusal("The last command is not judged yet.")
    commands.give(desk, name=body["id"], text=body["text"], seq=session.last_seq)


def _stop(desk: Desk, body: Body) -> None:
    command = commands.command_named(desk.session, body["command"])
    if command.is_over:
        raise Refusal("The command is over already.")
    if command.stopped_at is None:
        command.stopped_at = desk.at
        command.save(update_fields=["stopped_at"])


def _choose(desk: Desk, body: Body) -> None:
    asked = desk.session.asked
    if asked is None or asked["question"] != body["question"]:
        raise Refusal("The assistant does not ask that, or not any more.")
    if body["choice"] >= asked["choices"]:
        raise Refusal(f"Choose by a number from 0 to {asked['choices'] - 1}.")
    # Its silence begins anew.
    desk.session.asked, desk.session.agent_seen_at = None, desk.at


def _mark(desk: Desk, body: Body) -> None:
    command = commands.command_named(desk.session, body["command"])
    commands.mark(desk, command, node=body["node"], choice=body["choice"], text=body.get("text"))
    if command.outcome:
        scoring.score(desk, command)
        reports.take(case_of(command))
        evaluation.draw_prompt(desk)


def _back(desk: Desk, body: Body) -> None:
    commands.go_back(desk, commands.command_named(desk.session, body["command"]))


def _reflect(desk: Desk, body: Body) -> None:
    desk.session.reflection = dict(body)


def _finish(desk: Desk, body: Body) -> None:
    finishing.finish(desk)


# The agent's --------------------------------------------------------------------------------------------------------


def _status(desk: Desk, body: Body) -> None:
    command = commands.command_named(desk.session, body["command"])
    commands.advance(desk, command, status=Command.Status(body["state"]), reason=body.get("reason") or "")


def _parse(desk: Desk, body: Body) -> None:
    command = _running(desk, body)
    command.form, command.form_version = body["form"], body.get("version") or ""
    command.save(update_fields=["form", "form_version"])


def _objects(desk: Desk, body: Body) -> None:
    command = _running(desk, body)
    found = {"phrase": body["phrase"], "voxels": body["voxels"]}
    # What it takes the same words for later counts: it may have asked which one was meant.
    others = [one for one in command.objects_found if one["phrase"] != body["phrase"]]
    if len(found["voxels"]) + sum(len(one["voxels"]) for one in others) > MOST_VOXELS:
        raise Refusal(f"The objects of one command have at most {MOST_VOXELS} voxels together.")
    command.objects_found = [*others, found][-MOST_OBJECTS:]
    command.save(update_fields=["objects_found"])


def _ask(desk: Desk, body: Body) -> None:
    command = commands.open_command(desk.session)
    if command is None or command.is_over:
        raise Refusal("Only while it carries out a command may an agent ask.")
    desk.session.asked = {"question": body["question"], "choices": len(body["choices"])}


def _running(desk: Desk, body: Body) -> Command:
    command = commands.command_named(desk.session, body["command"])
    if command.is_over:
        raise Refusal("This command is over.")
    return command


RULES: Mapping[Role, Mapping[str, Callable[[Desk, Body], None]]] = {
    Role.WORKER: {
        "start": _start,
        "command": _command,
        "stop": _stop,
        "choose": _choose,
        "mark": _mark,
        "back": _back,
        "reflect": _reflect,
        "finish": _finish,
    },
    Role.AGENT: {"status": _status, "parse": _parse, "objects": _objects, "ask": _ask},
}
