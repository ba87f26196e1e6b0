"""Both ends of live sockets in one process: the application as uvicorn would call it, and frames as JSON."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any

from asgiref.testing import ApplicationCommunicator

from config.asgi import application

Frame = dict[str, Any]
PATIENCE_S = 10


class End:
    """One end of a socket."""

    def __init__(self, path: str, **headers: str) -> None:
        named = [(name.encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "websocket", "path": path, "raw_path": path.encode(), "query_string": b"", "headers": named}
        # Its types are missing.
        make: Any = ApplicationCommunicator
        self._line = make(application, {**scope, "subprotocols": []})
        self.cseq = 0

    async def open(self) -> bool:
        await self._line.send_input({"type": "websocket.connect"})
        said = await self._line.receive_output(timeout=PATIENCE_S)
        return bool(said["type"] == "websocket.accept")

    async def raw(self, text: str) -> None:
        await self._line.send_input({"type": "websocket.receive", "text": text})

    async def bytes(self, data: bytes) -> None:
        await self._line.send_input({"type": "websocket.receive", "bytes": data})

    async def frame(self, **frame: Any) -> None:
        await self.raw(json.dumps(frame))

    async def send(self, kind: str, session: str | None = None, **body: Any) -> None:
        self.cseq += 1
        named = {} if session is None else {"session": session}
        await self.frame(t="send", cseq=self.cseq, type=kind, body=body, **named)

    async def next(self) -> Frame:
        """The next frame; a close is `{"t": "close", "code"}`."""
        said = await self._line.receive_output(timeout=PATIENCE_S)
        if said["type"] == "websocket.close":
            return {"t": "close", "code": said.get("code")}
        found: Frame = json.loads(said["text"])
        return found

    async def until(self, fits: Callable[[Frame], bool]) -> Frame:
        """The next frame that fits; those before it are gone."""
        while True:
            frame = await self.next()
            if fits(frame):
                return frame
            assert frame["t"] != "close", frame

    async def frame_of(self, t: str) -> Frame:
        return await self.until(lambda frame: frame["t"] == t)

    async def event(self, kind: str) -> Frame:
        return await self.until(lambda frame: frame["t"] == "event" and frame["type"] == kind)

    async def close(self) -> None:
        with suppress(asyncio.CancelledError):
            await self._line.send_input({"type": "websocket.disconnect", "code": 1000})
            await self._line.wait(timeout=PATIENCE_S)


def play(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a story with sockets to its end, in a loop of its own, and whatever it left behind."""

    async def whole() -> None:
        try:
            await story()
        finally:
            left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in left:
                task.cancel()
            await _all(left)

    asyncio.run(whole())


async def _all(tasks: list[Any]) -> None:
    waiting: list[Awaitable[Any]] = list(tasks)
    await asyncio.gather(*waiting, return_exceptions=True)
