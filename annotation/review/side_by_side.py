"""All answers and decisions about one task, side by side, as a reviewer sees them before deciding."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from annotation.models import (
    Adjudication,
    Annotation,
    Assignment,
    Category,
    Consensus,
    Finding,
    Record,
    Task,
    Truth,
)
from annotation.review.adjudication import in_force
from annotation.tool_registry import Json
from workforce.models import Worker

MOST_ANSWERS = 100
"""Most answers and reports shown: no task has more by design, and a page must end."""


class GivenAnswer(NamedTuple):
    """One answer; `number` is its key on the page, 1 for the first. `record` is its worker's in this project."""

    number: int
    annotation: Annotation
    record: Record | None
    findings: tuple[Finding, ...]

    @property
    def is_current(self) -> bool:
        return self.annotation.superseded_by_id is None

    @property
    def took_s(self) -> float:
        """Active time if the browser sent it, otherwise the time from the claim to the answer."""
        spent = self.annotation.submitted_at - self.annotation.claimed_at
        return self.annotation.active_s if self.annotation.active_s is not None else spent.total_seconds()


class SideBySide(NamedTuple):
    """A task with all answers and decisions about it."""

    task: Task
    answers: tuple[GivenAnswer, ...]
    consensus: Consensus | None
    truth: Truth | None
    reports: tuple[Assignment, ...]
    proposed: Adjudication | None
    standing: Adjudication | None
    findings: tuple[Finding, ...]
    categories: tuple[Category, ...]


def side_by_side(task: Task) -> SideBySide:
    """The answers and decisions about a task whose project, consensus and truth are loaded. 6 queries."""
    annotations = list(Annotation.objects.filter(task=task).select_related("worker").order_by("number")[:MOST_ANSWERS])
    records = {
        record.worker_id: record
        for record in Record.objects.filter(project=task.project_id, worker__in=[row.worker_id for row in annotations])
    }
    findings = list(Finding.objects.filter(task=task).select_related("category").order_by("pk"))
    proposed, standing = in_force(task)
    reports = Assignment.objects.filter(task=task, status=Assignment.Status.REPORTED).select_related("worker")
    return SideBySide(
        task=task,
        answers=tuple(
            GivenAnswer(
                number,
                row,
                records.get(row.worker_id),
                tuple(finding for finding in findings if finding.annotation_id == row.pk),
            )
            for number, row in enumerate(annotations, 1)
        ),
        consensus=getattr(task, "consensus", None),
        truth=getattr(task, "truth", None),
        reports=tuple(reports.order_by("pk")[:MOST_ANSWERS]),
        proposed=proposed,
        standing=standing,
        findings=tuple(finding for finding in findings if finding.annotation_id is None),
        categories=tuple(Category.objects.filter(retired_at=None).order_by("taxonomy", "position", "pk")),
    )


class Shown(NamedTuple):
    """How the account that looks may see workers: the name of each, and the address of their page."""

    name: Callable[[Worker], str]
    page: Callable[[Worker], str]
    me: int | None


def as_json(seen: SideBySide, shown: Shown) -> Json:
    """The same as JSON for the island (its twin is `frontend/src/staff/review/payload.ts`)."""
    return {
        "answers": [_answer(said, shown) for said in seen.answers],
        "consensus": _consensus(seen.consensus),
        "truths": seen.truth.answers if seen.truth else [],
        "tolerance_s": seen.truth.tolerance_s if seen.truth else None,
        "reports": [
            {
                "name": shown.name(report.worker),
                "page": shown.page(report.worker),
                "problem": report.get_problem_display(),
                "text": report.problem_text,
                "at": _moment(report.closed_at),
                "is_seen": report.seen_at is not None,
            }
            for report in seen.reports
        ],
        "proposed": _decided(seen.proposed, shown),
        "standing": _decided(seen.standing, shown),
        "findings": [_finding(finding) for finding in seen.findings],
        "categories": [
            {
                "id": category.pk,
                "taxonomy": category.taxonomy,
                "group": category.group,
                "label": category.label,
                "description": category.description,
            }
            for category in seen.categories
        ],
    }


def _answer(said: GivenAnswer, shown: Shown) -> Json:
    row, record = said.annotation, said.record
    return {
        "number": said.number,
        "id": row.public_id,
        "name": shown.name(row.worker),
        "page": shown.page(row.worker),
        "is_simulated": row.worker.is_simulated,
        "weighting": row.worker.weighting,
        "record": {
            "balanced_accuracy": record.balanced_accuracy,
            "low": record.low,
            "high": record.high,
            "references": record.references,
            "submitted": record.submitted,
        }
        if record
        else None,
        "answer": row.answer,
        "score": row.score,
        "took_s": said.took_s,
        "at": _moment(row.submitted_at),
        "is_standing": said.is_current,
        "findings": [_finding(finding) for finding in said.findings],
    }


def _consensus(found: Consensus | None) -> Json | None:
    if found is None:
        return None
    return {
        "answer": found.answer,
        "confidence": found.confidence,
        "method": found.get_method_display(),
        "annotations": found.annotations,
        "is_settled": found.settled_at is not None,
        "needs_review": found.needs_review and found.accepted_at is None,
    }


def _decided(found: Adjudication | None, shown: Shown) -> Json | None:
    if found is None:
        return None
    return {
        "id": found.pk,
        "answer": found.answer,
        "reason": found.reason,
        "by": found.by.get_username(),
        "second": found.second.get_username() if found.second else None,
        "at": _moment(found.at),
        "is_mine": found.by_id == shown.me,
    }


def _finding(finding: Finding) -> Json:
    return {
        "id": finding.pk,
        "category": finding.category_id,
        "taxonomy": finding.category.taxonomy,
        "label": finding.category.label,
        "note": finding.note,
    }


def _moment(at: datetime | None) -> Any:
    return at.isoformat() if at else None
