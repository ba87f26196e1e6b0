"""Reading rows in the order of their keys, in several requests, without missing a row with a lower key.

PostgreSQL gives out keys in order, but transactions end in any order: a row may be committed after a row with a higher
key, and a client that continues from the higher key never sees it. So an export waits for the transactions that are
writing to the table, and returns no row that is newer. No writer waits for an export or has to announce itself: an
INSERT locks its table (ROW EXCLUSIVE) before it takes a key and until its transaction has ended, and `pg_locks` lists
the transactions with such a lock.

SQLite has one writer at a time, so keys are taken in the order of commits.

Source: PostgreSQL manual, "Table-Level Locks" and "pg_locks"; CREATE INDEX CONCURRENTLY waits in the same way.
"""

from time import monotonic, sleep
from typing import TypeVar

from django.db import connections
from django.db.models import Model, QuerySet
from django.db.models.expressions import RawSQL

from lib.faults import CrosswalkError

M = TypeVar("M", bound=Model)

PATIENCE_S = 10.0
"""How long an export waits for writers; a request writes for a far shorter time."""
POLL_S = 0.02

# A transaction that updates or deletes rows holds such a lock too, and is waited for; one that only reads or locks rows
# is not. A table's oid is unique only within its database. A prepared transaction has no pid. Names of transactions are
# not used twice, so transactions that begin later are not confused with those that are waited for.
_WRITERS = """
    SELECT virtualtransaction FROM pg_locks
    WHERE locktype = 'relation' AND relation = %s::regclass AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND pid IS DISTINCT FROM pg_backend_pid()
"""


class StillWriting(CrosswalkError):
    """A transaction that may have taken a lower key has not ended in time."""

    status, code, title = 503, "unavailable", "Unavailable"
    sentence = "What comes before other lines is still being written. Please send the same again in a moment."


def complete_rows(rows: QuerySet[M]) -> QuerySet[M]:
    """The rows that exist now, once no row with a lower key can appear any more.

    Call it outside a transaction: the result must be read by a query that begins after the wait.

    Raises:
        StillWriting: a writer had not ended after `PATIENCE_S`. Fewer rows would look like all rows to the client.

    Costs: on PostgreSQL 1 query, and 1 more for each look while another transaction writes.
    """
    connection = connections[rows.db]
    if connection.vendor != "postgresql":
        return rows
    # One statement sees rows as they were when it began, and locks as they are later. A transaction that took a lower
    # key than the newest row had its lock before that row could be seen, so it is found here or has ended.
    table = connection.ops.quote_name(rows.model._meta.db_table)
    last = rows.order_by("-pk").values_list("pk", RawSQL(f"ARRAY({_WRITERS})", [table])).first()  # noqa: S611 - ours
    if last is None:
        return rows.none()
    newest, writers, until = last[0], set(last[1]), monotonic() + PATIENCE_S
    while writers:
        if monotonic() >= until:
            raise StillWriting
        sleep(POLL_S)
        with connection.cursor() as cursor:
            cursor.execute(_WRITERS, [table])
            writers &= {name for (name,) in cursor}
    return rows.filter(pk__lte=newest)
