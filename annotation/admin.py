"""Projects, tasks and answers, in the admin."""

from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from annotation.consensus.consensus import close_as_unjudgeable, reopen
from annotation.models import (
    Adjudication,
    Annotation,
    Approval,
    Arrival,
    Assignment,
    Category,
    Chain,
    Consensus,
    Door,
    Enrolment,
    Finding,
    Fit,
    FlaggedText,
    GateAction,
    Guess,
    InformationVersion,
    InstructionVersion,
    Invitation,
    KeptScene,
    Membership,
    Picture,
    Project,
    Rater,
    Record,
    SceneTask,
    ScoreChange,
    Step,
    Task,
    Truth,
    WorkToken,
)
from annotation.tools.voxels import readout as of_voxels
from common.admin import CarefulAdmin, ReadOnlyAdmin
from lib.canonical_json import canonical

MOST_LETTERS = 120
"""The most characters of an answer in a list: a form or a mask may be very long."""


def _short(answer: dict[str, Any]) -> str:
    return of_voxels.answer_in_words(answer) if of_voxels.is_of_voxels(answer) else canonical(answer)[:MOST_LETTERS]


@admin.register(Project)
class ProjectAdmin(CarefulAdmin):
    """Changes that have effects elsewhere (tool, redundancy, currency, consent) are made through the API."""

    list_display = ("slug", "title", "tool", "status", "redundancy", "annotation_count", "spent", "currency")
    list_filter = ("status", "tool")
    list_select_related = ("consent_page",)
    search_fields = ("slug", "title")
    _open = ("title", "status", "reference_rate", "lease_s", "limit_per_worker")

    def get_readonly_fields(self, request: HttpRequest, obj: object = None) -> list[str]:
        return [field.name for field in Project._meta.fields if field.name not in (*self._open, "id")]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Task)
class TaskAdmin(ReadOnlyAdmin):
    list_display = ("key", "project", "status", "is_reference", "wanted", "slots_left", "priority", "created_at")
    list_filter = ("status", "is_reference", ("project", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("project",)
    search_fields = ("key",)
    ordering = ("-pk",)
    actions = ("close_as_unjudgeable", "reopen")

    @admin.action(description="Close as not judgeable")
    def close_as_unjudgeable(self, request: HttpRequest, tasks: QuerySet[Task]) -> None:
        for task in tasks:
            with transaction.atomic():
                Project.objects.select_for_update().get(pk=task.project_id)
                close_as_unjudgeable(task=task, at=timezone.now())
        self.message_user(request, "Closed: counted apart in rankings, given to nobody.", messages.SUCCESS)

    @admin.action(description="Reopen those closed as not judgeable")
    def reopen(self, request: HttpRequest, tasks: QuerySet[Task]) -> None:
        for task in tasks.filter(status=Task.Status.UNJUDGEABLE):
            with transaction.atomic():
                Project.objects.select_for_update().get(pk=task.project_id)
                reopen(task=task, at=timezone.now())
        self.message_user(request, "Opened again: the answers that there are count as before.", messages.SUCCESS)


@admin.register(Truth)
class TruthAdmin(ReadOnlyAdmin):
    list_display = ("task", "answers_in_short", "tolerance_s")
    list_select_related = ("task",)
    search_fields = ("task__key",)

    @admin.display(description="answers")
    def answers_in_short(self, row: Truth) -> str:
        return "; ".join(_short(answer) for answer in row.answers)


@admin.register(Enrolment)
class EnrolmentAdmin(ReadOnlyAdmin):
    list_display = ("worker", "project", "submitted", "earned", "created_at")
    list_filter = (("project", admin.RelatedOnlyFieldListFilter),)
    list_select_related = ("worker", "project")
    search_fields = ("worker__external_id", "project__slug")
    ordering = ("-pk",)


@admin.register(WorkToken)
class WorkTokenAdmin(ReadOnlyAdmin):
    """Deleting one makes its link useless."""

    list_display = ("enrolment", "created_at", "expires_at")
    list_select_related = ("enrolment",)
    search_fields = ("enrolment__worker__external_id", "enrolment__project__slug")
    ordering = ("-pk",)

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return request.user.has_perm("annotation.delete_worktoken")


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "task", "worker", "status", "claimed_at", "lease_expires_at", "problem")
    list_filter = ("status", "problem")
    list_select_related = ("task", "worker")
    search_fields = ("public_id", "task__key", "worker__external_id")
    ordering = ("-pk",)


@admin.register(Annotation)
class AnnotationAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "project", "number", "task", "worker", "answer_in_short", "score", "submitted_at")
    list_filter = (("project", admin.RelatedOnlyFieldListFilter), "score")
    list_select_related = ("project", "task", "worker")
    search_fields = ("public_id", "task__key", "worker__external_id")
    ordering = ("-pk",)

    @admin.display(description="answer")
    def answer_in_short(self, row: Annotation) -> str:
        return _short(row.answer)


