"""`python -m bench.peers`: Crosswalk and its peers side by side, with sizes and rounds of one's choice."""

import argparse
import os
import platform
from datetime import UTC, datetime

from bench.peers.crosswalk import Crosswalk
from bench.peers.table import measured
from bench.rows import table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--sizes", default="10000,100000", help="Tasks in a project, between commas.")
    parser.add_argument(
        "--cycles", type=int, default=50, help="Tasks for each of eight annotators; four times for one."
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--web-processes", type=int, default=1, help="Of Crosswalk; more need PostgreSQL and Redis.")
    asked = parser.parse_args()
    Crosswalk.further = asked.web_processes - 1
    sizes = [int(size) for size in asked.sizes.split(",")]
    before = os.getloadavg()[0]
    rows = measured(sizes=sizes, cycles=asked.cycles, rounds=asked.rounds)
    database = "PostgreSQL" if os.environ.get("DATABASE_URL") else "SQLite"
    print(table([(database, row) for row in rows]))  # noqa: T201
    print(  # noqa: T201
        f"\n{datetime.now(UTC):%Y-%m-%d}, {platform.platform()}, {os.cpu_count()} cores, load before {before:.1f}, "
        f"after {os.getloadavg()[0]:.1f}; medians of {asked.rounds} rounds in turns (smallest-largest)."
    )


if __name__ == "__main__":
    main()
