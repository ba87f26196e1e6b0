"""Inserts rows by the million inside the database.

Every value is SQL in `i` = 1, 2, 3…. A column that is not named gets its field's default, so that a new column of a
table needs no change here.
"""

import json
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import Field, Model

from annotation.models import Assignment, Project, Task
from tests.support.builders import NOON
from workforce.models import Worker

SECOND_0 = int((NOON - timedelta(days=30)).timestamp())
"""The time of the first row. One second for each of a million rows is twelve days."""


def insert(model: type[Model], number: int, /, **columns: str) -> None:
    """Add `number` rows to the table. `columns` are by attribute name, as `worker_id="10 + i"`; use `mod` for a `%`."""
    if not number:
        return
    given, params = [], list[Any]()
    for field in model._meta.concrete_fields:
        name = field.attname
        if name in columns:
            given.append((field.column, columns[name]))
        elif not field.primary_key or field.is_relation:
            value, param = _default(field)
            given.append((field.column, value))
            params += param
    names, values = ", ".join(f'"{name}"' for name, _ in given), ", ".join(value for _, value in given)
    sql = f"""
        INSERT INTO {model._meta.db_table} ({names})
        WITH RECURSIVE counted(i) AS (
            SELECT CAST(1 AS bigint) UNION ALL SELECT i + 1 FROM counted WHERE i < {int(number)}
        )
        SELECT {values} FROM counted ORDER BY i
    """
    with connection.cursor() as cursor:
        cursor.execute(sql, params)


def _default(field: "Field[Any, Any]") -> tuple[str, list[Any]]:
    if not field.has_default() and field.null:
        return "NULL", []
    value = field.get_db_prep_save(field.get_default(), connection)
    kind = field.db_type(connection) or "text"
    return f"CAST(%s AS {kind.partition(' ')[0] if connection.vendor == 'sqlite' else _plain(kind)})", [value]


def _plain(kind: str) -> str:
    return kind.removesuffix(" CHECK").partition(" CHECK")[0]


def text(value: str) -> str:
    """A trusted text as SQL."""
    return "'" + value.replace("'", "''").replace("%", "%%") + "'"


def mod(of: str, by: int) -> str:
    return f"(({of}) %% {by})"


def share(of: str, hundredths: int, *, salt: int) -> str:
    """True for about this many of a hundred rows, scattered but always the same ones."""
    return f"({mod(f'({of}) * 7919 + {salt} * 104729', 100)} < {hundredths})"


def moment(seconds: str) -> str:
    """This many seconds after the first row."""
    whole = f"{SECOND_0} + ({seconds})"
    if connection.vendor == "postgresql":
        return f"to_timestamp({whole})"
    return f"strftime('%%Y-%%m-%%d %%H:%%M:%%S', {whole}, 'unixepoch')"


def as_json(value: str) -> str:
    """A JSON text as a value for the column."""
    return f"CAST({value} AS jsonb)" if connection.vendor == "postgresql" else value


def literal(value: object) -> str:
    return as_json(text(json.dumps(value)))


def first_id(model: type[Model]) -> int:
    """The id of the next row. Tables are filled once, in order."""
    last = model._default_manager.order_by("-pk").values_list("pk", flat=True).first()
    return int(last or 0) + 1


def insert_tasks(project: Project, number: int, *, episode: str, redundancy: int = 3, **columns: str) -> None:
    """Add `number` open tasks to the project that all show one episode, as posting would add them."""
    usual = {
        "project_id": str(project.pk),
        "key": f"{text(f'bulk-{project.pk}-{first_id(Task)}-')} || i",
        "payload": literal({"episode": episode}),
        "digest": "''",
        "wanted": str(redundancy),
        "slots_left": str(redundancy),
        "shuffle": f"{mod('i * 7919', 100_003)} / 100003.0",
        "created_at": moment("0"),
    }
    insert(Task, number, **(usual | columns))


def insert_history(project: Project, worker: Worker, number: int) -> None:
    """Make the worker's submissions of the first `number` tasks of the project, which still need other workers."""
    first = Task.objects.filter(project=project).order_by("pk").values_list("pk", flat=True)[0]
    insert(
        Assignment,
        number,
        public_id=f"{text(f'bulk-{worker.pk}-')} || i",
        task_id=f"{first} + i - 1",
        slot_of_id=f"{first} + i - 1",
        worker_id=str(worker.pk),
        status=text(Assignment.Status.SUBMITTED),
        claimed_at=moment("0"),
        lease_expires_at=moment("0"),
        closed_at=moment("0"),
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE annotation_task SET slots_left = slots_left - 1 WHERE id >= %s AND id < %s AND project_id = %s",
            [first, first + number, project.pk],
        )


def refresh_statistics() -> None:
    """Update PostgreSQL's statistics, as autovacuum does within a minute. SQLite has none."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
