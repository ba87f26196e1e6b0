"""Processes that each have a database of another size and act when the parent asks, in turns."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

SizeProcess = subprocess.Popen[str]


def free_port() -> int:
    """A port of 127.0.0.1 that nobody has at this moment."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def size_processes(module: str, sizes: Iterable[int]) -> Iterator[dict[int, SizeProcess]]:
    """One process for each size, filled and ready. `python -m MODULE SIZE` is one; it calls `serve`."""
    running = {size: _start(module, size) for size in sizes}
    try:
        for process in running.values():
            assert process.stdout is not None
            assert process.stdout.readline().strip() == "ready", f"{module} could not fill its database"
        yield running
    finally:
        for process in running.values():
            process.communicate()


def _start(module: str, size: int) -> SizeProcess:
    folder = Path(os.environ["CROSSWALK_DATA_DIR"]) / f"size-{size}"
    environment = {**os.environ, "CROSSWALK_DATA_DIR": str(folder)}
    if environment.get("DATABASE_URL"):
        address = urlsplit(environment["DATABASE_URL"])
        environment["DATABASE_URL"] = urlunsplit(address._replace(path=f"{address.path}_{size}"))
    return subprocess.Popen(
        [sys.executable, "-m", module, str(size)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def ask(process: SizeProcess, what: str = "go") -> Any:
    """The process's answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{what}\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def serve(act: Callable[[str], Any]) -> None:
    """Print that this process is ready, then act on each line of the parent."""
    print("ready", flush=True)  # noqa: T201
    for line in sys.stdin:
        print(json.dumps(act(line.strip())), flush=True)  # noqa: T201
