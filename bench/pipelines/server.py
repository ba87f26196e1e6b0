"""A whole server, web process and worker, with a folder of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.processes import free_port
from tests.support.servers import make_tables, wait_alive
from tests.support.shared_data import ROOT

KEY = "the-key-of-a-measurement"


@dataclass(frozen=True)
class Server:
    """The address and the settings of a server that runs."""

    url: str
    environment: dict[str, str]

    def of_client(self, folder: Path) -> dict[str, str]:
        """The environment of a program that knows nothing of the server but its key."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("CROSSWALK_")}
        return {
            **own,
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_STATE_HOME": str(folder / "state"),
            "CROSSWALK_URL": self.url,
            "CROSSWALK_KEY": KEY,
        }


@contextmanager
def whole_server(folder: Path, **settings: str) -> Iterator[Server]:
    """Start `manage.py serve`; it ends with the block."""
    port = free_port()
    own = {
        **os.environ,
        "CROSSWALK_DATA_DIR": str(folder),
        "CROSSWALK_PORT": str(port),
        "CROSSWALK_API_KEY": KEY,
        "CROSSWALK_LOG_LEVEL": "error",
        "DATABASE_URL": "",
        "REDIS_URL": "",
        **settings,
    }
    folder.mkdir(parents=True, exist_ok=True)
    make_tables(folder, own)
    manage = [sys.executable, str(ROOT / "manage.py")]
    subprocess.run([*manage, "prepare"], env=own, cwd=ROOT, check=True, stdout=sys.stderr)
    log = folder / "server.log"
    with log.open("a") as said:
        process = subprocess.Popen([*manage, "serve"], env=own, cwd=ROOT, stdout=said, stderr=said)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_alive(url, process, log)
        yield Server(url, own)
    finally:
        process.terminate()
        process.wait(timeout=60)
