"""Queries whose SQL Django writes once in each process; after that they run with other values.

Django writes the SQL of a query set anew for each run. That takes it several times as long as SQLite takes to answer:
1.4 ms against 0.1 ms for the window of tasks that a claim draws from. So the few queries that every request of a worker
makes keep their SQL. All other code uses plain query sets.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from operator import itemgetter
from types import SimpleNamespace
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import AutoField, BigIntegerField, Expression, F, Field, Model, QuerySet
from django.db.models.constants import OnConflict
from django.db.models.expressions import SQLiteNumericMixin
from django.db.models.functions import Coalesce
from django.db.models.query import (
    FlatValuesListIterable,
    ModelIterable,
    ValuesListIterable,
    get_related_populators,
)
from django.db.models.sql import InsertQuery, UpdateQuery
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import mark_for_rollback_on_error

R = TypeVar("R")
M = TypeVar("M", bound=Model)
AnyField: TypeAlias = "Field[Any, Any]"


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
        with connection.cursor() as cursor:
            cursor.execute(kept.sql, _bound(kept.params, self._fields, values))
            found = [list(row) for row in cursor.fetchall()]
        for place, convert, column in kept.converters:
            for row in found:
                row[place] = convert(row[place], column, connection)
        return [kept.made(row) for row in found]

    def first(self, **values: Any) -> R | None:
        """The first row; None if there is none. 1 query, which reads all rows."""
        return next(iter(self.rows(**values)), None)

    def _write(self) -> "_Written[R]":
        rows = self._make(**_left_open(self._fields))
        compiler = rows.query.get_compiler(DEFAULT_DB_ALIAS)
        sql, params = compiler.as_sql()
        converters = compiler.get_converters([column for column, *_ in compiler.select])
        steps = [(place, step, column) for place, (steps, column) in converters.items() for step in steps]
        return _Written(sql, params, steps, _made_by(rows, compiler))


def _made_by(rows: QuerySet[Any, R], compiler: SQLCompiler) -> Callable[[list[Any]], R]:
    """Makes of a row what the query set would yield for it: a value, a tuple, or an object with its related ones."""
    asked: Any = rows
    kind = asked._iterable_class
    if asked._prefetch_related_lookups or asked._known_related_objects or compiler.has_extra_select:
        raise TypeError("A kept query reads columns, and the objects that `select_related` names, and nothing more.")
    if kind is FlatValuesListIterable:
        return itemgetter(0)
    if kind is ValuesListIterable:
        return tuple  # type: ignore[return-value]
    if kind is not ModelIterable:
        raise TypeError("A kept query yields values, tuples or objects.")
    columns: Any = compiler.klass_info
    first, last = columns["select_fields"][0], columns["select_fields"][-1] + 1
    names = [column.target.attname for column, *_ in compiler.select[first:last]]
    # The types know the argument that a later Django asks for.
    related = get_related_populators(columns, compiler.select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]
    annotated = list((compiler.annotation_col_map or {}).items())

    def made(row: list[Any]) -> Any:
        found = columns["model"].from_db(DEFAULT_DB_ALIAS, names, row[first:last])
        for one in related:
            one.populate(row, found)
        for name, place in annotated:
            setattr(found, name, row[place])
        return found

    return made


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


class KeptUpdate:
    """Updates of rows that are found in one way, with the values of the query set left open.

    >>> holds = KeptUpdate(lambda pk: Assignment.objects.held().filter(pk=pk), pk=BigIntegerField())  # doctest: +SKIP
    >>> holds.run({"status": "submitted", "closed_at": now}, pk=5)  # doctest: +SKIP
    1
    """

    def __init__(self, make: Callable[..., QuerySet[Any, Any]], **fields: AnyField) -> None:
        """
        Args:
            make, fields: As for `KeptQuery`.
        """
        self._make, self._fields = make, fields
        self._written: dict[tuple[frozenset[str], ...], _WrittenChange] = {}

    def run(
        self,
        changes: Mapping[str, Any],
        *,
        more: Mapping[str, Any] | None = None,
        where_null: Mapping[str, Any] | None = None,
        **values: Any,
    ) -> int:
        """Change the rows; the number of rows that were found. 1 query.

        Args:
            changes: New values of columns.
            more: What is added to columns.
            where_null: Values of columns in those rows that have none.
            values: Those of the query set, none of which is None.
        """
        more, where_null = more or {}, where_null or {}
        columns = frozenset(changes), frozenset(more), frozenset(where_null)
        kept = self._written.get(columns)
        if kept is None:
            kept = self._written[columns] = self._write(*columns)
        given = {**values, **{_SET + name: value for name, value in {**changes, **more, **where_null}.items()}}
        with mark_for_rollback_on_error(), connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            cursor.execute(kept.sql, _bound(kept.params, kept.fields, given))
            found: int = cursor.rowcount
        return found

    def _write(self, changed: frozenset[str], added: frozenset[str], defaulted: frozenset[str]) -> "_WrittenChange":
        rows = self._make(**_left_open(self._fields))
        names = (*changed, *added, *defaulted)
        columns: dict[str, AnyField] = {name: rows.model._meta.get_field(name) for name in names}
        left = {name: _Left(_SET + name, field) for name, field in columns.items()}
        query: Any = rows.query.chain(UpdateQuery)
        query.add_update_values(
            {name: left[name] for name in changed}
            | {name: F(name) + left[name] for name in added}
            | {name: Coalesce(name, left[name]) for name in defaulted}
        )
        sql, params = query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
        return _WrittenChange(sql, params, {**self._fields, **{_SET + name: one for name, one in columns.items()}})


class KeptInsert(Generic[M]):
    """Inserts of one row of a model.

    >>> holds = KeptInsert(Assignment)  # doctest: +SKIP
    >>> holds.run(Assignment(task=task, worker=worker, claimed_at=now)).pk  # doctest: +SKIP
    5
    """

    def __init__(self, model: type[M], *, over: str = "", changes: Sequence[str] = ()) -> None:
        """
        Args:
            over: A unique column. A stored row with the same value in it is changed instead.
            changes: The columns of the stored row that are changed then.
        """
        self._model, self._over, self._changes = model, over, changes
        self._written: _WrittenChange | None = None

    def run(self, row: M) -> M:
        """Insert the row and return it with its id. No signal is sent, as in `bulk_create`. 1 query."""
        if self._written is None:
            self._written = self._write()
        kept, connection = self._written, connections[DEFAULT_DB_ALIAS]
        given = {name: field.pre_save(row, add=True) for name, field in kept.fields.items()}
        with mark_for_rollback_on_error(), connection.cursor() as cursor:
            cursor.execute(kept.sql, _bound(kept.params, kept.fields, given))
            if self._counts:
                [row.pk] = cursor.fetchone()
        row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
        return row

    @property
    def _counts(self) -> bool:
        """Whether the database counts up the key."""
        return isinstance(self._model._meta.pk, AutoField)

    def _write(self) -> "_WrittenChange":
        column = self._model._meta.get_field
        fields = {one.attname: one for one in self._model._meta.concrete_fields if not isinstance(one, AutoField)}
        query: Any = InsertQuery(
            self._model,
            on_conflict=OnConflict.UPDATE if self._over else None,
            update_fields=[column(name) for name in self._changes],
            unique_fields=[column(self._over)] if self._over else [],
        )
        query.insert_values(list(fields.values()), [SimpleNamespace(**_left_open(fields))], raw=True)
        compiler = query.get_compiler(DEFAULT_DB_ALIAS)
        compiler.returning_fields = [self._model._meta.pk] if self._counts else None
        [(sql, params)] = compiler.as_sql()
        return _WrittenChange(sql, params, fields)


_SET = "set "
"""Before the name of a column, for its new value: no name of a query set's value has a space."""


