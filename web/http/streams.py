"""Long answers that are sent piece by piece, and answers that follow something while it changes."""

from collections.abc import Callable, Iterator

from django.http import StreamingHttpResponse

_BATCH = 200
EVENT_STREAM = "text/event-stream"
_AGAIN_MS = 3000
"""After how many milliseconds a browser opens the next stream."""


def streamed(
    pieces: Iterator[bytes], *, content_type: str, status: int = 200, batch: int = _BATCH
) -> StreamingHttpResponse:
    """A response that sends `pieces` one after another; the whole answer is never in memory at once.

    Args:
        batch: How many pieces `web/edge/request_threads.py` makes and sends at once.
    """
    response = StreamingHttpResponse(pieces, content_type=content_type, status=status)
    response.pieces_at_once = batch  # type: ignore[attr-defined]
    return response


class Followed(StreamingHttpResponse):
    """Server-sent events: a text now, and again whenever it differs.

    `web/edge/request_threads.py` waits between two looks on the event loop, so that an open page holds no thread. Any
    other server sends the text once.

    Args:
        look: The text as it is now; None ends the answer.
        every_s: The seconds between two looks.
        for_s: The seconds after which the answer ends, and the browser asks again.
    """

    def __init__(self, look: Callable[[], str | None], *, every_s: float, for_s: float) -> None:
        self._look, self.every_s, self.for_s = look, every_s, for_s
        self._sent: str | None = None
        super().__init__(self._once(), content_type=EVENT_STREAM)
        self["X-Accel-Buffering"] = "no"

    def _once(self) -> Iterator[bytes]:
        yield self.next_piece() or b""

    def next_piece(self) -> bytes | None:
        """Return the next piece: the text as an event, `still` where the text is the same, or None at the end."""
        found = self._look()
        if found is None:
            return None
        if found == self._sent:
            return b"event: still\ndata:\n\n"
        is_first, self._sent = self._sent is None, found
        lines = "".join(f"data: {line}\n" for line in found.splitlines())
        return (f"retry: {_AGAIN_MS}\n" if is_first else "").encode() + f"{lines}\n".encode()
