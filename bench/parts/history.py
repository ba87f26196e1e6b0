"""A claim by workers with many earlier answers to tasks that still need other workers.

The beginning of the queue is full of tasks that these workers may not have.
"""

from annotation.models import Enrolment
from bench.bulk_rows import insert_history, insert_tasks, refresh_statistics
from bench.rows import Row, compared
from bench.workers import take_turn
from tests.support.builders import make_enrolment, make_episode, make_project

TASKS = 20_000
HISTORIES = (0, 1_000, 9_000)
ROUNDS = 120


def run() -> list[Row]:
    project = make_project(redundancy=8)
    insert_tasks(project, TASKS, episode=make_episode().external_id, redundancy=8)
    crew: dict[str, Enrolment] = {}
    for history in HISTORIES:
        enrolment = make_enrolment(project)
        if history:
            insert_history(project, enrolment.worker, history)
            Enrolment.objects.filter(pk=enrolment.pk).update(cursor_priority=0)
        crew[f"{history:,} before"] = enrolment
    rewound = make_enrolment(project)
    insert_history(project, rewound.worker, HISTORIES[-1])
    refresh_statistics()

    seconds: dict[str, list[float]] = {case: [] for case in crew}
    seconds[f"{HISTORIES[-1]:,} before, just rewound"] = []
    for _ in range(ROUNDS):
        for case, enrolment in crew.items():
            seconds[case].append(take_turn(enrolment).claim)
        # This is the one claim after tasks of a higher priority came and were done.
        Enrolment.objects.filter(pk=rewound.pk).update(cursor_priority=None)
        seconds[f"{HISTORIES[-1]:,} before, just rewound"].append(take_turn(rewound).claim)
    return compared("claim after a history", seconds, against=f"{HISTORIES[0]:,} before")
