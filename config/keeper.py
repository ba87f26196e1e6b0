"""Keeps the processes of one server alive: what ends is started again, later each time, until the server is stopped.

The keeper lives as long as the server, so it imports the standard library alone: Django would take 100 MB.
"""

import fcntl
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from config.server_settings import BASE_DIR

logger = logging.getLogger(__name__)

FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 30.0
"""Seconds between the end of a process and its next start: doubled with each further end, up to the longest."""
STEADY_S = 60.0
"""A process that ran so long begins anew with the first wait."""
GRACE_S = 10.0
"""How long a process may take to end by itself."""
LOOK_EVERY_S = 0.2
PORT_WAIT_S = 15.0
"""How long a new server waits for the port: the processes of a killed one take `GRACE_S` at most to leave it."""


class Refused(Exception):
    """This server cannot start; the sentence says what would help."""


@contextmanager
def data_folder_held(folder: Path) -> Iterator[None]:
    """Hold the data folder for one server. The system releases it when the process ends, however it ends.

    Raises:
        Refused: another server holds it.
    """
    with (folder / "serve.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            raise Refused(
                f"Another server (process {holder}) serves the data folder {folder}. "
                "Stop it first, or give this one a folder of its own with CROSSWALK_DATA_DIR."
            ) from None
        # On a full disk the lock holds without the number.
        with suppress(OSError):
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
        yield


def check_port(host: str, port: int) -> None:
    """Wait until the port is free.

    Raises:
        Refused: another program has it.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    until = time.monotonic() + PORT_WAIT_S
    while True:
        with socket.socket(family) as free:
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                free.bind((host, port))
            except OSError as error:
                if time.monotonic() > until:
                    raise Refused(
                        f"Port {port} of {host} cannot be had ({error.strerror}). "
                        "Stop the program that has it, or choose another port with CROSSWALK_PORT."
                    ) from None
            else:
                return
        time.sleep(LOOK_EVERY_S)


def answers(host: str, port: int) -> bool:
    """Whether a web server says here that it is alive."""
    name = f"[{host}]" if ":" in host else host
    try:
        with socket.create_connection((host, port), timeout=1) as server, server.makefile("rb") as answer:
            server.sendall(f"GET /healthz HTTP/1.1\r\nHost: {name}:{port}\r\nConnection: close\r\n\r\n".encode())
            return answer.readline().split()[1:2] == [b"200"]
    except OSError:
        return False


@dataclass
class Kept:
    """One process that is kept alive.

    Attributes:
        ends: How often it has ended without having run for `STEADY_S` before.
        start_at: When it is started next, by the monotonic clock; None while it runs.
    """

    name: str
    command: list[str]
    process: "subprocess.Popen[bytes] | None" = None
    started_at: float = 0.0
    ends: int = 0
    start_at: float | None = 0.0

    def start(self, now: float) -> None:
        # A process session of its own, so that Ctrl-C reaches only the keeper, which ends the others in order.
        self.process = subprocess.Popen(  # noqa: S603 - our own commands
            self.command, cwd=BASE_DIR, start_new_session=True
        )
        self.started_at, self.start_at = now, None

    def note_end(self, now: float) -> int | None:
        """Plan the next start if the process has ended; returns its exit code, None while it runs."""
        if self.process is None or self.start_at is not None:
            return None
        code = self.process.poll()
        if code is None:
            return None
        self.ends = 0 if now - self.started_at >= STEADY_S else self.ends
        wait_s = min(FIRST_WAIT_S * 2**self.ends, LONGEST_WAIT_S)
        self.ends += 1
        self.start_at = now + wait_s
        logger.error("serve.process_ended", extra={"kept": self.name, "code": code, "again_in_s": wait_s})
        return code


class Keeper:
    """Runs processes until it is stopped, and starts each again that ends."""

    def __init__(
        self, commands: Mapping[str, list[str]], *, host: str, port: int, on_ready: Callable[[], object]
    ) -> None:
        """
        Args:
            commands: For each name a module and its arguments, as after `python -m`; `web` answers at host and port.
            on_ready: Called once, when `web` answers for the first time.
        """
        keeper = str(os.getpid())
        self._kept = [
            Kept(name, [sys.executable, "-m", "config.kept_process", keeper, *command])
            for name, command in commands.items()
        ]
        self._host, self._port = host, port
        self._on_ready = on_ready
        self._is_stopping = False

    def run(self) -> int:
        """Run until stopped; returns the exit code of the server.

        A `web` that ends by itself before it has ever answered ends the server with its exit code: its settings are
        wrong, and another try would find them as wrong.
        """
        has_answered = False
        try:
            while not self._is_stopping:
                now = time.monotonic()
                for kept in self._kept:
                    code = kept.note_end(now)
                    if code is not None and code > 0 and kept.name == "web" and not has_answered:
                        return code
                    if kept.start_at is not None and kept.start_at <= now:
                        kept.start(now)
                if not has_answered and answers(self._host, self._port):
                    has_answered = True
                    self._on_ready()
                time.sleep(LOOK_EVERY_S)
        finally:
            self._end()
        return 0

    def stop(self, signum: int = 0, frame: FrameType | None = None) -> None:
        self._is_stopping = True

    def _end(self) -> None:
        running = [kept.process for kept in self._kept if kept.process is not None and kept.process.poll() is None]
        for process in running:
            process.terminate()
        until = time.monotonic() + GRACE_S
        for process in running:
            try:
                process.wait(timeout=max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                # With the processes that it has started itself: they share its process group.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
