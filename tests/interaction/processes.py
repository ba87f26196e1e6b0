"""A web process of its own, with a database of its own, that can be killed and started again."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.management.commands.serve import web_command
from tests.servers import ROOT, make_tables, own_database, own_queue, wait_alive

AGENT_KEY = "sessions-of-processes"


@dataclass
class Site:
    """Where a web process serves; it is not there before `start`.

    Attributes:
        application: What uvicorn runs in place of the whole, as "module:name".
    """

    folder: Path
    port: int
    environment: dict[str, str]
    application: str = "config.asgi:application"
    web: "subprocess.Popen[bytes] | None" = None

    @property
    def socket_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the web process, and wait until it answers."""
        usual = web_command("127.0.0.1", self.port)
        command = [self.application if part == "config.asgi:application" else part for part in usual]
        log = self.folder / "web.log"
        with log.open("a") as said:
            self.web = subprocess.Popen(command, env=self.environment, cwd=ROOT, stdout=said, stderr=said)
        wait_alive(f"http://127.0.0.1:{self.port}", self.web, log)

    def kill(self) -> None:
        """As a power cut would, but for the disk."""
        assert self.web is not None
        self.web.kill()
        self.web.wait()

    def stop(self) -> None:
        if self.web is not None and self.web.poll() is None:
            self.web.send_signal(signal.SIGTERM)
            self.web.wait(timeout=30)

    def ask(self, *words: str) -> Any:
        """What `python -m tests.interaction.staging WORDS` says, run on this site's database."""
        command = [sys.executable, "-m", "tests.interaction.staging", *words]
        said = subprocess.run(command, env=self.environment, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)
        return json.loads(said.stdout)


@contextmanager
def own_site(folder: Path, *, application: str = "config.asgi:application", **environment: str) -> Iterator[Site]:
    """A site whose data lies in the folder, its tables made."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    database, drop = own_database()
    queue = own_queue() if database else {"REDIS_URL": ""}
    own = {
        **os.environ,
        **database,
        **queue,
        "CROSSWALK_DATA_DIR": str(folder),
        "CROSSWALK_PORT": str(port),
        "CROSSWALK_LOG_LEVEL": "error",
        **environment,
    }
    make_tables(folder, own)
    subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "prepare"], env=own, check=True, cwd=ROOT, stdout=sys.stderr
    )
    site = Site(folder, port, own, application)
    try:
        yield site
    finally:
        site.stop()
        drop()


@dataclass(frozen=True)
class Staged:
    """Sessions that workers may open: the agent, and each assignment with its worker's token."""

    agent: str
    sessions: Sequence[tuple[str, str]]


def staged(site: Site, number: int, **settings: Any) -> Staged:
    """Make so many sessions for the agent, with a key `AGENT_KEY` for its processes."""
    found = site.ask("fill", str(number), json.dumps(settings))
    return Staged(found["agent"], [(assignment, token) for assignment, token in found["sessions"]])
