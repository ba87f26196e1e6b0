"""The parse annotator over HTTP: a command goes out as small questions and comes back as a form."""

from typing import Any

import pytest

from annotation.models import Chain, Consensus, Task
from lib.logical_form.asking.walk import record_of
from lib.logical_form.normal import same
from tests.support.builders import make_worker
from tests.support.tool_workers import make_parse_project, perfect, post_commands, work_through

TOWER = {
    "dialogue_type": "HUMAN_GIVE_COMMAND",
    "event_sequence": [
        {
            "action_type": "BUILD",
            "schematic": {
                "filters": {
                    "where_clause": {
                        "AND": [
                            {"pred_text": "has_name", "obj_text": [0, [3, 3]]},
                            {"pred_text": "has_colour", "obj_text": [0, [2, 2]]},
                        ]
                    }
                }
            },
        },
        {"action_type": "MOVE", "location": {"contains_coreference": "yes"}},
    ],
}
TEXT = "build a red tower and go there"
STEPS = len(record_of(TOWER)) + 1
"""The last asks whether all is right."""


def _form(task: Task) -> Any:
    return Consensus.objects.get(task=task).answer["form"]


@pytest.mark.django_db
@pytest.mark.parametrize("given_to", ["one_worker", "many_workers"])
def test_a_perfect_worker_writes_the_form(given_to: str, as_worker: Any) -> None:
    project = make_parse_project(given_to=given_to)
    (task,) = post_commands(project, {"c1": TEXT})
    steps = work_through(as_worker(project, make_worker()), perfect({TEXT: TOWER}))
    task.refresh_from_db()
    assert task.status == Task.Status.DONE
    assert same(_form(task), TOWER)
    assert steps == task.parts.count() == STEPS


@pytest.mark.long
@pytest.mark.django_db
def test_three_workers_each_write_it_whole(as_worker: Any) -> None:
    project = make_parse_project(redundancy=3)
    (task,) = post_commands(project, {"c1": TEXT})
    for _ in range(3):
        work_through(as_worker(project, make_worker()), perfect({TEXT: TOWER}))
    found = Consensus.objects.get(task=task)
    assert same(found.answer["form"], TOWER)
    assert (found.method, found.confidence, found.annotations) == ("assembled", 1.0, 3)
    assert found.settled_at is not None
    assert Chain.objects.filter(task=task, worker__isnull=False, status="done").count() == 3


@pytest.mark.long
@pytest.mark.django_db
def test_three_workers_share_its_steps(as_worker: Any) -> None:
    project = make_parse_project(redundancy=3, given_to="many_workers")
    (task,) = post_commands(project, {"c1": TEXT})
    clients = [as_worker(project, make_worker()) for _ in range(3)]
    while sum(work_through(client, perfect({TEXT: TOWER})) for client in clients):
        pass
    found = Consensus.objects.get(task=task)
    assert same(found.answer["form"], TOWER)
    assert (found.confidence, found.annotations) == (1.0, 3 * STEPS)
