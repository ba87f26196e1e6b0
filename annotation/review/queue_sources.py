"""What of this app waits for a person: disagreements, low confidence, reports, appeals, pauses, proposals."""

from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from annotation.models import Adjudication, Assignment, Consensus, Enrolment, FlaggedText, GateAction, Project, Task
from annotation.review.queue import Item, Subject, of_projects, register

APPEAL, PAUSE, QUESTIONED, TIE, PROPOSAL, PERSONAL_DATA = 1.0, 0.9, 0.85, 0.8, 0.7, 0.6
"""How bad each is (`docs/reviewing.md`): first people who cannot work, then what the rankings lack."""
LEAST_SURE = 0.5
"""Up to here a consensus is no decision at all."""


def _proposed(task: OuterRef) -> Exists:
    """Whether the task waits for a second person already: then that is all it waits for."""
    return Exists(Adjudication.objects.filter(task=task, status=Adjudication.Status.PROPOSED))


def _unsure(projects: QuerySet[Project]) -> QuerySet[Consensus]:
    waiting = Consensus.objects.filter(needs_review=True, accepted_at=None)
    if projects.query.has_filters():
        waiting = waiting.filter(project__in=projects)
    return waiting.filter(~_proposed(OuterRef("task")))


def _shown(rows: QuerySet[Consensus]) -> QuerySet[Consensus]:
    """In the order of their index, and without what no line of the queue shows: payloads and answers may be long."""
    columns = ("confidence", "annotations", "updated_at", "task__key", "task__project__slug", "task__project__title")
    return rows.select_related("task__project").only(*columns).order_by("confidence", "task_id", "project_id")


def _of_task() -> QuerySet[Task, int]:
    return Task.objects.filter(pk=OuterRef("task")).values_list("project", flat=True)


def _of_enrolment() -> QuerySet[Enrolment, int]:
    return Enrolment.objects.filter(pk=OuterRef("enrolment")).values_list("project", flat=True)


class Disagreements:
    """Tasks whose answers are a tie, or further apart."""

    kind = "disagreement"
    label = "disagreement"

    def waiting(self, projects: QuerySet[Project]) -> QuerySet[Any, Any]:
        return self._rows(projects).values("pk")

    def worst(self, projects: QuerySet[Project], limit: int) -> list[Item]:
        rows = _shown(self._rows(projects))[:limit]
        return [
            Item(
                severity=TIE + (1 - TIE) * (LEAST_SURE - row.confidence),
                title=row.task.key,
                detail=f"tie of {row.annotations} answers" if row.confidence == LEAST_SURE else "no two agree",
                subject=Subject("task", row.task_id),
                at=row.updated_at,
                project=row.task.project,
            )
            for row in rows
        ]

    @staticmethod
    def _rows(projects: QuerySet[Project]) -> QuerySet[Consensus]:
        return _unsure(projects).filter(confidence__lte=LEAST_SURE)


class LowConfidence:
    """Tasks whose consensus is less sure than their project wants."""

    kind = "low-confidence"
    label = "low confidence"

    def waiting(self, projects: QuerySet[Project]) -> QuerySet[Any, Any]:
        return self._rows(projects).values("pk")

    def worst(self, projects: QuerySet[Project], limit: int) -> list[Item]:
        rows = _shown(self._rows(projects))[:limit]
        return [
            Item(
                severity=TIE * (1 - row.confidence) / LEAST_SURE,
                title=row.task.key,
                detail=f"{row.confidence * 100:.0f} % sure after {row.annotations} answers",
                subject=Subject("task", row.task_id),
                at=row.updated_at,
                project=row.task.project,
            )
            for row in rows
        ]

    @staticmethod
    def _rows(projects: QuerySet[Project]) -> QuerySet[Consensus]:
        return _unsure(projects).filter(confidence__gt=LEAST_SURE)


class Reports:
    """Tasks that workers could not judge, once each, however many said so."""

    kind = "report"
    label = "reported"

    def waiting(self, projects: QuerySet[Project]) -> QuerySet[Any, Any]:
        return self._rows(projects).values("task").distinct()

    def worst(self, projects: QuerySet[Project], limit: int) -> list[Item]:
        rows = self._rows(projects).values("task").annotate(reports=Count("pk"), last=Max("closed_at"))
        found = list(rows.order_by("-reports", "last", "task")[:limit])
        shown = Task.objects.select_related("project").only("key", "project__slug", "project__title")
        tasks = shown.in_bulk([row["task"] for row in found])
        return [
            Item(
                severity=1 - 0.5 ** row["reports"],
                title=tasks[row["task"]].key,
                detail=f"{row['reports']} report{'s' if row['reports'] > 1 else ''}",
                subject=Subject("task", row["task"]),
                at=row["last"],
                project=tasks[row["task"]].project,
            )
            for row in found
        ]

    @staticmethod
    def _rows(projects: QuerySet[Project]) -> QuerySet[Assignment]:
        waiting = Assignment.objects.filter(status=Assignment.Status.REPORTED, seen_at=None)
        waiting = waiting.filter(~_proposed(OuterRef("task"))).order_by()
        return of_projects(waiting, projects, through=_of_task())


