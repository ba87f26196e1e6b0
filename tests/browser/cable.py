"""A line to the server that a test can pull out: connections pass through it as long as it is in."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

CHUNK = 65_536
Pair = tuple[socket.socket, socket.socket]


class Cable:
    """Joins a port of its own to the server's."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._is_in = True
        self._lock = threading.Lock()
        self._pairs: list[Pair] = []
        self._flows = threading.Event()
        self._flows.set()
        self._ear = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._ear.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def pull(self) -> None:
        """Cut every connection in the middle, and refuse new ones."""
        with self._lock:
            self._is_in = False
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            _shut(pair)

    def plug(self) -> None:
        """New connections pass again, and what was held back goes on its way."""
        with self._lock:
            self._is_in = True
        self._flows.set()

    def freeze(self) -> None:
        """Hold everything back and let nobody know, as a network does that was walked out of."""
        self._flows.clear()

    def end(self) -> None:
        self.pull()
        self._flows.set()
        # Closing alone does not wake whoever waits in `accept`.
        with suppress(OSError):
            self._ear.shutdown(socket.SHUT_RDWR)
        self._ear.close()

    def _listen(self) -> None:
        while True:
            try:
                near, _ = self._ear.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self._to))
            except OSError:
                near.close()
                continue
            with self._lock:
                is_in = self._is_in
                if is_in:
                    self._pairs.append((near, far))
            if not is_in:
                _shut((near, far))
                continue
            for pair in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(CHUNK):
                self._flows.wait()
                sink.sendall(chunk)
        _shut((source, sink))


def _shut(pair: Pair) -> None:
    for end in pair:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()


@contextmanager
def cable_to(port: int) -> Iterator[Cable]:
    """A cable that is in, until the end."""
    found = Cable(port)
    try:
        yield found
    finally:
        found.end()
