"""Exports: annotations and consensus as JSON Lines, streamed row by row, oldest first."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from annotation.models import Annotation, Consensus, Project
from lib.faults import Invalid


def annotation_rows(project: Project, *, since: str = "", with_identity: bool = False) -> Iterator[dict[str, Any]]:
    """The project's annotations in the order of commit, after the annotation `since`.

    Args:
        with_identity: Name workers by `platform:external_id` instead of their pseudonym.

    Raises:
        Invalid: `since` is not an annotation of this project.
    """
    rows = Annotation.objects.filter(project=project).order_by("number")
    if since:
        after = Annotation.objects.filter(project=project, public_id=since).values_list("number", flat=True).first()
        if after is None:
            raise Invalid.at("#/since", "This project has no such annotation.")
        rows = rows.filter(number__gt=after)
    found = rows.select_related("task", "worker", "instruction_version", "superseded_by").iterator(chunk_size=1000)
    return (_annotation_row(row, with_identity=with_identity) for row in found)


def _annotation_row(row: Annotation, *, with_identity: bool) -> dict[str, Any]:
    return {
        "annotation": row.public_id,
        "task": row.task.key,
        "worker": row.worker.identity if with_identity else row.worker.pseudonym,
        "answer": row.answer,
        "is_reference": row.task.is_reference,
        "score": row.score,
        "claimed_at": row.claimed_at.isoformat(),
        "submitted_at": row.submitted_at.isoformat(),
        "active_s": row.active_s,
        "superseded_by": row.superseded_by.public_id if row.superseded_by else None,
        "instructions_version": row.instruction_version.number if row.instruction_version else None,
    }


def consensus_rows(project: Project) -> Iterator[dict[str, Any]]:
    """The settled consensus of each posted task, in the order of the tasks; provisional ones are left out."""
    rows = Consensus.objects.settled().filter(task__project=project, task__part_of=None)
    rows = rows.select_related("task").order_by("task_id")
    return (
        {
            "task": row.task.key,
            "answer": row.as_answer(),
            "method": row.method,
            "confidence": row.confidence,
            "annotations": row.annotations,
        }
        for row in rows.iterator(chunk_size=1000)
    )


def as_lines(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """The rows as JSON Lines."""
    return (json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)
