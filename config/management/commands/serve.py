"""`manage.py serve`: the web server and, beside it, the worker that does background work and the built-in agent."""

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
"""Frames that are too large are refused by name up to this size; compressing each socket costs more than it saves."""


class Command(BaseCommand):
    help = "Serve on 127.0.0.1, with a background worker and the built-in agent beside it, until interrupted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=settings.PORT)
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--announce", default="", help="Printed once the server answers.")

    def handle(self, *args: Any, **options: Any) -> None:
        address = f"http://{options['host']}:{options['port']}"
        announce = options["announce"] or f"Crosswalk serves on {address}; staff sign in at {address}/staff/"
        keeper = Keeper(
            web_command(options["host"], options["port"]),
            {"worker": _worker(), "builder": _builder(options["host"], options["port"])},
            health=f"{address}/healthz",
            on_ready=lambda: self.stdout.write(announce),
        )
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, keeper.stop)
        sys.exit(keeper.run())


def web_command(host: str, port: int) -> list[str]:
    """The web server by itself."""
    return [
        *(sys.executable, "-m", "uvicorn", "config.asgi:application", "--host", host, "--port", str(port)),
        *("--log-level", "warning", "--no-access-log", "--no-server-header", "--timeout-graceful-shutdown", "5"),
        *SOCKETS,
    ]


def _worker() -> list[str]:
    """One process: two threads for work, and the beat that sweeps."""
    return [
        *(sys.executable, "-m", "celery", "--quiet", "-A", "config.celery", "worker", "-B", "--pool", "threads"),
        *("--concurrency", "2", "--loglevel", "WARNING", "--without-gossip", "--without-mingle"),
    ]


def _builder(host: str, port: int) -> list[str]:
    """The built-in agent, which comes in by the same gateway as any other."""
    near = "127.0.0.1" if host in {"0.0.0.0", "::"} else host  # noqa: S104 - where it listens, not where we go
    return [sys.executable, str(settings.BASE_DIR / "manage.py"), "builder", "--url", f"ws://{near}:{port}"]


class Keeper:
    """Keeps some processes: ends with the web server, and starts each other one again when it dies."""

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
