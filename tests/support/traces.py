"""Search for words of a person in everything that is stored: tables, the files of the database, stored files, logs."""

import io
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connection

from lib.log_lines import JsonFormatter
from web.http.request_log import RequestIdFilter

ENOUGH = 64 * 1024 * 1024
"""Bytes of a file that are read; what tests write is smaller."""


@contextmanager
def log_of_the_process() -> Iterator[io.StringIO]:
    """The log lines of the block, as the server writes them."""
    kept = io.StringIO()
    handler = logging.StreamHandler(kept)
    handler.addFilter(RequestIdFilter())
    handler.setFormatter(JsonFormatter())
    root, level = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield kept
    finally:
        root.setLevel(level)
        root.removeHandler(handler)


def traces(words: Iterable[str]) -> set[str]:
    """The places of these words, as `table.column: word` or `file name: word`."""
    wanted = list(words)
    return {
        f"{place}: {word}" for place, text in (*_cells(), *_files()) for word in wanted if word.lower() in text.lower()
    }


def _cells() -> Iterator[tuple[str, str]]:
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
    for table in tables:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            columns = [column[0] for column in cursor.description]
            for row in cursor.fetchall():
                yield from (
                    (f"{table}.{column}", _text(value)) for column, value in zip(columns, row, strict=True) if value
                )


def _text(value: Any) -> str:
    return bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview) else str(value)


def _files() -> Iterator[tuple[str, str]]:
    """The embedded database as bytes, free pages and log included; the queue; whatever is stored."""
    kept: list[Path] = []
    if connection.vendor == "sqlite":
        database = Path(str(connection.settings_dict["NAME"]))
        kept += [database, *database.parent.glob(f"{database.name}-*")]
    for folder in (Path(settings.DATA_DIR) / "queue", Path(str(default_storage.location))):  # type: ignore[attr-defined]
        kept += [path for path in folder.rglob("*") if path.is_file()]
    for path in kept:
        if path.exists():
            with path.open("rb") as file:
                yield path.name, file.read(ENOUGH).decode("latin-1")
