"""A step of a command costs the same number of queries however many commands there are."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Chain
from annotation.tools.parse.chains import IDLE_AFTER, leave_idle
from tests.annotation.tools.test_parse import TEXT, TOWER
from tests.support.builders import make_worker
from tests.support.tool_workers import claim, hand_in, make_parse_project, perfect, post_commands, take_step

pytestmark = pytest.mark.django_db

knows = perfect({TEXT: TOWER})
MOST_OF_A_CLAIM = 20
MOST_OF_AN_ANSWER = 55


@pytest.mark.parametrize("given_to", ["one_worker", "many_workers"])
def test_a_step_costs_the_same_among_many_commands(given_to: str, as_worker: Any) -> None:
    costs: list[list[tuple[int, int]]] = []
    for commands in (10, 60):
        project = make_parse_project(given_to=given_to, reference_rate=0.1)
        post_commands(project, {f"c{number}": TEXT for number in range(commands)})
        client = as_worker(project, make_worker())
        take_step(client, knows)
        cost = []
        for _ in range(3):
            with CaptureQueriesContext(connection) as claiming:
                held = claim(client)
            assert held is not None
            with CaptureQueriesContext(connection) as answering:
                assert hand_in(client, held["assignment"], knows(held["payload"])).status_code == 201
            cost.append((len(claiming), len(answering)))
        costs.append(cost)
    assert costs[0] == costs[1]
    assert max(claiming for claiming, _ in costs[0]) <= MOST_OF_A_CLAIM
    assert max(answering for _, answering in costs[0]) <= MOST_OF_AN_ANSWER


def test_looking_for_chains_that_were_left_stops_at_its_limit(as_worker: Any) -> None:
    project = make_parse_project()
    tasks = post_commands(project, {f"c{number}": TEXT for number in range(12)})
    now = timezone.now()
    Chain.objects.bulk_create(Chain(task=task, worker=make_worker(), moved_at=now) for task in tasks)
    with CaptureQueriesContext(connection) as queries:
        assert leave_idle(at=now) == 0
    assert len(queries) == 1
    assert leave_idle(at=now + 2 * IDLE_AFTER, limit=5) == 5
    assert leave_idle(at=now + 2 * IDLE_AFTER, limit=50) == 7
