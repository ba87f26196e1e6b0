"""The cost of a claim, by the database's own plans and page counts instead of a clock."""

import json
from typing import Any, NamedTuple

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Enrolment
from annotation.work.claims import claim_next
from bench.bulk_rows import insert_history, insert_tasks, refresh_statistics
from tests.support.builders import NOON, make_episode, make_project
from tests.support.crowds import fresh, make_enrolments

pytestmark = pytest.mark.django_db

MOST_PAGES = 220
"""Three for each task of a window, and for the path to it."""
QUERIES = 10
"""The worker's standing, overdue holds, savepoint, enrolment, own holds and returns, the window, the task, its slot,
the assignment, savepoint."""
FEW_PAGES = 10
OTHERS_DID = 900
EXHAUSTED = 6
"""Looks at the queue before a worker is told that there is nothing: a window, what lies behind it, and before it, the
priorities below, all of them, and what was given back."""


class Look(NamedTuple):
    """One query of a claim that picks a task: what the database would do, and on PostgreSQL the pages it touched."""

    plan: str
    pages: int


def looks_of(enrolment: Enrolment) -> tuple[list[Look], int]:
    """The picking queries of the worker's next claim, each explained as the claim met it, and how many it made."""
    now = fresh(enrolment)
    with CaptureQueriesContext(connection) as queries:
        claim_next(enrolment=now, at=NOON, chance=lambda: 0.5)
    picks = [one["sql"] for one in queries if "annotation_task" in one["sql"] and "ORDER BY" in one["sql"]]
    picks = [sql for sql in picks if 'ORDER BY "annotation_task"."shuffle"' in sql or "ORDER BY 1 DESC" in sql]
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
        Enrolment.objects.filter(pk=enrolment.pk).update(cursor_priority=0)
    # Others always have a history: what everybody did must not matter either, and of a table with no rows PostgreSQL
    # reads what pages earlier tests have left in it.
    insert_history(project, others[0].worker, history or OTHERS_DID)
    refresh_statistics()
    return enrolment


@pytest.mark.parametrize("tasks", [1_000, 10_000])
@pytest.mark.parametrize("history", [0, 900])
def test_a_claim_reads_one_window_of_an_index_at_one_cost(tasks: int, history: int) -> None:
    looks, queries = looks_of(worker_in(tasks=tasks, history=history))

    # A worker's first claim also looks for the highest priority, and notes it.
    assert len(looks) == (1 if history else 2)
    assert queries == (QUERIES if history else QUERIES + 2)

    for look in looks:
        if connection.vendor == "postgresql":
            assert '"Index Name": "task_open"' in look.plan
            for dear in ("Sort", "Anti", "Hash", "Merge", "Materialize"):
                assert f'"Node Type": "{dear}' not in look.plan
                assert f'"Join Type": "{dear}' not in look.plan
            assert look.pages <= MOST_PAGES
        else:
            first, *inner = look.plan.splitlines()
            assert first.startswith("SEARCH annotation_task USING INDEX task_open (project_id=?")
            assert "TEMP B-TREE" not in look.plan
            assert "SCAN" not in look.plan
            assert any("slot_of_id=?" in line for line in inner)
    if connection.vendor != "postgresql":
        assert "(project_id=? AND priority=? AND shuffle>?)" in looks[-1].plan


def test_where_nothing_is_unmet_every_look_walks_the_same_index() -> None:
    looks, _ = looks_of(worker_in(tasks=1_000, history=1_000))

    assert len(looks) == EXHAUSTED
    for look in looks:
        assert "task_open" in look.plan
        assert "TEMP B-TREE" not in look.plan
        assert '"Sort"' not in look.plan


def test_a_worker_with_a_long_history_has_holds_and_returns_read_by_indexes_of_these_alone() -> None:
    enrolment = fresh(worker_in(tasks=1_000, history=900))
    with CaptureQueriesContext(connection) as queries:
        claim_next(enrolment=enrolment, at=NOON)
    [look] = [explain(one["sql"]) for one in queries if "UNION ALL" in one["sql"]]
    if connection.vendor == "postgresql":
        assert look.pages <= FEW_PAGES
    else:
        assert "assignment_held_by (worker_id=?)" in look.plan
        assert "assignment_returned (worker_id=? AND closed_at>?)" in look.plan
