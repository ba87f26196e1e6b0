"""The review queue's sources in this app: appeals, pauses, disagreements, low confidence, reports, proposals, texts."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from annotation.models import Adjudication, Assignment, Consensus, Enrolment, FlaggedText, GateAction, Project, Task
from annotation.review.queue import Item, Subject, of_projects, register
from lib.number_words import number_of

APPEAL, PAUSE, QUESTIONED, TIE, PROPOSAL, PERSONAL_DATA = 1.0, 0.9, 0.85, 0.8, 0.7, 0.6
"""How bad each is (`docs/reviewing.md`): first workers who cannot work, then gaps in the rankings."""
LEAST_SURE = 0.5
"""Up to this confidence a consensus is no decision at all."""

Rows = QuerySet[Any, Any]


@dataclass(frozen=True)
class Source:
    """One kind of case, a row of the table `SOURCES`.

    Attributes:
        kind, label: As in `ReviewSource`.
        rows: The waiting rows of these projects.
        listed: These rows, worst first, with no more columns than a line of the queue shows.
        items: The cases of listed rows, in their order; at most 1 query.
        case: The column that makes a case; several rows may share one if it is not the primary key.
    """

    kind: str
    label: str
    rows: Callable[[QuerySet[Project]], Rows]
    listed: Callable[[Rows], Rows]
    items: Callable[[Iterable[Any]], list[Item]]
    case: str = "pk"

    def waiting(self, projects: QuerySet[Project]) -> Rows:
        found = self.rows(projects).values(self.case)
        return found if self.case == "pk" else found.distinct()

    def worst(self, projects: QuerySet[Project], limit: int) -> list[Item]:
        return self.items(self.listed(self.rows(projects))[:limit])


def register_all() -> None:
    """Register all sources; the app calls this once, when it is ready."""
    for source in SOURCES:
        register(source)


def _is_proposed(task: OuterRef) -> Exists:
    """True of a task that waits for a second person: it waits for nothing else then."""
    return Exists(Adjudication.objects.filter(task=task, status=Adjudication.Status.PROPOSED))


def _project_of_task() -> Rows:
    return Task.objects.filter(pk=OuterRef("task")).values_list("project", flat=True)


def _project_of_enrolment() -> Rows:
    return Enrolment.objects.filter(pk=OuterRef("enrolment")).values_list("project", flat=True)


# Pauses ----------------------------------------------------------------------------------------------------------


def _undecided_pauses(projects: QuerySet[Project]) -> QuerySet[GateAction]:
    waiting = GateAction.objects.pauses().current().filter(decision="")
    return of_projects(waiting, projects, through=_project_of_enrolment())


def _questioned_pauses(projects: QuerySet[Project]) -> QuerySet[GateAction]:
    """Pauses that a person upheld, and whose evidence has changed since: a reference was corrected or retired.

    Pauses without a decision wait anyway. The two kinds are apart, so that each has one index to walk.
    """
    upheld = GateAction.objects.pauses().current().filter(decision=GateAction.Decision.UPHELD)
    return of_projects(upheld.filter(questioned_at__isnull=False), projects, through=_project_of_enrolment())


def _listed_pauses(since: str) -> Callable[[Rows], Rows]:
    return lambda rows: rows.select_related("enrolment__project", "enrolment__worker").order_by(since, "pk")


def _pause_items(severity: float, detail: str) -> Callable[[Iterable[GateAction]], list[Item]]:
    def items(actions: Iterable[GateAction]) -> list[Item]:
        # The pseudonym for everybody: the page itself names the worker to those who may know.
        return [
            Item(
                severity=severity,
                title=f"worker {action.enrolment.worker.pseudonym[:8]}",
                detail=detail,
                subject=Subject("pause", action.pk),
                at=action.appealed_at or action.at,
                project=action.enrolment.project,
            )
            for action in actions
        ]

    return items


# Consensus -------------------------------------------------------------------------------------------------------


def _unsure(projects: QuerySet[Project]) -> QuerySet[Consensus]:
    waiting = Consensus.objects.filter(needs_review=True, accepted_at=None)
    if projects.query.has_filters():
        waiting = waiting.filter(project__in=projects)
    return waiting.filter(~_is_proposed(OuterRef("task")))


def _listed_consensus(rows: Rows) -> Rows:
    """In the order of their index; payloads and answers may be long, so they are not loaded."""
    columns = ("confidence", "annotations", "updated_at", "task__key", "task__project__slug", "task__project__title")
    return rows.select_related("task__project").only(*columns).order_by("confidence", "task_id", "project_id")


def _consensus_item(row: Consensus, *, severity: float, detail: str) -> Item:
    return Item(severity, row.task.key, detail, Subject("task", row.task_id), row.updated_at, row.task.project)


def _disagreement_items(rows: Iterable[Consensus]) -> list[Item]:
    return [
        _consensus_item(
            row,
            severity=TIE + (1 - TIE) * (LEAST_SURE - row.confidence),
            detail=f"tie of {row.annotations} answers" if row.confidence == LEAST_SURE else "no two agree",
        )
        for row in rows
    ]


def _low_confidence_items(rows: Iterable[Consensus]) -> list[Item]:
    return [
        _consensus_item(
            row,
            severity=TIE * (1 - row.confidence) / LEAST_SURE,
            detail=f"{row.confidence * 100:.0f} % sure after {row.annotations} answers",
        )
        for row in rows
    ]


# Reports, proposals, texts ---------------------------------------------------------------------------------------


def _reports(projects: QuerySet[Project]) -> QuerySet[Assignment]:
    waiting = Assignment.objects.filter(status=Assignment.Status.REPORTED, seen_at=None)
    waiting = waiting.filter(~_is_proposed(OuterRef("task"))).order_by()
    return of_projects(waiting, projects, through=_project_of_task())


def _listed_reports(rows: Rows) -> Rows:
    counted: Rows = rows.values("task").annotate(reports=Count("pk"), last=Max("closed_at"))
    return counted.order_by("-reports", "last", "task")


def _report_items(rows: Iterable[dict[str, Any]]) -> list[Item]:
    """One for each task, however many workers reported it. 2 queries with that of the rows."""
    found = list(rows)
    shown = Task.objects.select_related("project").only("key", "project__slug", "project__title")
    tasks = shown.in_bulk([row["task"] for row in found])
    return [
        Item(
            severity=1 - 0.5 ** row["reports"],
            title=tasks[row["task"]].key,
            detail=number_of(row["reports"], "report"),
            subject=Subject("task", row["task"]),
            at=row["last"],
            project=tasks[row["task"]].project,
        )
        for row in found
    ]


def _proposals(projects: QuerySet[Project]) -> QuerySet[Adjudication]:
    waiting = Adjudication.objects.filter(status=Adjudication.Status.PROPOSED)
    return of_projects(waiting, projects, through=_project_of_task())


def _proposal_items(rows: Iterable[Adjudication]) -> list[Item]:
    return [
        Item(
            severity=PROPOSAL,
            title=row.task.key,
            detail=f"{row.by.get_username()} proposed an answer",
            subject=Subject("task", row.task_id),
            at=row.at,
            project=row.task.project,
        )
        for row in rows
    ]


def _flagged_texts(projects: QuerySet[Project]) -> QuerySet[FlaggedText]:
    return FlaggedText.objects.filter(Q(project__in=projects) | Q(project=None), decided_at=None)


def _flagged_text_items(rows: Iterable[FlaggedText]) -> list[Item]:
    return [
        Item(
            severity=PERSONAL_DATA,
            title=flagged.get_kind_display(),
            detail="may hold " + ", ".join(sorted({flag["kind"] for flag in flagged.flags})),
            subject=Subject("flagged-text", flagged.pk),
            at=flagged.created_at,
            project=flagged.project,
            for_reviewers=True,
        )
        for flagged in rows
    ]


SOURCES = (
    Source(
        kind="appeal",
        label="appeal",
        rows=lambda projects: _undecided_pauses(projects).filter(appealed_at__isnull=False),
        listed=_listed_pauses("at"),
        items=_pause_items(APPEAL, "asks to be looked at again"),
    ),
    Source(
        kind="pause",
        label="paused worker",
        rows=lambda projects: _undecided_pauses(projects).filter(appealed_at=None),
        listed=_listed_pauses("at"),
        items=_pause_items(PAUSE, "paused by a gate"),
    ),
    Source(
        kind="questioned",
        label="evidence changed",
        rows=_questioned_pauses,
        listed=_listed_pauses("questioned_at"),
        items=_pause_items(QUESTIONED, "a reference that it rests on has changed"),
    ),
    Source(
        kind="disagreement",
        label="disagreement",
        rows=lambda projects: _unsure(projects).filter(confidence__lte=LEAST_SURE),
        listed=_listed_consensus,
        items=_disagreement_items,
    ),
    Source(
        kind="low-confidence",
        label="low confidence",
        rows=lambda projects: _unsure(projects).filter(confidence__gt=LEAST_SURE),
        listed=_listed_consensus,
        items=_low_confidence_items,
    ),
    Source(
        kind="report",
        label="reported",
        rows=_reports,
        listed=_listed_reports,
        items=_report_items,
        case="task",
    ),
    Source(
        kind="proposal",
        label="second look",
        rows=_proposals,
        listed=lambda rows: rows.select_related("task__project", "by").order_by("at", "pk"),
        items=_proposal_items,
    ),
    Source(
        kind="personal-data",
        label="personal data",
        rows=_flagged_texts,
        listed=lambda rows: rows.select_related("project").order_by("created_at", "pk"),
        items=_flagged_text_items,
    ),
)
"""All sources of this app, in the order in which the queue's filter lists them."""
