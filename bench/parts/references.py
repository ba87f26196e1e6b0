"""A claim that may be a reference, and its submission, with a thousand and with a hundred thousand references.

Half of the claims are references. The same few workers claim all of them, so that they meet more and more.
"""

import random
import sys

from bench.database import own_database
from bench.processes import ask, serve, size_processes
from bench.rows import Row, compared

SIZES = (1_000, 100_000)
ROUNDS, TURNS = 25, 8


def run() -> list[Row]:
    turns: dict[int, list[list[float]]] = {size: [] for size in SIZES}
    with size_processes("bench.parts.references", SIZES) as running:
        for _ in range(ROUNDS):
            for size, process in running.items():
                turns[size] += ask(process)
    rows = []
    for column, part in enumerate(("claim with references", "submit with references")):
        cases = {f"{size:,} references": [turn[column] for turn in turns[size]] for size in SIZES}
        rows += compared(part, cases, against=f"{SIZES[0]:,} references")
    return rows


def _serve(size: int) -> None:
    with own_database():
        from annotation.models import Task, Truth
        from bench.bulk_rows import first_id, insert, insert_tasks, literal, mod, refresh_statistics
        from bench.workers import take_turn
        from tests.support.builders import make_enrolment, make_episode, make_project

        gates = [{"action": "pause", "below": 0.01, "minimum_n": 10}]
        project = make_project(redundancy=3, reference_rate=0.5, gates=gates)
        episode = make_episode().external_id
        insert_tasks(project, 20_000, episode=episode)
        first = first_id(Task)
        insert_tasks(project, size, episode=episode, is_reference="true", truth_class=f"{mod('i', 2)} = 0")
        insert(Truth, size, task_id=f"{first} + i - 1", answers=literal([{"outcome": "success", "time_s": None}]))
        refresh_statistics()
        workers = [make_enrolment(project) for _ in range(TURNS)]
        chance = random.Random(1).random
        for enrolment in workers:
            take_turn(enrolment, chance=chance)
        serve(lambda _: [take_turn(enrolment, chance=chance) for enrolment in workers])


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