@admin.register(Approval)
class ApprovalAdmin(ReadOnlyAdmin):
    list_display = ("at", "annotation", "decision", "by", "reason")
    list_filter = ("decision",)
    list_select_related = ("annotation",)
    search_fields = ("annotation__public_id", "by")
    ordering = ("-pk",)


@admin.register(Consensus)
class ConsensusAdmin(ReadOnlyAdmin):
    list_display = ("task", "answer_in_short", "method", "confidence", "annotations", "needs_review", "settled_at")
    list_filter = ("method",)
    list_select_related = ("task",)
    search_fields = ("task__key",)
    ordering = ("-settled_at",)

    @admin.display(description="answer")
    def answer_in_short(self, row: Consensus) -> str:
        return _short(row.answer)


@admin.register(InstructionVersion)
class InstructionVersionAdmin(ReadOnlyAdmin):
    list_display = ("project", "number", "by", "created_at")
    list_select_related = ("project",)
    search_fields = ("project__slug",)
    ordering = ("-pk",)


@admin.register(Picture)
class PictureAdmin(ReadOnlyAdmin):
    list_display = ("digest", "state", "content_type", "width", "height", "created_at")
    search_fields = ("digest",)
    ordering = ("-pk",)


@admin.register(Fit)
class FitAdmin(ReadOnlyAdmin):
    list_display = ("project", "prior", "tasks", "annotations", "iterations", "fitted_at")
    list_select_related = ("project",)
    search_fields = ("project__slug",)
    ordering = ("-fitted_at",)


@admin.register(Rater)
class RaterAdmin(ReadOnlyAdmin):
    list_display = ("worker", "fit", "sensitivity", "specificity", "positives", "negatives")
    list_select_related = ("worker",)
    search_fields = ("worker__external_id",)
    ordering = ("-pk",)


@admin.register(Record)
class RecordAdmin(ReadOnlyAdmin):
    list_display = (
        "worker",
        "project",
        "submitted",
        "references",
        "balanced_accuracy",
        "low",
        "high",
        "agreement",
        "measured_at",
    )
    list_select_related = ("worker", "project")
    search_fields = ("worker__external_id",)
    ordering = ("-pk",)


@admin.register(GateAction)
class GateActionAdmin(ReadOnlyAdmin):
    list_display = ("at", "enrolment", "action", "decision", "decided_by", "lifted_at")
    list_filter = ("action", "decision")
    list_select_related = ("enrolment__project", "enrolment__worker")
    search_fields = ("enrolment__worker__external_id", "enrolment__project__slug")
    ordering = ("-pk",)


@admin.register(ScoreChange)
class ScoreChangeAdmin(ReadOnlyAdmin):
    list_display = ("annotation", "before", "after", "event")
    list_select_related = ("annotation", "event")
    search_fields = ("annotation__public_id",)
    ordering = ("-pk",)


