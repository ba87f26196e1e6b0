"""A process whose children take a campaign from its start to its end, and are killed at one write after the other.

`python -m tests.support.campaign_process PLACES` prints as JSON what is left after each kill, once another process has
gone on. A child kills itself with SIGKILL in the midst of its work, as `kill -9` would: the statement that would write
is never made.
"""

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import django

COMMANDS = 200
SLUG = "loop"


def main(places: int) -> None:
    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connections

    from learning.trainers import registry
    from tests.support.by_heart import ByHeart
    from tests.support.servers import copy

    registry.trainers = lambda: (ByHeart(),)  # type: ignore[assignment]
    call_command("prepare", stdout=sys.stderr)
    _prepare()
    connections.close_all()
    database = Path(str(settings.DATABASES["default"]["NAME"]))
    copy(database, begun := database.with_name("begun.sqlite3"))
    writes = _in_child(partial(_work, None))
    found = []
    for number in range(places):
        copy(begun, database)
        place = 1 + number * (writes - 1) // max(places - 1, 1)
        step = _in_child(partial(_work, place))
        found.append({"place": place, **step, "left": _in_child(_go_on)})
    sys.stdout.write(json.dumps({"writes": writes, "kills": found}))


def _in_child(act: Callable[[], Any]) -> Any:
    """The result of the act in a process of its own; where that was killed, what it noted before."""
    out, into = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.close(out)
            _NOTES.append(into)
            os.write(into, json.dumps(act()).encode() + b"\n")
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out) as said:
        lines = said.read().splitlines()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return {"signal": os.WTERMSIG(status), **json.loads(lines[-1])}
    return json.loads(lines[-1])


_NOTES: list[int] = []
"""Where a child writes what its parent reads."""


def _prepare() -> None:
    """A campaign that was started, and commands that were given meanwhile."""
    from django.utils import timezone

    from agents.keys import create_key
    from agents.models import ApiKey
    from annotation.models import Project
    from jobs import outbox
    from jobs.models import Job
    from learning.campaigns import acts
    from learning.models import Campaign
    from routing.models import Route
    from routing.reports import post_commands
    from tests.support.builders import NOON, make_project
    from tests.support.campaigns import make_campaign
    from tests.support.models import NOOP, make_tranche
    from tests.support.sessions import make_live_project

    now = timezone.now()
    live: Project = make_live_project("live")
    Route.objects.create(
        slug="words", outcome="nlu_error", project=make_project("parses", tool="parse"), created_at=NOON
    )
    make_tranche(0, test=60, train=3, form={"dialogue_type": "GET_CAPABILITIES"})
    create_key(name="kills", scopes=ApiKey.Scope.values, at=now)
    campaign = make_campaign(SLUG, project=live)
    Campaign.objects.filter(pk=campaign.pk).update(close_after=100)
    acts.start(campaign=campaign, by="test", at=now)
    bodies: Any = [
        {"command": f"dance-{n}", "project": "live", "text": f"dance {n} rounds", "form": NOOP} for n in range(COMMANDS)
    ]
    post_commands(bodies=bodies, at=now)
    for pk in Job.objects.unfinished().exclude(kind__startswith="learning.").values_list("pk", flat=True):
        outbox.run(pk)


def _work(kill_at: int | None) -> Any:
    """Take the campaign to its end; the number of writes. With `kill_at` that write is never made."""
    from django.db import connection

    written = 0

    def execute(run: Any, statement: str, *rest: Any) -> Any:
        nonlocal written
        if statement.startswith(("INSERT", "UPDATE", "DELETE")):
            written += 1
            if written == kill_at:
                os.write(_NOTES[0], json.dumps({"write": statement.split()[:3]}).encode() + b"\n")
                os.kill(os.getpid(), signal.SIGKILL)
        return run(statement, *rest)

    with connection.execute_wrapper(execute):
        _run_to_the_end()
    return written


def _go_on() -> Any:
    """Another process goes on; what is there at the end."""
    from django.utils import timezone

    from jobs.models import Job
    from learning.data import tranches
    from learning.models import (
        Campaign,
        Deployment,
        GateVerdict,
        Item,
        Iteration,
        Run,
        Serving,
        TrainedModel,
        Training,
        Tranche,
    )

    # As if the lease of the killed process were over.
    Job.objects.filter(state="running").update(due_at=timezone.now())
    _run_to_the_end()
    return {
        "campaign": Campaign.objects.get().status,
        "outcomes": list(Iteration.objects.values_list("outcome", flat=True)),
        "rows": [one.objects.count() for one in (Training, Run, TrainedModel, Tranche, GateVerdict, Deployment)],
        "items": Item.objects.filter(tranche__number=1).count(),
        "acts": Serving.objects.get().model_id == TrainedModel.objects.get().pk,
        # A look whether a tranche closes is given up, and made anew in the next minute.
        "failed": list(Job.objects.filter(state="failed").exclude(kind=tranches.CLOSE).values_list("kind", flat=True)),
    }


def _run_to_the_end() -> None:
    """Do what the schedule and the worker do, until nothing is left to be done."""
    from django.utils import timezone

    from jobs import outbox
    from jobs.models import Job
    from learning.campaigns import steps
    from learning.data import tranches
    from learning.models import Campaign, Iteration
    from learning.training import turns

    for _ in range(60):
        now = timezone.now()
        for ask in (steps.ask_for_steps, tranches.ask_for_closing, turns.keep_training):
            ask(now)
        due = list(Job.objects.due(at=timezone.now()).values_list("pk", flat=True))
        for pk in due:
            outbox.run(pk)
        if not due and Campaign.objects.get().status not in ("running", "waiting"):
            return
    rows = Iteration.objects.values("step", "outcome", "reason", "training__status")
    raise AssertionError(f"it never ends: {list(rows)}, {list(Job.objects.unfinished().values())}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
