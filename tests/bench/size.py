"""A claim and a submission where there are a thousand, a hundred thousand and a million tasks.

Each size has a database and a process of its own; they take turns.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from tests.bench.database import own_database
from tests.bench.rows import Row, compared

SIZES = (1_000, 100_000, 1_000_000)
ROUNDS, TURNS = 25, 8


def run() -> list[Row]:
    stations = {size: _station(size) for size in SIZES}
    turns: dict[int, list[list[float]]] = {size: [] for size in SIZES}
    try:
        for station in stations.values():
            assert station.stdout is not None
            assert station.stdout.readline().strip() == "ready"
        for _ in range(ROUNDS):
            for size, station in stations.items():
                turns[size] += _ask(station)
    finally:
        for station in stations.values():
            station.communicate()
    rows = []
    for column, part in enumerate(("claim", "submit")):
        cases = {f"{size:,} tasks": [turn[column] for turn in turns[size]] for size in SIZES}
        rows += compared(part, cases, against=f"{SIZES[0]:,} tasks")
    return rows


def _station(size: int) -> "subprocess.Popen[str]":
    folder = Path(os.environ["CROSSWALK_DATA_DIR"]) / f"size-{size}"
    environment = {**os.environ, "CROSSWALK_DATA_DIR": str(folder)}
    if environment.get("DATABASE_URL"):
        address = urlsplit(environment["DATABASE_URL"])
        environment["DATABASE_URL"] = urlunsplit(address._replace(path=f"{address.path}_{size}"))
    return subprocess.Popen(
        [sys.executable, "-m", "tests.bench.size", str(size)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _ask(station: "subprocess.Popen[str]") -> list[list[float]]:
    assert station.stdin is not None
    assert station.stdout is not None
    station.stdin.write("go\n")
    station.stdin.flush()
    answer: Any = json.loads(station.stdout.readline())
    return [[float(part) for part in turn] for turn in answer]


def _serve(size: int) -> None:
    """Fill a database, then take turns for as long as somebody asks."""
    with own_database():
        from tests.bench.crews import take_turn
        from tests.bench.fill import insert_tasks, refresh_statistics
        from tests.builders import make_enrolment, make_episode, make_project

        project = make_project(redundancy=3)
        insert_tasks(project, size, episode=make_episode().external_id)
        refresh_statistics()
        enrolment = make_enrolment(project)
        for _ in range(TURNS):
            take_turn(enrolment)
        print("ready", flush=True)  # noqa: T201
        for _ in sys.stdin:
            print(json.dumps([take_turn(enrolment) for _ in range(TURNS)]), flush=True)  # noqa: T201


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
