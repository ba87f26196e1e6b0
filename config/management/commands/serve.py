"""`manage.py serve`: the web server and, beside it, the worker that does background work."""

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


class Command(BaseCommand):
    help = "Serve on 127.0.0.1, with a background worker beside it, until interrupted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=settings.PORT)
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--announce", default="", help="Printed once the server answers.")

    def handle(self, *args: Any, **options: Any) -> None:
        address = f"http://{options['host']}:{options['port']}"
        announce = options["announce"] or f"Crosswalk serves on {address}; staff sign in at {address}/staff/"
        keeper = Keeper(
            _web(options["host"], options["port"]),
            _worker(),
            health=f"{address}/healthz",
            on_ready=lambda: self.stdout.write(announce),
        )
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, keeper.stop)
        sys.exit(keeper.run())


def _web(host: str, port: int) -> list[str]:
    return [
        *(sys.executable, "-m", "uvicorn", "config.asgi:application", "--host", host, "--port", str(port)),
        *("--log-level", "warning", "--no-access-log", "--no-server-header", "--timeout-graceful-shutdown", "5"),
    ]


def _worker() -> list[str]:
    """One process: two threads for work, and the beat that sweeps."""
    return [
        *(sys.executable, "-m", "celery", "--quiet", "-A", "config.celery", "worker", "-B", "--pool", "threads"),
        *("--concurrency", "2", "--loglevel", "WARNING", "--without-gossip", "--without-mingle"),
    ]


class Keeper:
    """Keeps two processes: ends with the web server, and starts the worker again when it dies."""

    def __init__(self, web: list[str], worker: list[str], *, health: str, on_ready: Callable[[], object]) -> None:
        self._health = health
        self._on_ready = on_ready
        self._commands = {"web": web, "worker": worker}
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._stopping = threading.Event()

    def run(self) -> int:
        """Serve until stopped; the web server's exit code."""
        # Another run that was killed may have left its schedule locked.
        for left in Path(settings.DATA_DIR).glob("beat*"):
            left.unlink()
        for name in self._commands:
            self._start(name)
        is_announced = False
        while not self._stopping.is_set():
            if self._running["web"].poll() is not None:
                self.stop()
            elif self._running["worker"].poll() is not None and not self._stopping.wait(RESTART_AFTER_S):
                self._start("worker")
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
        # A session of its own, so that Ctrl-C reaches us alone and we end both in order.
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
