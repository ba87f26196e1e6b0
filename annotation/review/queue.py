"""The review queue: all cases that wait for a person, from every app, in one order, worst first.

Each kind of case is a source; the app that owns it registers it (`AppConfig.ready`). Counting stops at `MOST_COUNTED`,
and each source is asked for its worst few only, so the queue costs the same however much waits.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Model, QuerySet, Subquery

from annotation.models import Project

MOST = 500
"""Most cases in the list; the rest follows when these are decided."""
MOST_COUNTED = 1000
"""Counting stops here: a larger number would change nothing for anybody."""
SubjectKind = Literal["task", "pause", "flagged-text", "episode"]


class Subject(NamedTuple):
    """The thing that a person must decide on; `web.staff.addresses` has the page of each kind."""

    kind: SubjectKind
    id: int | str


@dataclass(frozen=True)
class Item:
    """One case that waits.

    Attributes:
        severity: How bad it is, 0..1; 1 comes first. The scale that sources share is in `docs/reviewing.md`.
        title: The case in as few words as a key.
        detail: The problem in a few words.
        subject: The thing to decide on; two items with one subject are one entry of the queue.
        at: The time since which it waits.
        project: None if it belongs to no project.
        for_reviewers: True if viewers may not open the page; they see only that the case waits.
    """

    severity: float
    title: str
    detail: str
    subject: Subject
    at: datetime
    project: Project | None
    for_reviewers: bool = False


class ReviewSource(Protocol):
    """One kind of case. Both methods return only cases of these projects, or of no project."""

    @property
    def kind(self) -> str:
        """A slug; the filter of the queue uses it."""

    @property
    def label(self) -> str:
        """Two or three words for people, in lower case."""

    def waiting(self, projects: QuerySet[Project]) -> QuerySet[Any, Any]:
        """The waiting cases as a query of one column, for counting. An index must serve it: every staff page counts."""

    def worst(self, projects: QuerySet[Project], limit: int) -> list[Item]:
        """The worst `limit` cases, worst first. At most 2 queries."""


_sources: dict[str, ReviewSource] = {}


def register(source: ReviewSource) -> None:
    """Add a source to the queue; it replaces an earlier source of the same kind."""
    _sources[source.kind] = source


def sources() -> list[ReviewSource]:
    """All sources, in the order in which they were registered."""
    return list(_sources.values())


def kinds() -> list[tuple[str, str]]:
    """The kind and the label of each source."""
    return [(source.kind, source.label) for source in sources()]


R = TypeVar("R", bound=Model)


def of_projects(rows: QuerySet[R], projects: QuerySet[Project], *, through: QuerySet[Any, Any]) -> QuerySet[R]:
    """The rows of these projects; all rows, without a look at their projects, if the account sees every project.

    Args:
        through: The project of one row, as a query that refers to the row with `OuterRef`.

    This is not a join: with a join the database tends to begin with all workers or all tasks of the projects and to ask
    of each whether it waits. So it walks the index of the waiting rows and looks up the project of each.
    """
    if not projects.query.has_filters():
        return rows
    found: QuerySet[R] = rows.alias(of_project=Subquery(through[:1])).filter(of_project__in=projects)  # type: ignore[assignment]
    return found


class Entry(NamedTuple):
    """One line of the queue: all cases that wait for a decision on one subject."""

    item: Item
    labels: tuple[str, ...]
    """The labels of the sources that list the subject, worst first."""


class Counts(NamedTuple):
    """The number of waiting cases by kind; `is_capped` if a count stopped early."""

    by_kind: dict[str, int]
    total: int
    is_capped: bool

    @property
    def text(self) -> str:
        """The number as the navigation shows it.

        >>> Counts({"ties": 3}, 3, False).text, Counts({"ties": 1000}, 1000, True).text
        ('3', '1000+')
        """
        return f"{min(self.total, MOST_COUNTED)}{'+' if self.is_capped or self.total > MOST_COUNTED else ''}"


def count(projects: QuerySet[Project]) -> Counts:
    """The number of waiting cases of these projects. 1 query, however many sources there are."""
    parts: list[str] = []
    params: list[Any] = []
    asked: list[str] = []
    for source in sources():
        rows = source.waiting(projects).order_by()[:MOST_COUNTED]
        try:
            sql, given = rows.query.sql_with_params()
        except EmptyResultSet:  # No project, so there is nothing to ask.
            continue
        asked.append(source.kind)
        parts.append(f"(SELECT COUNT(*) FROM ({sql}) counted)")  # noqa: S608 - the ORM's own SQL
        params += given
    numbers: list[int] = []
    if parts:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {', '.join(parts)}", params)
            numbers = list(cursor.fetchone())
    by_kind = dict.fromkeys(_sources, 0) | dict(zip(asked, numbers, strict=True))
    return Counts(by_kind, sum(by_kind.values()), any(number >= MOST_COUNTED for number in by_kind.values()))


def listing(projects: QuerySet[Project], *, kind: str = "", limit: int = MOST) -> list[Entry]:
    """The worst cases of these projects, of one kind or of all. At most 2 queries for each source.

    Items with one subject are one entry, at the place of the worst of them. Of two equally bad items the older is
    first.
    """
    found = [
        (item, source.label)
        for source in sources()
        if not kind or source.kind == kind
        for item in source.worst(projects, limit)
    ]
    found.sort(key=lambda pair: (-pair[0].severity, pair[0].at, pair[0].subject))
    return _by_subject(found)[:limit]


def _by_subject(found: Iterable[tuple[Item, str]]) -> list[Entry]:
    entries: dict[Subject, Entry] = {}
    for item, label in found:
        first = entries.get(item.subject)
        if first is None:
            entries[item.subject] = Entry(item, (label,))
        elif label not in first.labels:
            entries[item.subject] = Entry(first.item, (*first.labels, label))
    return list(entries.values())
