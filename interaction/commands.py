"""Commands: given, carried out, over, and judged question by question."""

from datetime import datetime
from functools import lru_cache
from typing import Any

from annotation.logical_form import words
from annotation.logical_form.spans import tokenise
from annotation.logical_form.validate import faults_of
from interaction.log import Body, Desk
from interaction.models import Command, Session
from interaction.refusals import Refusal
from routing.models import TreeVersion
from routing.trees import engine
from routing.trees.reading import read_tree
from routing.trees.tree import Tree
from routing.wording import fault_of, plain

Status = Command.Status
ORDER = (Status.SENT, Status.RECEIVED, Status.THINKING, Status.ACTING)
OVER = (Status.DONE, Status.FAILED)


def open_command(session: Session) -> Command | None:
    """The command that is not judged yet; there is at most one. 1 query."""
    return Command.objects.filter(session=session, outcome="").first()


def command_named(session: Session, name: str) -> Command:
    """The open command, if that is its name.

    Raises:
        Refusal: it is another, or judged already.
    """
    found = open_command(session)
    if found is None or found.name != name:
        raise Refusal(f"The command {name} is not open.")
    return found


def give(desk: Desk, *, name: str, text: str, seq: int) -> Command:
    """Keep a new command. Call where none is open."""
    session = desk.session
    session.asked = None
    return Command.objects.create(
        project_id=session.project_id,
        session=session,
        agent_id=session.agent_id,
        worker_id=session.assignment.worker_id,
        name=name,
        seq=seq,
        text=text,
        plain_text=plain(text),
        fault=fault_of(text),
        prompt=session.prompt,
        sent_at=desk.at,
    )


def advance(desk: Desk, command: Command, *, status: Status, reason: str) -> None:
    """Note how far the agent is; when it is over, the first question is asked.

    Raises:
        Refusal: it is over, or was as far before.
    """
    if command.is_over:
        raise Refusal("This command is over.")
    if status in OVER:
        _end(desk, command, status=status, reason=reason)
        return
    if ORDER.index(status) <= ORDER.index(Status(command.status)):
        raise Refusal(f"The command is {command.status} already.")
    command.status = status
    setattr(command, f"{status.value}_at", desk.at)
    command.save(update_fields=["status", f"{status.value}_at"])


def fail(desk: Desk, command: Command, *, reason: str) -> None:
    """End a command that the agent will not end: the worker goes on to the questions, and the log says why."""
    if command.is_over:
        return
    desk.say("status", {"command": command.name, "state": Status.FAILED.value, "reason": reason})
    _end(desk, command, status=Status.FAILED, reason=reason)


def _end(desk: Desk, command: Command, *, status: Status, reason: str) -> None:
    command.status, command.why_failed, command.over_at = status, reason, desk.at
    command.save(update_fields=["status", "why_failed", "over_at"])
    desk.session.asked = None
    _ask(desk, command, engine.begin(tree_of(desk.session), facts_of(command)))


def latencies(command: Command) -> dict[str, float | None]:
    """Seconds from one status to the next."""

    def between(a: datetime | None, b: datetime | None) -> float | None:
        return round((b - a).total_seconds(), 3) if a and b else None

    times: dict[str, Any] = {
        "received": (command.sent_at, command.received_at),
        "thinking": (command.received_at, command.acting_at or command.over_at),
        "acting": (command.acting_at, command.over_at),
    }
    return {name: between(*pair) for name, pair in times.items()}


# Judging -----------------------------------------------------------------------------------------------------------


def facts_of(command: Command) -> engine.Facts:
    """What the questions of the tree may look at."""
    return {
        "parse": command.form,
        "objects": command.objects_found,
        "status": command.status,
        "reason": command.why_failed,
    }


def mark(desk: Desk, command: Command, *, node: str, choice: int, text: str | None) -> None:
    """Take one answer, and ask the next question or note the outcome.

    Raises:
        Refusal: it is not the question that is open, or has no such choice.
    """
    _check_over(command)
    try:
        step = engine.answer(tree_of(desk.session), facts_of(command), command.path, node, choice, text)
    except engine.Refused as refused:
        raise Refusal(refused.sentence) from None
    command.path = list(step.path)
    if isinstance(step, engine.Question):
        command.save(update_fields=["path"])
        _ask(desk, command, step)
        return
    command.outcome, command.judged_at, command.feedback = step.outcome, desk.at, step.text
    command.save(update_fields=["path", "outcome", "judged_at", "feedback"])
    desk.say("outcome", {"command": command.name, "outcome": command.outcome})


def go_back(desk: Desk, command: Command) -> None:
    """Take the last answer back, and ask its question again.

    Raises:
        Refusal: there is none.
    """
    _check_over(command)
    try:
        path, question = engine.back(tree_of(desk.session), facts_of(command), command.path)
    except engine.Refused as refused:
        raise Refusal(refused.sentence) from None
    command.path = path
    command.save(update_fields=["path"])
    _ask(desk, command, question)


def tree_of(session: Session) -> Tree:
    return _tree(session.tree_id)


@lru_cache(maxsize=64)
def _tree(version: int) -> Tree:
    """The tree of a version, which never changes."""
    return read_tree(TreeVersion.objects.values_list("content", flat=True).get(pk=version))


def _check_over(command: Command) -> None:
    if not command.is_over:
        raise Refusal("The assistant has not come to an end with this command.")


def _ask(desk: Desk, command: Command, question: engine.Question) -> None:
    body: Body = {"command": command.name, **question.as_json()}
    if body["show"] == "parse":
        body["parse"] = in_words(command)
    if body["show"] == "object":
        body["objects"] = command.objects_found
    desk.say("question", body)


def in_words(command: Command) -> str:
    """The parse as one sentence; what can be said of one that is not of the grammar."""
    tokens = tokenise(command.text)
    if command.form is None:
        return "The assistant did not say what it understood."
    if faults_of(command.form, words=len(tokens)):
        return "What the assistant understood cannot be put in words."
    return words.sentence(command.form, tokens) or "The assistant understood nothing that it could do."
