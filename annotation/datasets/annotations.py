"""Exports: annotations and consensus as JSON Lines, page by page, oldest first.

A project has a million annotations, so a line is put together from the values as the database returns them, without an
object for each row. Each page is a query of its own, which begins where the page before ended: an export that is read
slowly holds neither a cursor nor SQLite's log, and takes as much memory for a million lines as for a thousand.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from json.encoder import encode_basestring as as_text
from typing import Any

from django.db import connections
from django.db.models import ExpressionWrapper, F, QuerySet, TextField

from annotation.models import Annotation, Project
from lib.faults import Invalid

PAGE = 500
"""Rows of a page: some 150 kB of small answers."""
FIRST_PAGE = 50
"""Rows of the first page, so that a client receives something at once."""

Values = tuple[Any, ...]


def annotation_lines(project: Project, *, since: str = "", with_identity: bool = False) -> Iterator[bytes]:
    """The project's annotations in the order of commit, after the annotation `since`; each piece is a page of lines.

    Args:
        with_identity: Name workers by `platform:external_id` instead of their pseudonym.

    Raises:
        Invalid: `since` is not an annotation of this project.
    """
    after = 0
    if since:
        found = Annotation.objects.filter(project=project, public_id=since).values_list("number", flat=True).first()
        if found is None:
            raise Invalid.at("#/since", "This project has no such annotation.")
        after = found
    rows = Annotation.objects.filter(project=project).values_list(
        *("number", "public_id", "task__key", _stored("answer"), _stored("task__is_reference"), _stored("score")),
        *(_stored("claimed_at"), _stored("submitted_at"), _stored("active_s")),
        *("superseded_by__public_id", "instruction_version__number"),
        *(("worker__platform", "worker__external_id") if with_identity else ("worker__pseudonym",)),
    )
    return _pages(rows, "number", after, _annotation_line)


def _annotation_line(row: Values, as_json: Callable[[str], str]) -> str:
    _, name, task, answer, is_reference, score, claimed_at, submitted_at, active_s, superseded_by, version, *who = row
    return (
        f'{{"annotation": {as_text(name)}, "task": {as_text(task)}, "worker": {as_text(":".join(who))}, '
        f'"answer": {as_json(answer)}, "is_reference": {"true" if is_reference else "false"}, '
        f'"score": {_number(score)}, "claimed_at": {_moment(claimed_at)}, "submitted_at": {_moment(submitted_at)}, '
        f'"active_s": {_number(active_s)}, '
        f'"superseded_by": {"null" if superseded_by is None else as_text(superseded_by)}, '
        f'"instructions_version": {_number(version)}}}\n'
    )


def consensus_lines(project: Project) -> Iterator[bytes]:
    """The settled consensus of each posted task, in the order of the tasks; provisional ones are left out. Each piece
    is a page of lines."""
    # From the tasks on, whose index is in this order: else each page would sort all that are left.
    tasks = project.tasks.posted().filter(consensus__settled_at__isnull=False)
    rows = tasks.values_list(
        *("pk", "key", _stored("consensus__answer"), "consensus__method"),
        *(_stored("consensus__confidence"), "consensus__annotations"),
    )
    return _pages(rows, "pk", 0, _consensus_line)


def _consensus_line(row: Values, as_json: Callable[[str], str]) -> str:
    _, task, answer, method, confidence, annotations = row
    whole = with_number(as_json(answer), annotations)
    return (
        f'{{"task": {as_text(task)}, "answer": {whole}, "method": {as_text(method)}, '
        f'"confidence": {_number(confidence)}, "annotations": {annotations}}}\n'
    )


def with_number(answer: str, annotations: int) -> str:
    """The JSON of an answer, with the number of annotations that it rests on.

    >>> with_number('{"outcome": null}', 2)
    '{"outcome": null, "annotations": 2}'
    """
    if answer == "{}" or '"annotations"' in answer:
        return json.dumps({**json.loads(answer), "annotations": annotations}, ensure_ascii=False)
    return f'{answer[:-1]}, "annotations": {annotations}}}'


def as_lines(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """The rows as JSON Lines."""
    return (json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


# Values as they are stored -----------------------------------------------------------------------------------------


def _stored(column: str) -> "ExpressionWrapper[F]":
    """The column as the driver returns it: Django would convert each value, and a line needs only its text."""
    return ExpressionWrapper(F(column), output_field=TextField())


def _pages(
    rows: QuerySet[Any, Values], key: str, after: int, line: Callable[[Values, Callable[[str], str]], str]
) -> Iterator[bytes]:
    """The lines of the rows in the order of their first column, the unique `key`, from the value after `after` on."""
    as_json = _json_of_sqlite if connections[rows.db].vendor == "sqlite" else _json
    most, rows = FIRST_PAGE, rows.order_by(key)
    while page := list(rows.filter(**{f"{key}__gt": after})[:most]):
        yield "".join([line(row, as_json) for row in page]).encode()
        if len(page) < most:
            return
        after, most = page[-1][0], PAGE


def _json(stored: str) -> str:
    """The JSON of a column as Python writes it, without escapes of what is not ASCII."""
    return json.dumps(json.loads(stored), ensure_ascii=False)


def _json_of_sqlite(stored: str) -> str:
    # SQLite keeps the text that Python wrote: without an escape in it, Python would write the same again.
    return _json(stored) if "\\" in stored else stored


def _number(value: float | None) -> str:
    return "null" if value is None else repr(value)


def _moment(stored: datetime) -> str:
    """A moment as ISO 8601 in quotes. From SQLite it comes in UTC without saying so."""
    return f'"{stored.isoformat()}{"+00:00" if stored.tzinfo is None else ""}"'
