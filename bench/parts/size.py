"""A claim and a submission with a thousand, a hundred thousand and a million tasks.

Each size has its own database and process; they take turns.
"""

import sys

from bench.database import own_database
from bench.processes import ask, serve, size_processes
from bench.rows import Row, compared

SIZES = (1_000, 100_000, 1_000_000)
ROUNDS, TURNS = 25, 8


def run() -> list[Row]:
    turns: dict[int, list[list[float]]] = {size: [] for size in SIZES}
    with size_processes("bench.parts.size", SIZES) as running:
        for _ in range(ROUNDS):
            for size, process in running.items():
                turns[size] += ask(process)
    rows = []
    for column, part in enumerate(("claim", "submit")):
        cases = {f"{size:,} tasks": [turn[column] for turn in turns[size]] for size in SIZES}
        rows += compared(part, cases, against=f"{SIZES[0]:,} tasks")
    return rows


def _serve(size: int) -> None:
    """Fill a database, then take turns whenever the parent asks."""
    with own_database():
        from bench.bulk_rows import insert_tasks, refresh_statistics
        from bench.workers import take_turn
        from tests.support.builders import make_enrolment, make_episode, make_project

        project = make_project(redundancy=3)
        insert_tasks(project, size, episode=make_episode().external_id)
        refresh_statistics()
        enrolment = make_enrolment(project)
        for _ in range(TURNS):
            take_turn(enrolment)
        serve(lambda _: [take_turn(enrolment) for _ in range(TURNS)])


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