@admin.register(Adjudication)
class AdjudicationAdmin(ReadOnlyAdmin):
    list_display = ("at", "task", "status", "by", "second", "reason")
    list_filter = ("status",)
    list_select_related = ("task", "by", "second")
    search_fields = ("task__key", "reason")
    ordering = ("-pk",)


@admin.register(Finding)
class FindingAdmin(ReadOnlyAdmin):
    list_display = ("at", "category", "task", "annotation", "by")
    list_filter = ("category",)
    list_select_related = ("category", "task", "annotation", "by")
    search_fields = ("task__key", "note")
    ordering = ("-pk",)


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    """Roles are given on the staff pages, where each change is noted in the audit log."""

    list_display = ("user", "project", "role", "created_at")
    list_filter = ("role",)
    list_select_related = ("user", "project")
    search_fields = ("user__username", "project__slug")
    ordering = ("-pk",)


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    """Invitations are made and withdrawn on the staff pages, where each is noted in the audit log."""

    list_display = ("note", "project", "role", "by", "created_at", "expires_at", "used_at", "withdrawn_at")
    list_filter = ("role",)
    list_select_related = ("by", "project")
    search_fields = ("note", "by__username", "project__slug")
    ordering = ("-pk",)


@admin.register(Category)
class CategoryAdmin(ReadOnlyAdmin):
    """Taxonomies are edited on the staff pages, where each change is noted in the audit log."""

    list_display = ("label", "taxonomy", "group", "code", "position", "retired_at")
    list_filter = ("taxonomy",)
    search_fields = ("label", "code")


@admin.register(InformationVersion)
class InformationVersionAdmin(ReadOnlyAdmin):
    list_display = ("project", "number", "by", "created_at")
    list_filter = (("project", admin.RelatedOnlyFieldListFilter),)
    list_select_related = ("project",)
    search_fields = ("project__slug",)
    ordering = ("-pk",)


@admin.register(FlaggedText)
class FlaggedTextAdmin(ReadOnlyAdmin):
    list_display = ("created_at", "kind", "project", "state", "decided_by", "decided_at")
    list_filter = ("state", "kind")
    list_select_related = ("project",)
    search_fields = ("decided_by",)
    ordering = ("-pk",)


@admin.register(Chain)
class ChainAdmin(ReadOnlyAdmin):
    list_display = ("task", "worker", "status", "sent_back", "moved_at")
    list_filter = ("status",)
    list_select_related = ("task", "worker")
    search_fields = ("task__key", "worker__external_id")


@admin.register(Step)
class StepAdmin(ReadOnlyAdmin):
    list_display = ("key", "chain", "task", "round")
    list_select_related = ("chain", "task")
    search_fields = ("key", "task__key")


@admin.register(KeptScene)
class KeptSceneAdmin(ReadOnlyAdmin):
    list_display = ("digest", "size_x", "size_y", "size_z", "blocks", "created_at")
    search_fields = ("digest",)
    exclude = ("packed",)
    ordering = ("-pk",)


@admin.register(SceneTask)
class SceneTaskAdmin(ReadOnlyAdmin):
    list_display = ("task", "scene", "phrase")
    list_select_related = ("task", "scene")
    search_fields = ("task__key", "phrase", "scene__digest")


@admin.register(Guess)
class GuessAdmin(ReadOnlyAdmin):
    list_display = ("task",)
    list_select_related = ("task",)
    search_fields = ("task__key",)


@admin.register(Door)
class DoorAdmin(ReadOnlyAdmin):
    """Doors are made and closed on the staff pages, where each change is noted in the audit log."""

    list_display = ("project", "panel", "is_open", "study")
    list_filter = ("is_open",)
    list_select_related = ("project",)
    search_fields = ("project__slug", "panel")


@admin.register(Arrival)
class ArrivalAdmin(ReadOnlyAdmin):
    list_display = ("panel", "project", "worker", "created_at")
    list_select_related = ("project", "worker")
    search_fields = ("panel", "project__slug", "worker__external_id")
    ordering = ("-pk",)
