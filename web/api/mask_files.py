"""Masks as a file of NumPy arrays, for pipelines and for staff."""

import tempfile
from collections.abc import Iterator
from typing import IO

from django.http import HttpRequest
from django.http.response import StreamingHttpResponse

from annotation.datasets.masks import write_arrays
from annotation.models import Project
from web.http.exports import record_export
from web.http.streams import streamed

ARRAYS = "application/zip"
"""The content type: a file of several NumPy arrays is a zip."""
_PIECE = 2**16
_AT_HAND = 2**23
"""A file up to this size, in bytes, is sent in one piece."""


def arrays(request: HttpRequest, project: Project, *, by: str, after: str = "") -> StreamingHttpResponse:
    """The settled masks as a file for `numpy.load`. The file is complete before sending.

    A zip has its directory at the end.

    Raises:
        Invalid: there is no task with the key `after`.
    """
    out = tempfile.TemporaryFile(prefix="crosswalk-")  # noqa: SIM115 - closed when it is sent
    try:
        write_arrays(out, project, after=after)
        is_small = out.tell() <= _AT_HAND
        out.seek(0)
        pieces = iter([out.read()]) if is_small else _Pieces(out)
    except BaseException:
        out.close()
        raise
    if is_small:
        out.close()
    record_export(request, what="masks", by=by, project=project.slug)
    response = streamed(pieces, content_type=ARRAYS, batch=16)
    response["Content-Disposition"] = f'attachment; filename="{project.slug}-masks.npz"'
    return response


class _Pieces:
    """The rest of a file in pieces. The file is closed at its end, or when the response is closed earlier."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if not self._file.closed and (piece := self._file.read(_PIECE)):
            return piece
        self.close()
        raise StopIteration

    def close(self) -> None:
        self._file.close()
