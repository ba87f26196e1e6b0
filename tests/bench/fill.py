"""Rows by the million, made inside the database."""

import json

from django.db import connection

from annotation.models import Project
from tests.builders import NOON
from workforce.models import Worker

_COUNT = "WITH RECURSIVE counted(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM counted WHERE i < %s)"


def insert_tasks(project: Project, number: int, *, episode: str, redundancy: int = 3) -> None:
    """Add `number` open tasks to the project that all show one episode, as posting them would."""
    as_json = "CAST(%s AS jsonb)" if connection.vendor == "postgresql" else "%s"
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            INSERT INTO annotation_task (project_id, key, payload, digest, priority, own_redundancy, wanted,
                slots_left, open, status, is_reference, shuffle, created_at, closed_at)
            {_COUNT}
            SELECT CAST(%s AS bigint), %s || i, {as_json}, '', 0, NULL, CAST(%s AS int), CAST(%s AS int),
                true, 'open', false, 0.5, {_moment()}, NULL FROM counted
            """,
            [number, project.pk, f"bulk-{project.pk}-", json.dumps({"episode": episode}), *[redundancy] * 2, NOON],
        )


def insert_history(project: Project, worker: Worker, number: int) -> None:
    """Let the worker have handed in the first `number` tasks of the project, all of which others still want."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            INSERT INTO annotation_assignment (public_id, task_id, worker_id, status, claimed_at, lease_expires_at,
                draft, closed_at, problem, problem_text)
            SELECT %s || id, id, CAST(%s AS bigint), 'submitted', {_moment()}, {_moment()}, NULL, {_moment()}, '', ''
            FROM (SELECT id FROM annotation_task WHERE project_id = %s ORDER BY id LIMIT %s) AS earlier
            """,
            [f"bulk-{worker.pk}-", worker.pk, *[NOON] * 3, project.pk, number],
        )
        cursor.execute(
            """
            UPDATE annotation_task SET slots_left = slots_left - 1 WHERE id IN
                (SELECT id FROM annotation_task WHERE project_id = %s ORDER BY id LIMIT %s)
            """,
            [project.pk, number],
        )


def refresh_statistics() -> None:
    """What PostgreSQL's autovacuum does by itself within a minute; the embedded database keeps no statistics."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE annotation_task, annotation_assignment")


def _moment() -> str:
    return "CAST(%s AS timestamptz)" if connection.vendor == "postgresql" else "%s"
