"""The parse annotator over HTTP: a command goes out as small questions and comes back as a form."""

from typing import Any

import pytest

from annotation.models import Consensus, Task
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


@pytest.mark.django_db
@pytest.mark.parametrize("given_to", ["one_worker", "many_workers"])
def test_a_perfect_worker_writes_the_form(given_to: str, as_worker: Any) -> None:
    project = make_parse_project(given_to=given_to)
    (task,) = post_commands(project, {"c1": TEXT})
    steps = work_through(as_worker(project, make_worker()), perfect({TEXT: TOWER}))
    task.refresh_from_db()
    assert task.status == Task.Status.DONE
    assert same(Consensus.objects.get(task=task).answer["form"], TOWER)
    assert steps == task.parts.count() == STEPS
