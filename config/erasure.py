"""What of a person lies beside the apps that know persons: kept replies of the API, and the admin's own history."""

from collections.abc import Mapping
from datetime import datetime

from django.contrib.admin.models import LogEntry
from django.db.models import Q

from agents.replies import forget_mentions
from common.mentions import Mentions
from workforce.privacy import Person, register_eraser


def erase(person: Person, at: datetime) -> Mapping[str, int]:
    """Drop replies that name the person or hold a link of theirs; take their name out of the admin's history."""
    return {
        "kept_replies": forget_mentions(mentions=person.mentions, digests=person.digests),
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
    register_eraser("config", erase)
