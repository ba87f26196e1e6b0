"""Data that leaves the server as a file: it is streamed, and who took it is in the audit log."""

from collections.abc import Iterator

from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone

from audit.log import Subject, record
from web.http.streams import streamed

PLAIN_FILTERS = frozenset(
    "after by form outcome project shape shares since state tag until verb version".split()  # noqa: SIM905
)
"""Query parameters whose values the audit log keeps. Of others, which may name a person, it keeps the names alone."""
LONGEST = 100
CHUNK, FIRST_CHUNK = 64 * 1024, 8 * 1024
"""The least sizes, in bytes, of what an export sends at once."""


def exported(
    request: HttpRequest,
    pieces: Iterator[bytes],
    *,
    what: str | Subject,
    by: str,
    content_type: str,
    project: str = "",
    with_identity: bool = False,
    filename: str = "",
) -> StreamingHttpResponse:
    """A response that sends an export piece by piece, recorded as `record_export` does.

    Args:
        filename: The name under which a browser saves the file; "" for answers to programs.
    """
    record_export(request, what=what, by=by, project=project, with_identity=with_identity)
    response = streamed(_gathered(pieces), content_type=content_type, batch=1)
    if filename:
        response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


def _gathered(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of `CHUNK` or more: each piece passes between threads, and to the client, on its own.
    The first one is smaller, so that the client receives something at once."""
    taken: list[bytes] = []
    size, enough = 0, FIRST_CHUNK
    for piece in pieces:
        taken.append(piece)
        size += len(piece)
        if size >= enough:
            yield b"".join(taken)
            taken.clear()
            size, enough = 0, CHUNK
    if taken:
        yield b"".join(taken)


def record_export(
    request: HttpRequest, *, what: str | Subject, by: str, project: str = "", with_identity: bool = False
) -> None:
    """Record that an export was taken, before its first byte is sent.

    Args:
        what: The kind of the exported rows, or the one subject that was exported.
        by: The actor.
        project: The slug, where all of it belongs to one.
        with_identity: Whether workers have their names in it and not their pseudonyms.
    """
    if request.method == "HEAD":
        return
    asked = {name: value for name, value in request.GET.items() if value}
    record(
        verb="export.taken",
        actor=by,
        subject=what if isinstance(what, Subject) else Subject("export", what),
        project=project,
        at=timezone.now(),
        with_identity=with_identity,
        filters={name: value[:LONGEST] for name, value in sorted(asked.items()) if name in PLAIN_FILTERS},
        other_filters=sorted(asked.keys() - PLAIN_FILTERS),
    )
