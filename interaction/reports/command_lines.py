"""Lines of `commands.jsonl`: each command, with its session, status and scores where it was given in a session."""

from collections.abc import Iterator
from typing import Any

from annotation.models import Project
from commands.exports import commands_after, line_of
from commands.models import Command


def command_lines(project: Project | None, *, since: str = "", with_identity: bool = False) -> Iterator[dict[str, Any]]:
    """Commands in the order in which they came here, after the command `since`, read row by row.

    Args:
        project: Only commands given there; None: all.
        with_identity: Name workers by `platform:external_id` instead of their pseudonym.

    Raises:
        Invalid: `since` is no command, or one of several projects and none of them is named.
        StillWriting: commands that come before others are still being written.
    """
    found = commands_after(project, since=since).select_related("live__session")
    return (_line(command, with_identity=with_identity) for command in found.iterator(chunk_size=1000))


def _line(command: Command, *, with_identity: bool) -> dict[str, Any]:
    line = line_of(command, with_identity=with_identity)
    live = getattr(command, "live", None)
    if live is not None:
        line |= {"session": live.session.public_id, "status": live.status, "scores": live.scores}
    return line
