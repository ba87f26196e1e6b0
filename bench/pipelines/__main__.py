"""`python -m bench.pipelines [PART …]`: runs `runner`, `first`, `files` and `events`, and prints one table."""

import argparse
import sys
from collections.abc import Callable, Sequence

from bench.pipelines import first_episode, many_episodes, many_events, runner
from bench.rows import Row, table

EPISODES, EVENTS, MINUTES = 1000, 10_000, 30


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.pipelines", description=__doc__)
    parser.add_argument("parts", nargs="*", default=["runner", "first", "files", "events"])
    parser.add_argument("--episodes", type=int, default=EPISODES)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--minutes", type=float, default=MINUTES, help="how long deliveries are waited for")
    asked = parser.parse_args(arguments)
    parts: dict[str, Callable[[], list[Row]]] = {
        "runner": runner.run,
        "first": first_episode.run,
        "files": lambda: many_episodes.run(asked.episodes),
        "events": lambda: many_events.run(asked.events, minutes=asked.minutes),
    }
    rows: list[tuple[str, Row]] = []
    for part in asked.parts:
        measured = [("", row) for row in parts[part]()]
        print(table(measured), file=sys.stderr, flush=True)  # noqa: T201
        rows += measured
    print(table(rows))  # noqa: T201


if __name__ == "__main__":
    main()
