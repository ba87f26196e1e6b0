"""Long answers sent piece by piece, from the same iterator on either kind of server."""

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
    """`pieces` as a response. Under ASGI each batch is taken in the request's own thread, so that neither the event
    loop waits for a disk nor the whole answer is gathered in memory first."""
    body = _async(pieces, batch) if isinstance(request, ASGIRequest) else pieces
    return StreamingHttpResponse(body, content_type=content_type, status=status)


async def _async(pieces: Iterator[bytes], batch: int) -> AsyncIterator[bytes]:
    take = sync_to_async(lambda: b"".join(islice(pieces, batch)))
    while chunk := await take():
        yield chunk
