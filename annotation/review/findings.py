"""Findings: the categories that reviewers give to answers and tasks, and how often each occurs."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, QuerySet

from annotation.models import Annotation, Category, Finding, Project, Task
from audit.changes import changes
from audit.log import Subject, record
from lib.faults import Invalid
from lib.statistics.intervals import wilson

MOST_LETTERS = 1000
"""Most characters of a note."""


def tag(*, task: Task, category: Category, annotation: Annotation | None, note: str, by: User, at: datetime) -> Finding:
    """Give a category to the task, or to one of its answers; a repeat only changes the note.

    Raises:
        Invalid: the category is retired or does not fit, or the note is too long.
    """
    if category.retired_at is not None:
        raise Invalid.at("#/category", f"{category.label!r} is retired.")
    if annotation is not None and annotation.task_id != task.pk:
        raise Invalid.at("#/annotation", "This is an answer to another task.")
    if annotation is not None and category.taxonomy != Category.Taxonomy.HUMAN_ERROR:
        raise Invalid.at("#/category", "How an agent fails is said of the task, not of one answer.")
    words = note.strip()
    if len(words) > MOST_LETTERS:
        raise Invalid.at("#/note", f"Use {MOST_LETTERS} characters at most; these are {len(words)}.")
    with transaction.atomic():
        found, is_new = Finding.objects.get_or_create(
            category=category, task=task, annotation=annotation, defaults={"note": words, "by": by, "at": at}
        )
        if not is_new and found.note == words:
            return found
        before = {} if is_new else {"note": found.note}
        if not is_new:
            found.note, found.by, found.at = words, by, at
            found.save(update_fields=["note", "by", "at"])
        _audit("task.tagged", found, changes(before, {"note": words}), by=by, at=at)
    return found


def untag(*, finding: Finding, by: User, at: datetime) -> None:
    """Remove a finding."""
    with transaction.atomic():
        deleted, _ = Finding.objects.filter(pk=finding.pk).delete()
        if deleted:
            _audit("task.untagged", finding, changes({"note": finding.note}, {}), by=by, at=at)


def _audit(verb: str, finding: Finding, changed: dict[str, Any], *, by: User, at: datetime) -> None:
    record(
        verb=verb,
        actor=f"staff:{by.get_username()}",
        subject=Subject("task", str(finding.task_id)),
        at=at,
        project=finding.task.project.slug,
        category=f"{finding.category.taxonomy}/{finding.category.code}",
        annotation=finding.annotation.public_id if finding.annotation else None,
        note=finding.note,
        **changed,
    )


class Share(NamedTuple):
    """How often a category was found, and its share of what is tagged in its taxonomy, with the 95 % interval."""

    category: Category
    found: int
    share: float | None
    low: float | None
    high: float | None


class Breakdown(NamedTuple):
    """The categories of one taxonomy; `tagged` tasks and answers have at least one of them."""

    taxonomy: str
    label: str
    shares: tuple[Share, ...]
    tagged: int
    findings: int


def breakdown(taxonomy: Category.Taxonomy, projects: QuerySet[Project]) -> Breakdown:
    """How often each category of a taxonomy was found in these projects. 3 queries.

    A task or an answer may have several categories, so shares need not add up to one. A retired category is listed if
    it has findings.
    """
    rows = Finding.objects.filter(category__taxonomy=taxonomy, task__project__in=projects).order_by()
    counts = dict(rows.values_list("category").annotate(n=Count("pk")))
    tagged = rows.values("task", "annotation").distinct().count()
    categories = Category.objects.filter(taxonomy=taxonomy).order_by("position", "pk")
    shares = tuple(
        _share(category, counts.get(category.pk, 0), tagged)
        for category in categories
        if category.retired_at is None or category.pk in counts
    )
    return Breakdown(taxonomy, taxonomy.label, shares, tagged, sum(counts.values()))


def _share(category: Category, found: int, tagged: int) -> Share:
    if not tagged:
        return Share(category, found, None, None, None)
    low, high = wilson(found, tagged)
    return Share(category, found, found / tagged, low, high)


def finding_rows(project: Project) -> Iterator[dict[str, Any]]:
    """The project's findings for its pipelines, oldest first."""
    rows = Finding.objects.filter(task__project=project).select_related("task", "annotation", "category")
    return (
        {
            "task": row.task.key,
            "annotation": row.annotation.public_id if row.annotation else None,
            "taxonomy": row.category.taxonomy,
            "category": row.category.code,
            "note": row.note,
            "at": row.at.isoformat(),
        }
        for row in rows.order_by("pk").iterator(chunk_size=1000)
    )
