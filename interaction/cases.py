"""Commands as routing sees them: given live or posted, with all that their repair needs."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation.models import Approval
from interaction import evaluation
from interaction.commands import in_words
from interaction.models import Command, Session
from interaction.worlds import scene_at
from jobs.outbox import Running, enqueue
from routing import dropping
from routing.cases import Case
from routing.sending import ATTEMPTS

RECONSIDER: Final = "interaction.reconsider"
"""The kind of job that sees to what was made of a session whose data counts no more, or counts again."""
WHY_DROPPED: Final[Mapping[str, str]] = {
    Approval.Decision.REJECTED: "The session in which it was given was rejected.",
    Approval.Decision.SOFTLY_REJECTED: "The session in which it was given was rejected softly: paid, but not counted.",
}


def find(project: int, name: str) -> Case | None:
    """The command of the project under its public id; None: there is none, or it will be judged yet. 1 query.

    A posted command may come without an outcome: nobody judged it, and nobody will. For `routing.cases.comes_from`.
    """
    rows = Command.objects.filter(~Q(outcome="") | Q(session=None), project=project, public_id=name)
    rows = rows.select_related("project", "agent", "worker", "session__tree", "session__scene")
    found = rows.select_related("session__assignment__annotation__approval").first()
    return None if found is None else replace(case_of(found), dropped=_why_dropped(found.session))


def _why_dropped(session: Session | None) -> str:
    """Why what was given there counts nowhere; "" where it counts."""
    annotation = getattr(session.assignment, "annotation", None) if session is not None else None
    return WHY_DROPPED[annotation.approval.decision] if annotation is not None and annotation.is_dropped else ""


def ask_anew(session: Session) -> None:
    """Have all that was made of a session looked at again; call in the transaction that decides on it.

    Without a key: a job that runs at this moment may have read the session as it was.
    """
    enqueue(RECONSIDER, session.public_id, max_attempts=ATTEMPTS)


def reconsider(running: Running) -> None:
    """The job: the agent's metric, where the session measured it, and what routing made of each command."""
    session = Session.objects.select_related("agent", "project").get(public_id=running.subject)
    if session.is_evaluation:
        with transaction.atomic():
            evaluation.renew_metric(agent=session.agent, project=session.project, at=timezone.now())
    commands = Command.objects.filter(session__public_id=running.subject).order_by("seq")
    names = list(commands.values_list("project", "public_id"))
    for done, (project, name) in enumerate(names, 1):
        dropping.reconsider(project=project, command=name, at=timezone.now())
        running.report(done / len(names))


def hold(project: int, name: str) -> None:
    """Lock the command until the commit; one that is not there locks nothing. 1 query. For `routing.cases`."""
    list(Command.objects.select_for_update().filter(project=project, public_id=name).values_list("pk"))


def case_of(command: Command) -> Case:
    """No query where project, agent, worker and the session's tree are loaded.

    The scene costs some, and is made when it is asked for: as it was when the command came, before anything was done.
    """
    session = command.session
    return Case(
        project=command.project,
        command=command.public_id,
        text=command.text,
        plain_text=command.plain_text,
        fault=command.fault,
        outcome=command.outcome,
        at=command.judged_at or command.sent_at,
        path=command.path,
        feedback=command.feedback,
        status=command.status if session is not None else "",
        why_failed=command.why_failed,
        form=command.form,
        form_in_words=in_words(command),
        versions=_versions(command),
        objects_found=command.objects_found,
        tree=session.tree if session is not None else None,
        worker=command.worker,
        agent=command.agent,
        truth=command.truth,
        scene=partial(scene_at, session, command.seq) if session is not None and command.seq is not None else None,
    )


def _versions(command: Command) -> dict[str, str]:
    """Of the agent and its parser, as far as they are known."""
    agent = command.agent.slug if command.agent else ""
    return {name: version for name, version in (("agent", agent), ("parser", command.form_version)) if version}
