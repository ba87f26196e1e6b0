"""Stations: processes that each hold a database of a size of its own and act when they are asked, by turns."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

Station = subprocess.Popen[str]


@contextmanager
def stations(module: str, sizes: Iterable[int]) -> Iterator[dict[int, Station]]:
    """A station of each size, filled and ready; `python -m MODULE SIZE` is one, by `serve`."""
    running = {size: _start(module, size) for size in sizes}
    try:
        for station in running.values():
            assert station.stdout is not None
            assert station.stdout.readline().strip() == "ready", f"{module} could not fill its database"
        yield running
    finally:
        for station in running.values():
            station.communicate()


def _start(module: str, size: int) -> Station:
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


def ask(station: Station, what: str = "go") -> Any:
    """What the station answers."""
    assert station.stdin is not None
    assert station.stdout is not None
    station.stdin.write(f"{what}\n")
    station.stdin.flush()
    return json.loads(station.stdout.readline())


def serve(act: Callable[[str], Any]) -> None:
    """Be a station: say that all is ready, then act for as long as somebody asks."""
    print("ready", flush=True)  # noqa: T201
    for line in sys.stdin:
        print(json.dumps(act(line.strip())), flush=True)  # noqa: T201
