"""A process whose children judge commands, run the jobs that route them, and are killed meanwhile.

`python -m tests.support.routing_process SEED` prints the rows that are left at the end as JSON. The commands are live
ones, each written with its report and its job in one transaction, as a session writes them.
"""

import json
import os
import random
import signal
import sys
import time
from datetime import timedelta
from typing import Any, Final

import django

COMMANDS: Final = 90
TEXTS: Final = 30
"""Different ones: each is said three times, in other spellings."""
KILLS: Final = 10
SPELLINGS: Final = ("build {} cubes", "Build {} cubes!", "build  {} CUBES .")
OUTCOMES: Final = ("nlu_error", "ok", "vision_error")


def text_of(number: int) -> str:
    return SPELLINGS[number % 3].format(number // 3)


def outcome_of(number: int) -> str:
    return OUTCOMES[(number // 3 + number) % 3]


def main(seed: int) -> None:
    django.setup()
    from django.db import connections

    _prepare()
    # Each child has a connection of its own.
    for connection in connections.all():
        connection.close()
        if hasattr(connection, "close_pool"):
            connection.close_pool()
    chance = random.Random(seed)
    killed = sum(_killed(chance) for _ in range(KILLS))
    _finish()
    sys.stdout.write(json.dumps({"killed": killed, **_left()}))


def _killed(chance: random.Random) -> int:
    """Let two children work, and kill them one after the other; the number that were still at work."""
    children = [_child(chance.random()) for _ in range(2)]
    done = 0
    for child in children:
        time.sleep(chance.uniform(0.02, 0.15))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        done += os.WIFSIGNALED(status)
    return done


def _child(seed: float) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        _work(random.Random(seed))
    finally:
        os._exit(0)


def _work(chance: random.Random) -> None:
    """Judge commands and run due jobs, in any order, until nothing is left."""
    from django.db import OperationalError

    while True:
        try:
            acts = [_judge_one, _run_one] if chance.random() < 0.5 else [_run_one, _judge_one]
            did = [act(chance) for act in acts]
            if not any(did):
                return
        except OperationalError:
            # Two write to one file: the other was slow.
            time.sleep(0.01)


def _judge_one(chance: random.Random) -> bool:
    from django.db import transaction

    from annotation.models import Project
    from commands.models import Command
    from tests.support.commands import CUBE, SESSIONS, a_scene, judged
    from workforce.models import Worker

    with transaction.atomic():
        known = set(Command.objects.values_list("public_id", flat=True))
        waiting = [number for number in range(COMMANDS) if f"c{number}" not in known]
        if not waiting:
            return False
        number = chance.choice(waiting)
        judged(
            text_of(number),
            outcome_of(number),
            name=f"c{number}",
            project=Project.objects.get(slug=SESSIONS),
            worker=Worker.objects.get(),
            objects_found=[{"phrase": "the cubes", "voxels": CUBE}],
            scene=a_scene(1 + number // 3 % 3),
        )
    return True


def _run_one(chance: random.Random) -> bool:
    from jobs import outbox
    from jobs.models import Job

    due = list(Job.objects.due(at=_now()).values_list("pk", flat=True))
    return bool(due) and outbox.run(chance.choice(due))


def _finish() -> None:
    """Let the leases of killed children run out, and run the jobs that are due."""
    from jobs.models import Job

    Job.objects.unfinished().update(due_at=_now() - timedelta(seconds=1))
    _work(random.Random(0))
    while Job.objects.unfinished().exists():
        Job.objects.unfinished().update(due_at=_now() - timedelta(seconds=1))
        _run_one(random.Random(0))


# Rows ---------------------------------------------------------------------------------------------------------------


def _prepare() -> None:
    from jobs import outbox
    from routing.tree_versions import make_first
    from tests.support.builders import make_agent, make_project, make_worker
    from tests.support.commands import SESSIONS, make_route, parse_project, voxel_project

    outbox._send = lambda pk: None
    make_first(at=_now())
    make_project(SESSIONS)
    make_agent("walker")
    make_worker()
    make_route(parse_project("words"), "*")
    make_route(voxel_project("things"), "vision_error")


def _now() -> Any:
    from django.utils import timezone

    return timezone.now()


def _left() -> dict[str, Any]:
    from annotation.models import KeptScene, Task
    from jobs.models import Job
    from routing.models import ErrorReport, Sending

    return {
        "reports": sorted(ErrorReport.objects.values_list("command__public_id", "outcome", "state")),
        "without_scene": ErrorReport.objects.filter(scene=None).count(),
        "scenes": KeptScene.objects.count(),
        "words": sorted(
            Task.objects.filter(project__slug="words", part_of=None).values_list("payload__text", flat=True)
        ),
        "things": Task.objects.filter(project__slug="things").count(),
        "sendings": sorted(Sending.objects.values_list("to__slug", "command__public_id", "task__key")),
        "failed": list(Job.objects.failed().values_list("error", flat=True)),
    }


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    main(int(sys.argv[1]))