class Appeals:
    """Paused workers who asked to be looked at again."""

    kind = "appeal"
    label = "appeal"

    def waiting(self, projects: QuerySet[Project]) -> QuerySet[Any, Any]:
        return self._rows(projects).values("pk")

    def worst(self, projects: QuerySet[Project], limit: int) -> list[Item]:
        rows = self._rows(projects).select_related("enrolment__project", "enrolment__worker")
        return [_of_pause(row, APPEAL, "asks to be looked at again") for row in rows.order_by("at", "pk")[:limit]]

    @staticmethod
    def _rows(projects: QuerySet[Project]) -> QuerySet[GateAction]:
        return _undecided(projects).filter(appealed_at__isnull=False)


class Pauses:
    """Workers whom a gate paused, and nobody has looked yet."""

    kind = "pause"
    label = "paused worker"

    def waiting(self, projects: QuerySet[Project]) -> QuerySet[Any, Any]:
        return self._rows(projects).values("pk")

    def worst(self, projects: QuerySet[Project], limit: int) -> list[Item]:
        rows = self._rows(projects).select_related("enrolment__project", "enrolment__worker")
        return [_of_pause(row, PAUSE, "paused by a gate") for row in rows.order_by("at", "pk")[:limit]]

    @staticmethod
    def _rows(projects: QuerySet[Project]) -> QuerySet[GateAction]:
        return _undecided(projects).filter(appealed_at=None)


class Questioned:
    """Pauses that a person upheld, and whose evidence has changed since: a reference was corrected or retired."""

    kind = "questioned"
    label = "evidence changed"

    def waiting(self, projects: QuerySet[Project]) -> QuerySet[Any, Any]:
        return self._rows(projects).values("pk")

    def worst(self, projects: QuerySet[Project], limit: int) -> list[Item]:
        rows = self._rows(projects).select_related("enrolment__project", "enrolment__worker")
        found = rows.order_by("questioned_at", "pk")[:limit]
        return [_of_pause(row, QUESTIONED, "a reference that it rests on has changed") for row in found]

    @staticmethod
    def _rows(projects: QuerySet[Project]) -> QuerySet[GateAction]:
        # Those without a decision wait as pauses anyway. Apart from them, so that each has one index to walk.
        upheld = GateAction.objects.pauses().current().filter(decision=GateAction.Decision.UPHELD)
        return of_projects(upheld.filter(questioned_at__isnull=False), projects, through=_of_enrolment())


def _undecided(projects: QuerySet[Project]) -> QuerySet[GateAction]:
    waiting = GateAction.objects.pauses().current().filter(decision="")
    return of_projects(waiting, projects, through=_of_enrolment())


def _of_pause(action: GateAction, severity: float, detail: str) -> Item:
    # The pseudonym, whoever looks: the page itself says more to those who may know.
    return Item(
        severity=severity,
        title=f"worker {action.enrolment.worker.pseudonym[:8]}",
        detail=detail,
        subject=Subject("pause", action.pk),
        at=action.appealed_at or action.at,
        project=action.enrolment.project,
    )


class Proposals:
    """Adjudications that a second person must confirm or refuse."""

    kind = "proposal"
    label = "second look"

    def waiting(self, projects: QuerySet[Project]) -> QuerySet[Any, Any]:
        return self._rows(projects).values("pk")

    def worst(self, projects: QuerySet[Project], limit: int) -> list[Item]:
        rows = self._rows(projects).select_related("task__project", "by").order_by("at", "pk")[:limit]
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

    @staticmethod
    def _rows(projects: QuerySet[Project]) -> QuerySet[Adjudication]:
        waiting = Adjudication.objects.filter(status=Adjudication.Status.PROPOSED)
        return of_projects(waiting, projects, through=_of_task())


class FlaggedTexts:
    """The source of the review queue: texts that wait for somebody to redact them or let them stand."""

    kind = "personal-data"
    label = "personal data"

    def waiting(self, projects: QuerySet[Project]) -> QuerySet[Any, Any]:
        return self._rows(projects).values("pk")

    def worst(self, projects: QuerySet[Project], limit: int) -> list[Item]:
        rows = self._rows(projects).select_related("project").order_by("created_at", "pk")[:limit]
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

    @staticmethod
    def _rows(projects: QuerySet[Project]) -> QuerySet[FlaggedText]:
        return FlaggedText.objects.filter(Q(project__in=projects) | Q(project=None), decided_at=None)


def register_all() -> None:
    """Called once, when the app is ready."""
    for source in (
        Appeals(),
        Pauses(),
        Questioned(),
        Disagreements(),
        LowConfidence(),
        Reports(),
        Proposals(),
        FlaggedTexts(),
    ):
        register(source)
