"""The cost of a claim, by the database's own plans and page counts instead of a clock."""

import json
from typing import Any, NamedTuple

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Enrolment, Task
from annotation.work.claims import claim_next
from bench.bulk_rows import insert_history, insert_tasks, refresh_statistics
from tests.support.builders import NOON, make_episode, make_project
from tests.support.crowds import fresh, make_enrolments

pytestmark = pytest.mark.django_db

MOST_PAGES = 12
QUERIES = 10
OTHERS_DID = 900
EXHAUSTED = 4
"""Looks at the queue before a worker is told that there is nothing: at the cursor's priority, below it, from the start
for fresh ones, and for what was given back."""


class Look(NamedTuple):
    """One query of a claim that picks a task: what the database would do, and on PostgreSQL the pages it touched."""

    plan: str
    pages: int


def looks_of(enrolment: Enrolment) -> tuple[list[Look], int]:
    """The picking queries of the worker's next claim, each explained as the claim met it, and how many it made."""
    now = fresh(enrolment)
    with CaptureQueriesContext(connection) as queries:
        claim_next(enrolment=now, at=NOON, chance=lambda: 0.99)
    picks = [one["sql"] for one in queries if "annotation_task" in one["sql"] and "ORDER BY" in one["sql"]]
    picks = [sql for sql in picks if sql.startswith('SELECT "annotation_task"')]
    enrolment.worker.assignments.held().delete()
    return [explain(sql) for sql in picks], len(queries)


def explain(sql: str) -> Look:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}")
            [[[found]]] = cursor.fetchall()
            top: dict[str, Any] = found["Plan"]
            return Look(json.dumps(top), top["Shared Hit Blocks"] + top["Shared Read Blocks"])
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return Look("\n".join(row[3] for row in cursor.fetchall()), 0)


def worker_in(*, tasks: int, history: int = 0) -> Enrolment:
    """A worker who has handed in the first `history` tasks of a project; other projects lie before and after it."""
    episode = make_episode().external_id
    before, project, after = (make_project(redundancy=3) for _ in range(3))
    for one in (before, project, after):
        insert_tasks(one, tasks, episode=episode)
    enrolment, *others = make_enrolments(project, 4)
    if history:
        insert_history(project, enrolment.worker, history)
        last = Task.objects.filter(project=project).order_by("pk")[history - 1]
        Enrolment.objects.filter(pk=enrolment.pk).update(cursor_priority=0, cursor_task=last.pk)
    # Others always have a history: what everybody did must not matter either, and of a table with no rows PostgreSQL
    # reads what pages earlier tests have left in it.
    insert_history(project, others[0].worker, history or OTHERS_DID)
    refresh_statistics()
    return enrolment


@pytest.mark.parametrize("tasks", [1_000, 10_000])
@pytest.mark.parametrize("history", [0, 900])
def test_a_claim_walks_one_index_to_the_next_task_at_one_cost(tasks: int, history: int) -> None:
    [look], queries = looks_of(worker_in(tasks=tasks, history=history))

    # Overdue holds; savepoint, enrolment, own holds, task, its slot, cursor, assignment, savepoint.
    assert queries == QUERIES

    if connection.vendor == "postgresql":
        assert '"Index Name": "task_open"' in look.plan
        for dear in ("Sort", "Anti", "Hash", "Merge", "Materialize"):
            assert f'"Node Type": "{dear}' not in look.plan
            assert f'"Join Type": "{dear}' not in look.plan
        assert look.pages <= MOST_PAGES
    else:
        first, *inner = look.plan.splitlines()
        columns = "project_id=? AND priority=? AND id>?" if history else "project_id=?"
        assert first == f"SEARCH annotation_task USING INDEX task_open ({columns})"
        assert "TEMP B-TREE" not in look.plan
        assert "SCAN" not in look.plan
        assert any("task_id=?" in line for line in inner)


def test_where_nothing_lies_ahead_the_queue_is_walked_from_its_start_by_the_same_index() -> None:
    looks, _ = looks_of(worker_in(tasks=1_000, history=1_000))

    assert len(looks) == EXHAUSTED
    for look in looks:
        assert "task_open" in look.plan
        assert "TEMP B-TREE" not in look.plan
        assert '"Sort"' not in look.plan
