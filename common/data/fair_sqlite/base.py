"""The database wrapper that Django loads for the engine `common.data.fair_sqlite`.

SQLite has one writer at a time. A connection that finds another one writing sleeps and looks again, ever more rarely,
so that the writer who came last may be served first and the unlucky wait for seconds. Here the threads of a process
wait for each other in a lock with an order, before they ask SQLite. Between processes SQLite's own lock decides: all
that is correct rests on that one, and this one only on top of it decides who is next.

The lock is held from BEGIN to COMMIT or ROLLBACK, and for the duration of a statement that writes outside a
transaction. Django refuses queries on an event loop, so no event loop waits here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

from lib.fair_lock import FairLock

_WRITES = ("INSERT", "UPDATE", "DELETE", "REPLAC")
_locks: dict[str, FairLock] = {}
_guard = Lock()


def lock_of(name: object) -> FairLock:
    """The lock of the database file with this name."""
    with _guard:
        return _locks.setdefault(str(name), FairLock())


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to SQLite that writes when it is its turn.

    Attributes:
        held: The lock that this connection holds; None while it does not write.
    """

    held: FairLock | None = None

    @contextmanager
    def in_turn(self) -> Iterator[None]:
        """Hold the lock for one statement, unless this connection holds it already."""
        if self.held is not None:
            yield
            return
        self._take()
        try:
            yield
        finally:
            self._give_back()

    def create_cursor(self, name: str | None = None) -> Any:
        cursor = self.connection.cursor(factory=_Cursor)
        cursor.wrapper = self
        return cursor

    def _start_transaction_under_autocommit(self) -> None:
        self._take()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._give_back()
            raise

    # A commit that fails is followed by a rollback.
    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._give_back()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._give_back()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._give_back()

    def _take(self) -> None:
        lock = lock_of(self.settings_dict["NAME"])
        # The words of SQLite itself, for those who answer "try again".
        if not lock.acquire(timeout_s=self.settings_dict["OPTIONS"].get("timeout", 5.0)):
            raise OperationalError("database is locked")
        self.held = lock

    def _give_back(self) -> None:
        held, self.held = self.held, None
        if held is not None:
            held.release()


@lru_cache(maxsize=256)
def _with_question_marks(query: str) -> str:
    """The query with the placeholders of SQLite. Looking for those of Django takes longer than a short query, and the
    requests of workers make the same few hundred queries again and again."""
    return base.FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%")


class _Cursor(base.SQLiteCursorWrapper):
    wrapper: DatabaseWrapper

    def convert_query(self, query: str, *, param_names: Any = None) -> str:
        if param_names is None:
            return _with_question_marks(query)
        converted: str = super().convert_query(query, param_names=param_names)
        return converted

    def execute(self, query: str, params: Any = None) -> Any:
        if self.wrapper.held is not None or query.lstrip()[:6].upper() not in _WRITES:
            return super().execute(query, params)
        with self.wrapper.in_turn():
            return super().execute(query, params)

    def executemany(self, query: str, param_list: Any) -> Any:
        with self.wrapper.in_turn():
            return super().executemany(query, param_list)
