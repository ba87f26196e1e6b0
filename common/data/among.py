"""The lookup `among`: a column is one of many texts.

`in` writes a parameter for each value, which takes longer than the database needs to find a thousand of them.
"""

import json
from typing import Any

from django.db.models import Lookup


class Among(Lookup):
    """`key__among=[...]` on a `CharField`: equal to `key__in`, with one parameter for all texts."""

    lookup_name = "among"
    prepare_rhs = False

    def as_sqlite(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        column, params = self.process_lhs(compiler, connection)
        sql = f"{column} IN (SELECT value FROM json_each(%s))"  # noqa: S608 - the name of a column
        return sql, [*params, json.dumps(self.rhs)]

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        column, params = self.process_lhs(compiler, connection)
        return f"{column} = ANY(%s)", [*params, self.rhs]
