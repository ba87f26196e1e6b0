"""Commands as JSON Lines: row by row, in the order in which they arrived."""

from collections.abc import Iterator
from typing import Any

from django.db.models import F

from annotation.models import Project
from common.arrivals import arrived
from common.errors import Invalid
from interaction.models import Command


def command_rows(project: Project | None, *, since: str = "", with_identity: bool = False) -> Iterator[dict[str, Any]]:
    """Commands of live sessions and posted ones, in the order in which they came here, after the command `since`.

    Args:
        project: Only commands given there; None: all.
        with_identity: Name workers by `platform:external_id` instead of their pseudonym.

    Raises:
        Invalid: `since` is no command, or one of several projects and none of them is named.
        StillArriving: commands that come before others are still being written.
    """
    rows = Command.objects.order_by("pk")
    if project is not None:
        rows = rows.filter(project=project)
    if since:
        places = list(rows.filter(public_id=since).values_list("pk", flat=True)[:2])
        if not places:
            raise Invalid.at("#/since", "There is no such command.")
        if len(places) > 1:
            raise Invalid.at("#/since", "Commands of several projects have this name; say which `project`.")
        rows = rows.filter(pk__gt=places[0])
    found = arrived(rows).select_related("session", "worker", "agent").defer("truth", "objects_found")
    found = found.annotate(is_dropped=F("session__assignment__annotation__is_dropped"))
    return (_row(command, with_identity=with_identity) for command in found.iterator(chunk_size=1000))


def _row(command: Any, *, with_identity: bool) -> dict[str, Any]:
    session, worker = command.session, command.worker
    return {
        "command": command.public_id,
        "session": session.public_id if session else None,
        "worker": None if worker is None else worker.identity if with_identity else worker.pseudonym,
        "agent": command.agent.slug if command.agent else None,
        "text": command.text,
        "parse": command.form,
        # How far the agent came is known only of those that were given here.
        "status": command.status if session else None,
        "outcome": command.outcome or None,
        "path": command.path,
        "feedback": command.feedback,
        "scores": command.scores,
        "at": command.sent_at.isoformat(),
        # Of a session that was rejected, softly or not: for no training set.
        "dropped": bool(command.is_dropped),
    }
