"""Suites, scenarios and episodes, in the admin."""

from django.contrib import admin

from common.admin import CarefulAdmin, ReadOnlyAdmin
from evaluation.models import (
    Candidate,
    Episode,
    EpisodeTask,
    FailureSample,
    Feed,
    Film,
    KeptFigure,
    Report,
    Resemblance,
    Revision,
    SampledFailure,
    Scenario,
    Suite,
    Tally,
    ToldOfFeed,
    Upload,
    UploadPart,
    Version,
)


@admin.register(Suite)
class SuiteAdmin(CarefulAdmin):
    list_display = ("slug", "title", "created_at")
    search_fields = ("slug", "title")
    readonly_fields = ("created_at",)


@admin.register(Scenario)
class ScenarioAdmin(ReadOnlyAdmin):
    """A new wording is a new revision: put it through the API."""

    list_display = ("key", "suite", "current", "created_at")
    list_filter = (("suite", admin.RelatedOnlyFieldListFilter),)
    list_select_related = ("suite", "current")
    search_fields = ("key", "current__instruction")


@admin.register(Revision)
class RevisionAdmin(ReadOnlyAdmin):
    list_display = ("instruction", "scenario", "category", "skill", "takeover_s", "continuation_s", "created_at")
    list_filter = ("category", "skill")
    list_select_related = ("scenario",)
    search_fields = ("instruction", "scenario__key")
    ordering = ("-pk",)


@admin.register(Version)
class VersionAdmin(ReadOnlyAdmin):
    list_display = ("slug", "suite", "created_at")
    list_select_related = ("suite",)
    search_fields = ("slug", "suite__slug")
    ordering = ("-pk",)


@admin.register(Upload)
class UploadAdmin(ReadOnlyAdmin):
    list_display = ("filename", "bytes", "state", "created_at")
    list_filter = ("state",)
    search_fields = ("filename", "public_id")
    ordering = ("-pk",)


@admin.register(UploadPart)
class UploadPartAdmin(ReadOnlyAdmin):
    list_display = ("upload", "number", "etag")
    list_select_related = ("upload",)
    search_fields = ("upload__filename",)
    ordering = ("-pk",)


@admin.register(Episode)
class EpisodeAdmin(ReadOnlyAdmin):
    list_display = ("external_id", "agent", "scenario", "continuation", "status", "problem_code", "created_at")
    list_filter = ("status", ("agent", admin.RelatedOnlyFieldListFilter), "problem_code")
    list_select_related = ("agent", "scenario")
    search_fields = ("external_id",)
    ordering = ("-pk",)


@admin.register(Film)
class FilmAdmin(ReadOnlyAdmin):
    list_display = ("episode", "frames", "duration_s", "width", "height", "codec", "prepared_at")
    list_filter = ("codec",)
    list_select_related = ("episode",)
    search_fields = ("episode__external_id",)
    ordering = ("-prepared_at",)
    exclude = ("table",)


@admin.register(Feed)
class FeedAdmin(ReadOnlyAdmin):
    list_display = ("project", "suite", "version")
    list_select_related = ("project", "suite", "version")
    search_fields = ("project__slug", "suite__slug")


@admin.register(Tally)
class TallyAdmin(ReadOnlyAdmin):
    list_display = ("agent", "revision", "project", "ready", "success", "failure", "unjudgeable")
    list_select_related = ("agent", "revision", "project")
    search_fields = ("agent__slug", "project__slug")
    ordering = ("-pk",)


@admin.register(EpisodeTask)
class EpisodeTaskAdmin(ReadOnlyAdmin):
    list_display = ("task", "episode")
    list_select_related = ("task", "episode")
    search_fields = ("episode__external_id", "task__key")
    ordering = ("-pk",)


@admin.register(Resemblance)
class ResemblanceAdmin(ReadOnlyAdmin):
    list_display = ("later", "earlier", "kind")
    list_select_related = ("later", "earlier")
    search_fields = ("later__external_id", "earlier__external_id")
    ordering = ("-pk",)


@admin.register(KeptFigure)
class KeptFigureAdmin(ReadOnlyAdmin):
    list_display = ("key", "made_at")
    search_fields = ("key",)
    ordering = ("-made_at",)


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    list_display = ("sha256", "suite", "made_by", "created_at")
    search_fields = ("public_id", "sha256", "suite__slug")
    list_select_related = ("suite",)
    ordering = ("-created_at",)


@admin.register(Candidate)
class CandidateAdmin(ReadOnlyAdmin):
    list_display = ("source", "kind", "suite", "state", "decided_by", "created_at")
    search_fields = ("source", "suite__slug")
    list_select_related = ("suite",)
    ordering = ("-pk",)


@admin.register(FailureSample)
class FailureSampleAdmin(ReadOnlyAdmin):
    list_display = ("suite", "project", "kind", "seed", "made_by", "created_at")
    list_select_related = ("suite", "project")
    search_fields = ("suite__slug", "project__slug")
    ordering = ("-pk",)


@admin.register(SampledFailure)
class SampledFailureAdmin(ReadOnlyAdmin):
    list_display = ("episode", "sample", "first_code", "second_code", "decided")
    list_select_related = ("episode", "sample")
    search_fields = ("episode__external_id",)
    ordering = ("-pk",)


@admin.register(ToldOfFeed)
class ToldOfFeedAdmin(ReadOnlyAdmin):
    list_display = ("feed", "verdict")
    list_select_related = ("feed",)
    search_fields = ("feed__suite__slug", "feed__project__slug")
