"""Real servers for tests that need processes: each has its own database and queue, and can be killed and restarted."""

import fcntl
import hashlib
import json
import os
import secrets
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import django
import httpx
import psycopg
import redis
from psycopg import sql

from config.serving import web_module
from tests.support.shared_data import ROOT


@cache
def _kept() -> Path:
    """The database that all processes of this machine copy; its name is the digest of all that it is made from."""
    content = hashlib.sha256(django.__version__.encode())
    for source in sorted([*ROOT.glob("*/migrations/*.py"), ROOT / "requirements" / "base.txt"]):
        content.update(source.read_bytes())
    return Path(tempfile.gettempdir()) / f"crosswalk-{content.hexdigest()[:24]}.sqlite3"


@contextmanager
def _locked() -> Iterator[Path]:
    with _kept().with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield _kept()


def make_tables_once(database: Path, migrate: Callable[[], object]) -> bool:
    """Make the tables of a database that does not exist yet; returns whether they are a copy.

    The first process calls `migrate` and keeps the result; all others wait for it and copy.
    """
    with _locked() as kept:
        if is_copy := kept.exists():
            copy(kept, database)
        else:
            migrate()
            # Under another name until it is whole: this process may be killed.
            copy(database, half := kept.with_suffix(".half"))
            half.rename(kept)
    return is_copy


def copy(source: Path, target: Path) -> None:
    """Copy a database, with the part that its log has not yet brought into it, over an earlier file."""
    for left in ("", "-wal", "-shm"):
        target.with_name(target.name + left).unlink(missing_ok=True)
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)


def own_queue() -> tuple[dict[str, str], Callable[[], None]]:
    """The settings of a queue of the server's own, if the tests run with Redis, and a function that gives it up.

    No other server's worker may empty it: also not one that this process keeps for all its tests. Redis has 16
    databases; the last six are held by a lock each.
    """
    address = os.environ.get("REDIS_URL", "")
    if not address:
        return {}, lambda: None
    for number in range(10, 16):
        lock = (Path(tempfile.gettempdir()) / f"crosswalk-redis-{number}.lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        own = urlunsplit(urlsplit(address)._replace(path=f"/{number}"))
        redis.Redis.from_url(own).flushdb()
        return {"REDIS_URL": own}, lock.close
    raise AssertionError("six servers of tests have the databases 10 to 15 of Redis; end one of them")


def own_database() -> tuple[dict[str, str], Callable[[], None]]:
    """The settings of a database of the server's own, if the tests run on PostgreSQL, and a function that drops it."""
    address = os.environ.get("DATABASE_URL", "")
    if not address:
        return {}, lambda: None
    name = f"crosswalk_browser_{secrets.token_hex(4)}"

    def run(statement: str) -> None:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(sql.Identifier(name)))

    run("CREATE DATABASE {}")
    return (
        {"DATABASE_URL": urlunsplit(urlsplit(address)._replace(path=f"/{name}"))},
        lambda: run("DROP DATABASE {} WITH (FORCE)"),
    )


def make_tables(folder: Path, environment: Mapping[str, str]) -> None:
    """Make the tables of the server whose data lies in the folder; on SQLite a copy, once this run has them."""
    command = [sys.executable, str(ROOT / "manage.py"), "migrate", "--verbosity", "0"]

    def migrate() -> None:
        subprocess.run(command, env=environment, cwd=ROOT, check=True)

    if environment.get("DATABASE_URL"):
        migrate()
    else:
        make_tables_once(folder / "crosswalk.sqlite3", migrate)


def wait_alive(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    """Wait until a server answers.

    Raises:
        AssertionError: it ended, or took more than a minute; with what it wrote.
    """
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(httpx.HTTPError):
            if httpx.get(f"{url}/healthz").is_success:
                return
        time.sleep(0.1)
    raise AssertionError(f"the server did not start:\n{log.read_text()}")


AGENT_KEY = "sessions-of-processes"


@dataclass
class Site:
    """The folder, port and settings of a web process, which `start` starts.

    Attributes:
        application: The application that uvicorn runs, as "module:name".
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
        usual = web_module("127.0.0.1", self.port)
        own = [self.application if part == "config.asgi:application" else part for part in usual]
        command = [sys.executable, "-m", *own]
        log = self.folder / "web.log"
        with log.open("a") as said:
            self.web = subprocess.Popen(command, env=self.environment, cwd=ROOT, stdout=said, stderr=said)
        wait_alive(f"http://127.0.0.1:{self.port}", self.web, log)

    def kill(self) -> None:
        """Kill the process, as a power cut would; the disk is not affected."""
        assert self.web is not None
        self.web.kill()
        self.web.wait()

    def stop(self) -> None:
        if self.web is not None and self.web.poll() is None:
            self.web.send_signal(signal.SIGTERM)
            self.web.wait(timeout=30)

    def ask(self, *words: str) -> Any:
        """The answer of `python -m tests.support.staging WORDS` on this site's database."""
        command = [sys.executable, "-m", "tests.support.staging", *words]
        said = subprocess.run(command, env=self.environment, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)
        return json.loads(said.stdout)


@contextmanager
def own_site(folder: Path, *, application: str = "config.asgi:application", **environment: str) -> Iterator[Site]:
    """A site with its data in the folder, and with its tables made."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    database, drop = own_database()
    queue, give_up = own_queue() if database else ({"REDIS_URL": ""}, lambda: None)
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
        give_up()


@dataclass(frozen=True)
class Staged:
    """Sessions that workers may open: the agent, and each assignment with its worker's token."""

    agent: str
    sessions: Sequence[tuple[str, str]]


def staged(site: Site, number: int, **settings: Any) -> Staged:
    """Make this number of sessions for the agent, with a key `AGENT_KEY` for its processes."""
    found = site.ask("fill", str(number), json.dumps(settings))
    return Staged(found["agent"], [(assignment, token) for assignment, token in found["sessions"]])
