"""Runs every part on SQLite, and on PostgreSQL too if `DATABASE_URL` is set, and prints the table."""

import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib import import_module
from time import perf_counter

from bench.database import own_database
from bench.rows import Row, table

ON_A_DATABASE = ("size", "references", "history", "contention", "ranking", "million", "sessions")
ON_NONE = ("video", "voxels", "weight", "stoplight", "blindness", "learning", "parse_keys", "worker_effort", "peers")
WITH_OWN_PROCESSES = ("size", "references", "million", "sessions")
"""Parts that start processes with databases of their own."""


def main() -> None:
    if len(sys.argv) > 1:
        _inside(sys.argv[1:])
        return
    start = perf_counter()
    rows = _measured("", ON_NONE, "")
    rows += _measured("SQLite", ON_A_DATABASE, "")
    if address := os.environ.get("DATABASE_URL"):
        rows += _measured("PostgreSQL", ON_A_DATABASE, address)
    print(table(rows))  # noqa: T201
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    print(  # noqa: T201
        f"\n{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores, load {load}; "
        f"{perf_counter() - start:.0f} s. Read the ratios: the times depend on the machine and on who else uses it."
    )


def _measured(name: str, parts: tuple[str, ...], address: str) -> list[tuple[str, Row]]:
    """The rows of these parts. Each part runs in a process with a new database."""
    found = []
    for part in parts:
        with tempfile.TemporaryDirectory(prefix="crosswalk-bench-") as folder:
            environment = {
                "CROSSWALK_SECRET_KEY": "bench",
                **os.environ,
                "CROSSWALK_DATA_DIR": folder,
                "CROSSWALK_LOG_LEVEL": "ERROR",
                "DATABASE_URL": address,
            }
            command = [sys.executable, "-m", "bench", part]
            answer = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
        measured = [(name, Row(*row)) for row in json.loads(answer.stdout)]
        # Printed at once too, because the whole takes half an hour.
        print(table(measured), file=sys.stderr, flush=True)  # noqa: T201
        found += measured
    return found


def _inside(parts: list[str]) -> None:
    rows: list[Row] = []
    for part in parts:
        if part in ON_NONE or part in WITH_OWN_PROCESSES:
            rows += import_module(f"bench.parts.{part}").run()
            continue
        with own_database():
            rows += import_module(f"bench.parts.{part}").run()
    print(json.dumps(rows))  # noqa: T201


if __name__ == "__main__":
    main()
