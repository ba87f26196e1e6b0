"""Projects, tasks and answers, in the admin."""

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from annotation.consensus import close_as_unjudgeable, reopen
from annotation.models import Annotation, Assignment, Consensus, Enrolment, Project, Task, Truth, WorkToken
from common.admin import CarefulAdmin, ReadOnlyAdmin


@admin.register(Project)
class ProjectAdmin(CarefulAdmin):
    """What follows from a change elsewhere (tool, redundancy, currency, consent) goes through the API."""

    list_display = ("slug", "title", "tool", "status", "redundancy", "annotation_count", "spent", "currency")
    list_filter = ("status", "tool")
    list_select_related = ("consent_page",)
    search_fields = ("slug", "title")
    readonly_fields = (
        "slug",
        "tool",
        "redundancy",
        "currency",
        "consent_page",
        "settings",
        "spent",
        "annotation_count",
        "created_at",
    )

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
    list_display = ("task", "answers", "tolerance_s")
    list_select_related = ("task",)
    search_fields = ("task__key",)


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
    list_display = ("public_id", "project", "number", "task", "worker", "answer", "score", "submitted_at")
    list_filter = (("project", admin.RelatedOnlyFieldListFilter), "score")
    list_select_related = ("project", "task", "worker")
    search_fields = ("public_id", "task__key", "worker__external_id")
    ordering = ("-pk",)


@admin.register(Consensus)
class ConsensusAdmin(ReadOnlyAdmin):
    list_display = ("task", "answer", "method", "confidence", "annotations", "settled_at")
    list_filter = ("method",)
    list_select_related = ("task",)
    search_fields = ("task__key",)
    ordering = ("-settled_at",)
