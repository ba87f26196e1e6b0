"""Commands and corpora in the admin, to be read only: commands come from sessions or through the API."""

from django.contrib import admin

from commands.models import Command, Corpus, CorpusCommand
from common.admin import ReadOnlyAdmin


@admin.register(Command)
class CommandAdmin(ReadOnlyAdmin):
    list_display = ("text", "public_id", "project", "agent", "outcome", "at")
    list_filter = ("outcome",)
    list_select_related = ("project", "agent")
    search_fields = ("text", "public_id")
    ordering = ("-pk",)


@admin.register(Corpus)
class CorpusAdmin(ReadOnlyAdmin):
    list_display = ("slug", "version", "generation")
    search_fields = ("slug",)
    ordering = ("slug",)


@admin.register(CorpusCommand)
class CorpusCommandAdmin(ReadOnlyAdmin):
    list_display = ("text", "corpus", "number")
    list_select_related = ("corpus",)
    search_fields = ("text", "corpus__slug")
    ordering = ("-pk",)