def _bound(params: tuple[Any, ...], fields: dict[str, AnyField], values: dict[str, Any]) -> tuple[Any, ...]:
    """The parameters of a written query, with the values in the places that were left open."""
    connection = connections[DEFAULT_DB_ALIAS]
    given = {name: field.get_db_prep_save(values[name], connection) for name, field in fields.items()}
    return tuple(given[one.name] if isinstance(one, _Left) else one for one in params)


def _left_open(fields: dict[str, AnyField]) -> dict[str, "_Left"]:
    return {name: _Left(name, field) for name, field in fields.items()}


class _Written(NamedTuple, Generic[R]):
    """
    Attributes:
        converters: Steps from what the database returns to values of Python: the column of a row, a function, and its
            expression.
        made: Makes the result of a row.
    """

    sql: str
    params: tuple[Any, ...]
    converters: list[tuple[int, Callable[..., Any], Expression]]
    made: Callable[[list[Any]], R]


class _WrittenChange(NamedTuple):
    sql: str
    params: tuple[Any, ...]
    fields: dict[str, AnyField]


class _Left(SQLiteNumericMixin, Expression):
    """Stands for a value that is left open. In the written SQL it is its own parameter."""

    def __init__(self, name: str, field: AnyField) -> None:
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> tuple[str, list[Any]]:  # type: ignore[override]
        return "%s", [self]
