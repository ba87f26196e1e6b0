"""The changes that messages make beside the log: one rule for each type that has one, run with the session locked."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial

from django.db.models import Q

from interaction import repair
from interaction.models import Event, LiveCommand
from interaction.session import commands, deadlines, ending, measuring, score
from interaction.session.event_log import Body, Receipt, Repeated, Rule, Sender, SessionWrite, append
from interaction.session.messages import FROM, MOST_VOXELS
from interaction.session.refusals import Refusal

Role = Event.Role
MOST_OBJECTS = 20
"""How many phrases of one command are kept with their objects: the last ones."""


def take(session: int, sender: Sender, *, cseq: int, kind: str, body: Body, at: datetime) -> Receipt:
    """Append one message with all its consequences.

    Raises:
        Refusal: see `event_log.append`.
    """
    rule = partial(_with_what_follows, RULES[sender.role][kind]) if FROM[sender.role][kind].has_rule else None
    return append(session, sender, cseq=cseq, kind=kind, body=body, at=at, rule=rule)


def _with_what_follows(rule: Rule, write: SessionWrite, body: Body) -> None:
    rule(write, body)
    session = write.session
    live = commands.open_command(session)
    ending.review(write, live)
    session.due_at = deadlines.next_due(session, live, at=write.at)


# The worker's -------------------------------------------------------------------------------------------------------


def _start(write: SessionWrite, body: Body) -> None:
    session = write.session
    if session.started_at is not None:
        raise Refusal("The clock runs already.")
    session.started_at = write.at
    write.add_from_server("clock", {"elapsed_s": 0.0, "minimum_s": session.minimum_s})
    measuring.draw_prompt(write)


def _command(write: SessionWrite, body: Body) -> None:
    session = write.session
    near = LiveCommand.objects.filter(Q(name=body["id"]) | Q(judged_at=None), session=session)
    found = list(near.values_list("name", "seq"))
    for name, seq in found:
        if name == body["id"]:
            raise Repeated(seq)
    if session.started_at is None:
        raise Refusal("Start the clock first.")
    if measuring.is_episode_over(session, at=write.at):
        raise Refusal("The time for commands is over.")
    if found:
        raise Refusal("The last command is not judged yet.")
    commands.give(write, name=body["id"], text=body["text"], seq=session.last_seq)


def _stop(write: SessionWrite, body: Body) -> None:
    live = commands.command_named(write.session, body["command"])
    if live.is_over:
        raise Refusal("The command is over already.")
    if live.stopped_at is None:
        live.stopped_at = write.at
        live.save(update_fields=["stopped_at"])


def _choose(write: SessionWrite, body: Body) -> None:
    asked = write.session.asked
    if asked is None or asked["question"] != body["question"]:
        raise Refusal("The assistant does not ask that, or not any more.")
    if body["choice"] >= asked["choices"]:
        raise Refusal(f"Choose by a number from 0 to {asked['choices'] - 1}.")
    # The agent's silence is counted from now.
    write.session.asked, write.session.agent_seen_at = None, write.at


def _mark(write: SessionWrite, body: Body) -> None:
    live = commands.command_named(write.session, body["command"])
    commands.mark(write, live, node=body["node"], choice=body["choice"], text=body.get("text"))
    if live.judged_at is not None:
        score.score(write, live)
        live.save(update_fields=["judged_at", "scores"])
        repair.judged(write.session, live)
        measuring.draw_prompt(write)


def _back(write: SessionWrite, body: Body) -> None:
    commands.go_back(write, commands.command_named(write.session, body["command"]))


def _reflect(write: SessionWrite, body: Body) -> None:
    write.session.reflection = dict(body)


def _finish(write: SessionWrite, body: Body) -> None:
    ending.finish(write)


# The agent's --------------------------------------------------------------------------------------------------------


def _status(write: SessionWrite, body: Body) -> None:
    live = commands.command_named(write.session, body["command"])
    commands.advance(write, live, status=LiveCommand.Status(body["state"]), reason=body.get("reason") or "")


def _parse(write: SessionWrite, body: Body) -> None:
    command = _running(write, body).command
    command.form, command.form_version = body["form"], body.get("version") or ""
    # Out of the log, too: the worker's page reads it, and gets what acts alone.
    shadow = body.pop("shadow", None)
    command.shadow_form = shadow["parse"] if shadow else None
    command.shadow_version = shadow["model"] if shadow else ""
    command.save(update_fields=["form", "form_version", "shadow_form", "shadow_version"])


def _objects(write: SessionWrite, body: Body) -> None:
    command = _running(write, body).command
    found = {"phrase": body["phrase"], "voxels": body["voxels"]}
    # A later answer for the same phrase replaces the earlier one: the agent may have asked which was meant.
    others = [one for one in command.objects_found if one["phrase"] != body["phrase"]]
    if len(found["voxels"]) + sum(len(one["voxels"]) for one in others) > MOST_VOXELS:
        raise Refusal(f"The objects of one command have at most {MOST_VOXELS} voxels together.")
    command.objects_found = [*others, found][-MOST_OBJECTS:]
    command.save(update_fields=["objects_found"])


def _ask(write: SessionWrite, body: Body) -> None:
    live = commands.open_command(write.session)
    if live is None or live.is_over:
        raise Refusal("Only while it carries out a command may an agent ask.")
    write.session.asked = {"question": body["question"], "choices": len(body["choices"])}


def _running(write: SessionWrite, body: Body) -> LiveCommand:
    live = commands.command_named(write.session, body["command"])
    if live.is_over:
        raise Refusal("This command is over.")
    return live


RULES: Mapping[Role, Mapping[str, Callable[[SessionWrite, Body], None]]] = {
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
