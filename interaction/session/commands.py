"""Commands of a live session: created, carried out, over, and judged question by question."""

from datetime import datetime
from functools import lru_cache
from typing import Any

from commands.models import Command
from commands.readout import sentence_of
from events.log import Happened, note
from interaction.models import LiveCommand, Session
from interaction.session.event_log import Body, SessionWrite
from interaction.session.refusals import Refusal
from lib.command_text import fault_of, plain
from lib.trees import engine
from lib.trees.parser import read_tree
from lib.trees.tree import Tree
from routing.models import TreeVersion

Status = LiveCommand.Status
ORDER = (Status.SENT, Status.RECEIVED, Status.THINKING, Status.ACTING)
OVER = (Status.DONE, Status.FAILED)


def open_command(session: Session) -> LiveCommand | None:
    """The command that is not judged yet; there is at most one. 1 query."""
    return LiveCommand.objects.filter(session=session, judged_at=None).select_related("command").first()


def command_named(session: Session, name: str) -> LiveCommand:
    """The open command, if that is its name.

    Raises:
        Refusal: the open command has another name, or none is open.
    """
    found = open_command(session)
    if found is None or found.name != name:
        raise Refusal(f"The command {name} is not open.")
    return found


def give(write: SessionWrite, *, name: str, text: str, seq: int) -> LiveCommand:
    """Create a command. Call where none is open."""
    session = write.session
    session.asked = None
    command = Command.objects.create(
        project_id=session.project_id,
        assignment_id=session.assignment_id,
        agent_id=session.agent_id,
        worker_id=session.assignment.worker_id,
        text=text,
        plain_text=plain(text),
        fault=fault_of(text),
        at=write.at,
    )
    return LiveCommand.objects.create(command=command, session=session, name=name, seq=seq, prompt=session.prompt)


def advance(write: SessionWrite, live: LiveCommand, *, status: Status, reason: str) -> None:
    """Note how far the agent is. When the command is over, ask the first question.

    Raises:
        Refusal: the command is over, or has this status or a later one already.
    """
    if live.is_over:
        raise Refusal("This command is over.")
    if status in OVER:
        _end(write, live, status=status, reason=reason)
        return
    if ORDER.index(status) <= ORDER.index(Status(live.status)):
        raise Refusal(f"The command is {live.status} already.")
    live.status = status
    setattr(live, f"{status.value}_at", write.at)
    live.save(update_fields=["status", f"{status.value}_at"])


def fail(write: SessionWrite, live: LiveCommand, *, reason: str) -> None:
    """End a command that the agent will not end: the worker goes on to the questions, and the log has the reason."""
    if live.is_over:
        return
    write.add_from_server("status", {"command": live.name, "state": Status.FAILED.value, "reason": reason})
    _end(write, live, status=Status.FAILED, reason=reason)


def _end(write: SessionWrite, live: LiveCommand, *, status: Status, reason: str) -> None:
    live.status, live.why_failed, live.over_at = status, reason, write.at
    live.save(update_fields=["status", "why_failed", "over_at"])
    write.session.asked = None
    _ask(write, live, engine.begin(tree_of(write.session), facts_of(live)))


def latencies(live: LiveCommand) -> dict[str, float | None]:
    """Seconds from one status to the next; no query where the command is loaded."""

    def between(a: datetime | None, b: datetime | None) -> float | None:
        return round((b - a).total_seconds(), 3) if a and b else None

    times: dict[str, Any] = {
        "received": (live.command.at, live.received_at),
        "thinking": (live.received_at, live.acting_at or live.over_at),
        "acting": (live.acting_at, live.over_at),
    }
    return {name: between(*pair) for name, pair in times.items()}


# Judging -----------------------------------------------------------------------------------------------------------


def facts_of(live: LiveCommand) -> engine.Facts:
    """The facts that questions of the tree may depend on."""
    return {
        "parse": live.command.form,
        "objects": live.command.objects_found,
        "status": live.status,
        "reason": live.why_failed,
    }


def mark(write: SessionWrite, live: LiveCommand, *, node: str, choice: int, text: str | None) -> None:
    """Take one answer, and ask the next question or note the outcome; the caller then saves `live`.

    Raises:
        Refusal: another question is open, or the question has no such choice.
    """
    _check_over(live)
    command = live.command
    try:
        step = engine.answer(tree_of(write.session), facts_of(live), command.path, node, choice, text)
    except engine.Refused as refused:
        raise Refusal(refused.sentence) from None
    command.path = list(step.path)
    if isinstance(step, engine.Question):
        command.save(update_fields=["path"])
        _ask(write, live, step)
        return
    command.outcome, command.feedback, live.judged_at = step.outcome, step.text, write.at
    command.save(update_fields=["path", "outcome", "feedback"])
    write.add_from_server("outcome", {"command": live.name, "outcome": command.outcome})
    data = {
        "command": command.public_id,
        "session": write.session.public_id,
        "project": write.session.project.slug,
        "outcome": command.outcome,
    }
    note(Happened("command.judged", command.public_id, data, project=data["project"]), at=write.at)


def go_back(write: SessionWrite, live: LiveCommand) -> None:
    """Take the last answer back, and ask its question again.

    Raises:
        Refusal: no question was answered yet.
    """
    _check_over(live)
    try:
        path, question = engine.back(tree_of(write.session), facts_of(live), live.command.path)
    except engine.Refused as refused:
        raise Refusal(refused.sentence) from None
    live.command.path = path
    live.command.save(update_fields=["path"])
    _ask(write, live, question)


def tree_of(session: Session) -> Tree:
    return _tree(session.tree_id)


@lru_cache(maxsize=64)
def _tree(version: int) -> Tree:
    """The tree of a version, which never changes and so may be kept in memory."""
    return read_tree(TreeVersion.objects.values_list("content", flat=True).get(pk=version))


def _check_over(live: LiveCommand) -> None:
    if not live.is_over:
        raise Refusal("The assistant has not come to an end with this command.")


def _ask(write: SessionWrite, live: LiveCommand, question: engine.Question) -> None:
    body: Body = {"command": live.name, **question.as_json()}
    if body["show"] == "parse":
        body["parse"] = sentence_of(live.command.form, text=live.command.text)
    if body["show"] == "object":
        body["objects"] = live.command.objects_found
    write.add_from_server("question", body)
