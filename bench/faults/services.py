"""PostgreSQL and Redis of the harness's own: started in a folder on free ports, killed and started again."""

import os
import pwd
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import redis

POSTGRES_SETTINGS = ("max_wal_size=64MB", "min_wal_size=32MB", "shared_buffers=32MB", "listen_addresses=127.0.0.1")


@dataclass
class Service:
    """A program that the harness starts again whenever it ends, as an init would.

    Attributes:
        answers: Raises where the program does not answer.
    """

    command: list[str]
    log: Path
    answers: Callable[[], object]
    options: dict[str, Any]
    process: "subprocess.Popen[bytes] | None" = None

    def keep(self) -> None:
        """Start the program if it does not run."""
        if self.process is None or self.process.poll() is not None:
            with self.log.open("ab") as said:
                self.process = subprocess.Popen(self.command, stdout=said, stderr=said, **self.options)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def is_healthy(self) -> bool:
        try:
            self.answers()
        except (psycopg.Error, redis.RedisError, OSError):
            return False
        return True

    def wait(self, at_most_s: float = 60.0) -> None:
        """Keep the program until it answers.

        Raises:
            AssertionError: it does not within this time; with what it wrote.
        """
        until = time.monotonic() + at_most_s
        while not self.is_healthy():
            assert time.monotonic() < until, f"{self.command[0]} does not answer:\n{self.log.read_text()[-3000:]}"
            self.keep()
            time.sleep(0.2)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=15)
            self.process.kill()
            self.process.wait()


def postgres(folder: Path, port: int, log: Path) -> Service:
    """A new cluster in the folder. PostgreSQL refuses to run as root, so root starts it as the user `postgres`."""
    options: dict[str, Any] = {"start_new_session": True}
    folder.mkdir(mode=0o700)
    if os.geteuid() == 0:
        account = pwd.getpwnam("postgres")
        os.chown(folder, account.pw_uid, account.pw_gid)
        options |= {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": [], "cwd": str(folder)}
    make = [_program("initdb"), "-D", str(folder), "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8"]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL, **options)
    chosen = [word for setting in (*POSTGRES_SETTINGS, f"unix_socket_directories={folder}") for word in ("-c", setting)]
    address = f"postgres://postgres@127.0.0.1:{port}/postgres"

    def answers() -> None:
        with psycopg.connect(address, connect_timeout=2) as connection:
            connection.execute("SELECT 1")

    return Service([_program("postgres"), "-D", str(folder), "-p", str(port), *chosen], log, answers, options)


def redis_server(port: int, log: Path) -> Service:
    """A Redis that keeps nothing: after a kill it is empty."""
    words = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]

    def answers() -> None:
        with redis.Redis(port=port, socket_timeout=2) as client:
            client.ping()

    return Service([_program("redis-server"), *words], log, answers, {"start_new_session": True})


def _program(name: str) -> str:
    """The path of a program; Debian keeps those of PostgreSQL outside of `PATH`."""
    found = shutil.which(name) or next(map(str, sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))), None)
    assert found, f"{name} is not installed"
    return found
