"""Rows of web and of Django that hold a person's data: kept replies of the API, and the history of the admin."""

from collections.abc import Mapping
from datetime import datetime

from django.contrib.admin.models import LogEntry
from django.db.models import Q

from common.redaction import Mentions
from web.api.idempotency import forget_mentions
from workforce import privacy
from workforce.privacy import Holdings, Person


def erase(person: Person, at: datetime) -> Mapping[str, int]:
    """Delete replies that name the person, and remove the name from the admin's history."""
    return {
        "kept_replies": forget_mentions(mentions=person.mentions),
        "admin_history": _clean_history(person.mentions),
    }


def _clean_history(mentions: Mentions) -> int:
    named = Q()
    for word in mentions.words:
        named |= Q(object_repr__icontains=word) | Q(change_message__icontains=word)
    found = [entry for entry in LogEntry.objects.filter(named) if mentions.within(_words(entry))]
    for entry in found:
        LogEntry.objects.filter(pk=entry.pk).update(
            object_repr=mentions.without(entry.object_repr), change_message=mentions.without(entry.change_message)
        )
    return len(found)


def _words(entry: LogEntry) -> str:
    return f"{entry.object_repr} {entry.change_message}"


def register() -> None:
    """Called once, when the app is ready."""
    privacy.register("web", Holdings(erase=erase))
