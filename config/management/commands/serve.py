"""`manage.py serve`: runs the web server, the worker of background jobs, and the built-in agent."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import httpx
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

RESTART_AFTER_S = 1.0
SOCKETS = ("--ws", "websockets-sansio", "--ws-max-size", "4194304", "--ws-per-message-deflate", "false")
"""The gateway refuses frames up to this size with a reason, and uvicorn closes larger ones without. Compression of each
socket costs more than it saves."""


class Command(BaseCommand):
    help = "Serve on 127.0.0.1, with a background worker and the built-in agent beside it, until interrupted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=settings.PORT)
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--announce", default="", help="Printed once the server answers.")

    def handle(self, *args: Any, **options: Any) -> None:
        address = f"http://{options['host']}:{options['port']}"
        announce = options["announce"] or f"Crosswalk serves on {address}; staff sign in at {address}/staff/"
        supervisor = Supervisor(
            web_command(options["host"], options["port"]),
            {"worker": _worker(), "builder": _builder(options["host"], options["port"])},
            health=f"{address}/healthz",
            on_ready=lambda: self.stdout.write(announce),
        )
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, supervisor.stop)
        sys.exit(supervisor.run())


def web_command(host: str, port: int) -> list[str]:
    """The command of the web server."""
    return [
        *(sys.executable, "-m", "uvicorn", "config.asgi:application", "--host", host, "--port", str(port)),
        *("--log-level", "warning", "--no-access-log", "--no-server-header", "--timeout-graceful-shutdown", "5"),
        *SOCKETS,
    ]


def _worker() -> list[str]:
    """The command of the worker: one process with two threads for jobs, and the schedule that sweeps."""
    return [
        *(sys.executable, "-m", "celery", "--quiet", "-A", "config.celery", "worker", "-B", "--pool", "threads"),
        *("--concurrency", "2", "--loglevel", "WARNING", "--without-gossip", "--without-mingle"),
    ]


def _builder(host: str, port: int) -> list[str]:
    """The command of the built-in agent, which connects to the gateway like every other agent."""
    near = "127.0.0.1" if host in {"0.0.0.0", "::"} else host  # noqa: S104 - compared, not listened on
    return [sys.executable, str(settings.BASE_DIR / "manage.py"), "builder", "--url", f"ws://{near}:{port}"]


class Supervisor:
    """Runs processes. It ends with the web server, and restarts every other process that dies."""

    def __init__(
        self, web: list[str], others: dict[str, list[str]], *, health: str, on_ready: Callable[[], object]
    ) -> None:
        self._health = health
        self._on_ready = on_ready
        self._others = tuple(others)
        self._commands = {"web": web, **others}
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._stopping = threading.Event()

    def run(self) -> int:
        """Run until stopped; returns the web server's exit code."""
        # A run that was killed may have left the file of its schedule locked.
        for left in Path(settings.DATA_DIR).glob("beat*"):
            left.unlink()
        for name in self._commands:
            self._start(name)
        is_announced = False
        while not self._stopping.is_set():
            if self._running["web"].poll() is not None:
                self.stop()
            for name in self._others:
                if self._running[name].poll() is not None and not self._stopping.wait(RESTART_AFTER_S):
                    self._start(name)
            if not is_announced and self._answers():
                is_announced = True
                self._on_ready()
            self._stopping.wait(0.2)
        return self._end()

    def stop(self, signum: int = 0, frame: FrameType | None = None) -> None:
        self._stopping.set()

    def _answers(self) -> bool:
        try:
            return httpx.get(self._health, timeout=1).is_success
        except httpx.HTTPError:
            return False

    def _start(self, name: str) -> None:
        # A process session of its own, so that Ctrl-C reaches only this process, which ends the others in order.
        self._running[name] = subprocess.Popen(  # noqa: S603 - our own commands
            self._commands[name], env={**os.environ}, cwd=settings.BASE_DIR, start_new_session=True
        )

    def _end(self) -> int:
        for process in self._running.values():
            process.terminate()
        for process in self._running.values():
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        code = self._running["web"].returncode
        return 0 if code in {0, -signal.SIGTERM, -signal.SIGINT} else code
