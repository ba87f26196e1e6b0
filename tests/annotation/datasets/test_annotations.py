"""Exports of annotations and of consensus: each line is what `json.dumps` makes of its row, page after page."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.datasets import annotations as exports
from annotation.models import Annotation, Consensus, InstructionVersion, Project
from tests.support.builders import NOON, annotate, claim, make_project, make_task, make_worker

pytestmark = pytest.mark.django_db
ODD: list[dict[str, Any]] = [
    {"text": 'é "quoted" \\ / \n\t\x01 ☃ 😀 \u2028 \x7f'},
    {"voxels": [[1, 2, 3]], "small": 1e-7, "large": 1e22, "whole": 10**20, "sum": 0.1 + 0.2},
    {"none": None, "flags": [True, False], "": {}, "ключ": "значение"},
    {"escaped": "\\u0041"},
    {},
    {"z": 1, "annotations": [{"worker": "a"}], "a": 2},
]


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch) -> Project:
    """One with a row of each kind, on pages of 2 and then 4 rows."""
    monkeypatch.setattr(exports, "FIRST_PAGE", 2)
    monkeypatch.setattr(exports, "PAGE", 4)
    found, other = make_project(reference_rate=0.5), make_project()
    for project in (found, other):
        for _ in range(7):
            make_task(project)
            annotate(claim(project, make_worker(f"{project.slug}-{project.tasks.count()}")))
    _vary(found)
    return found


def _vary(project: Project) -> None:
    version = InstructionVersion.objects.create(project=project, number=99, pages=[], by="x", created_at=NOON)
    rows = list(Annotation.objects.filter(project=project).order_by("number"))
    for place, (row, answer) in enumerate(zip(rows, ODD, strict=False)):
        Annotation.objects.filter(pk=row.pk).update(
            answer=answer,
            active_s=[None, 3, 0.1 + 0.2][place % 3],
            score=[None, 1, 1 / 3][place % 3],
            submitted_at=NOON + timedelta(microseconds=place),
            instruction_version=version if place % 2 else None,
            superseded_by=rows[place + 1] if place == 3 else None,
        )
        Consensus.objects.filter(task=row.task_id).update(answer=answer, confidence=1 / (place + 1))
    Consensus.objects.filter(task=rows[-1].task_id).update(settled_at=None)
    project.tasks.filter(pk=rows[0].task_id).update(is_reference=True)


def _annotation(row: Annotation, *, with_identity: bool) -> dict[str, Any]:
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


def _consensus(row: Consensus) -> dict[str, Any]:
    return {
        "task": row.task.key,
        "answer": row.as_answer(),
        "method": row.method,
        "confidence": row.confidence,
        "annotations": row.annotations,
    }


@pytest.mark.parametrize("with_identity", [False, True])
def test_the_lines_of_annotations_are_their_rows_as_json(with_identity: bool, project: Project) -> None:
    rows = Annotation.objects.filter(project=project).order_by("number")
    expected = exports.as_lines(_annotation(row, with_identity=with_identity) for row in rows)
    assert b"".join(exports.annotation_lines(project, with_identity=with_identity)) == b"".join(expected)


def test_the_lines_of_consensus_are_the_settled_rows_as_json(project: Project) -> None:
    rows = Consensus.objects.settled().filter(task__project=project).order_by("task")
    assert len(rows) == len(ODD)
    assert b"".join(exports.consensus_lines(project)) == b"".join(exports.as_lines(map(_consensus, rows)))


def test_an_export_goes_on_after_an_annotation_in_the_middle_of_a_page(project: Project) -> None:
    lines = b"".join(exports.annotation_lines(project)).splitlines(keepends=True)
    names = [json.loads(line)["annotation"] for line in lines]
    for place, name in enumerate(names):
        assert b"".join(exports.annotation_lines(project, since=name)) == b"".join(lines[place + 1 :])


@pytest.mark.parametrize(
    ("lines", "pages"), [(exports.annotation_lines, 3), (exports.consensus_lines, 2)], ids=["annotations", "consensus"]
)
def test_a_page_is_one_query(lines: Callable[[Project], Iterator[bytes]], pages: int, project: Project) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert len(list(lines(project))) == pages
    # After a full page there may be more; the last of the consensus is full.
    assert len(queries) == 3
