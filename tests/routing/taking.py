"""A process that judges commands and runs the jobs that route them; its children are killed in the midst of it.

`python -m tests.routing.taking SEED` prints what is left at the end as JSON. The commands are kept in the audit log,
written with the outcome, as a live session keeps them in its own tables.
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
    """Let two children work, and kill them one after the other; how many were at it still."""
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
    """Judge what is not judged, and run what is due, in any order, until nothing is left."""
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

    from audit.log import Subject, record
    from audit.models import AuditEvent
    from routing import reports

    with transaction.atomic():
        judged = set(AuditEvent.objects.filter(verb="command.judged").values_list("subject", flat=True))
        waiting = [number for number in range(COMMANDS) if f"c{number}" not in judged]
        if not waiting:
            return False
        number = chance.choice(waiting)
        record(verb="command.judged", actor="system", subject=Subject("command", f"c{number}"), at=_now())
        reports.take(_case(number))
    return True


def _run_one(chance: random.Random) -> bool:
    from jobs import outbox
    from jobs.models import Job

    due = list(Job.objects.due(at=_now()).values_list("pk", flat=True))
    return bool(due) and outbox.run(chance.choice(due))


def _finish() -> None:
    """What a healthy server does when all is quiet: the leases of the dead run out, and what is due runs."""
    from jobs.models import Job

    Job.objects.unfinished().update(due_at=_now() - timedelta(seconds=1))
    _work(random.Random(0))
    while Job.objects.unfinished().exists():
        Job.objects.unfinished().update(due_at=_now() - timedelta(seconds=1))
        _run_one(random.Random(0))


# What they work on ---------------------------------------------------------------------------------------------------


def _prepare() -> None:
    from jobs import outbox
    from routing import cases
    from tests.builders import make_project
    from tests.routing.sources import make_route, parse_project, voxel_project

    outbox._send = lambda pk: None
    cases._find[:], cases._learn[:] = [_find], []
    make_project("sessions")
    make_route(parse_project("words"), "*")
    make_route(voxel_project("things"), "vision_error")


def _find(project: int, command: str) -> Any:
    from audit.models import AuditEvent

    judged = AuditEvent.objects.filter(verb="command.judged", subject=command).exists()
    return _case(int(command.removeprefix("c"))) if judged else None


def _case(number: int) -> Any:
    from annotation.models import Project
    from routing.cases import Case
    from routing.wording import fault_of, plain
    from tests.routing.sources import CUBE, a_scene

    text = text_of(number)
    return Case(
        project=Project.objects.get(slug="sessions"),
        command=f"c{number}",
        text=text,
        plain_text=plain(text),
        fault=fault_of(text),
        outcome=outcome_of(number),
        at=_now(),
        objects_found=[{"phrase": "the cubes", "voxels": CUBE}],
        scene=lambda: a_scene(1 + number // 3 % 3),
    )


def _now() -> Any:
    from django.utils import timezone

    return timezone.now()


def _left() -> dict[str, Any]:
    from annotation.models import KeptScene, Task
    from jobs.models import Job
    from routing.models import ErrorReport, Sending

    return {
        "reports": sorted(ErrorReport.objects.values_list("command", "outcome", "state")),
        "without_scene": ErrorReport.objects.filter(scene=None).count(),
        "scenes": KeptScene.objects.count(),
        "words": sorted(
            Task.objects.filter(project__slug="words", part_of=None).values_list("payload__text", flat=True)
        ),
        "things": Task.objects.filter(project__slug="things").count(),
        "sendings": sorted(Sending.objects.values_list("to__slug", "command", "task__key")),
        "failed": list(Job.objects.failed().values_list("error", flat=True)),
    }


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    main(int(sys.argv[1]))
