"""A claim that may be a reference, and its submission, where there are a thousand and a hundred thousand references.

Half of what is claimed is a reference. The same few workers do it, so they meet more and more of them.
"""

import random
import sys

from tests.bench.database import own_database
from tests.bench.rows import Row, compared
from tests.bench.stations import ask, serve, stations

SIZES = (1_000, 100_000)
ROUNDS, TURNS = 25, 8


def run() -> list[Row]:
    turns: dict[int, list[list[float]]] = {size: [] for size in SIZES}
    with stations("tests.bench.references", SIZES) as running:
        for _ in range(ROUNDS):
            for size, station in running.items():
                turns[size] += ask(station)
    rows = []
    for column, part in enumerate(("claim with references", "submit with references")):
        cases = {f"{size:,} references": [turn[column] for turn in turns[size]] for size in SIZES}
        rows += compared(part, cases, against=f"{SIZES[0]:,} references")
    return rows


def _serve(size: int) -> None:
    with own_database():
        from annotation.models import Task, Truth
        from tests.bench.crews import take_turn
        from tests.bench.fill import first_id, insert, insert_tasks, literal, mod, refresh_statistics
        from tests.builders import make_enrolment, make_episode, make_project

        gates = [{"action": "pause", "below": 0.01, "minimum_n": 10}]
        project = make_project(redundancy=3, reference_rate=0.5, gates=gates)
        episode = make_episode().external_id
        insert_tasks(project, 20_000, episode=episode)
        first = first_id(Task)
        insert_tasks(project, size, episode=episode, is_reference="true", truth_class=f"{mod('i', 2)} = 0")
        insert(Truth, size, task_id=f"{first} + i - 1", answers=literal([{"outcome": "success", "time_s": None}]))
        refresh_statistics()
        crew = [make_enrolment(project) for _ in range(TURNS)]
        chance = random.Random(1).random
        for enrolment in crew:
            take_turn(enrolment, chance=chance)
        serve(lambda _: [take_turn(enrolment, chance=chance) for enrolment in crew])


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
