"""A real server, `manage.py serve`, that is started again whenever it ends, with the services that it needs."""

import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Literal

import httpx

from bench.faults.disk import SmallDisk
from bench.faults.network import Proxy
from bench.faults.services import Service, postgres, redis_server
from bench.processes import free_port
from tests.support.shared_data import ROOT

Database = Literal["sqlite", "postgresql"]
DISK_MB = 400
ADMIN = "admin"
KEPT = {"web": "uvicorn", "worker": "config.worker", "builder": "builder"}
"""A word in the command of each process of the keeper."""


class Server:
    """A server with a data folder on a small disk; programs reach it through a proxy, and it its services likewise.

    Attributes:
        front: The proxy before the web server.
        back: The proxies before PostgreSQL and Redis, by name; none where the database is SQLite.
        key: A key of the API with every scope.
        password: Of the account `ADMIN`, which may do everything.
    """

    def __init__(self, folder: Path, database: Database) -> None:
        self.folder, self.database = folder, database
        folder.chmod(0o711)
        self.disk = SmallDisk(folder / "disk", DISK_MB)
        self.clock = folder / "clock"
        self.web_port, self.key = free_port(), f"cw_{secrets.token_hex(24)}"
        self.password = secrets.token_urlsafe(24)
        self.front = Proxy(free_port(), self.web_port)
        self.services: dict[str, Service] = {}
        self.back: dict[str, Proxy] = {}
        self.environment = self._environment()
        self._keeper: subprocess.Popen[bytes] | None = None
        self._is_over = threading.Event()
        self._init = threading.Thread(target=self._start_what_ended, name="init", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.front.port}"

    @property
    def authorization(self) -> dict[str, str]:
        return {"Authorization": f"Api-Key {self.key}"}

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    def start(self) -> None:
        """Start everything, and wait until the server can be written to."""
        for proxy in (self.front, *self.back.values()):
            proxy.start()
        for service in self.services.values():
            service.wait()
        self.manage("prepare")
        self._init.start()
        self.wait_healthy()

    def manage(self, *words: str) -> str:
        """The output of a command of `manage.py`.

        Raises:
            AssertionError: it failed.
        """
        return self.run("manage", *words)

    def run(self, *module: str) -> str:
        """The output of `python -m MODULE …` with the server's settings.

        Raises:
            AssertionError: it failed.
        """
        command = [sys.executable, "-m", *module]
        done = subprocess.run(command, env=self.environment, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{module} failed:\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def stop(self) -> None:
        self._is_over.set()
        if self._init.is_alive():
            self._init.join()
        if self._keeper is not None and self._keeper.poll() is None:
            self._keeper.send_signal(signal.SIGTERM)
            self._keeper.wait(timeout=60)
        for service in self.services.values():
            service.stop()
        for proxy in (self.front, *self.back.values()):
            proxy.stop()
        self.disk.unmount()

    # The faults ----------------------------------------------------------------------------------------------------

    def kill(self, name: str) -> None:
        """Kill a process of the keeper, or the keeper, as the system would that has no memory left."""
        pid = self._keeper_pid() if name == "keeper" else self._pid(name)
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def shift_clock(self, seconds: float) -> None:
        half = self.clock.with_suffix(".half")
        half.write_text(str(seconds))
        half.rename(self.clock)

    # Health --------------------------------------------------------------------------------------------------------

    def ails(self) -> str:
        """The reason why the server is not healthy: a process that does not run, or the answer to a write; else ""."""
        missing = [name for name in KEPT if self._pid(name) is None]
        if missing:
            return f"not running: {missing}"
        body = {"name": f"Probe {time.monotonic_ns()}"}
        try:
            written = httpx.put(f"{self.url}/api/v1/agents/probe/", json=body, headers=self.authorization, timeout=5)
        except httpx.HTTPError as error:
            return repr(error)
        return "" if written.is_success else f"{written.status_code} {written.text}"

    def wait_healthy(self, at_most_s: float = 120.0) -> None:
        """Raises AssertionError if the server is not healthy within this time; with the end of its log."""
        until = time.monotonic() + at_most_s
        while found := self.ails():
            assert time.monotonic() < until, f"the server is not healthy: {found}\n{self.log.read_text()[-4000:]}"
            time.sleep(0.2)

    # The parts -----------------------------------------------------------------------------------------------------

    def _environment(self) -> dict[str, str]:
        made = {
            **os.environ,
            "DATABASE_URL": "",
            "REDIS_URL": "",
            "CELERY_BROKER_URL": "",
            "CROSSWALK_SECRET_KEY": secrets.token_hex(32),
            "CROSSWALK_DATA_DIR": str(self.disk.folder / "data"),
            "CROSSWALK_AUDIT_ANCHOR_DIR": str(self.folder / "anchor"),
            "CROSSWALK_PORT": str(self.web_port),
            "CROSSWALK_API_KEY": self.key,
            "CROSSWALK_ADMIN_PASSWORD": self.password,
            "CROSSWALK_DISK_RESERVE_MB": "8",
            "CROSSWALK_AGENT_SILENCE_S": "5",
            "CROSSWALK_LOG_LEVEL": "WARNING",
            "PYTHONPATH": str(Path(__file__).parent / "shifted_clock"),
            "FAULTS_CLOCK_FILE": str(self.clock),
        }
        if self.database == "sqlite":
            return made
        ports = {name: free_port() for name in ("PostgreSQL", "Redis")}
        self.services = {
            "PostgreSQL": postgres(self.disk.folder / "cluster", ports["PostgreSQL"], self.folder / "postgres.log"),
            "Redis": redis_server(ports["Redis"], self.folder / "redis.log"),
        }
        self.back = {name: Proxy(free_port(), port) for name, port in ports.items()}
        return made | {
            "DATABASE_URL": f"postgres://postgres@127.0.0.1:{self.back['PostgreSQL'].port}/postgres",
            "REDIS_URL": f"redis://127.0.0.1:{self.back['Redis'].port}/0",
        }

    def _start_what_ended(self) -> None:
        while not self._is_over.wait(0.5):
            for service in self.services.values():
                service.keep()
            if self._keeper is None or self._keeper.poll() is not None:
                with self.log.open("ab") as said:
                    self._keeper = subprocess.Popen(
                        [sys.executable, "manage.py", "serve"], env=self.environment, cwd=ROOT, stdout=said, stderr=said
                    )

    def _keeper_pid(self) -> int | None:
        return self._keeper.pid if self._keeper is not None and self._keeper.poll() is None else None

    def _pid(self, name: str) -> int | None:
        """The process of the keeper that has this name; None while there is none."""
        keeper = self._keeper_pid()
        if keeper is None:
            return None
        listed = subprocess.run(
            ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(keeper)], capture_output=True, text=True, check=False
        )
        for line in listed.stdout.splitlines():
            pid, _, words = line.strip().partition(" ")
            if KEPT[name] in words.split() and "<defunct>" not in words:
                return int(pid)
        return None
