"""Datasets as files that a browser or a program takes away; the same for pipelines and for staff."""

import tempfile
from collections.abc import Iterator
from typing import IO

from django.http import HttpRequest
from django.http.response import StreamingHttpResponse

from annotation.models import Project
from annotation.voxels.dataset import write_arrays
from common.streams import streamed

ARRAYS = "application/zip"
"""A file of NumPy arrays is a zip of them."""
_PIECE = 2**16
_AT_HAND = 2**23
"""Bytes up to which a file is sent at once."""


def arrays(request: HttpRequest, project: Project, *, after: str = "") -> StreamingHttpResponse:
    """The settled masks as a file for `numpy.load`: made whole first, for a zip has its contents at the end.

    Raises:
        Invalid: there is no task of the key `after`.
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
    response = streamed(request, pieces, content_type=ARRAYS, batch=16)
    response["Content-Disposition"] = f'attachment; filename="{project.slug}-masks.npz"'
    return response


class _Pieces:
    """A file from here on; closed at its end, and by whoever stops before it."""

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
