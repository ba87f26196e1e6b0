"""A command that runs on the database of the environment: `fill N SETTINGS` makes sessions, `read` prints their state,
`count` the lengths of their logs.

It answers in JSON. Tests that start real processes have no connection to those processes' database.
"""

import json
import os
import sys
from typing import Any

import django


def fill(number: int, settings: dict[str, Any]) -> dict[str, Any]:
    """A project with so many sessions, each claimed by its own worker; in `settings["world"]`, or the default world."""
    from django.db import transaction
    from django.utils import timezone

    from agents.keys import create_key
    from agents.models import ApiKey
    from annotation.work.posting import TaskBody, post_tasks
    from tests.support.builders import claim, make_worker, token_for
    from tests.support.servers import AGENT_KEY
    from tests.support.sessions import make_live_project

    now, world = timezone.now(), settings.pop("world", None)
    with transaction.atomic():
        project = make_live_project("staged", sessions=number, **settings)
        project.base_pay, project.lease_s = "0.50", 3600
        project.save()
        create_key(name="processes", scopes=[ApiKey.Scope.AGENTS], at=now, key=AGENT_KEY)
        # One world for all: to make one takes longer than all else.
        agent = project.settings["agent"]
        first = {"agent": agent} | ({"world": world} if world else {})
        post_tasks(project=project, bodies=[TaskBody(key="0", payload=first)], at=now)
        payload = project.tasks.get().payload
        post_tasks(
            project=project, bodies=[TaskBody(key=str(one), payload=payload) for one in range(1, number)], at=now
        )
        sessions = []
        for _ in range(number):
            worker = make_worker()
            sessions.append((claim(project, worker, at=now).public_id, token_for(project, worker)))
    return {"agent": agent, "sessions": sessions}


def read() -> dict[str, Any]:
    """Every session with its log, its commands, and its result."""
    from django.db.models import F

    from annotation.models import Annotation
    from interaction.models import Session
    from workforce.models import LedgerEntry

    found = {}
    for session in Session.objects.select_related("assignment").order_by("pk"):
        events = session.events.order_by("seq").values_list("seq", "role", "cseq", "type", "body")
        found[session.assignment.public_id] = {
            "session": session.public_id,
            "last_seq": session.last_seq,
            "reason": session.reason,
            "is_started": session.started_at is not None,
            "owed_s": session.owed_s,
            "hold": session.assignment.status,
            "events": [list(event) for event in events],
            "commands": list(
                session.commands.order_by("seq").values(
                    "name", "seq", "status", "why_failed", outcome=F("command__outcome")
                )
            ),
            "annotations": Annotation.objects.filter(assignment=session.assignment).count(),
            "ledger": list(LedgerEntry.objects.filter(worker=session.assignment.worker).values_list("kind", flat=True)),
        }
    return found


def count() -> list[dict[str, int]]:
    """The number of events in the log of each session, and the number that there should be."""
    from django.db.models import Count, Q

    from interaction.models import Session

    events, worker = Count("events"), Count("events", filter=Q(events__role="worker"))
    rows = Session.objects.annotate(all_events=events, worker=worker)
    return [
        {"last_seq": last_seq, "worker": of_worker, "all_events": of_all}
        for last_seq, of_worker, of_all in rows.values_list("last_seq", "worker", "all_events")
    ]


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    match sys.argv[1:]:
        case ["fill", number, settings]:
            answer: Any = fill(int(number), json.loads(settings))
        case ["read"]:
            answer = read()
        case _:
            answer = count()
    print(json.dumps(answer))  # noqa: T201


if __name__ == "__main__":
    main()
