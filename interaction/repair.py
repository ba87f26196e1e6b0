"""Gives routing the facts that only a session knows: the tree that was asked after a command, and its world.

Routing is below sessions, so it cannot ask for these. The job that routes a command is therefore handled here, and so
is the job that reconsiders the commands of a session after a decision on it.
"""

import logging
from functools import partial
from typing import Final

from django.db import transaction
from django.utils import timezone

from commands.models import Command
from interaction.models import LiveCommand, Session
from interaction.session import measuring
from interaction.session.worlds import scene_at
from jobs.outbox import Running, enqueue
from routing import dispatch, reports
from routing.dispatch import ATTEMPTS, MakeScene
from routing.models import TreeVersion

logger = logging.getLogger(__name__)
RECONSIDER: Final = "interaction.reconsider"
"""The kind of job that reconsiders the commands of a session whose data counts no more, or counts again."""


def judged(session: Session, live: LiveCommand) -> None:
    """Report and route a command that has just been judged; call in the transaction that writes its outcome."""
    assert live.judged_at is not None  # noqa: S101 - the caller has just set it
    reports.take(live.command, tree=session.tree_id, at=live.judged_at)


def route(running: Running) -> None:
    """Job handler for `routing.dispatch.ROUTE`: route one command, live or posted.

    Its key is freed first, so that a request from now on starts another run, which sees what this one may not.
    """
    running.free_key()
    command = dispatch.command_of(running.subject)
    if command is None:
        project, _, name = running.subject.partition(":")
        logger.warning("routing.no_such_command", extra={"project": project, "command": name})
        return
    tree, scene = tree_and_scene(command)
    dispatch.route(command, tree=tree, scene=scene, at=timezone.now())


def tree_and_scene(command: Command) -> tuple[TreeVersion | None, MakeScene | None]:
    """The tree that was asked after a command, and a function that makes its world; None for a posted command. 1 query.

    The world is as it was when the command came, before anything was done.
    """
    rows = LiveCommand.objects.select_related("session__tree", "session__scene")
    live = rows.defer("session__scene__packed").filter(command=command).first()
    return (None, None) if live is None else (live.session.tree, partial(scene_at, live.session, live.seq))


def ask_to_reconsider(session: Session) -> None:
    """Have the reports and tasks of a session reconsidered; call in the transaction that decides on the session.

    The job has no key: one that runs at this moment may have read the session as it was.
    """
    enqueue(RECONSIDER, session.public_id, max_attempts=ATTEMPTS)


def reconsider(running: Running) -> None:
    """Job handler: renew the agent's metric, where the session measured it, and reconsider each command."""
    session = Session.objects.select_related("agent", "project").get(public_id=running.subject)
    if session.is_evaluation:
        with transaction.atomic():
            measuring.renew_metric(agent=session.agent, project=session.project, at=timezone.now())
    commands = list(LiveCommand.objects.filter(session=session).order_by("seq").values_list("command", flat=True))
    for done, command in enumerate(commands, 1):
        reports.reconsider(command=command, at=timezone.now())
        running.report(done / len(commands))
