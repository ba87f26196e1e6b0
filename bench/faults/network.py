"""A TCP proxy between two programs that delays, cuts and refuses connections."""

import asyncio
import threading
from contextlib import suppress

CHUNK = 65536


class Proxy:
    """Passes connections to its port on to `target`.

    Attributes:
        delay_s: How long each piece of data is held back, in both directions.
        is_cut: New connections are closed at once.
    """

    def __init__(self, port: int, target: int) -> None:
        self.port, self.target = port, target
        self.delay_s, self.is_cut = 0.0, False
        self._writers: set[asyncio.StreamWriter] = set()
        self._listens = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name=f"proxy-{port}", daemon=True)

    def start(self) -> None:
        self._thread.start()
        assert self._listens.wait(10), f"no proxy on port {self.port}"

    def cut(self) -> None:
        """Reset all connections, and close new ones until `mend`."""
        self.is_cut = True
        self._loop.call_soon_threadsafe(self._reset_all)

    def mend(self) -> None:
        self.delay_s, self.is_cut = 0.0, False

    def stop(self) -> None:
        if self._thread.is_alive():
            self.cut()
            self._loop.call_soon_threadsafe(self._is_over.set)
            self._thread.join(timeout=10)

    async def _serve(self) -> None:
        self._loop, self._is_over = asyncio.get_running_loop(), asyncio.Event()
        async with await asyncio.start_server(self._connected, "127.0.0.1", self.port):
            self._listens.set()
            await self._is_over.wait()

    def _reset_all(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_cut:
            writer.transport.abort()
            return
        try:
            near, far = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, far}
        try:
            await asyncio.gather(self._pass_on(reader, far), self._pass_on(near, writer))
        finally:
            self._writers -= {writer, far}

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                writer.write(data)
                await writer.drain()
        with suppress(OSError):
            writer.close()
