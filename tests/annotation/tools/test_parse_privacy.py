"""A person who is erased leaves no name in the forms they wrote."""

import json
from typing import Any

import pytest

from annotation.models import Annotation, Chain, Consensus, Task
from annotation.tools.parse.tool import parse
from tests.support.builders import make_worker
from tests.support.tool_workers import make_parse_project, perfect, post_commands, work_through
from workforce.privacy import person_of

TEXT = "where is the last one"
FORM = {
    "dialogue_type": "GET_MEMORY",
    "filters": {"selector": {"ordinal": {"fixed_value": "the one of marguerite"}}, "memory_type": "PROGRAM"},
}


def _kept() -> list[str]:
    """All that stands in the tables of the annotator, as JSON."""
    kept = [
        *Annotation.objects.values_list("answer", flat=True),
        *Chain.objects.values_list("record", flat=True),
        *Task.objects.values_list("payload", flat=True),
        *Consensus.objects.values_list("answer", flat=True),
    ]
    return [json.dumps(value) for value in kept]


@pytest.mark.django_db
@pytest.mark.parametrize("given_to", ["one_worker", "many_workers"])
def test_a_name_that_was_written_down_goes_with_its_person(given_to: str, as_worker: Any) -> None:
    project = make_parse_project(given_to=given_to)
    (task,) = post_commands(project, {"c1": TEXT})
    worker = make_worker("marguerite")
    work_through(as_worker(project, worker), perfect({TEXT: FORM}))
    assert sum("marguerite" in row for row in _kept()) > 3

    assert parse.erase(person_of(make_worker("somebody-else"))) == {"texts_in_forms": 0}
    assert parse.erase(person_of(worker))["texts_in_forms"] > 3
    assert not [row for row in _kept() if "marguerite" in row]
    left = Consensus.objects.get(task=task).answer["form"]["filters"]["selector"]
    assert left == {"ordinal": {"fixed_value": "the one of [removed]"}}, "the answer stays"
