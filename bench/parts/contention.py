"""Several workers at once in one process, compared with one worker alone."""

import statistics
import threading
from collections.abc import Sequence
from time import perf_counter

from django.db import connections

from annotation.models import Enrolment
from bench.bulk_rows import insert_tasks, refresh_statistics
from bench.rows import Row
from bench.workers import take_turn
from tests.support.builders import make_enrolment, make_episode, make_project

CREWS = (1, 8)
ROUNDS, ROUND_S = 6, 1.0


def run() -> list[Row]:
    project = make_project(redundancy=3)
    insert_tasks(project, 20_000, episode=make_episode().external_id)
    refresh_statistics()
    crew = [make_enrolment(project) for _ in range(max(CREWS))]
    rates: dict[int, list[float]] = {size: [] for size in CREWS}
    for _ in range(ROUNDS):
        for size in CREWS:
            rates[size].append(_rate(crew[:size]))
    alone = statistics.median(rates[CREWS[0]])
    return [
        Row(
            part="claim and submit at once",
            case=f"{size} workers",
            median=statistics.median(rates[size]),
            p95=None,
            unit="/s",
            ratio=statistics.median(rates[size]) / alone,
            against=f"{CREWS[0]} workers",
        )
        for size in CREWS
    ]


def _rate(crew: Sequence[Enrolment]) -> float:
    """Turns a second, all workers together."""
    done = [0] * len(crew)
    start = threading.Barrier(len(crew))

    def work(index: int) -> None:
        try:
            take_turn(crew[index])
            start.wait()
            until = perf_counter() + ROUND_S
            while perf_counter() < until:
                take_turn(crew[index])
                done[index] += 1
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(crew))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / ROUND_S
