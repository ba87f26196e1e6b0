"""Real servers for tests that need processes: a database and a queue of their own, and when they answer."""

import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import httpx
import psycopg
import redis
from psycopg import sql

from tests import migrated

ROOT = Path(__file__).resolve().parent.parent


def own_queue() -> dict[str, str]:
    """Where the tests run with Redis the server gets a queue of its own there: another's worker must not empty it."""
    address = os.environ.get("REDIS_URL", "")
    if not address:
        return {}
    number = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    own = urlunsplit(urlsplit(address)._replace(path=f"/{10 + int(number) % 6}"))
    redis.Redis.from_url(own).flushdb()
    return {"REDIS_URL": own}


def own_database() -> tuple[dict[str, str], Callable[[], None]]:
    """Where the tests run on PostgreSQL the server gets a database of its own there; and what drops it afterwards."""
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
        migrated.make_tables(folder / "crosswalk.sqlite3", migrate)


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
