"""Two commands with their forms, and commands that workers or a person settled."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from rest_framework.test import APIClient

from annotation.models import Project, Task
from annotation.review.adjudication import adjudicate
from annotation.tasks import TaskBody, post_tasks
from tests.annotation.tools.parsers import perfect, work_through
from tests.builders import NOON, make_worker
from workforce.models import Worker

Json = dict[str, Any]


def form_of(**slots: int) -> Json:
    """Build something of which each slot is said by one word."""
    clauses = [{"pred_text": name, "obj_text": [0, [place, place]]} for name, place in slots.items()]
    schematic = {"filters": {"where_clause": {"AND": clauses}}}
    action = {"action_type": "BUILD", "schematic": schematic}
    return {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [action]}


HOUSE = form_of(has_name=2)
TOWER = form_of(has_name=3, has_colour=2)
KNOWN = {"build a house": HOUSE, "build a red tower": TOWER}
Enter = Callable[[Project, Worker], APIClient]


def post_command(project: Project, key: str, text: str, **payload: Any) -> Task:
    post_tasks(project=project, bodies=[TaskBody(key=key, payload={"text": text, **payload})], at=NOON)
    return Task.objects.get(project=project, key=key)


def worked(project: Project, as_worker: Enter, forms: Json | None = None, *, workers: int = 1) -> list[Worker]:
    """So many workers do what there is to do, until nothing is left."""
    people = [make_worker() for _ in range(workers)]
    clients = [as_worker(project, person) for person in people]
    answer = perfect(forms or KNOWN)
    while sum(work_through(client, answer) for client in clients):
        pass
    return people


def decided(task: Task, form: Json, *, name: str = "dora") -> None:
    """A reviewer gives the form."""
    by, _ = User.objects.get_or_create(username=name, defaults={"is_staff": True, "is_superuser": True})
    adjudicate(task=task, answer={"form": form}, reason="I know it.", by=by, at=NOON)
