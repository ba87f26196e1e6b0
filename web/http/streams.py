"""Long answers that are sent piece by piece, under WSGI and under ASGI."""

from collections.abc import AsyncIterator, Iterator
from itertools import islice

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

_BATCH = 200


def streamed(
    request: HttpRequest,
    pieces: Iterator[bytes],
    *,
    content_type: str,
    status: int = 200,
    batch: int = _BATCH,
) -> StreamingHttpResponse:
    """A response that sends `pieces` one after another.

    Under ASGI each batch is read in the request's own thread. So the event loop does not wait for the disk, and the
    whole answer is never in memory at once.
    """
    body = _async(pieces, batch) if isinstance(request, ASGIRequest) else pieces
    return StreamingHttpResponse(body, content_type=content_type, status=status)


async def _async(pieces: Iterator[bytes], batch: int) -> AsyncIterator[bytes]:
    take = sync_to_async(lambda: b"".join(islice(pieces, batch)))
    while chunk := await take():
        yield chunk
