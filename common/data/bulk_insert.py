"""Inserting many rows of one table as values of its columns, without an object of a model for each row."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connections, router
from django.db.models import Field, JSONField, Model
from django.db.models.fields import DateTimeField


def insert_rows(model: type[Model], each: Mapping[str, Sequence[Any]], **same: Any) -> None:
    """Insert rows, in order, with one prepared statement: it takes a tenth of the time of `bulk_create`.

    Args:
        each: The values of columns that differ from row to row, by attribute name, all of one length.
        same: The values of columns that are equal in all rows. Columns that are not named get their field's default.
    """
    connection = connections[router.db_for_write(model)]
    fields = [field for field in model._meta.concrete_fields if not _is_counted(field)]
    own = [field for field in fields if field.attname in each]
    rest = [field for field in fields if field.attname not in each]
    unknown = {*each, *same} - {field.attname for field in fields}
    if unknown:
        raise TypeError(f"{model.__name__} has no columns {', '.join(sorted(unknown))}.")
    values = [
        field.get_db_prep_save(same[field.attname] if field.attname in same else field.get_default(), connection)
        for field in rest
    ]
    tail = tuple(value for value in values if _sql_of(value) is None)
    columns = [_prepared(field, each[field.attname], connection) for field in own]
    if not (columns and columns[0]):
        return
    quote = connection.ops.quote_name
    names = ", ".join(quote(str(field.column)) for field in [*own, *rest])
    places = ", ".join([*["%s"] * len(own), *(_sql_of(value) or "%s" for value in values)])
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES ({places})",  # noqa: S608 - names of columns
            [(*row, *tail) for row in zip(*columns, strict=True)],
        )


def _is_counted(field: "Field[Any, Any]") -> bool:
    """True for a key that the database counts up."""
    return field.primary_key and not field.is_relation


def _sql_of(value: Any) -> str | None:
    """Null, a truth or a whole number as SQL: written once in the statement, they take SQLite half the time of values
    that come with each row. None for every other value."""
    if value is None:
        return "NULL"
    return str(value).upper() if isinstance(value, bool | int) else None


def _prepared(field: "Field[Any, Any]", values: Sequence[Any], connection: Any) -> Sequence[Any]:
    """The values as the database takes them. Texts, numbers and keys it takes as they are."""
    if not isinstance(field, JSONField | DateTimeField):
        return values
    return [field.get_db_prep_save(value, connection) for value in values]
