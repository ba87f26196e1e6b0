"""Commands as JSON Lines: which are exported in which order, and the part of a line that every command has.

`web.api.commands` adds the facts that only a live session has.
"""

from typing import Any

from django.db.models import F, QuerySet

from annotation.models import Project
from commands.models import Command
from common.data.complete_reads import complete_rows
from lib.faults import Invalid


def commands_after(project: Project | None, *, since: str = "") -> QuerySet[Command]:
    """Live and posted commands in the order in which they came here, after the command `since`.

    Each has `is_dropped`: its session was rejected, softly or not, so it belongs in no training set.

    Args:
        project: Only commands given there; None: all.

    Raises:
        Invalid: `since` is no command, or one of several projects and none of them is named.
        StillWriting: commands that come before others are still being written.
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
    found = complete_rows(rows).select_related("worker", "agent").defer("truth", "objects_found")
    return found.annotate(is_dropped=F("assignment__annotation__is_dropped"))


def line_of(command: Any, *, with_identity: bool) -> dict[str, Any]:
    """The line of a command that `commands_after` read, as it is for a posted one.

    Args:
        with_identity: Name workers by `platform:external_id` instead of their pseudonym.
    """
    worker = command.worker
    return {
        "command": command.public_id,
        "session": None,
        "worker": None if worker is None else worker.identity if with_identity else worker.pseudonym,
        "agent": command.agent.slug if command.agent else None,
        "text": command.text,
        "parse": command.form,
        "model": command.form_version or None,
        "shadow": ({"model": command.shadow_version, "parse": command.shadow_form} if command.shadow_version else None),
        "status": None,
        "outcome": command.outcome or None,
        "path": command.path,
        "feedback": command.feedback,
        "scores": None,
        "at": command.at.isoformat(),
        "dropped": bool(command.is_dropped),
    }
