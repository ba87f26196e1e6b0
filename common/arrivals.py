"""Reading rows in the order of their keys, in turns, so that none comes to stand before what was read already.

PostgreSQL gives out keys in order, but transactions end in any: a row may be committed after one with a higher key, and
who goes on from that never sees it. So an export waits for the transactions that write to the table at this moment, and
gives no row that is newer. Nobody waits for an export, and nobody has to tell it anything: an INSERT locks its table
(ROW EXCLUSIVE) before it takes a key, until its transaction has ended for all to see, and `pg_locks` tells who does.

SQLite has one writer at a time, so keys are taken in the order of commits.

Source: PostgreSQL manual, "Table-Level Locks" and "pg_locks"; CREATE INDEX CONCURRENTLY waits in the same way.
"""

from time import monotonic, sleep
from typing import TypeVar

from django.db import connections
from django.db.models import Model, QuerySet
from django.db.models.expressions import RawSQL

from common.errors import CrosswalkError

M = TypeVar("M", bound=Model)

PATIENCE_S = 10.0
"""How long an export waits; a request writes for far less."""
LOOK_AGAIN_S = 0.02

# Who updates or deletes rows holds such a lock too, and is waited for; who reads or locks rows is not. A table's oid is
# its own only within its database. A prepared transaction has no pid. Names of transactions are not given twice, so
# those that begin later are told from those that are waited for.
_WRITERS = """
    SELECT virtualtransaction FROM pg_locks
    WHERE locktype = 'relation' AND relation = %s::regclass AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND pid IS DISTINCT FROM pg_backend_pid()
"""


class StillArriving(CrosswalkError):
    """A transaction that may have taken a lower key does not end."""

    status, code, title = 503, "unavailable", "Unavailable"
    sentence = "What comes before other lines is still being written. Please send the same again in a moment."


def arrived(rows: QuerySet[M]) -> QuerySet[M]:
    """Those of the rows that are there by now, when none with a lower key can come any more.

    Call outside a transaction: what it returns must be read by a query that begins after the wait.

    Raises:
        StillArriving: a writer was not done after `PATIENCE_S`. To give less would pass for all there is.

    Costs: on PostgreSQL 1 query, and 1 more for each look while somebody writes.
    """
    connection = connections[rows.db]
    if connection.vendor != "postgresql":
        return rows
    # One statement sees rows as they were when it began, and locks as they are later. Who took a lower key than the
    # newest row had its lock before that row could be seen, so it is found here or has ended.
    table = connection.ops.quote_name(rows.model._meta.db_table)
    last = rows.order_by("-pk").values_list("pk", RawSQL(f"ARRAY({_WRITERS})", [table])).first()  # noqa: S611 - ours
    if last is None:
        return rows.none()
    newest, writers, until = last[0], set(last[1]), monotonic() + PATIENCE_S
    while writers:
        if monotonic() >= until:
            raise StillArriving
        sleep(LOOK_AGAIN_S)
        with connection.cursor() as cursor:
            cursor.execute(_WRITERS, [table])
            writers &= {name for (name,) in cursor}
    return rows.filter(pk__lte=newest)
