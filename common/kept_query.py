"""Queries whose SQL Django writes once in each process; after that they run with other values.

Django writes the SQL of a query set anew for each run. That takes it several times as long as SQLite takes to answer:
1.4 ms against 0.1 ms for the window of tasks that a claim draws from. So the few queries that every request of a worker
makes keep their SQL. All other code uses plain query sets.
"""

from collections.abc import Callable, Collection
from copy import copy
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import BigIntegerField, Expression, Field, Model, QuerySet
from django.db.models.sql.compiler import SQLCompiler

R = TypeVar("R")
AnyField: TypeAlias = "Field[Any, Any]"
_Converters: TypeAlias = dict[int, tuple[list[Callable[..., Any]], Expression]]


class KeptQuery(Generic[R]):
    """A query set with some of its values left open.

    >>> overdue = KeptQuery(lambda at: Assignment.objects.overdue(at=at), at=DateTimeField())  # doctest: +SKIP
    >>> overdue.rows(at=now)  # doctest: +SKIP
    [<Assignment: 1>, <Assignment: 2>]
    """

    def __init__(self, make: Callable[..., QuerySet[Any, R]], **fields: AnyField) -> None:
        """
        Args:
            make: Makes the query set, once. Each value comes as an expression that filters take, and slices do not.
            fields: The kind of each value, by its name.
        """
        self._make, self._fields = make, fields
        self._written: _Written[R] | None = None

    def rows(self, **values: Any) -> list[R]:
        """The rows for these values, none of which is None. 1 query."""
        if self._written is None:
            self._written = self._write()
        kept, connection = self._written, connections[DEFAULT_DB_ALIAS]
        given = {name: field.get_db_prep_value(values[name], connection) for name, field in self._fields.items()}
        bound = tuple(given[one.name] if isinstance(one, _Left) else one for one in kept.params)
        # Django makes objects of the rows by what the compiler noted of their columns when it wrote the SQL.
        compiler = copy(kept.compiler)
        compiler.connection = connection
        compiler.as_sql = lambda *_, **__: (kept.sql, bound)  # type: ignore[method-assign]
        compiler.get_converters = lambda _: kept.converters  # type: ignore[method-assign, assignment]
        rows = kept.rows.all()
        rows.query.get_compiler = lambda *_, **__: compiler  # type: ignore[method-assign]
        return list(rows)

    def first(self, **values: Any) -> R | None:
        """The first row; None if there is none. 1 query, which reads all rows."""
        return next(iter(self.rows(**values)), None)

    def _write(self) -> "_Written[R]":
        rows = self._make(**{name: _Left(name, field) for name, field in self._fields.items()})
        compiler = rows.query.get_compiler(DEFAULT_DB_ALIAS)
        sql, params = compiler.as_sql()
        columns = [column for column, *_ in compiler.select]
        return _Written(rows, compiler, sql, params, compiler.get_converters(columns))


class KeptForOne(Generic[R]):
    """A query set for the rows of some ids. Most calls name a single id, and for these the SQL is kept."""

    def __init__(self, make: Callable[[], QuerySet[Any, R]], *, by: str) -> None:
        """
        Args:
            make: Makes the query set for all ids.
            by: The column that has the id.
        """
        self._make, self._by = make, by
        self._one = KeptQuery(lambda given: make().filter(**{by: given}), given=BigIntegerField())

    def rows(self, ids: Collection[int]) -> list[R]:
        """The rows of these ids. 1 query."""
        if len(ids) == 1:
            return self._one.rows(given=next(iter(ids)))
        return list(self._make().filter(**{f"{self._by}__in": ids}))


class KeptRefresh:
    """Reads some columns of a row again, as `refresh_from_db` does."""

    def __init__(self, rows: QuerySet[Any, Any], *columns: str) -> None:
        self._columns = columns
        self._query = KeptQuery(lambda pk: rows.filter(pk=pk).values_list(*columns), pk=BigIntegerField())

    def read(self, row: Model) -> None:
        """Give the row the present values of its columns. 1 query."""
        [values] = self._query.rows(pk=row.pk)
        for column, value in zip(self._columns, values, strict=True):
            setattr(row, column, value)


class _Written(NamedTuple, Generic[R]):
    rows: QuerySet[Any, R]
    compiler: SQLCompiler
    sql: str
    params: tuple[Any, ...]
    converters: _Converters


class _Left(Expression):
    """Stands for a value that is left open. In the written SQL it is its own parameter."""

    def __init__(self, name: str, field: AnyField) -> None:
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> tuple[str, list[Any]]:  # type: ignore[override]
        return "%s", [self]
